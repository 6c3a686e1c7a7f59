// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/algorithm.hpp"
#include "algorithms/cc/cc_impl.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/graphrun.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "graphrun/run/trials.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {
namespace {

class CcInfo final : public AlgorithmOf<&RunOptions::cc> {
 public:
  CcInfo() : AlgorithmOf({.name = "cc", .about = "weakly connected components", .rate = Rate::graph}) {}
  bool needs_transpose(const RunOptions& options) const override { return options.cc.variant == CcVariant::afforest; }
  bool runs_on_gpu(const RunOptions&) const override { return true; }
  /// Returns false for afforest: its samples read leading edges, which plain lists give sooner.
  bool gpus_decode(const RunOptions& options) const override { return options.cc.variant == CcVariant::hooking; }
  StateBytes state(const RunOptions&) const override { return {21, 22, 22}; }
  RankBytes rank_state(const RunOptions&) const override {
    constexpr double kId = sizeof(VertexId);  // a label; bitmaps beside it, and sizes in the answer
    return {kId + 0.24, 2 * kId + 0.8, kId + sizeof(std::uint64_t)};
  }
  /// Publishes most labels once.
  std::optional<RankTraffic> rank_traffic(const RunOptions&, const LoadEstimate&) const override {
    return RankTraffic{
        6, 0.9 * sizeof(VertexId), 1.5, 4, 4, "passes: the samples, and the lists outside of the largest component"};
  }
  AccessPattern access_pattern(const RunOptions&, const LoadEstimate&) const override { return {1, 0.95, 1.5, 0.02, true}; }
  LinkTraffic link_traffic(const RunOptions& options, const LoadEstimate& graph, double first) const override {
    constexpr double kSectorEdges = 32.0 / sizeof(VertexId);
    if (options.cc.variant != CcVariant::afforest) return link_traffic_of_pass(graph);
    if (first >= 3) return {.all = 0};  // both samples and the ends of prefixes
    const double mean = static_cast<double>(graph.arcs) / static_cast<double>(std::max<std::uint64_t>(1, graph.vertices));
    const double sampled = graph.lengths.first_edges > 0 ? graph.lengths.first_edges : std::min(mean, kSectorEdges);
    return {.all = mean > 0 ? 0.95 * sampled / mean : 0};
  }
  double share_beyond_prefixes(const RunOptions& options, const LoadEstimate&, double edges_a_list) const override {
    return options.cc.variant == CcVariant::afforest && edges_a_list >= 2 ? 0 : 1;  // both samples
  }

  Trial run(Session& session, std::span<const VertexId>, const RunOptions& options, AnswerData* answer) const override {
    return answering<CcOutput>(answer, [&](auto* output) { return run_cc(session, options.cc, output); });
  }
  verify::Verdict check(const Graph& graph, const AnswerData& answer, const RunOptions& options, bool,
                        const verify::Passes& how) const override {
    const auto& found = *answer.as<CcOutput>();
    return options.verify == VerifyBy::serial ? verify::check_cc(graph, found) : verify::check_cc_properties(graph, found, how);
  }
};

}  // namespace

void describe(const CcOutput& output, AnswerData& answer) {
  answer.columns = {{"component", output.labels, DigestBy::groups, true}};
}

Trial run_cc(Session& session, const CcOptions& options, CcOutput* output) {
  return trial_on<PackedPlacements>(session, [&]<class Exec, class View>(SessionOn<Exec, View>& placed) {
    return timed(placed, kept_run<CcRun<Exec, View>>(placed, options), output);
  });
}

ComponentsAnswer Engine::run(const ConnectedComponents& what) { return ComponentsAnswer(run(request_of(Algorithm::cc, what))); }

GR_INFO_OF(cc, CcInfo)

GR_CPU_INSTANCES(CcRun)
GR_FOR_EACH_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, CcRun)
GR_PACKED_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, CcRun)

}  // namespace graphrun::inline GR_IDS
