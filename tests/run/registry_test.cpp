// SPDX-License-Identifier: Apache-2.0
// Holds for whatever stands in the list of algorithms, with all of its variants.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

#include "graphrun/graphrun.hpp"
#include "support/shapes.hpp"

namespace graphrun {
namespace {

/// Returns the whole numbers of an answer, which no backend, variant or number of ranks may change.
std::string fingerprint(const Answer& answer) {
  const Digest& digest = answer.result().digests.back();
  std::string text = fmt::format("{}", digest.checksum.value_or(0));
  for (const auto& [name, value] : digest.scalars) {
    const auto* const whole = std::get_if<std::uint64_t>(&value);
    if (whole != nullptr && name != "iterations") text += fmt::format(" {} {}", name, *whole);
  }
  return text;
}

void expect_described(const Answer& answer, const Graph& graph, const std::string& algorithm) {
  const RunResult& result = answer.result();
  const auto json = nlohmann::json::parse(json_text(result));
  EXPECT_EQ(json["algorithm"], algorithm);
  EXPECT_EQ(json["verdict"], "verified");
  EXPECT_FALSE(json["result"].empty());
  EXPECT_NE(table_text(result).find("\ndigest "), std::string::npos);
  for (const AnswerColumn& column : result.answer.columns) {
    std::visit(
        [&]<class Values>(const Values& values) {
          if constexpr (!std::is_pointer_v<Values>) {
            EXPECT_EQ(values.size(), graph.num_vertices()) << column.name;
          }
        },
        column.values);
  }
}

TEST(Registry, EveryVariantAnswersAlikeOverEveryBackendAndByRanks) {
  const Graph any = open("kron:8:8");
  const Graph acyclic = test::directed_graph("acyclic", 5, {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 4}});
  std::map<std::string, std::string> expected;
  std::map<std::string, int> answered;
  for (const std::string_view backend : names_of<BackendKind>()) {
    for (const char* const ranks : {"1", "2"}) {
      for (const auto& [name, algorithm] : ChoicesOf<Algorithm>::kAll) {
        for (const std::string_view variant : variants_of(algorithm)) {
          SCOPED_TRACE(fmt::format("{} by {} over {}, {} ranks", name, variant, backend, ranks));
          const Graph& graph = algorithm == Algorithm::topo ? acyclic : any;
          try {
            Engine engine(graph, {.backend = std::string(backend), .device = "cpu", .threads = 2, .more = {{"ranks", ranks}}});
            std::map<std::string, std::string> options{{"variant", std::string(variant)}, {"verify", "serial"}};
            const Answer answer = engine.run(name, options);
            EXPECT_TRUE(answer.verified()) << answer.trial().reason;
            EXPECT_EQ(fingerprint(answer), expected.try_emplace(name, fingerprint(answer)).first->second);
            expect_described(answer, graph, name);
            ++answered[name];
          } catch (const UsageError& refused) {
            EXPECT_EQ(backend, "subway") << refused.what();
          } catch (const UnavailableError& missing) {
            EXPECT_EQ(backend, "uvm") << missing.what();
          }
        }
      }
    }
  }
  for (const auto& [name, algorithm] : ChoicesOf<Algorithm>::kAll) EXPECT_GE(answered[name], 8) << name;
}

TEST(Registry, ColumnsHaveTheirTypes) {
  const Graph graph = open("kron:8");
  Engine engine(graph, {.backend = "incore", .device = "cpu"});
  const Answer search = engine.run("bfs", {{"source", "index:3"}});
  EXPECT_EQ(search.column<std::uint32_t>("level")[3], 0);
  EXPECT_EQ(search.column<VertexId>("parent")[3], 3);
  EXPECT_EQ(search.number("reached"), engine.run(Bfs{.source = 3}).reached());
  EXPECT_THROW(search.column<double>("level"), UsageError);
  EXPECT_THROW(search.column<double>("depth"), UsageError);
}

}  // namespace
}  // namespace graphrun
