// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/algorithm.hpp"
#include "algorithms/bc/bc_impl.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/graphrun.hpp"
#include "graphrun/ops/cpu_reduce.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "graphrun/run/trials.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {
namespace {

// Reads of all edges by a source's search, forward and backward, with an eighth of the edges cached (kron:20 and web:19).
constexpr double kPassesASearch = 3.5;

/// Returns the sources of a trial, before they are drawn.
double searches_of(const RunOptions& options, const LoadEstimate& graph) {
  if (!options.starts.empty()) return static_cast<double>(options.starts.size());
  if (options.num_sources > 0) return options.num_sources;
  const bool drawn = options.source && options.source->kind == SourceSpec::Kind::random;
  if (options.source && !drawn) return static_cast<double>(1 + std::ranges::count(options.source->name, ','));
  if (drawn || options.bc.definition == BcDefinition::gap) return kUsualBcSources;
  return static_cast<double>(graph.vertices);
}

/// Returns whether scores are estimated from sources that represent all vertices.
bool has_sample(const RunOptions& options) {
  return options.bc.definition == BcDefinition::normalized && options.source && options.source->kind == SourceSpec::Kind::random;
}

std::vector<std::uint64_t>& bc_sources(RunOptions& options) { return options.bc.sources; }

class BcInfo final : public AlgorithmOf<&RunOptions::bc> {
 public:
  BcInfo()
      : AlgorithmOf({.name = "bc",
                     .about = "betweenness centrality, of shortest paths in hops from some sources",
                     .source_set = bc_sources,
                     .needs_sources = true,
                     .saves_state = true,
                     .has_properties = false,
                     .rate_text = "edges examined, from all sources and both ways / time"}) {}
  std::vector<RunOption> options() const override {
    return {{OptionMaker<RunOptions>::name(
        {"Run", "definition", "NAME",
         "bc: gap (default), from 4 sources that also depend on themselves, divided by the largest sum; exact, from all "
         "vertices, and normalized, divided by (n-1)(n-2): as NetworkX's betweenness_centrality()"},
        GR_FIELD(bc.definition))}};
  }
  int usual_sources(const RunOptions& options) const override {
    return options.bc.definition == BcDefinition::gap || options.source ? kUsualBcSources : 0;
  }
  bool draws_distinct(const RunOptions& options) const override { return options.bc.definition != BcDefinition::gap; }
  bool needs_transpose(const RunOptions& options) const override { return options.bc.variant == BcVariant::direction_optimizing; }
  StateBytes state(const RunOptions&) const override { return {56, 58, 58}; }
  AccessPattern access_pattern(const RunOptions& options, const LoadEstimate& graph) const override {
    const double sources = searches_of(options, graph);
    return {.passes = std::max(kPassesASearch, low_degree_steps(graph)) * sources,
            .touched = 1,
            .reads_per_vertex = 10 * sources,
            .reads_per_arc = 2 * sources,
            .small_steps = true,
            .searches = sources};
  }
  LinkTraffic link_traffic(const RunOptions& options, const LoadEstimate& graph, double) const override {
    return {.all = 2 * kWholeLists * searches_of(options, graph), .linear = link_traffic_of_pass(graph).linear};
  }

  Trial run(Session& session, std::span<const VertexId>, const RunOptions& options, AnswerData* answer) const override {
    BcOptions asked = options.bc;
    asked.sampled = has_sample(options);
    return answering<BcOutput>(answer, [&](auto* output) { return run_bc(session, asked, output); });
  }
  verify::Verdict check(const Graph& graph, const AnswerData& answer, const RunOptions& options, bool,
                        const verify::Passes&) const override {
    return verify::check_bc(graph, *answer.as<BcOutput>(), options.bc.sources, options.bc.definition, has_sample(options));
  }

  Json chosen_json(const RunResult& result) const override {
    const auto& sources = result.run->options.bc.sources;
    return {{"sources", sources.empty() ? Json("all") : Json(sources)}, {"sampled", has_sample(result.run->options)}};
  }
  std::string chosen_text(const RunResult& result) const override {
    const auto& [variant, sources, definition, sampled] = result.run->options.bc;
    std::string text = fmt::format(", {}", name_of(definition));
    if (definition == BcDefinition::exact && result.graph.symmetric) text += ", each pair of ends once";
    if (sources.empty()) return text + ", from all vertices";
    if (definition == BcDefinition::exact) text += ", a partial sum";
    if (has_sample(result.run->options)) return text + fmt::format(", from a sample of {} vertices", grouped(sources.size()));
    if (sources.size() == 1) return text + fmt::format(", from {}", result.names.text(static_cast<VertexId>(sources[0])));
    return text + fmt::format(", from {} sources", grouped(sources.size()));
  }
};

}  // namespace

void describe(const BcOutput& output, AnswerData& answer) {
  answer.columns = {{"score", output.scores, DigestBy::scores}};
  answer.scalars = {{"sources", output.sources.empty() ? output.scores.size() : output.sources.size()},
                    {"largest", output.largest}};
}

/// Makes its arrays for each trial, as run_pagerank().
Trial run_bc(Session& session, const BcOptions& options, BcOutput* output) {
  return trial_by<NarrowPlacements, BcRun>(session, output, options);
}

BetweennessAnswer Engine::run(const Betweenness& what) {
  RunOptions options = request_of(Algorithm::bc, what);
  options.starts = what.sources;
  options.bc.definition = what.definition;
  return BetweennessAnswer(run(options));
}

GR_INFO_OF(bc, BcInfo)

GR_CPU_INSTANCES(BcRun)
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, BcRun)

}  // namespace graphrun::inline GR_IDS
