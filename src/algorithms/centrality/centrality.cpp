// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "algorithms/algorithm.hpp"
#include "algorithms/centrality/centrality_impl.hpp"
#include "core/raise.hpp"
#include "graphrun/ops/cpu_reduce.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "graphrun/run/trials.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr double kUsualSweeps = 30;

constexpr AlgorithmFacts facts_of(const char* name, const char* about) {
  return {.name = name, .about = about, .variant = "power", .has_properties = false, .rate = Rate::examined};
}
constexpr AlgorithmFacts kCentralityFacts[] = {facts_of("hits", "hubs and authorities"),
                                               facts_of("eigenvector", "eigenvector centrality, by in-edges"),
                                               facts_of("katz", "Katz centrality, by in-edges")};

template <auto kOptions, Centrality kWhich>
class CentralityInfo final : public AlgorithmInfo {
 public:
  CentralityInfo() : AlgorithmInfo(kCentralityFacts[static_cast<int>(kWhich)]) {}
  std::vector<RunOption> options() const override {
    using Make = OptionMaker<RunOptions>;
    const bool tells = kWhich == Centrality::hits;  // for all three
    std::vector<RunOption> rows = {
        {Make::positive(
            {"Run", "tolerance", "F", tells ? "hits, eigenvector, katz: the same (1e-6)" : ""},
            [](auto& options) -> auto& { return (options.*kOptions).tolerance; })},
        {Make::whole(
            {"Run", "max-iterations", "N", tells ? "hits, eigenvector, katz: the same (1000)" : ""},
            [](auto& options) -> auto& { return (options.*kOptions).max_iterations; }, 1)},
    };
    if (kWhich == Centrality::katz) {
      rows.push_back({Make::positive(
          {"Run", "damping", "F", "katz: attenuation of each step of a walk (default 0.9 / the largest in-degree)"},
          [](auto& options) -> auto& { return (options.*kOptions).attenuation; })});
    }
    return rows;
  }
  bool needs_transpose(const RunOptions&) const override { return true; }
  bool gpus_decode(const RunOptions&) const override { return true; }
  StateBytes state(const RunOptions&) const override {
    constexpr std::uint64_t kRun = (kWhich == Centrality::hits ? 5 : 3) * sizeof(double);
    return {kRun, kRun, kRun};
  }
  AccessPattern access_pattern(const RunOptions& options, const LoadEstimate&) const override {
    const double sweeps = std::min(kUsualSweeps, static_cast<double>((options.*kOptions).max_iterations));
    const double passes = (kWhich == Centrality::hits ? 2 : 1) * sweeps;
    return {.passes = passes,
            .touched = 1,
            .reads_per_vertex = passes,
            .reads_per_arc = 0.5 * passes,
            .in_order = true,
            .in_edges_alone = kWhich != Centrality::hits};
  }

  Trial run(Session& session, std::span<const VertexId>, const RunOptions& options, AnswerData* answer) const override {
    return answering<CentralityOutput>(answer, [&](CentralityOutput* output) {
      return trial_on<std::conditional_t<kGpusRunAll, PackedPlacements, NarrowPlacements>>(
          session, [&]<class Exec, class View>(SessionOn<Exec, View>& placed) {
            CentralityRun<Exec, View> scores(placed.exec(), placed.view(), kWhich, options.*kOptions);
            Trial trial = timed(placed, scores, output);
            trial.converged = scores.converged();
            return trial;
          });
    });
  }
  verify::Verdict check(const Graph& graph, const AnswerData& answer, const RunOptions& options, bool converged,
                        const verify::Passes&) const override {
    return verify::check_centrality(graph, *answer.as<CentralityOutput>(), options.*kOptions, converged);
  }
  std::string why_not_converged(const RunOptions& options, const AnswerData& answer) const override {
    const auto& found = *answer.as<CentralityOutput>();
    const auto& asked = options.*kOptions;
    if (found.residual >= kNoLimit)
      return fmt::format("the sums of katz passed {} with --damping {}: below 1 over the largest eigenvalue they have a limit",
                         kNoLimit, found.attenuation);
    return fmt::format("{} stopped at the limit of {} iterations, before it reached tolerance {}: raise one of them",
                       this->facts.name, asked.max_iterations, asked.tolerance);
  }
  Json chosen_json(const RunResult& result) const override { return {{"converged", result.converged}}; }
  std::string chosen_text(const RunResult& result) const override {
    return fmt::format(", tolerance {}{}", (result.run->options.*kOptions).tolerance, result.converged ? "" : ", not converged");
  }
};

}  // namespace

void describe(const CentralityOutput& output, AnswerData& answer) {
  if (output.which == Centrality::hits)
    answer.columns = {{"authority", output.scores, DigestBy::scores}, {"hub", output.hubs}};
  else
    answer.columns = {{"score", output.scores, DigestBy::scores}};
  answer.scalars = {{"iterations", output.iterations}, {"residual", output.residual}};
  if (output.which == Centrality::katz)
    answer.scalars.insert(answer.scalars.end(), {{"norm", output.norm}, {"damping", output.attenuation}});
}

GR_INFO_OF(hits, CentralityInfo<&RunOptions::hits, Centrality::hits>)
GR_INFO_OF(eigenvector, CentralityInfo<&RunOptions::eigenvector, Centrality::eigenvector>)
GR_INFO_OF(katz, CentralityInfo<&RunOptions::katz, Centrality::katz>)

GR_CPU_INSTANCES(CentralityRun)
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, CentralityRun)
GR_PACKED_CUDA_VIEW(GR_CUDA_INSTANCE_ELSEWHERE, CentralityRun)

}  // namespace graphrun::inline GR_IDS
