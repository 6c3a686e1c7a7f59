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
      "--node2vec-p {} and -q {} make the largest of the biases 1/p, 1 and 1/q {:.0f} times the least: a step may draw as "
      "many candidates, so at most {} times is taken",
      p, q, most / least, grouped(static_cast<std::uint64_t>(kMostCandidates)));
}

class WalksInfo final : public AlgorithmOf<&RunOptions::walks> {
 public:
  WalksInfo()
      : AlgorithmOf({.name = "walks",
                     .about = "random walks from each vertex, also by weight and as node2vec's",
                     .source_set = walk_sources,
                     .needs_sources = true,
                     .weights_named = walks_weighted,
                     .has_properties = false,
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
    const double walker = 56 + (asked.biased() ? 2 * sizeof(VertexId) : 0) + (asked.weighted ? 16 : 0) +
                          (ranks > 1 ? sizeof(EdgeId) + sizeof(VertexId) : 0);
    const double item =
        (preset_of(options.backend.kind).delivery == EdgeDelivery::commands ? 24 : 0) + (ranks > 1 ? 32 : 0);  // of one rank
    const auto most_items = static_cast<double>(walks::kItemsAtOnce);
    const double looked_up =
        asked.biased() ? std::min(most_items, walks + static_cast<double>(graph.arcs)) * (32 * ranks + item) : 0;
    const double pieces = asked.weighted ? static_cast<double>(graph.arcs) / walks::kPieceEdges * 16 : 0;
    const double more = walks * (walk * (ranks + 1) + walker * ranks + item) + looked_up + pieces;
    return AlgorithmInfo::taken_bytes(options, graph) + static_cast<std::uint64_t>(std::min(kLargest, more));
  }
  AccessPattern access_pattern(const RunOptions& options, const LoadEstimate& graph) const override {
    const auto steps = static_cast<double>(options.walks.length);
    const double walkers = walks_of(options, graph) / std::max(1.0, static_cast<double>(graph.vertices));
    const double passes = steps * (options.walks.biased() ? 4 : 1) * (options.walks.weighted ? 2 : 1);
    return {.passes = passes * std::min(1.0, walkers),
            .touched = std::min(1.0, walkers),
            .reads_per_vertex = passes * walkers,
            .reads_per_arc = 0,
            .in_order = true};
  }

  Trial run(Session& session, std::span<const VertexId>, const RunOptions& options, AnswerData* answer) const override {
    return answering<WalksOutput>(answer, [&](WalksOutput* output) {
      return trial_on<NarrowPlacements>(session, [&]<class Exec, class View>(SessionOn<Exec, View>& placed) {
        const bool reads = options.walks.weighted && placed.options().backend.needs_weights;
        const WeightKind weights = reads ? placed.graph().weight_kind : WeightKind::none;
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
  constexpr std::uint64_t kExact = (std::uint64_t{1} << 53) - 1;  // many readers of JSON round larger numbers
  std::uint64_t distinct = 0, checksum = 0;
  for (const std::uint64_t visits : output.visits) distinct += visits != 0 ? 1 : 0;
  for (std::size_t i = 0; i < output.vertices.size(); ++i) checksum += splitmix64(i) * output.vertices[i];
  answer.columns = {{"visit", output.visits}};
  answer.table = {"walks", output.vertices, output.walks};
  answer.scalars = {{"walks", output.walks},
                    {"steps", output.steps},
                    {"dead_ends", output.dead_ends},
                    {"distinct", distinct},
                    {"checksum", checksum & kExact}};
}

const AlgorithmInfo& walks_info() {
  static const WalksInfo kInfo;
  return kInfo;
}

#define GR_WALKS(View) template class WalksRun<CpuExecutor, View>;
GR_FOR_EACH_CPU_VIEW(GR_WALKS)
#undef GR_WALKS
#define GR_WALKS(View) extern template class WalksRun<CudaExecutor, View>;
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_WALKS)
#undef GR_WALKS

}  // namespace graphrun::inline GR_IDS
