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

constexpr AlgorithmFacts kCentralityFacts[] = {
    {.name = "hits", .about = "hubs and authorities", .has_properties = false, .rate = Rate::examined},
    {.name = "eigenvector", .about = "eigenvector centrality, by in-edges", .has_properties = false, .rate = Rate::examined},
    {.name = "katz", .about = "Katz centrality, by in-edges", .has_properties = false, .rate = Rate::examined},
};

template <auto kOptions, Centrality kWhich>
class CentralityInfo final : public AlgorithmOf<kOptions> {
 public:
  CentralityInfo() : AlgorithmOf<kOptions>(kCentralityFacts[static_cast<int>(kWhich)]) {}
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
          {"Run", "damping", "F", "katz: attenuation of each step of a walk (default 0.1)"},
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
                         kNoLimit, asked.attenuation);
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
  if (output.which == Centrality::katz) answer.scalars.push_back({"norm", output.norm});
}

const AlgorithmInfo& hits_info() {
  static const CentralityInfo<&RunOptions::hits, Centrality::hits> kInfo;
  return kInfo;
}
const AlgorithmInfo& eigenvector_info() {
  static const CentralityInfo<&RunOptions::eigenvector, Centrality::eigenvector> kInfo;
  return kInfo;
}
const AlgorithmInfo& katz_info() {
  static const CentralityInfo<&RunOptions::katz, Centrality::katz> kInfo;
  return kInfo;
}

#define GR_CENTRALITY(View) template class CentralityRun<CpuExecutor, View>;
GR_FOR_EACH_CPU_VIEW(GR_CENTRALITY)
#undef GR_CENTRALITY
#define GR_CENTRALITY(View) extern template class CentralityRun<CudaExecutor, View>;
GR_FOR_EACH_NARROW_CUDA_VIEW(GR_CENTRALITY)
GR_PACKED_CUDA_VIEW(GR_CENTRALITY)
#undef GR_CENTRALITY

}  // namespace graphrun::inline GR_IDS
