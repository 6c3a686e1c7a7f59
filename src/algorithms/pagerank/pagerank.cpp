// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/pagerank/pagerank_impl.hpp"
#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/graphrun.hpp"
#include "graphrun/ops/cpu_reduce.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "graphrun/run/trials.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Makes its arrays for each trial: kept arrays would take memory from other algorithms.
template <class Rank, class Exec, class View>
Trial trial_with(SessionOn<Exec, View>& placed, const PagerankOptions& options, PagerankOutput* output) {
  const WeightKind weights = options.weighted ? placed_weights(placed, "pagerank") : WeightKind::none;
  PagerankRun<Exec, View, Rank> ranks(placed.exec(), placed.view(), options, weights);
  Trial trial = timed(placed, ranks, output);
  trial.converged = ranks.converged();
  return trial;
}

bool is_synchronous(const PagerankOptions& options) { return options.variant == PagerankVariant::synchronous; }

/// Returns the bytes of vectors and frontiers during the run, or of scores while they are copied out and returned.
StateBytes pagerank_state(const PagerankOptions& options, bool over_ranks) {
  const std::uint64_t score = is_single_precision(options) ? sizeof(float) : sizeof(double);
  std::uint64_t vectors = 5;
  if (options.variant == PagerankVariant::pull) vectors = 2;
  if (options.variant == PagerankVariant::push || is_synchronous(options)) vectors = 3;
  constexpr std::uint64_t kFrontiers = 11;
  constexpr std::uint64_t kBitmapsAndRounding = 3;
  constexpr std::uint64_t kChecks = 2 * sizeof(double);  // sums of one more sweep, and teleport targets
  const std::uint64_t sweeps = vectors * score + (options.variant == PagerankVariant::push ? kFrontiers : 0);
  std::uint64_t last = 2 * score + sizeof(double);
  if (options.stop == PagerankStop::largest) last = score + 2 * sizeof(double) + kFrontiers;
  const std::uint64_t given = (over_ranks && pushes_rank(options) ? sizeof(double) : 0) +
                              (options.weighted ? sizeof(double) : 0) + (options.shares.empty() ? 0 : sizeof(double));
  const std::uint64_t run = std::max(sweeps, last) + kBitmapsAndRounding + given;
  const std::uint64_t answer = score + sizeof(double);
  const std::uint64_t anew = is_synchronous(options) ? sizeof(double) : 0;
  return {run, std::max(run, answer + kChecks), std::max(run, answer + kChecks + anew)};
}

/// Returns the sweeps until the scores change by less than the tolerance. In each step damping shrinks pushed residuals, which
/// start at the teleported score. Gauss-Seidel sweeps shrink them by its square in the end, and by more at first. Extrapolated
/// sweeps find each digit as fast as the last, and start later on graphs of large diameter.
double sweeps_until_tolerance(const PagerankOptions& options, const LoadEstimate& graph) {
  constexpr double kEasyDigits = 4;  // 5 to 17 sweeps of pull (kron, urand, web and grid of scale 15); 1e-8 takes 35 to 44
  const double digits = std::max(1.0, -std::log10(options.tolerance));
  const double a_step = -std::log10(options.damping);  // digits
  switch (options.variant) {
    case PagerankVariant::push:
      return std::max(1.0, (digits + std::log10(1 - options.damping)) / a_step);
    case PagerankVariant::pull:
      return 2 * std::min(digits, kEasyDigits) + std::max(0.0, digits - kEasyDigits) / (2 * a_step);
    default:
      return (has_long_lists(graph) ? 1.6 : 1) * digits;
  }
}

/// Returns the sweeps with the pass that certifies the scores.
double sweeps_of(const PagerankOptions& options, const LoadEstimate& graph) {
  const auto most = static_cast<double>(options.max_iterations);
  return (is_synchronous(options) ? most : std::min(sweeps_until_tolerance(options, graph), most)) +
         (is_certified(options) ? 1 : 0);
}

/// For ReadBy::unmet.
std::string no_tolerance(const RunOptions& options) { return is_synchronous(options.pagerank) ? "variant synchronous" : ""; }

/// Returns the option of numbers with commas between.
Option<RunOptions> shares_option() {
  const auto set = [](RunOptions& options, const std::string& typed) {
    set_named("shares", [&] {
      std::vector<double> shares;
      for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
        end = typed.find(',', begin);
        shares.push_back(parse_real(typed.substr(begin, end - begin), "--shares"));
        if (!(shares.back() >= 0 && std::isfinite(shares.back()))) raise<UsageError>("'{}' is not a share", shares.back());
      }
      options.pagerank.shares = std::move(shares);
    });
  };
  const auto get = [](const RunOptions& options) -> OptionValue {
    const std::vector<double>& shares = options.pagerank.shares;
    return shares.empty() ? OptionValue{} : fmt::format("{}", fmt::join(shares, ","));
  };
  return {
      {"Run", "shares", "LIST", "pagerank: how often it restarts at each --source, in their order, such as 3,1 (default: alike)"},
      set,
      get};
}

std::vector<std::uint64_t>& restarts_of(RunOptions& options) { return options.pagerank.restarts; }
std::vector<double>& shares_of(RunOptions& options) { return options.pagerank.shares; }
bool& weights_named(RunOptions& options) { return options.pagerank.weighted; }

class PagerankInfo final : public AlgorithmOf<&RunOptions::pagerank> {
 public:
  PagerankInfo()
      : AlgorithmOf({.name = "pagerank",
                     .about = "PageRank, also with restarts at some vertices",
                     .source_set = restarts_of,
                     .source_shares = shares_of,
                     .weights_named = weights_named,
                     .saves_state = true,
                     .rate_text =
                         "edges that carried rank (extrapolated, pull: edges stored * iterations, and once more to certify; "
                         "push: edges pushed along) / time"}) {}
  std::vector<RunOption> options() const override {
    using Make = OptionMaker<RunOptions>;
    return {
        {Make::positive({"Run", "damping", "F", "pagerank: damping factor (default 0.85)"}, GR_FIELD(pagerank.damping))},
        {Make::positive({"Run", "tolerance", "F", "pagerank: stop when less than this is left to change (default 1e-4)"},
                        GR_FIELD(pagerank.tolerance)),
         {.when = "not variant synchronous", .unmet = no_tolerance}},
        {Make::name(
            {"Run", "stop", "RULE",
             "pagerank: what the tolerance is on: sum (default), of the changes of all ranks, which sum to 1; or largest, the "
             "true residual of each vertex, in units of the mean rank 1/n, which one more pass certifies"},
            GR_FIELD(pagerank.stop))},
        {Make::whole(
            {"Run", "max-iterations", "N",
             "pagerank: stop after this many sweeps, or pushes along as many edges (default 1000); synchronous makes as many"},
            GR_FIELD(pagerank.max_iterations), 1)},
        {shares_option()},
        {Make::flag(
            {"Run", "certify", nullptr,
             "pagerank: find the true residual of the ranks that are returned, by one more pass over the in-edges within the "
             "clock; not converged where it is not below the tolerance"},
            GR_FIELD(pagerank.certify))},
    };
  }
  void check_options(const RunOptions& options) const override {
    const double damping = options.pagerank.damping, tolerance = options.pagerank.tolerance;
    if (!(damping > 0 && damping < 1)) raise<UsageError>("--damping must lie between 0 and 1, both excluded, but is {}", damping);
    if (!(tolerance > 0 && std::isfinite(tolerance)))
      raise<UsageError>("--tolerance must be a positive number, not {}", tolerance);
    if (const auto& asked = options.pagerank; options.algorithm == Algorithm::pagerank && requires_push(asked)) {
      const char* const what = asked.weighted ? "--weights" : "--shares";
      if (asked.variant == PagerankVariant::pull || is_synchronous(asked))
        raise<UsageError>("{} goes with --variant push, and not with {}", what, name_of(asked.variant));
      if (is_certified(asked)) raise<UsageError>("{} goes with no certificate: leave --certify and --stop largest out", what);
      if (!asked.shares.empty() && options.starts.empty() && !options.source)
        throw UsageError("--shares goes with --source, which names where to restart");
      if (!std::isfinite(std::accumulate(asked.shares.begin(), asked.shares.end(), 0.0)))
        throw UsageError("the sum of --shares is too large: divide them all by the same number");
    }
    if (is_synchronous(options.pagerank) && options.pagerank.stop == PagerankStop::largest)
      throw UsageError("--stop largest is for a tolerance, and --variant synchronous makes --max-iterations sweeps");
    if (options.pagerank.max_iterations < 1) throw UsageError("--max-iterations must be at least 1");
  }
  bool needs_transpose(const RunOptions& options) const override { return reads_in_edges(options.pagerank); }
  bool needs_weights(const RunOptions& options) const override { return options.pagerank.weighted; }
  std::string settle(RunOptions& options, const LoadEstimate&, DeviceKind) const override {
    if (!requires_push(options.pagerank) || options.pagerank.variant == PagerankVariant::push) return {};
    options.pagerank.variant = PagerankVariant::push;
    return "the variant for weights and shares";
  }
  bool runs_on_gpu(const RunOptions&) const override { return true; }
  bool gpus_decode(const RunOptions& options) const override { return !options.pagerank.weighted; }
  StateBytes state(const RunOptions& options) const override { return pagerank_state(options.pagerank, ranks_of(options) > 1); }
  RankBytes rank_state(const RunOptions& options) const override {
    const PagerankOptions& asked = options.pagerank;
    if (pushes_rank(asked) || requires_push(asked)) return AlgorithmInfo::rank_state(options);
    const double score = is_single_precision(asked) ? sizeof(float) : sizeof(double);
    const double vectors = asked.variant == PagerankVariant::extrapolated ? 4 : 1;
    const double shares = is_synchronous(asked) ? 2 : 1;
    return {shares * score + (is_certified(asked) ? sizeof(double) : 0) + 0.35, (vectors + 0.125) * score,
            score + sizeof(double)};
  }
  /// Publishes a share a vertex and sweep, at the start, and after each extrapolation.
  std::optional<RankTraffic> rank_traffic(const RunOptions& options, const LoadEstimate& graph) const override {
    const PagerankOptions& asked = options.pagerank;
    if (pushes_rank(asked) || requires_push(asked)) return std::nullopt;
    constexpr double kOfLastSweep = 1.4;  // more sweeps, because processes have others' shares of the sweep before
    const double sweeps = kOfLastSweep * sweeps_of(asked, graph);
    const double all = 1 + sweeps * (asked.variant == PagerankVariant::extrapolated ? 1.2 : 1);
    return RankTraffic{all,          all * (is_single_precision(asked) ? sizeof(float) : sizeof(double)), 0.7 * all, 1,
                       kOfLastSweep, "sweeps until the tolerance, and one in five for extrapolations"};
  }
  AccessPattern access_pattern(const RunOptions& options, const LoadEstimate& graph) const override {
    const double sweeps = sweeps_of(options.pagerank, graph);
    return {.passes = sweeps,
            .touched = 1,
            .reads_per_vertex = sweeps,
            .reads_per_arc = 0.5 * sweeps,
            .in_order = true,
            .in_edges_alone = options.pagerank.variant != PagerankVariant::push};
  }
  LinkTraffic link_traffic(const RunOptions& options, const LoadEstimate& graph, double) const override {
    return {.all = kWholeLists * sweeps_of(options.pagerank, graph), .linear = link_traffic_of_pass(graph).linear};
  }

  Trial run(Session& session, std::span<const VertexId>, const RunOptions& options, AnswerData* answer) const override {
    return answering<PagerankOutput>(answer, [&](auto* output) { return run_pagerank(session, options.pagerank, output); });
  }
  /// Few sweeps leave any bound weak, and properties know no weights.
  bool has_properties(const RunOptions& options) const override {
    return !is_synchronous(options.pagerank) && !options.pagerank.weighted;
  }
  verify::Verdict check(const Graph& graph, const AnswerData& answer, const RunOptions& options, bool converged,
                        const verify::Passes& how) const override {
    const PagerankOptions& asked = options.pagerank;
    const auto& found = *answer.as<PagerankOutput>();
    const bool single = found.float_bits == 32;
    const double largest = asked.stop == PagerankStop::largest ? asked.tolerance / static_cast<double>(graph.num_vertices())
                                                               : std::numeric_limits<double>::infinity();
    if (is_synchronous(asked))
      return verify::check_pagerank_sweeps(graph, found, asked.damping, asked.max_iterations, asked.restarts);
    if (!has_properties(options) || options.verify == VerifyBy::serial)
      return verify::check_pagerank(graph, found, asked.damping, asked.tolerance, single, converged, asked.restarts, largest,
                                    asked.weighted, asked.shares);
    return verify::check_pagerank_properties(graph, found, asked.damping, asked.tolerance, single, converged, how, asked.restarts,
                                             largest, asked.shares);
  }
  std::string why_not_converged(const RunOptions& options, const AnswerData& answer) const override {
    const PagerankOptions& asked = options.pagerank;
    const auto& found = *answer.as<PagerankOutput>();
    if (asked.stop == PagerankStop::sum && found.residual < asked.tolerance && found.certificate) {
      return fmt::format("the true residual of these ranks is {:.3g}, which is not below tolerance {}",
                         found.certificate->residual, asked.tolerance);
    }
    return fmt::format("pagerank stopped at the limit of {} iterations, before it reached tolerance {}: raise one of them",
                       asked.max_iterations, asked.tolerance);
  }

  Json chosen_json(const RunResult& result) const override {
    Json restarts;  // null: everywhere
    if (const auto& asked = result.run->options.pagerank.restarts; !asked.empty()) restarts = asked.size();
    return {{"float_bits", result.answer.as<PagerankOutput>()->float_bits},
            {"converged", result.converged},
            {"weighted", result.run->options.pagerank.weighted},
            {"restart_vertices", restarts}};
  }
  std::string chosen_text(const RunResult& result) const override {
    const auto& asked = result.run->options.pagerank;
    const std::string end =
        is_synchronous(asked) ? fmt::format("{} sweeps", asked.max_iterations) : fmt::format("tolerance {}", asked.tolerance);
    std::string text = fmt::format(", damping {}, {}{}, {}-bit floats", asked.damping, end,
                                   asked.stop == PagerankStop::largest ? " / n at each vertex" : "",
                                   result.answer.as<PagerankOutput>()->float_bits);
    if (asked.weighted) text += ", weighted";
    if (!asked.restarts.empty()) text += fmt::format(", restarts at {} vertices", grouped(asked.restarts.size()));
    return text + (result.converged ? "" : ", not converged");
  }
};

}  // namespace

void describe(const PagerankOutput& output, AnswerData& answer) {
  answer.columns = {{"rank", output.ranks, DigestBy::scores}};
  answer.scalars = {{"iterations", output.iterations}, {"residual", output.residual}};
  if (!output.certificate) return answer.scalars.push_back({"certificate"});
  answer.scalars.push_back({"certificate.residual", output.certificate->residual});
  answer.scalars.push_back({"certificate.largest", output.certificate->largest});
}

Trial run_pagerank(Session& session, const PagerankOptions& options, PagerankOutput* output) {
  const bool single = is_single_precision(options);
  return trial_on<PackedPlacements>(session, [&](auto& placed) {
    return single ? trial_with<float>(placed, options, output) : trial_with<double>(placed, options, output);
  });
}

PageRankAnswer Engine::run(const PageRank& what) {
  RunOptions options = request_of(Algorithm::pagerank, what);
  options.pagerank.damping = what.damping;
  options.pagerank.tolerance = what.tolerance;
  options.pagerank.stop = what.stop;
  options.pagerank.max_iterations = what.max_iterations;
  options.pagerank.certify = what.certify;
  options.starts = what.restarts;
  options.pagerank.shares = what.shares;
  if (!what.weights.empty()) set_option(options, "weights", what.weights);
  return PageRankAnswer(run(options));
}

GR_INFO_OF(pagerank, PagerankInfo)

#define GR_PAGERANK(View)                               \
  template class PagerankRun<CpuExecutor, View, float>; \
  template class PagerankRun<CpuExecutor, View, double>;
GR_FOR_EACH_CPU_VIEW(GR_PAGERANK)
#undef GR_PAGERANK
#define GR_PAGERANK(View)                                       \
  extern template class PagerankRun<CudaExecutor, View, float>; \
  extern template class PagerankRun<CudaExecutor, View, double>;
GR_FOR_EACH_CUDA_VIEW(GR_PAGERANK)
GR_PACKED_CUDA_VIEW(GR_PAGERANK)
#undef GR_PAGERANK

}  // namespace graphrun::inline GR_IDS
