// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/algorithm.hpp"
#include "algorithms/tc/list_bytes.hpp"
#include "algorithms/tc/tc_impl.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/graphrun.hpp"
#include "graphrun/ops/cpu_lists.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "graphrun/run/trials.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Returns the options. Lists are read in place when all edges are in the fast tier.
TcOptions tc_options_of(const RunOptions& options) {
  TcOptions complete = options.tc;
  complete.in_place = preset_of(options.backend.kind).tier == EdgeTier::all;
  if (complete.buffer_bytes == 0) complete.buffer_bytes = usual_list_bytes(options);
  return complete;
}

class TcInfo final : public AlgorithmOf<&RunOptions::tc> {
 public:
  TcInfo()
      : AlgorithmOf({.name = "tc",
                     .about = "how many triangles an undirected graph has",
                     .needs_undirected = true,
                     .has_properties = false,
                     .why_no_values = "tc counts the triangles of the whole graph, so --output has no value a vertex to write: "
                                      "--json has the count",
                     .rate = Rate::graph}) {}
  StateBytes state(const RunOptions&) const override { return {30, 30, 30}; }
  AccessPattern access_pattern(const RunOptions&, const LoadEstimate&) const override { return {3, 1, 4, 8}; }
  LinkTraffic link_traffic(const RunOptions&, const LoadEstimate& graph, double) const override {
    return {.all = 3, .linear = link_traffic_of_pass(graph).linear};
  }
  std::uint64_t buffer_bytes(const RunOptions& options, std::uint64_t arcs) const override {
    const std::uint64_t all = arcs / 2 * sizeof(VertexId);
    const std::uint64_t most = tc_options_of(options).buffer_bytes;
    return most == 0 ? all : std::min(all, most);
  }
  /// Returns the bytes; the oracle runs after the run's arrays are freed, and has all edges once.
  std::uint64_t taken_bytes(const RunOptions& options, const LoadEstimate& graph) const override {
    constexpr std::uint64_t kOracle = sizeof(EdgeId) + 1;  // a vertex: the start of its list, and a mark
    const std::uint64_t run = AlgorithmInfo::taken_bytes(options, graph);
    return options.verify ? std::max(run, graph.vertices * kOracle + graph.arcs / 2 * sizeof(VertexId)) : run;
  }

  Trial run(Session& session, std::span<const VertexId>, const RunOptions& options, AnswerData* answer) const override {
    return answering<TcOutput>(answer, [&](auto* output) { return run_tc(session, tc_options_of(options), output); });
  }
  verify::Verdict check(const Graph& graph, const AnswerData& answer, const RunOptions&, bool,
                        const verify::Passes&) const override {
    return verify::check_tc(graph, *answer.as<TcOutput>());
  }

  Json chosen_json(const RunResult& result) const override {
    const auto& found = *result.answer.as<TcOutput>();
    return {{"order", found.by_degree ? "degree" : "id"}, {"parts", found.parts}};
  }
  std::string chosen_text(const RunResult& result) const override {
    const auto& [triangles, by_degree, parts] = *result.answer.as<TcOutput>();
    return fmt::format(", by {}, lists {}", by_degree ? "degree" : "id",
                       parts == 0 ? "where they are" : fmt::format("made in {} part{}", parts, parts == 1 ? "" : "s"));
  }
};

}  // namespace

void describe(const TcOutput& output, AnswerData& answer) { answer.scalars = {{"triangles", output.triangles}}; }

/// Makes its arrays for each trial, as run_pagerank().
Trial run_tc(Session& session, const TcOptions& options, TcOutput* output) {
  return trial_by<NarrowPlacements, TcRun>(session, output, options);
}

TrianglesAnswer Engine::run(const Triangles& what) { return TrianglesAnswer(run(request_of(Algorithm::tc, what))); }

GR_INFO_OF(tc, TcInfo)

GR_CPU_INSTANCES(TcRun)
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, TcRun)

}  // namespace graphrun::inline GR_IDS
