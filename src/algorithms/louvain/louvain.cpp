// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "algorithms/algorithm.hpp"
#include "algorithms/louvain/louvain_impl.hpp"
#include "core/raise.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {
namespace {

bool& louvain_weights_named(RunOptions& options) { return options.louvain.weighted; }

class LouvainInfo final : public AlgorithmInfo {
 public:
  LouvainInfo()
      : AlgorithmInfo({.name = "louvain",
                       .about = "communities of large modularity, by Louvain's method",
                       .variant = "multilevel",
                       .needs_undirected = true,
                       .weights_named = louvain_weights_named,
                       .saves_state = true,
                       .has_properties = false}) {}
  std::vector<RunOption> options() const override {
    return {{OptionMaker<RunOptions>::positive(
        {"Run", "resolution", "F", "louvain: weight of expected edges; more makes smaller communities (default 1)"},
        GR_FIELD(louvain.resolution))}};
  }
  void check_options(const RunOptions& options) const override {
    const double resolution = options.louvain.resolution;
    if (!(resolution > 0 && std::isfinite(resolution)))
      raise<UsageError>("--resolution must be a positive number, not {}", resolution);
  }
  bool needs_weights(const RunOptions& options) const override { return options.louvain.weighted; }
  StateBytes state(const RunOptions& options) const override {
    const std::uint64_t bytes = 68 + 7 * sizeof(VertexId) + (options.louvain.weighted ? sizeof(double) : 0);
    return {bytes, bytes, bytes};
  }
  /// Tables, and the graph of communities of a graph that has some: one without any has a pair for nearly each arc.
  std::uint64_t buffer_bytes(const RunOptions&, std::uint64_t arcs) const override {
    constexpr std::uint64_t kArcsAPair = 3;
    const std::uint64_t tables = (arcs + arcs / 2) / louvain::kParts * sizeof(louvain::Slot);
    return tables + arcs / kArcsAPair * (sizeof(VertexId) + sizeof(std::uint64_t));
  }
  AccessPattern access_pattern(const RunOptions&, const LoadEstimate&) const override {
    constexpr double kPasses = 7;
    return {.passes = kPasses, .touched = 1, .reads_per_vertex = kPasses, .reads_per_arc = 3 * kPasses};
  }

  Trial run(Session& session, std::span<const VertexId>, const RunOptions& options, AnswerData* answer) const override {
    return answering<LouvainOutput>(answer, [&](LouvainOutput* output) {
      return trial_on<NarrowPlacements>(session, [&]<class Exec, class View>(SessionOn<Exec, View>& placed) {
        const WeightKind weights = options.louvain.weighted ? placed_weights(placed, "louvain") : WeightKind::none;
        LouvainRun<Exec, View> communities(placed.exec(), placed.view(), options.louvain, weights);
        return timed(placed, communities, output);
      });
    });
  }
  verify::Verdict check(const Graph& graph, const AnswerData& answer, const RunOptions& options, bool,
                        const verify::Passes&) const override {
    return verify::check_louvain(graph, *answer.as<LouvainOutput>(), options.louvain.resolution, options.louvain.weighted);
  }

  Json chosen_json(const RunResult& result) const override { return {{"weighted", result.run->options.louvain.weighted}}; }
  std::string chosen_text(const RunResult& result) const override {
    const auto& asked = result.run->options.louvain;
    return fmt::format(", resolution {}{}", asked.resolution, asked.weighted ? ", weighted" : "");
  }
};

}  // namespace

void describe(const LouvainOutput& output, AnswerData& answer) {
  answer.columns = {{"label", output.labels, DigestBy::groups, true}};
  answer.scalars = {{"modularity", output.modularity}, {"levels", output.levels}};
}

GR_INFO_OF(louvain, LouvainInfo)

GR_CPU_INSTANCES(LouvainRun)
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, LouvainRun)

}  // namespace graphrun::inline GR_IDS
