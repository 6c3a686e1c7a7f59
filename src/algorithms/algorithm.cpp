#include "algorithms/algorithm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "core/raise.hpp"

namespace graphrun::inline GR_IDS {

const AlgorithmInfo& info_of(Algorithm algorithm) {
  constexpr const AlgorithmInfo& (*kAll[])() = {bfs_info, sssp_info, cc_info, pagerank_info, bc_info, tc_info};
  return kAll[static_cast<std::size_t>(algorithm)]();
}

LoadEstimate what_is_known_of(const Graph& graph) {
  LoadEstimate known{.vertices = graph.num_vertices(),
                     .arcs = graph.num_edges(),
                     .directed = !graph.symmetric,
                     .weighted = graph.weight_kind != WeightKind::none,
                     .weight_table_bytes = graph.weight_table.bytes(),
                     .records = graph.has_records(),
                     .reversed_records = graph.by_target.has_value(),
                     .lengths = {},
                     .mapped = graph.out.neighbours.in_mapped_file() || graph.out.packed.lines.in_mapped_file()};
  if (graph.out.neighbours.empty() && is_packed(graph)) {
    known.packed_bytes = graph.out.packed.lines.bytes();
    known.unpacked_bytes = graph.num_edges() * sizeof(VertexId);
  }
  return known;
}

namespace {

template <class T>
constexpr T kNoValue = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();

}  // namespace

Json answer_json(const AnswerValues& answer, VertexId v) {
  return std::visit(
      [&]<class Values>(const Values* values) -> Json {
        if constexpr (std::is_same_v<Values, BfsBatchOutput>) {
          throw std::logic_error("a batch has several values a vertex");
        } else {
          return (*values)[v] == kNoValue<typename Values::value_type> ? Json(nullptr) : Json((*values)[v]);
        }
      },
      answer.values);
}

TopValues AlgorithmInfo::top(const Output& output, std::size_t k) const {
  const AnswerValues answer = values(output, false);
  TopValues top{answer.name, {}};
  std::visit(
      [&]<class Values>(const Values* values) {
        if constexpr (std::is_same_v<Values, BfsBatchOutput>) {
          throw std::logic_error("a batch has several values a vertex");
        } else {
          using Value = typename Values::value_type;
          for (const auto& [v, value] : largest_of(*values, k, std::optional(kNoValue<Value>))) top.rows.emplace_back(v, value);
        }
      },
      answer.values);
  return top;
}

Json name_json(const VertexNames& names, VertexId v) { return names.are_strings() ? Json(names.text(v)) : Json(names.number(v)); }

Json top_json(const std::vector<std::pair<VertexId, double>>& top, const VertexNames& names) {
  Json all = Json::array();
  for (const auto& [vertex, score] : top)
    all.push_back({{"vertex", vertex}, {"label", name_json(names, vertex)}, {"score", score}});
  return all;
}

std::string top_text(const std::vector<std::pair<VertexId, double>>& top, const VertexNames& names) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, top.size()); ++i)
    text += fmt::format("{} {} ({:.6g})", i == 0 ? "; highest" : ",", names.text(top[i].first), top[i].second);
  return text;
}

double edges_of_graph(const Graph& graph) { return static_cast<double>(graph.num_edges()) / (graph.symmetric ? 2 : 1); }

/// Some passes over all lists.
AccessPattern AlgorithmInfo::access_pattern(const RunOptions&, const LoadEstimate&) const {
  constexpr double kPasses = 4;
  return {.passes = kPasses, .touched = 1, .reads_per_vertex = kPasses, .reads_per_arc = kPasses / 2, .in_order = true};
}

LinkTraffic AlgorithmInfo::link_traffic(const RunOptions& options, const LoadEstimate& graph, double) const {
  return {.all = kWholeLists * access_pattern(options, graph).passes, .linear = link_traffic_of_pass(graph).linear};
}

verify::Verdict AlgorithmInfo::check(const Graph&, const Output&, const RunResult&, bool, const verify::Passes&) const {
  raise<UsageError>("{} has no oracle to verify its answer by", facts.name);
}

AnswerValues AlgorithmInfo::values(const Output&, bool) const { throw UsageError(facts.why_no_values); }

std::uint64_t AlgorithmInfo::taken_bytes(const RunOptions& options, const LoadEstimate& graph) const {
  const StateBytes bytes = state(options);
  const std::uint64_t each = !options.verify                           ? bytes.run
                             : *options.verify == VerifyBy::properties ? bytes.verified
                                                                       : bytes.by_serial;
  return graph.vertices * each + buffer_bytes(options, graph.arcs);
}

}  // namespace graphrun::inline GR_IDS
