// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <type_traits>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/cdlp/cdlp_impl.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// The vertices in ascending order of their names, made once for a session; empty where that is the order of their ids, as of
/// names that are strings.
struct ByName {
  explicit ByName(const VertexNames& names) {
    const auto numbers = names.number_column().span();
    if (std::ranges::is_sorted(numbers)) return;
    order.resize(numbers.size());
    std::iota(order.begin(), order.end(), VertexId{0});
    std::ranges::stable_sort(order, {}, [&](VertexId v) { return numbers[v]; });
  }
  std::vector<VertexId> order;
};

/// Of all tables, where so many arcs are counted at one end of each, or at both.
std::uint64_t table_bytes(const RunOptions& options, std::uint64_t vertices, std::uint64_t ends) {
  const std::uint64_t all = (ends + ends / 2 + vertices) * sizeof(cdlp::Slot);
  return std::min(all, options.cdlp.table_bytes) / static_cast<std::uint64_t>(options.ranks);
}

class CdlpInfo final : public AlgorithmInfo {
 public:
  CdlpInfo()
      : AlgorithmInfo({.name = "cdlp",
                       .about = "communities by label propagation: of each vertex the most frequent label of its neighbours, the "
                                "smallest of several",
                       .variant = "synchronous",
                       .has_properties = false}) {}
  std::vector<RunOption> options() const override {
    return {{OptionMaker<RunOptions>::whole(
        {"Run", "max-iterations", "N", "cdlp: stop after this many iterations, or one that changes no label (default 10)"},
        GR_FIELD(cdlp.max_iterations), 1)}};
  }
  bool needs_transpose(const RunOptions&) const override { return true; }
  bool gpus_decode(const RunOptions&) const override { return true; }
  StateBytes state(const RunOptions&) const override { return {12, 12, 12}; }
  std::uint64_t buffer_bytes(const RunOptions& options, std::uint64_t arcs) const override {
    return table_bytes(options, 0, 2 * arcs);
  }
  /// The oracle comes when the arrays of the run are gone. It turns the arcs of a directed graph around.
  std::uint64_t taken_bytes(const RunOptions& options, const LoadEstimate& graph) const override {
    const std::uint64_t run =
        graph.vertices * state(options).run + table_bytes(options, graph.vertices, graph.directed ? 2 * graph.arcs : graph.arcs);
    const std::uint64_t turned = graph.directed ? graph.vertices * sizeof(EdgeId) + graph.arcs * sizeof(VertexId) : 0;
    return options.verify ? std::max(run, graph.vertices * 3 * sizeof(VertexId) + turned) : run;
  }
  /// A label and a slot for each end of an edge.
  AccessPattern access_pattern(const RunOptions& options, const LoadEstimate&) const override {
    const auto iterations = static_cast<double>(options.cdlp.max_iterations);
    return {
        .passes = iterations, .touched = 1, .reads_per_vertex = iterations, .reads_per_arc = 2 * iterations, .in_order = true};
  }

  Trial run(Session& session, std::span<const VertexId>, const RunOptions& options, AnswerData* answer) const override {
    return answering<CdlpOutput>(answer, [&](CdlpOutput* output) {
      return trial_on<std::conditional_t<kGpusRunAll, PackedPlacements, NarrowPlacements>>(
          session, [&]<class Exec, class View>(SessionOn<Exec, View>& placed) {
            auto& by_name = placed.template kept<std::optional<ByName>>();
            if (!by_name) by_name.emplace(placed.graph().names);
            CdlpRun<Exec, View> labels(placed.exec(), placed.view(), options.cdlp, by_name->order);
            return timed(placed, labels, output);
          });
    });
  }
  verify::Verdict check(const Graph& graph, const AnswerData& answer, const RunOptions& options, bool,
                        const verify::Passes&) const override {
    return verify::check_cdlp(graph, *answer.as<CdlpOutput>(), options.cdlp.max_iterations);
  }

  Json chosen_json(const RunResult& result) const override { return {{"stable", result.answer.as<CdlpOutput>()->stable}}; }
  std::string chosen_text(const RunResult& result) const override {
    const std::uint64_t iterations = result.trials.back().stats.iterations;
    const char* const why = result.answer.as<CdlpOutput>()->stable ? ", the last of which changed no label" : "";
    return fmt::format(", {} iteration{}{}", grouped(iterations), iterations == 1 ? "" : "s", why);
  }
};

}  // namespace

void describe(const CdlpOutput& output, AnswerData& answer) {
  answer.columns = {{"label", output.labels, DigestBy::groups, true}};
}

GR_INFO_OF(cdlp, CdlpInfo)

GR_CPU_INSTANCES(CdlpRun)
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, CdlpRun)
GR_PACKED_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, CdlpRun)

}  // namespace graphrun::inline GR_IDS
