// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "algorithms/algorithm.hpp"
#include "algorithms/walks/walks_impl.hpp"
#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/ops/cpu_items.hpp"
#include "graphrun/ops/cpu_lists.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "graphrun/run/trials.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {
namespace {

std::vector<std::uint64_t>& walk_sources(RunOptions& options) { return options.walks.sources; }
bool& walks_weighted(RunOptions& options) { return options.walks.weighted; }

/// Returns the walks of a trial, before sources are drawn.
double walks_of(const RunOptions& options, const LoadEstimate& graph) {
  auto sources = static_cast<double>(graph.vertices);
  if (!options.starts.empty()) {
    sources = static_cast<double>(options.starts.size());
  } else if (options.num_sources > 0) {
    sources = options.num_sources;
  } else if (options.source) {
    sources = 1 + static_cast<double>(std::ranges::count(options.source->name, ','));
  }
  return sources * static_cast<double>(options.walks.per_source);
}

/// Throws UsageError for biases by which steps would reject more than a thousand candidates each.
void check_biases(double p, double q) {
  constexpr double kMostCandidates = 1000;
  const auto [least, most] = std::minmax({1.0, 1 / p, 1 / q});
  if (most <= kMostCandidates * least) return;
  raise<UsageError>(
      "--node2vec-p {} and -q {} make the largest of the biases 1/p, 1 and 1/q {:g} times the least: a step may draw as "
      "many candidates, so at most {} times is taken",
      p, q, most / least, grouped(static_cast<std::uint64_t>(kMostCandidates)));
}

class WalksInfo final : public AlgorithmInfo {
 public:
  WalksInfo()
      : AlgorithmInfo({.name = "walks",
                       .about = "random walks from each vertex, also by weight and as node2vec's",
                       .variant = "rejection",
                       .source_set = walk_sources,
                       .needs_sources = true,
                       .weights_named = walks_weighted,
                       .has_properties = false,
                       .gives_table = true,
                       .rate_text = "edges drawn and looked up / time"}) {}
  std::vector<RunOption> options() const override {
    using Make = OptionMaker<RunOptions>;
    constexpr std::uint64_t kMost = 1'000'000;
    return {
        {Make::whole({"Run", "length", "N", "walks: steps of each (default 80)"}, GR_FIELD(walks.length), 1, kMost)},
        {Make::whole({"Run", "walks", "K", "walks: from each source (default 1)"}, GR_FIELD(walks.per_source), 1, kMost)},
        {Make::positive({"Run", "node2vec-p", "F", "walks: 1/p is the bias to go back to the vertex before (default 1)"},
                        GR_FIELD(walks.p))},
        {Make::positive({"Run", "node2vec-q", "F", "walks: 1/q is the bias to vertices that are no neighbours of it (default 1)"},
                        GR_FIELD(walks.q))},
        {Make::whole({"Run", "seed", "N", "walks: of their random numbers (default 1)"}, GR_FIELD(walks.seed), 0)},
    };
  }
  void check_options(const RunOptions& options) const override {
    const WalksOptions& asked = options.walks;
    for (const auto& [name, bias] : {std::pair("p", asked.p), std::pair("q", asked.q)}) {
      if (!(bias > 0 && std::isfinite(1 / bias) && std::isfinite(bias)))
        raise<UsageError>("--node2vec-{} must be a positive number, not {}", name, bias);
    }
    check_biases(asked.p, asked.q);
    if (options.algorithm == Algorithm::walks && asked.weighted && ranks_of(options) > 1)
      throw UsageError("walks by --weights read lists one after another: leave --ranks out");
  }
  int usual_sources(const RunOptions& options) const override { return options.source ? 1 : 0; }
  bool draws_distinct(const RunOptions&) const override { return true; }
  bool needs_weights(const RunOptions& options) const override { return options.walks.weighted; }
  /// Returns the bytes of visits, and by weight of sums, whose pieces are at least one a list.
  StateBytes state(const RunOptions& options) const override {
    const std::uint64_t run = options.walks.weighted ? 48 : 16;
    return {run, run, run};  // a check has less than a run's walkers
  }
  /// Returns the bytes with walkers and walks, which each rank holds, and with the answer.
  std::uint64_t taken_bytes(const RunOptions& options, const LoadEstimate& graph) const override {
    const WalksOptions& asked = options.walks;
    constexpr double kLargest = 0x1p60;  // sums of a few estimates fit into 64 bits
    const double ranks = options.ranks;
    const double walks = walks_of(options, graph);
    const double walk = sizeof(VertexId) * (static_cast<double>(asked.length) + 1);
    const double candidates = asked.biased() ? walks::kRoomForCandidates : 1;
    const double candidate = 32 + (asked.biased() ? 2 * sizeof(VertexId) : 0) + (asked.weighted ? 16 : 0);
    const double walker = (asked.biased() ? 24 : 16) + candidates * candidate;
    // Of an item while edges are read: of all ranks together, or its place in their order.
    const bool is_paged = preset_of(options.backend.kind).delivery == EdgeDelivery::commands;
    const double item = ranks > 1 ? 32 + ranks * (sizeof(EdgeId) + sizeof(VertexId)) : is_paged ? 24 : 0;
    const auto most_items = static_cast<double>(walks::kItemsAtOnce);
    const double looked_up =
        asked.q != 1 ? std::min(most_items, candidates * walks + static_cast<double>(graph.arcs)) * (32 * ranks + item) : 0;
    const double pieces = asked.weighted ? static_cast<double>(graph.arcs) / walks::kPieceEdges * 16 : 0;
    const double more =
        walks * ((walk + walker) * ranks + std::max(candidates * item, walk)) + looked_up + pieces;  // then walks are copied out
    return AlgorithmInfo::taken_bytes(options, graph) + static_cast<std::uint64_t>(std::min(kLargest, more));
  }
  AccessPattern access_pattern(const RunOptions& options, const LoadEstimate& graph) const override {
    const auto steps = static_cast<double>(options.walks.length);
    const double walkers = walks_of(options, graph) / std::max(1.0, static_cast<double>(graph.vertices));
    const double passes = steps * (options.walks.biased() ? 6 : 1) * (options.walks.weighted ? 2 : 1);
    return {.passes = passes * std::min(1.0, walkers),
            .touched = std::min(1.0, walkers),
            .reads_per_vertex = passes * walkers,
            .reads_per_arc = 0,
            .in_order = true};
  }

  Trial run(Session& session, std::span<const VertexId>, const RunOptions& options, AnswerData* answer) const override {
    return answering<WalksOutput>(answer, [&](WalksOutput* output) {
      return trial_on<NarrowPlacements>(session, [&]<class Exec, class View>(SessionOn<Exec, View>& placed) {
        const WeightKind weights = options.walks.weighted ? placed_weights(placed, "walks") : WeightKind::none;
        WalksRun<Exec, View> walks(placed.exec(), placed.view(), weights, options.walks);
        return timed(placed, walks, output);
      });
    });
  }
  verify::Verdict check(const Graph& graph, const AnswerData& answer, const RunOptions& options, bool,
                        const verify::Passes&) const override {
    return verify::check_walks(graph, *answer.as<WalksOutput>(), options.walks);
  }

  Json chosen_json(const RunResult& result) const override {
    const auto& sources = result.run->options.walks.sources;
    return {{"sources", sources.empty() ? Json("all") : Json(sources)}};
  }
  std::string chosen_text(const RunResult& result) const override {
    const WalksOptions& asked = result.run->options.walks;
    std::string text = fmt::format(", {} steps", grouped(asked.length));
    if (asked.weighted) text += ", by weight";
    if (asked.biased()) text += fmt::format(", p {}, q {}", asked.p, asked.q);
    return text;
  }
};

}  // namespace

void describe(const WalksOutput& output, AnswerData& answer) {
  std::uint64_t distinct = 0;
  for (const std::uint64_t visits : output.visits) distinct += visits != 0 ? 1 : 0;
  answer.columns = {{"visit", output.visits}};
  answer.table = {"walks", "step", output.vertices, output.length + 1};
  answer.scalars = {{"walks", output.walks}, {"steps", output.steps}, {"dead_ends", output.dead_ends}, {"distinct", distinct}};
}

GR_INFO_OF(walks, WalksInfo)

GR_CPU_INSTANCES(WalksRun)
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, WalksRun)

}  // namespace graphrun::inline GR_IDS
