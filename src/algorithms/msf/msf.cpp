// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/msf/msf_impl.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Writes each edge of the forest at the end that is farther from its tree's smallest vertex, in which a search begins.
MsfOutput rooted(const msf::Edges& edges, const Graph& graph) {
  const auto n = static_cast<VertexId>(edges.highs.size());
  std::vector<EdgeId> begins(std::size_t{n} + 1);  // of the edges at each vertex, in `at`
  const auto for_each_end = [&](const auto& visit) {
    for (VertexId e = 0; e < n; ++e) {
      if (edges.highs[e] != kNoVertex) visit(edges.lows[e], e), visit(edges.highs[e], e);
    }
  };
  for_each_end([&](VertexId v, VertexId) { ++begins[v]; });
  EdgeId sum = 0;
  for (EdgeId& begin : begins) sum += begin, begin = sum;  // where each ends; the pass below goes down from there
  std::vector<VertexId> at(sum);
  for_each_end([&](VertexId v, VertexId e) { at[--begins[v]] = e; });

  MsfOutput output{std::vector<VertexId>(n, kNoVertex), std::vector<VertexId>(n), {}};
  if (graph.weight_kind == WeightKind::u64) output.weights.emplace<1>();
  if (graph.weight_kind == WeightKind::f32) output.weights.emplace<2>();
  std::visit([&](auto& weights) { weights.resize(n); }, output.weights);
  const auto set_weight = [&](VertexId v, std::uint32_t word) {
    switch (graph.weight_kind) {
      case WeightKind::u64:
        std::get<1>(output.weights)[v] = graph.whole_weight(word);
        break;
      case WeightKind::f32:
        std::get<2>(output.weights)[v] = std::bit_cast<float>(word);
        break;
      default:
        std::get<0>(output.weights)[v] = word;
    }
  };
  std::vector<VertexId> found;
  for (VertexId root = 0; root < n; ++root) {
    if (output.parents[root] != kNoVertex) continue;
    output.parents[root] = root;
    found.assign(1, root);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const VertexId v = found[i];
      output.components[v] = root;
      for (VertexId k = begins[v]; k < begins[v + std::size_t{1}]; ++k) {
        const VertexId e = at[k];
        const VertexId u = edges.lows[e] == v ? edges.highs[e] : edges.lows[e];
        if (output.parents[u] != kNoVertex) continue;
        output.parents[u] = v;
        set_weight(u, edges.keys[e]);
        found.push_back(u);
      }
    }
  }
  return output;
}

class MsfInfo final : public AlgorithmInfo {
 public:
  MsfInfo()
      : AlgorithmInfo({.name = "msf",
                       .about = "a minimum spanning forest: each vertex's edge toward the smallest vertex of its tree",
                       .variant = "boruvka",
                       .needs_undirected = true,
                       .needs_weights = true,
                       .has_properties = false,
                       .rate = Rate::graph}) {}
  StateBytes state(const RunOptions&) const override {
    constexpr std::uint64_t kBytes = 25 + 6 * sizeof(VertexId);
    return {kBytes, kBytes, kBytes};
  }
  /// The oracle sorts the edges when the arrays of the run are gone.
  std::uint64_t taken_bytes(const RunOptions& options, const LoadEstimate& graph) const override {
    const std::uint64_t run = graph.vertices * state(options).run;
    const std::uint64_t edge = sizeof(std::uint32_t) + 2 * sizeof(VertexId);
    return options.verify ? std::max(run, graph.vertices * 21 + graph.arcs / 2 * edge) : run;
  }
  /// Rounds halve the components at least; most lists are read in few.
  AccessPattern access_pattern(const RunOptions&, const LoadEstimate&) const override {
    constexpr double kRounds = 4;
    return {.passes = kRounds, .touched = 1, .reads_per_vertex = kRounds, .reads_per_arc = kRounds / 2, .in_order = true};
  }

  Trial run(Session& session, std::span<const VertexId>, const RunOptions&, AnswerData* answer) const override {
    return answering<MsfOutput>(answer, [&](MsfOutput* output) {
      msf::Edges found;
      const Graph* graph = nullptr;
      const Trial trial = trial_on<NarrowPlacements>(session, [&]<class Exec, class View>(SessionOn<Exec, View>& placed) {
        MsfRun<Exec, View> forest(placed.exec(), placed.view(), placed.graph().weight_kind);
        if (placed.exec().answers()) graph = &placed.graph();
        return timed(placed, forest, output == nullptr ? nullptr : &found);
      });
      if (output != nullptr && graph != nullptr) *output = rooted(found, *graph);
      return trial;
    });
  }
  verify::Verdict check(const Graph& graph, const AnswerData& answer, const RunOptions&, bool,
                        const verify::Passes&) const override {
    return verify::check_msf(graph, *answer.as<MsfOutput>());
  }
};

}  // namespace

void describe(const MsfOutput& output, AnswerData& answer) {
  std::uint64_t edges = 0;
  for (std::size_t v = 0; v < output.parents.size(); ++v) edges += output.parents[v] != v ? 1 : 0;
  answer.columns = {{"parent", output.parents, DigestBy::nothing, true},
                    {"component", output.components, DigestBy::nothing, true}};
  std::visit(
      [&]<class T>(const std::vector<T>& weights) {
        answer.columns.push_back({"weight", std::span<const T>(weights)});
        long double sum = 0;
        std::uint64_t whole = 0;
        bool fits = std::is_integral_v<T>;
        for (const T weight : weights) {
          sum += weight;
          if constexpr (std::is_integral_v<T>) fits = fits && !__builtin_add_overflow(whole, std::uint64_t{weight}, &whole);
        }
        answer.scalars = {{"edges", edges}, {"weight", static_cast<double>(sum)}};
        if (fits) answer.scalars.back().value = whole;
      },
      output.weights);
}

GR_INFO_OF(msf, MsfInfo)

GR_CPU_INSTANCES(MsfRun)
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, MsfRun)

}  // namespace graphrun::inline GR_IDS
