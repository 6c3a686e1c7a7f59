// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/algorithm.hpp"
#include "algorithms/bfs/bfs_impl.hpp"
#include "algorithms/bfs/level_bits.hpp"
#include "core/raise.hpp"
#include "graphrun/algorithms/bfs_batch.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/graphrun.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "graphrun/run/trials.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {
namespace {

class BfsInfo final : public AlgorithmOf<&RunOptions::bfs> {
 public:
  BfsInfo()
      : AlgorithmOf(
            {.name = "bfs", .about = "breadth-first search along out-edges", .has_sources = true, .rate = Rate::reached}) {}
  std::vector<RunOption> options() const override {
    using Make = OptionMaker<RunOptions>;
    return {
        {Make::flag(
             {"Run", "batch", nullptr,
              "bfs: search from up to 64 of the --sources at once, so that a list is read once for many; finds levels without "
              "parents, and has a time for each batch and no GTEPS"},
             GR_FIELD(batch)),
         {.required = true}}};
  }
  bool needs_transpose(const RunOptions& options) const override {
    return options.bfs.variant == BfsVariant::direction_optimizing && (options.batch || !corrects_labels(options.backend));
  }
  bool runs_on_gpu(const RunOptions& options) const override { return kGpusRunAll || !options.batch; }
  StateBytes state(const RunOptions& options) const override {
    return options.batch ? StateBytes{113, 121, 117} : StateBytes{25, 26, 33};  // batches of up to 15 levels
  }
  RankBytes rank_state(const RunOptions& options) const override {
    constexpr double kId = sizeof(VertexId);  // a parent; its own: of a frontier. Bitmaps beside both; levels in the answer
    return options.batch ? AlgorithmInfo::rank_state(options) : RankBytes{kId + 0.6, kId + 0.4, kId + sizeof(std::uint32_t)};
  }
  /// Publishes a bit a vertex and level.
  std::optional<RankTraffic> rank_traffic(const RunOptions& options, const LoadEstimate& graph) const override {
    if (options.batch) return std::nullopt;
    const double levels = 2 + random_levels(graph);
    return RankTraffic{levels, levels / 8, 0.5, 0.9, 0.9, "levels: log n / log degree, as of a random graph, and two"};
  }
  /// Returns the bytes; a batch takes two words more for each further bit of a level: one during the run, one in the output.
  std::uint64_t taken_bytes(const RunOptions& options, const LoadEstimate& graph) const override {
    const std::uint64_t more = options.batch ? 2 * sizeof(std::uint64_t) * further_level_bits(graph) : 0;
    return AlgorithmInfo::taken_bytes(options, graph) + graph.vertices * more;
  }
  AccessPattern access_pattern(const RunOptions& options, const LoadEstimate& graph) const override {
    const double steps = low_degree_steps(graph);
    if (options.bfs.variant == BfsVariant::push) return {std::max(1.9, steps), 1, 4, 1, false, true};
    return {std::max(1.8, steps), 0.95, 4, 0.05, false, true};
  }
  LinkTraffic link_traffic(const RunOptions& options, const LoadEstimate& graph, double) const override {
    if (has_low_degree(graph)) return {.all = 3, .linear = 0.33};
    if (options.bfs.variant == BfsVariant::push) return {.all = 1.15, .linear = link_traffic_of_pass(graph).linear};
    return has_long_lists(graph) ? LinkTraffic{.all = 0.18, .decay = 22, .least = 0.07} : LinkTraffic{.all = 0.22, .decay = 5.6};
  }
  double share_beyond_prefixes(const RunOptions& options, const LoadEstimate& graph, double) const override {
    return options.bfs.variant == BfsVariant::push ? 1 : has_long_lists(graph) ? 0.15 : 0.8;
  }

  std::string settle(RunOptions& options, const LoadEstimate&, DeviceKind) const override {
    if (options.batch || !corrects_labels(options.backend) || options.bfs.variant == BfsVariant::push) return {};
    options.bfs.variant = BfsVariant::push;
    return "asynchronous subgraphs correct levels along out-edges; --subway-variant sync lets bfs choose directions";
  }
  Trial run(Session& session, std::span<const VertexId> sources, const RunOptions& options, AnswerData* answer) const override {
    if (options.batch)
      return answering<BfsBatchOutput>(answer,
                                       [&](auto* output) { return run_bfs_batch(session, sources, options.bfs, output); });
    return answering<BfsOutput>(answer, [&](auto* output) { return run_bfs(session, sources.front(), options.bfs, output); });
  }
  verify::Verdict check(const Graph& graph, const AnswerData& answer, const RunOptions& options, bool,
                        const verify::Passes& how) const override {
    const bool serial = options.verify == VerifyBy::serial;
    if (const auto* batch = answer.as<BfsBatchOutput>())
      return serial ? verify::check_bfs_batch(graph, *batch) : verify::check_bfs_batch_properties(graph, *batch, how);
    const auto& search = *answer.as<BfsOutput>();
    return serial ? verify::check_bfs(graph, search) : verify::check_bfs_properties(graph, search, how);
  }
  ShortestPath path(const Graph&, const AnswerData& answer, VertexId to) const override {
    const auto& search = *answer.as<BfsOutput>();
    if (search.levels[to] == kUnreachedLevel) return {to, {}};
    return {to, path_by_parents(search.parents, search.source, to)};
  }
};

}  // namespace

void describe(const BfsOutput& output, AnswerData& answer) {
  answer.sources = {output.source};
  answer.columns = {{"level", output.levels, DigestBy::reach}, {"parent", output.parents, DigestBy::nothing, true}};
}

Trial run_bfs(Session& session, VertexId source, const BfsOptions& options, BfsOutput* output) {
  return trial_on(session, [&]<class Exec, class View>(SessionOn<Exec, View>& placed) {
    return timed(placed, kept_run<BfsRun<Exec, View>>(placed, options), output, source);
  });
}

Trial run_bfs_batch(Session& session, std::span<const VertexId> sources, const BfsOptions& options, BfsBatchOutput* output) {
  if (sources.empty() || sources.size() > kMostSearches)
    raise<UsageError>("a batch has 1 to {} sources, not {}", kMostSearches, sources.size());
  return trial_on<NarrowPlacements>(session, [&]<class Exec, class View>(SessionOn<Exec, View>& placed) {
    return timed(placed, kept_run<BfsBatchRun<Exec, View>>(placed, options), output, sources);
  });
}

std::vector<VertexId> path_by_parents(const std::vector<VertexId>& parents, VertexId source, VertexId to) {
  std::vector<VertexId> vertices{to};
  while (vertices.back() != source) {
    const VertexId parent = parents[vertices.back()];
    if (parent >= parents.size() || vertices.size() == parents.size())
      raise<RunError>("the parents of vertex index:{} do not lead to the source", to);
    vertices.push_back(parent);
  }
  std::reverse(vertices.begin(), vertices.end());
  return vertices;
}

BfsAnswer Engine::run(const Bfs& what) {
  RunOptions options = request_of(Algorithm::bfs, what);
  start_at(what.source, options);
  return BfsAnswer(run(options));
}

GR_INFO_OF(bfs, BfsInfo)

GR_CPU_INSTANCES(BfsRun)
GR_FOR_EACH_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, BfsRun)
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, BfsBatchRun)

}  // namespace graphrun::inline GR_IDS
