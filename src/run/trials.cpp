// SPDX-License-Identifier: Apache-2.0
// The loop of trials: times every run of every algorithm.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "algorithms/algorithm.hpp"
#include "graphrun/core/build.hpp"
#include "graphrun/core/checkpoint.hpp"
#include "graphrun/core/checksum.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/median.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/exec/exchange.hpp"
#include "graphrun/run/run.hpp"
#include "run/graph_sample.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Sets the edges of GTEPS; none: the examined edges.
void set_rate(TrialRecord& record, std::optional<double> edges) {
  record.input_edges = edges.value_or(static_cast<double>(record.stats.edges_examined));
  if (record.batch == 0 && !record.resumed && record.input_edges > 0 && record.elapsed_ms > 0)
    record.gteps = record.input_edges / record.elapsed_ms * 1e-6;
}

/// Returns bytes moved per byte of examined edges, weights included when the algorithm reads them.
std::optional<double> amplification(const TrialRecord& record, bool with_weights) {
  if (!record.moved.bytes || record.stats.edges_examined == 0) return std::nullopt;
  const std::size_t bytes_per_edge = sizeof(VertexId) + (with_weights ? sizeof(std::uint32_t) : 0);
  return static_cast<double>(*record.moved.bytes) /
         (static_cast<double>(record.stats.edges_examined) * static_cast<double>(bytes_per_edge));
}

/// Returns everything that the state of a run depends on, but not its placement: lines for Checkpoint.
std::string state_request(const ResolvedRun& run, const Graph& graph) {
  constexpr std::size_t kMostShown = 80;
  const RunOptions& options = run.options;
  const AlgorithmInfo& algorithm = info_of(options);
  std::string text;
  const auto add = [&](std::string_view name, const auto& value) {
    const std::string its = fmt::format("{}", value);
    Checksum checksum;
    checksum.add(its.data(), its.size());
    text += fmt::format("{}\t{}\n", name, its.size() <= kMostShown ? its : fmt::format("(checksum {:x})", checksum.value()));
  };
  add("version", build().version);
  add("bits of an id", kVertexBits);
  add("--algo", algorithm.facts.name);
  add("a number of vertices of", graph.num_vertices());
  add("a number of edges of", graph.num_edges());
  const Json all = Json::parse(options_text(options));
  for (const RunOption& option : run_options()) {
    const bool reads = std::ranges::find(option.read_by.algorithms, options.algorithm) != option.read_by.algorithms.end();
    const bool only_writes =
        option.text.name == std::string_view("checkpoint") || option.text.group == std::string_view("Results");
    if (reads && !only_writes) add(fmt::format("--{}", option.text.name), all[option.json_name()].dump());
  }
  add("variant", algorithm.variant(options));
  add("weights", name_of(graph.weight_kind));
  RunOptions named = options;  // by numbers, which no option has
  if (algorithm.facts.source_set != nullptr) add("sources", fmt::format("{}", fmt::join(algorithm.facts.source_set(named), ",")));
  add("source", fmt::format("{}", fmt::join(run.sources, ",")));
  const bool elsewhere = !options.backend.fabric.remote.empty();
  add("a graph of checksum", fmt::format("{:x} {:x}", checksum_of(graph), sample_of(graph, elsewhere)));
  return text;
}

class Trials {
 public:
  Trials(Session& session, const Graph& graph, RunResult& result)
      : session_(session),
        graph_(graph),
        options_(result.run->options),
        result_(result),
        algorithm_(info_of(options_)),
        pool_(threads_over(graph, options_.threads)) {}

  /// Runs all trials of one source, of a batch, or of a run from several sources.
  void run(std::span<const VertexId> sources) {
    const std::size_t first = result_.trials.size();
    AnswerData& answer = result_.answer;  // its memory serves each trial
    if (options_.keep_answers && first != 0) result_.earlier.push_back(std::exchange(answer, {}));
    bool last_converged = true;
    for (int i = 0; i < options_.trials; ++i) {
      const bool last = i + 1 == options_.trials;
      // Processes collect an answer together, and rank 0 alone verifies.
      const bool collects = options_.verify || last || options_.processes != nullptr;
      TrialRecord record = time_one(sources, collects ? &answer : nullptr);
      last_converged = record.converged;
      result_.converged = result_.converged && last_converged;
      if (options_.verify) verify(answer, record);
      result_.verification = std::max(result_.verification, record.verification);
      result_.trials.push_back(std::move(record));
    }
    for (Digest& digest : digests_of(answer, pool_)) result_.digests.push_back(std::move(digest));
    const std::optional<double> edges = counted_edges(algorithm_.facts.rate, graph_, answer, pool_);
    for (std::size_t i = first; i < result_.trials.size(); ++i) set_rate(result_.trials[i], edges);
    if (result_.converged) return;
    log::warn(last_converged ? fmt::format("an earlier trial of {} did not reach the tolerance", algorithm_.facts.name)
                             : algorithm_.why_not_converged(options_, answer));
  }

 private:
  TrialRecord time_one(std::span<const VertexId> sources, AnswerData* answer) {
    const Progress progress("running");
    TrialRecord record{algorithm_.run(session_, sources, options_, answer)};
    if (options_.batch) record.batch = sources.size();
    if (!options_.batch && !sources.empty()) record.source = sources.front();
    if (!record.converged) record.verification = Verification::not_converged;
    record.amplification = amplification(record, algorithm_.needs_weights(options_));
    return record;
  }

  void verify(const AnswerData& answer, TrialRecord& record) {
    check_files_unchanged(graph_);  // verification reads offsets in place
    const Timer verifying;
    const Progress progress("verifying");
    // With --warm the next trial finds this process's pages of the last one.
    const verify::Passes how{.pool = pool_, .release = !options_.warm};
    const verify::Verdict verdict = algorithm_.check(graph_, answer, options_, record.converged, how);
    result_.phases.verify_ms += verifying.elapsed_ms();
    if (!verdict) record.verification = Verification::wrong;
    if (verdict && record.converged) record.verification = Verification::verified;
    record.reason = verdict.reason;
    if (verdict.longest_path != 0) result_.longest_path = std::max(result_.longest_path.value_or(0), verdict.longest_path);
    if (verdict) return;
    check_files_unchanged(graph_);  // a changed file invalidates the result
    log::error(fmt::format("wrong answer: {}", verdict.reason));
  }

  Session& session_;
  const Graph& graph_;
  const RunOptions& options_;
  RunResult& result_;
  const AlgorithmInfo& algorithm_;
  ThreadPool pool_;  // for all that follows a trial
};

}  // namespace

Summary summarise(const std::vector<TrialRecord>& trials) {
  std::vector<double> times;
  double inverse_rates = 0;
  bool all_rated = true;
  for (const auto& trial : trials) {
    times.push_back(trial.elapsed_ms);
    all_rated = all_rated && trial.gteps.has_value();
    if (trial.gteps) inverse_rates += 1 / *trial.gteps;
  }
  if (times.empty()) return {};
  const auto [fastest, slowest] = std::minmax_element(times.begin(), times.end());
  Summary summary{median(times), *fastest, *slowest, std::nullopt};
  if (all_rated) summary.harmonic_mean_gteps = static_cast<double>(trials.size()) / inverse_rates;
  return summary;
}

void time_trials(Session& session, const Graph& graph, RunResult& result) {
  result.verification = Verification::verified;  // until a trial is worse
  const std::vector<VertexId>& sources = result.run->sources;
  const RunOptions& options = result.run->options;
  session.save_in(options.checkpoint, options.checkpoint.empty() ? "" : state_request(*result.run, graph));
  Trials trials(session, graph, result);
  const std::size_t at_once = options.batch ? kMostSearches : 1;
  if (sources.empty()) trials.run({});
  for (std::size_t i = 0; i < sources.size(); i += at_once)
    trials.run(std::span(sources).subspan(i, std::min(at_once, sources.size() - i)));
}

void remove_saves(const RunResult& result) {
  const RunOptions& options = result.run->options;
  const bool is_root = options.processes == nullptr || options.processes->rank() == 0;
  if (is_root && !options.checkpoint.empty() && result.verification != Verification::wrong)
    Checkpoint::remove_all(options.checkpoint);
}

}  // namespace graphrun::inline GR_IDS
