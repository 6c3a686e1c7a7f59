// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "algorithms/algorithm.hpp"
#include "algorithms/lcc/lcc_impl.hpp"
#include "algorithms/tc/list_bytes.hpp"
#include "graphrun/ops/cpu_lists.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Returns the options. Lists are made within the size of the fast tier, unless all edges are there.
LccOptions lcc_options_of(const RunOptions& options) {
  LccOptions complete = options.lcc;
  if (complete.buffer_bytes == 0) complete.buffer_bytes = usual_list_bytes(options);
  return complete;
}

class LccInfo final : public AlgorithmOf<&RunOptions::lcc> {
 public:
  LccInfo()
      : AlgorithmOf({.name = "lcc",
                     .about = "local clustering coefficient of each vertex, and the arcs between its neighbours",
                     .has_properties = false,
                     .rate = Rate::graph}) {}
  bool needs_transpose(const RunOptions&) const override { return true; }
  StateBytes state(const RunOptions&) const override { return {60, 60, 60}; }
  AccessPattern access_pattern(const RunOptions&, const LoadEstimate&) const override { return {3, 1, 4, 8}; }
  LinkTraffic link_traffic(const RunOptions&, const LoadEstimate& graph, double) const override {
    return {.all = 3, .linear = link_traffic_of_pass(graph).linear};
  }
  std::uint64_t buffer_bytes(const RunOptions& options, std::uint64_t arcs) const override {
    const std::uint64_t all = arcs * sizeof(VertexId);
    const std::uint64_t most = lcc_options_of(options).buffer_bytes;
    return most == 0 ? all : std::min(all, most);
  }
  /// The oracle comes when the arrays of the run are gone: it has each edge once, with a flag.
  std::uint64_t taken_bytes(const RunOptions& options, const LoadEstimate& graph) const override {
    const std::uint64_t run = AlgorithmInfo::taken_bytes(options, graph);
    return options.verify ? std::max(run, graph.vertices * 36 + graph.arcs * sizeof(VertexId) * 3) : run;
  }

  Trial run(Session& session, std::span<const VertexId>, const RunOptions& options, AnswerData* answer) const override {
    return answering<LccOutput>(
        answer, [&](auto* output) { return trial_by<NarrowPlacements, LccRun>(session, output, lcc_options_of(options)); });
  }
  verify::Verdict check(const Graph& graph, const AnswerData& answer, const RunOptions&, bool,
                        const verify::Passes&) const override {
    return verify::check_lcc(graph, *answer.as<LccOutput>());
  }
};

}  // namespace

void describe(const LccOutput& output, AnswerData& answer) {
  answer.columns = {{"coefficient", output.coefficients, DigestBy::scores}, {"arcs", output.arcs}};
  answer.scalars = {{"mean", output.mean}, {"transitivity", output.transitivity}};
}

GR_INFO_OF(lcc, LccInfo)

GR_CPU_INSTANCES(LccRun)
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, LccRun)

}  // namespace graphrun::inline GR_IDS
