// SPDX-License-Identifier: Apache-2.0
// Every section of a container, through every way that it is carried, by every algorithm and variant: verified, or refused in a
// sentence.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/run/run.hpp"
#include "graphrun/transport/fabric.hpp"
#include "io/native_layout.hpp"
#include "run/cli.hpp"
#include "run/server_child.hpp"

namespace graphrun::test {
namespace {

struct Way {
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;
};

class Containers : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    log::set_level(log::Level::quiet);
  }
  void TearDown() override {
    log::set_level(log::Level::normal);
    CliTest::TearDown();
  }

  /// Lines of a directed graph with weights from `least` on whose ids leave gaps, so that its vertices have names.
  static std::vector<std::string> lines_of_arcs(std::uint64_t least) {
    std::vector<std::string> lines;
    for (std::uint64_t i = 0; i < 1200; ++i)
      lines.push_back(fmt::format("{} {} {}\n", 10 + splitmix64(1, i, 0) % 150 * 3, 10 + splitmix64(2, i, 0) % 150 * 3,
                                  least + splitmix64(3, i, 0) % 90));
    return lines;
  }
  std::string arcs(std::uint64_t least = 0) const {
    return write("arcs.el", fmt::format("{}", fmt::join(lines_of_arcs(least), "")));
  }
  /// Returns the sorted edge list that graphconv writes for a graph.
  std::vector<std::string> lines_of(const std::string& graph) const {
    std::vector<std::string> lines;
    std::istringstream text(graphconv(graph + " - --to el --quiet").out);
    for (std::string line; std::getline(text, line);) lines.push_back(line + "\n");
    std::ranges::sort(lines);
    return lines;
  }

  std::string make(const std::string& input, const std::string& name, const std::string& options) const {
    EXPECT_EQ(graphconv(fmt::format("{} {} {} --quiet", input, path(name), options)).code, 0) << options;
    EXPECT_EQ(graphconv(fmt::format("check {} --quiet", path(name))).code, 0) << options;
    return path(name);
  }
  static bool has(const std::string& container, io::SectionKind kind) {
    for (const io::SectionEntry& entry : io::read_container_head(container).sections)
      if (entry.kind == static_cast<std::uint32_t>(kind)) return true;
    return false;
  }

  /// The ways by which edges of a container reach a run.
  std::vector<Way> ways_of(const std::string& container, const std::optional<ServerChild>& server) const {
    std::vector<Way> ways;
    for (const std::string backend : {"incore", "emogi", "uvm", "bam", "gpuvm", "subway"}) {
      if (kSanitized && backend != "incore" && backend != "bam") continue;
      ways.push_back({backend, {{"backend", backend}}});
    }
    const std::string parts = path("p0") + "," + path("p1");
    EXPECT_EQ(graphconv(fmt::format("stripe {} --parts {} --unit 4KiB --quiet", container, parts)).code, 0);
    EXPECT_EQ(graphconv(fmt::format("check {} {} --quiet", path("p0"), path("p1"))).code, 0);
    ways.push_back({"parts", {{"backend", "bam"}, {"stripe", parts}}});
    std::filesystem::copy_file(container, path("copy.grf"), std::filesystem::copy_options::overwrite_existing);
    ways.push_back({"copies", {{"backend", "bam"}, {"stripe", path("copy.grf")}}});
    if (server) ways.push_back({"server", {{"backend", "gpuvm"}, {"fabric", "ofi:tcp"}, {"remote", server->address()}}});
    return ways;
  }

  /// All algorithms with all variants over one way, by one rank and by three in turn.
  void expect_verified(const std::string& container, bool directed, const Way& way) const {
    int turn = 0;
    for (const auto& [algorithm, id] : ChoicesOf<Algorithm>::kAll) {
      // All of them have cycles.
      if (id == Algorithm::topo || (info_of(id).facts.needs_undirected && directed)) continue;
      for (const std::string_view variant : variants_of(id)) {
        for (const bool batch : {false, true}) {
          if (batch && id != Algorithm::bfs) continue;
          const int ranks = ++turn % 2 == 0 ? 3 : 1;
          const std::string what =
              fmt::format("{} by {}, {}{}, {} ranks", way.name, algorithm, variant, batch ? ", batch" : "", ranks);
          RunOptions options = usual_options();
          options.graph = container;
          options.algorithm = id;
          for (const auto& [name, text] : way.options) set_option(options, name, text);
          set_option(options, "variant", std::string(variant));
          set_option(options, "device", "cpu");
          set_option(options, "threads", "2");
          set_option(options, "ranks", std::to_string(ranks));
          if (way.name == "subway") set_option(options, "subway-variant", "sync");
          if (batch) set_option(options, "batch", ""), set_option(options, "sources", "5");
          options.verify = VerifyBy::properties;
          // Servers and subgraphs have no records, and stripes only those of the container.
          const bool stored = has(container, io::SectionKind::out_records);
          const bool striped = way.name == "parts" || way.name == "copies";
          const bool may_refuse = variant == "prefix" && (way.name == "server" || way.name == "subway" || (striped && !stored));
          try {
            EXPECT_EQ(run(resolve(options)).verification, Verification::verified) << what;
          } catch (const Error& error) {
            EXPECT_TRUE(may_refuse && error.code() == ExitCode::usage) << what << ": " << error.what();
          }
        }
      }
    }
  }

  void expect_carried(const std::string& container, bool directed) const {
    std::optional<ServerChild> server;
    const bool packed = has(container, io::SectionKind::out_lines);
    const bool serves = why_no_fabric("tcp").empty() && !kSanitized;
    const std::vector<std::string> serving = {"--graph", container, "--listen", "127.0.0.1:0", "--fabric", "tcp"};
    if (serves && !packed) server.emplace(serving);
    if (serves && packed) {
      const Said said = say(fmt::format("{} {} --quiet", GRAPHMEMD_PROGRAM, fmt::join(serving, " ")));
      EXPECT_EQ(said.code, 2);
      EXPECT_NE(said.err.find("cannot be served"), std::string::npos) << said.err;
    }
    for (const Way& way : ways_of(container, server)) expect_verified(container, directed, way);
  }
};

TEST_F(Containers, OfDirectedGraphsAreCarriedWhole) {
  expect_carried(make(arcs(), "d.grf", "--sort weight --balanced 16"), true);
}

TEST_F(Containers, OfUndirectedGraphsAreCarriedWhole) {
  expect_carried(make("kron:7:6", "u.grf", "--weights random:1 --sort weight --relabel degree"), false);
}

TEST_F(Containers, OfPackedDirectedGraphsAreCarriedWhole) {
  expect_carried(make(arcs(), "dp.grf", "--sort weight --pack"), true);
}

TEST_F(Containers, OfPackedUndirectedGraphsAreCarriedWhole) {
  expect_carried(make("kron:7:6", "up.grf", "--weights random:1 --pack --balanced 16"), false);
}

constexpr std::uint64_t kBeyondFloats = (std::uint64_t{1} << 53) + 1;

TEST_F(Containers, OfWideWeightsAreCarriedWhole) {
  expect_carried(make(arcs(kBeyondFloats), "w.grf", "--sort weight --balanced 16"), true);
}

TEST_F(Containers, OfPackedWideWeightsAreCarriedWhole) {
  const std::string packed = make(arcs(kBeyondFloats), "wp.grf", "--undirected --sort weight --pack");
  EXPECT_TRUE(has(packed, io::SectionKind::packed_weights) && has(packed, io::SectionKind::weight_table));
  expect_carried(packed, false);
}

TEST_F(Containers, WideWeightsSurviveEveryConversion) {
  std::vector<std::string> lines = lines_of_arcs(kBeyondFloats);
  std::ranges::sort(lines);
  const std::string text = arcs(kBeyondFloats);
  const std::string whole = make(text, "whole.grf", "");
  EXPECT_EQ(lines_of(whole), lines);
  for (const char* options : {"", "--relabel degree", "--sort hubs-first", "--pack", "--sort weight", "--memory 64MiB --pack"}) {
    EXPECT_EQ(lines_of(make(whole, "other.grf", options)), lines) << options;
    EXPECT_EQ(lines_of(make(text, "other.grf", options)), lines) << options;
  }
  for (const char* name : {"other.el", "other.wel", "other.csv"}) {
    EXPECT_EQ(graphconv(fmt::format("{} {} --quiet", whole, path(name))).code, 0);
    EXPECT_EQ(lines_of(path(name)), lines) << name;
  }
  // In memory and through files, byte for byte.
  EXPECT_EQ(contents(make(text, "a.grf", "--merge sum --undirected")),
            contents(make(text, "b.grf", "--merge sum --undirected --memory 64MiB")));
  const auto distances = [&](const std::string& graph) {
    return json_of(graph + " --algo sssp --source index:0 --quiet")["result"];
  };
  EXPECT_EQ(graphconv(fmt::format("{} {} --quiet", whole, path("other.mtx"))).code, 0);
  EXPECT_EQ(distances(path("other.mtx"))["checksum"], distances(whole)["checksum"]);
  for (const char* to : {"bel", "wsg", "bwcsr", "galois", "gunrock"}) {
    const Said said = graphconv(fmt::format("{} {} --to {}", whole, path("other"), to));
    EXPECT_EQ(said.code, 2) << to;
    EXPECT_NE(said.err.find("holds weights of 32 bits, and those of the graph have 64"), std::string::npos) << said.err;
  }
  const nlohmann::json info = nlohmann::json::parse(graphconv("info --json " + whole).out)[0];
  EXPECT_EQ(info["weights"], "u64");
  EXPECT_GT(info["needs"]["weight_table_bytes"], 0);
}

// Also of unchecked containers: a word beyond the table, and a table that does not ascend.
TEST_F(Containers, DamagedTablesOfWeightsAreRefused) {
  const std::string whole = make(arcs(kBeyondFloats), "whole.grf", "");
  for (const auto kind : {io::SectionKind::weight_table, io::SectionKind::out_weights}) {
    std::string bytes = contents(whole);
    for (const io::SectionEntry& entry : io::read_container_head(whole).sections) {
      if (entry.kind == static_cast<std::uint32_t>(kind))
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(entry.offset), 16, '\x7f');
    }
    const std::string damaged = write("damaged.grf", bytes);
    EXPECT_EQ(graphconv("check " + damaged + " --quiet").code, 1);
    EXPECT_EQ(graphrun(damaged + " --algo sssp --source index:0 --quiet").code, 1);
    if (kind == io::SectionKind::out_weights)
      EXPECT_EQ(graphrun(damaged + " --algo sssp --source index:0 --trust-file --backend incore --quiet").code, 1);
  }
}

// What a container has beside its lists was lost when these changed on their way to another one: sssp then took another variant.
TEST_F(Containers, ConvertedOnesKeepRecordsAndTables) {
  for (const bool directed : {true, false}) {
    const std::string whole = directed ? make(arcs(), "whole.grf", "--sort weight --balanced 16")
                                       : make("kron:7:6", "whole.grf", "--weights random:1 --sort weight --balanced 16");
    for (const char* options :
         {"", "--relabel degree", "--sort id", "--sort hubs-first", "--pack", "--drop-duplicates", "--undirected",
          "--weights random:2", "--drop-self-loops --pack --relabel degree", "--memory 64MiB --relabel degree"}) {
      const std::string other = make(whole, "other.grf", options);
      using enum io::SectionKind;
      EXPECT_TRUE(has(other, out_records) && has(other, weight_stats)) << options;
      EXPECT_TRUE(has(other, hub_chunks)) << options;
      EXPECT_TRUE(has(other, out_weights) || has(other, packed_weights)) << options;
      const bool stays_directed = directed && std::string(options) != "--undirected";
      EXPECT_EQ(has(other, in_offsets), stays_directed) << options;
      EXPECT_EQ(has(other, name_numbers), directed || std::string(options).find("relabel") != std::string::npos) << options;
      expect_verified(other, stays_directed, {"bam", {{"backend", "bam"}}});
    }
    const Said said = graphconv(fmt::format("{} {} --no-transpose", whole, path("other.grf")));
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(said.err.find("no lists in the order of their weights") != std::string::npos, directed) << said.err;
    EXPECT_NE(
        graphconv(fmt::format("{} {}", whole, path("other.wel"))).err.find("cannot hold lists in the order of their weights"),
        std::string::npos);
  }
}

}  // namespace
}  // namespace graphrun::test
