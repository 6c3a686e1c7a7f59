// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "algorithms/algorithm.hpp"
#include "algorithms/bfs/level_bits.hpp"
#include "algorithms/closeness/closeness_impl.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/ops/cpu_reduce.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "graphrun/run/trials.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr AlgorithmFacts closeness_facts(Closeness which, std::vector<std::uint64_t>& (*sources)(RunOptions&)) {
  const bool is_mean = which == Closeness::mean;
  return {.name = is_mean ? "closeness" : "harmonic",
          .about = is_mean ? "closeness centrality: 1 over the mean hops from other vertices"
                           : "harmonic centrality: the sum of 1 over the hops from other vertices",
          .source_set = sources,
          .needs_sources = true,
          .saves_state = true,
          .has_properties = false,
          .rate_text = "edges examined, by searches from up to 64 sources at once / time"};
}

/// Returns the batches of a trial, before the sources are drawn.
double batches_of(const RunOptions& options, const LoadEstimate& graph) {
  double sources = kMostSearches;
  if (!options.starts.empty())
    sources = static_cast<double>(options.starts.size());
  else if (options.num_sources > 0)
    sources = std::min<double>(options.num_sources, static_cast<double>(graph.vertices));
  return std::ceil(sources / static_cast<double>(kMostSearches));
}

template <auto kOptions, Closeness kWhich>
class ClosenessInfo final : public AlgorithmOf<kOptions> {
 public:
  ClosenessInfo() : AlgorithmOf<kOptions>(closeness_facts(kWhich, sources_of)) {}
  int usual_sources(const RunOptions&) const override { return int{kMostSearches}; }
  bool draws_distinct(const RunOptions&) const override { return true; }
  bool needs_transpose(const RunOptions& options) const override {
    return (options.*kOptions).variant == BfsVariant::direction_optimizing;
  }
  /// Returns the bytes of a batch of usual depth, and of the sums of its levels.
  StateBytes state(const RunOptions&) const override { return {84, 84, 84}; }
  /// Returns the bytes; a batch takes a word more for each further bit of a level.
  std::uint64_t taken_bytes(const RunOptions& options, const LoadEstimate& graph) const override {
    return AlgorithmInfo::taken_bytes(options, graph) + graph.vertices * sizeof(std::uint64_t) * further_level_bits(graph);
  }
  AccessPattern access_pattern(const RunOptions& options, const LoadEstimate& graph) const override {
    constexpr double kPassesABatch = 5;  // with an eighth of the edges cached (kron:16)
    const double batches = batches_of(options, graph);
    return {.passes = std::max(kPassesABatch, low_degree_steps(graph)) * batches,
            .touched = 1,
            .reads_per_vertex = 12 * batches,
            .reads_per_arc = batches,
            .small_steps = true,
            .searches = batches};
  }

  Trial run(Session& session, std::span<const VertexId>, const RunOptions& options, AnswerData* answer) const override {
    return answering<ClosenessOutput>(answer, [&](ClosenessOutput* output) {
      return trial_on<NarrowPlacements>(session, [&]<class Exec, class View>(SessionOn<Exec, View>& placed) {
        ClosenessRun<Exec, View> scores(placed.exec(), placed.view(), kWhich, options.*kOptions);
        return timed(placed, scores, output);
      });
    });
  }
  verify::Verdict check(const Graph& graph, const AnswerData& answer, const RunOptions& options, bool,
                        const verify::Passes&) const override {
    return verify::check_closeness(graph, *answer.as<ClosenessOutput>(), kWhich, (options.*kOptions).sources);
  }

  Json chosen_json(const RunResult& result) const override {
    const auto& sources = (result.run->options.*kOptions).sources;
    return {{"sources", is_exact(result) ? Json("all") : Json(sources)}};
  }
  std::string chosen_text(const RunResult& result) const override {
    if (is_exact(result)) return ", from all vertices";
    return fmt::format(", estimated from {} sources", grouped((result.run->options.*kOptions).sources.size()));
  }

 private:
  static bool is_exact(const RunResult& result) {
    return (result.run->options.*kOptions).sources.size() == result.graph.num_vertices;
  }
  static std::vector<std::uint64_t>& sources_of(RunOptions& options) { return (options.*kOptions).sources; }
};

}  // namespace

void describe(const ClosenessOutput& output, AnswerData& answer) {
  answer.columns = {{"score", output.scores, DigestBy::scores}};
  answer.scalars = {{"sources", output.sources}};
}

GR_INFO_OF(closeness, ClosenessInfo<&RunOptions::closeness, Closeness::mean>)
GR_INFO_OF(harmonic, ClosenessInfo<&RunOptions::harmonic, Closeness::harmonic>)

GR_CPU_INSTANCES(ClosenessRun)
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, ClosenessRun)

}  // namespace graphrun::inline GR_IDS
