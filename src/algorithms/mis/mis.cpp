// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "algorithms/algorithm.hpp"
#include "algorithms/mis/mis_impl.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {
namespace {

class MisInfo final : public AlgorithmInfo {
 public:
  MisInfo()
      : AlgorithmInfo({.name = "mis",
                       .about = "a maximal independent set: the first one in a random order of the vertices, always the same",
                       .variant = "greedy",
                       .needs_undirected = true,
                       .has_properties = false,
                       .rate = Rate::graph}) {}
  StateBytes state(const RunOptions&) const override { return {21, 21, 21}; }
  AccessPattern access_pattern(const RunOptions&, const LoadEstimate&) const override {
    return {.passes = 2, .touched = 1, .reads_per_vertex = 2, .reads_per_arc = 1, .small_steps = true};
  }

  Trial run(Session& session, std::span<const VertexId>, const RunOptions&, AnswerData* answer) const override {
    return answering<MisOutput>(answer, [&](auto* output) { return trial_by<NarrowPlacements, MisRun>(session, output); });
  }
  verify::Verdict check(const Graph& graph, const AnswerData& answer, const RunOptions&, bool,
                        const verify::Passes&) const override {
    return verify::check_mis(graph, *answer.as<MisOutput>());
  }
};

}  // namespace

void describe(const MisOutput& output, AnswerData& answer) {
  std::uint64_t size = 0, sum = 0;
  for (std::size_t v = 0; v < output.members.size(); ++v) {
    if (output.members[v] != 0) ++size, sum += v;
  }
  answer.columns = {{"member", output.members}};
  answer.scalars = {{"size", size}, {"sum", sum}};
}

GR_INFO_OF(mis, MisInfo)

GR_CPU_INSTANCES(MisRun)
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, MisRun)

}  // namespace graphrun::inline GR_IDS
