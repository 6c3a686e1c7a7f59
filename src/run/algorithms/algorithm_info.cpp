#include "run/algorithms/algorithm_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace graphrun::inline GR_IDS {

const AlgorithmInfo& info_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::bfs:
      return bfs_info();
    case Algorithm::sssp:
      return sssp_info();
    case Algorithm::cc:
      return cc_info();
    case Algorithm::pagerank:
      return pagerank_info();
    case Algorithm::bc:
      return bc_info();
    case Algorithm::tc:
      return tc_info();
  }
  throw UsageError("there is no such algorithm");
}

LoadEstimate what_is_known_of(const Graph& graph) {
  LoadEstimate known{.vertices = graph.num_vertices(),
                     .arcs = graph.num_edges(),
                     .directed = !graph.symmetric,
                     .weighted = graph.weight_kind != WeightKind::none,
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

std::string edges_of_graph_in_words(bool symmetric) {
  return fmt::format("input edges of the graph (edges stored{}) / time",
                     symmetric ? ", halved because each undirected edge is stored twice" : "");
}

std::string edges_of_reached_in_words(bool symmetric) {
  const char* const half = symmetric ? ", halved because each undirected edge is stored twice" : "";
  return std::string("input edges within the traversed component (out-degrees of the reached vertices added up") + half +
         ") / time";
}

std::uint64_t AlgorithmInfo::taken_bytes(const RunOptions& options, const LoadEstimate& graph) const {
  const StateBytes bytes = state(options);
  const std::uint64_t each = !options.verify                           ? bytes.run
                             : *options.verify == VerifyBy::properties ? bytes.verified
                                                                       : bytes.by_serial;
  return graph.vertices * each + buffer_bytes(options, graph.arcs);
}

}  // namespace graphrun::inline GR_IDS
