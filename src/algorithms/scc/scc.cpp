// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <utility>

#include "algorithms/algorithm.hpp"
#include "algorithms/scc/scc_impl.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {
namespace {

class SccInfo final : public AlgorithmInfo {
 public:
  SccInfo()
      : AlgorithmInfo({.name = "scc",
                       .about = "strongly connected components",
                       .variant = "forward-backward",
                       .has_properties = false,
                       .rate = Rate::graph}) {}
  std::string settle(RunOptions&, const LoadEstimate& graph, DeviceKind) const override {
    return graph.directed ? "" : "the graph is undirected: cc labels its components";
  }
  bool needs_transpose(const RunOptions&) const override { return true; }
  StateBytes state(const RunOptions&) const override { return {33, 33, 33}; }
  /// Fewer of undirected graphs, which cc labels. The oracle takes as many.
  std::uint64_t taken_bytes(const RunOptions& options, const LoadEstimate& graph) const override {
    constexpr std::uint64_t kBytesOfCc = 21;
    return graph.vertices * (graph.directed || options.verify ? state(options).run : kBytesOfCc);
  }
  /// A search each way, and the lists of vertices outside of the giant component a few times.
  AccessPattern access_pattern(const RunOptions&, const LoadEstimate&) const override {
    return {.passes = 4, .touched = 0.95, .reads_per_vertex = 8, .reads_per_arc = 1, .small_steps = true};
  }

  Trial run(Session& session, std::span<const VertexId>, const RunOptions&, AnswerData* answer) const override {
    return answering<SccOutput>(answer, [&](SccOutput* output) {
      return trial_on<NarrowPlacements>(session, [&]<class Exec, class View>(SessionOn<Exec, View>& placed) {
        if (!placed.view().symmetric) {
          SccRun<Exec, View> components(placed.exec(), placed.view());
          return timed(placed, components, output);
        }
        CcRun<Exec, View> components(placed.exec(), placed.view(), {});
        CcOutput found;
        const Trial trial = timed(placed, components, output == nullptr ? nullptr : &found);
        if (output != nullptr && placed.exec().answers()) output->labels = std::move(found.labels);
        return trial;
      });
    });
  }
  verify::Verdict check(const Graph& graph, const AnswerData& answer, const RunOptions&, bool,
                        const verify::Passes&) const override {
    return verify::check_scc(graph, *answer.as<SccOutput>());
  }
};

}  // namespace

void describe(const SccOutput& output, AnswerData& answer) {
  answer.columns = {{"component", output.labels, DigestBy::groups, true}};
}

GR_INFO_OF(scc, SccInfo)

GR_CPU_INSTANCES(SccRun)
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, SccRun)

}  // namespace graphrun::inline GR_IDS
