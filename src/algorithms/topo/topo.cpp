// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/topo/topo_impl.hpp"
#include "core/raise.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {
namespace {

class TopoInfo final : public AlgorithmInfo {
 public:
  TopoInfo()
      : AlgorithmInfo({.name = "topo",
                       .about = "topological order: the most edges of a path that ends at each vertex; a cycle is an error",
                       .variant = "peeling",
                       .has_properties = false,
                       .rate = Rate::graph}) {}
  StateBytes state(const RunOptions&) const override { return {25, 25, 25}; }
  AccessPattern access_pattern(const RunOptions&, const LoadEstimate&) const override {
    return {.passes = 2, .touched = 1, .reads_per_vertex = 2, .reads_per_arc = 1, .small_steps = true};
  }

  Trial run(Session& session, std::span<const VertexId>, const RunOptions&, AnswerData* answer) const override {
    return answering<TopoOutput>(answer, [&](TopoOutput* output) {
      return trial_on<NarrowPlacements>(session, [&]<class Exec, class View>(SessionOn<Exec, View>& placed) {
        TopoRun<Exec, View> levels(placed.exec(), placed.view());
        const Trial trial = timed(placed, levels, output);
        if (const VertexId on_cycle = levels.find_cycle(); on_cycle != kNoVertex) {
          raise<UsageError>("topo orders graphs without cycles, and vertex {} of this one is on a cycle{}",
                            placed.graph().names.text(on_cycle),
                            placed.view().symmetric ? ", as on each edge of an undirected graph" : "");
        }
        return trial;
      });
    });
  }
  verify::Verdict check(const Graph& graph, const AnswerData& answer, const RunOptions&, bool,
                        const verify::Passes&) const override {
    return verify::check_topo(graph, *answer.as<TopoOutput>());
  }
};

}  // namespace

void describe(const TopoOutput& output, AnswerData& answer) {
  const bool is_empty = output.levels.empty();
  const std::uint64_t depth = is_empty ? 0 : std::uint64_t{*std::ranges::max_element(output.levels)} + 1;
  std::vector<VertexId> sizes(depth);
  std::uint64_t sum = 0;
  for (const VertexId level : output.levels) ++sizes[level], sum += level;
  const std::uint64_t widest = is_empty ? 0 : *std::ranges::max_element(sizes);
  answer.columns = {{"level", output.levels}};
  answer.scalars = {{"depth", depth}, {"widest", widest}, {"sum", sum}};
}

GR_INFO_OF(topo, TopoInfo)

GR_CPU_INSTANCES(TopoRun)
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, TopoRun)

}  // namespace graphrun::inline GR_IDS
