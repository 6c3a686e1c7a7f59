// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <type_traits>

#include "algorithms/algorithm.hpp"
#include "algorithms/kcore/kcore_impl.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {
namespace {

class KcoreInfo final : public AlgorithmInfo {
 public:
  KcoreInfo()
      : AlgorithmInfo({.name = "kcore",
                       .about = "the coreness of each vertex: the largest k such that it has k edges within the k-core",
                       .variant = "peeling",
                       .has_properties = false,
                       .rate = Rate::graph}) {}
  bool needs_transpose(const RunOptions&) const override { return true; }
  bool gpus_decode(const RunOptions&) const override { return true; }
  StateBytes state(const RunOptions&) const override { return {29, 29, 29}; }
  /// Two more frontiers of directed graphs. The oracle comes when the arrays of the run are gone.
  std::uint64_t taken_bytes(const RunOptions& options, const LoadEstimate& graph) const override {
    const std::uint64_t run = graph.vertices * (state(options).run + (graph.directed ? 9 : 0));
    const std::uint64_t turned = graph.directed ? graph.vertices * sizeof(EdgeId) + graph.arcs * sizeof(VertexId) : 0;
    return options.verify ? std::max(run, graph.vertices * 5 * sizeof(VertexId) + turned) : run;
  }
  /// A pass for self loops, and the lists of each level, which may be far apart.
  AccessPattern access_pattern(const RunOptions&, const LoadEstimate&) const override {
    return {.passes = 2, .touched = 1, .reads_per_vertex = 8, .reads_per_arc = 1, .small_steps = true};
  }

  Trial run(Session& session, std::span<const VertexId>, const RunOptions&, AnswerData* answer) const override {
    return answering<KcoreOutput>(answer, [&](auto* output) {
      return trial_by<std::conditional_t<kGpusRunAll, PackedPlacements, NarrowPlacements>, KcoreRun>(session, output);
    });
  }
  verify::Verdict check(const Graph& graph, const AnswerData& answer, const RunOptions&, bool,
                        const verify::Passes&) const override {
    return verify::check_kcore(graph, *answer.as<KcoreOutput>());
  }
};

}  // namespace

void describe(const KcoreOutput& output, AnswerData& answer) {
  std::uint64_t degeneracy = 0, innermost = 0, sum = 0;
  for (const std::uint64_t core : output.cores) {
    innermost = core > degeneracy ? 1 : innermost + (core == degeneracy ? 1 : 0);
    degeneracy = std::max(degeneracy, core);
    sum += core;
  }
  answer.columns = {{"coreness", output.cores}};
  answer.scalars = {{"degeneracy", degeneracy}, {"innermost", innermost}, {"sum", sum}};
}

GR_INFO_OF(kcore, KcoreInfo)

GR_CPU_INSTANCES(KcoreRun)
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, KcoreRun)
GR_PACKED_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, KcoreRun)

}  // namespace graphrun::inline GR_IDS
