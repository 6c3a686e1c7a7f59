#include "graphrun/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "backend/fabric_edges.hpp"
#include "core/raise.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/option.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/io/generate.hpp"
#include "graphrun/run/describe_graph.hpp"
#include "graphrun/verify/properties.hpp"
#include "run/algorithms/algorithm_info.hpp"
#include "run/graph_sample.hpp"
#include "run/measures.hpp"
#include "run/memory_check.hpp"
#include "run/shortest_path.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr double kWorthTellingMs = 1000;

/// Are the edges of the graph's file not to be read here? Servers have them.
bool edges_are_elsewhere(const RunOptions& options) { return !options.backend.fabric.remote.empty(); }

/// Weights as asked; returns where they came from. `by_records`: those that came in the graph's records were checked before these
/// were made.
std::string give_weights(Graph& graph, const std::optional<WeightSource>& asked, bool by_records, ThreadPool& pool) {
  const WeightSource source = asked.value_or(usual_weights(graph.weight_kind));
  if (!asked) tell_missing_weights(graph, "sssp");
  if (source.kind != WeightSource::Kind::file && !graph.out.packed.empty()) {
    graph.out.packed.weight_code = {};
    graph.out.packed.weights = {};
  }
  assign_weights(graph, source, pool);
  if (!by_records || !graph.has_records()) check_weights_nonnegative(graph, pool);
  return to_string(source);
}

/// What would keep algorithms from ending, or fault on a GPU, in a container that nothing was checked of. Offsets are read anyway
/// when they are placed. Ids are left to the guards behind arrays that they index (Column::allocate_guarded), which a GPU has
/// none of, nor the oracle; both read all edges anyway, but for bam on a GPU.
void check_unchecked(const Graph& graph, const RunOptions& options, const Device& device, ThreadPool& pool) {
  const bool ids = reads_lists_after(options) ||
                   (device.kind == DeviceKind::cuda && preset_of(options.backend.kind).source != EdgeSource::storage);
  const auto check = [&](const Csr& csr, const char* which) {
    const std::string where = fmt::format("{} ({})", options.graph, which);
    ids && !edges_are_elsewhere(options) ? check_csr(csr, where, pool) : check_offsets(csr, where, pool);
  };
  check(graph.out, "out");
  if (graph.in) check(*graph.in, "in");
  check_hub_table(graph, options.graph);
}

std::string why_not_converged(const PagerankOptions& asked, const PagerankOutput& found) {
  if (asked.stop == PagerankStop::sum && found.residual < asked.tolerance && found.certificate) {
    return fmt::format("the true residual of these ranks is {:.3g}, which is not below tolerance {}", found.certificate->residual,
                       asked.tolerance);
  }
  return fmt::format("pagerank stopped at the limit of {} iterations, before it reached tolerance {}: raise one of them",
                     asked.max_iterations, asked.tolerance);
}

/// Runs trials of one graph and keeps the books.
class Harness {
 public:
  /// Opens the session when it is null.
  Harness(const Graph& graph, const RunOptions& options, RunResult& result, std::unique_ptr<Session>& session)
      : graph_(graph), options_(options), result_(result), algorithm_(info_of(options.algorithm)) {
    if (!session) session = place();
    session_ = session.get();
    result_.description = session_->description();
    result_.fast_tier_bytes = session_->fast_tier_bytes();
    result_.static_tier = session_->static_tier();
    result_.emulated = session_->emulated();
  }

  void run_all(const std::vector<VertexId>& sources) {
    if (sources.empty()) return run_trials({});
    const std::size_t at_once = options_.batch ? kMostSearches : 1;
    for (std::size_t i = 0; i < sources.size(); i += at_once)
      run_trials(std::span(sources).subspan(i, std::min(at_once, sources.size() - i)));
  }

 private:
  std::unique_ptr<Session> place() {
    const Timer placing;
    const Progress progress("placing the graph");
    auto session = open_session(graph_, options_, result_.device);
    check_files_unchanged(graph_);  // offsets that were cut off are no lists
    result_.phases.place_ms = placing.elapsed_ms();
    log::debug(fmt::format("placed in {:.1f} ms: {}", result_.phases.place_ms, session->description()));
    return session;
  }

  void run_trials(std::span<const VertexId> sources) {
    const std::size_t first = result_.trials.size();
    if (options_.keep_answers && first != 0) result_.earlier.push_back(std::move(result_.output));
    bool last_converged = true;
    for (int i = 0; i < options_.trials; ++i) {
      const bool last = i + 1 == options_.trials;
      Output output;
      const Trial trial = run_one(sources, options_.verify || last ? &output : nullptr);
      TrialRecord record = record_of(trial, sources);
      last_converged = trial.converged;
      result_.converged = result_.converged && trial.converged;
      if (options_.verify) verify(output, trial.converged, record);
      result_.trials.push_back(std::move(record));
      if (last) result_.output = std::move(output);
    }
    for (Digest& digest : algorithm_.digests(result_.output)) result_.digests.push_back(std::move(digest));
    const std::optional<double> edges = algorithm_.input_edges(graph_, result_.output);
    for (std::size_t i = first; i < result_.trials.size(); ++i) set_rate(result_.trials[i], edges);
    if (result_.converged) return;
    if (last_converged) {
      log::warn("an earlier trial of pagerank did not reach the tolerance");
    } else {
      log::warn(why_not_converged(options_.pagerank, std::get<PagerankOutput>(result_.output)));
    }
  }

  Trial run_one(std::span<const VertexId> sources, Output* output) {
    const Progress progress("running");
    return algorithm_.run(*session_, sources, result_, output);
  }

  TrialRecord record_of(const Trial& trial, std::span<const VertexId> sources) const {
    TrialRecord record;
    if (options_.batch) record.batch = sources.size();
    if (!options_.batch && !sources.empty()) record.source = sources.front();
    record.elapsed_ms = trial.elapsed_ms;
    record.iterations = trial.stats.iterations;
    record.edges_examined = trial.stats.edges_examined;
    record.moved = trial.moved;
    record.exchanged = trial.exchanged;
    record.phases = trial.phases;
    if (!trial.converged) record.verification = Verification::not_converged;
    record.amplification = amplification(record, algorithm_.needs_weights());
    return record;
  }

  void verify(const Output& output, bool converged, TrialRecord& record) {
    check_files_unchanged(graph_);  // whose offsets it reads in place
    const Timer verifying;
    const Progress progress("verifying");
    ThreadPool pool(*options_.verify == VerifyBy::serial ? 1 : threads_over(graph_, options_.threads));
    // With --warm the next trial is to find in this process what the last one had there.
    const verify::Passes how{.pool = pool, .release = !options_.warm};
    const verify::Verdict verdict = algorithm_.check(graph_, output, result_, converged, how);
    result_.phases.verify_ms += verifying.elapsed_ms();
    if (!verdict) record.verification = Verification::wrong;
    if (verdict && converged) record.verification = Verification::verified;
    record.reason = verdict.reason;
    if (verdict.longest_path != 0)
      result_.sssp.longest_path = std::max(result_.sssp.longest_path.value_or(0), verdict.longest_path);
    if (verdict) return;
    check_files_unchanged(graph_);  // then there is nothing to say of the answer
    log::error(fmt::format("wrong answer: {}", verdict.reason));
  }

  const Graph& graph_;
  const RunOptions& options_;
  RunResult& result_;
  const AlgorithmInfo& algorithm_;
  Session* session_;
};

Verification overall(const std::vector<TrialRecord>& trials) {
  Verification worst = Verification::verified;
  for (const auto& trial : trials) worst = std::max(worst, trial.verification);
  return worst;
}

/// Completes what `options` say of sources. Returns those that have trials of their own.
std::vector<VertexId> choose_sources(const Graph& graph, RunOptions& options, ThreadPool& pool) {
  const AlgorithmInfo& algorithm = info_of(options.algorithm);
  const AlgorithmInfo::SourceSet set = algorithm.source_set();
  if (algorithm.has_sources() && !options.starts.empty()) {
    for (const VertexId start : options.starts) require_vertex(start, graph);
    options.num_sources = static_cast<int>(options.starts.size());
    return options.starts;
  }
  const bool given = options.source || options.num_sources > 0;
  if (options.num_sources == 0) options.num_sources = algorithm.usual_sources(options);
  if (set != nullptr && !set(options).empty() && !given) {
    auto& sources = set(options);  // from Python and C++, where a list may name one twice
    std::ranges::sort(sources);
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
    options.num_sources = static_cast<int>(sources.size());
    return {};
  }
  if (options.num_sources == 0) {  // all of them
    options.num_sources = static_cast<int>(std::min<std::uint64_t>(graph.num_vertices(), std::numeric_limits<int>::max()));
    return {};
  }
  if (!options.source && algorithm.needs_sources() && graph.num_vertices() != 0) {
    options.source = SourceSpec{};
    if (options.num_sources > 1 || set != nullptr) options.source->kind = SourceSpec::Kind::random;
  }
  if (algorithm.has_sources()) return resolve_sources(graph, options.source.value_or(SourceSpec{}), options.num_sources, pool);
  if (set == nullptr || !options.source) return {};
  if (options.source->kind == SourceSpec::Kind::random && algorithm.draws_distinct(options)) {
    set(options) = draw_distinct(graph.num_vertices(), options.num_sources, options.source->seed);
    return {};
  }
  const std::vector<VertexId> several = resolve_source_set(graph, *options.source, options.num_sources, pool);
  set(options).assign(several.begin(), several.end());
  return {};
}

/// `phases` is what was spent on the graph before; `pool` is released before the session makes its own threads.
RunResult run_on(const Graph& graph, const RunOptions& options, const Device& device, PhaseTimes phases,
                 std::unique_ptr<ThreadPool> pool, std::unique_ptr<Session>& session) {
  RunResult result;
  const AlgorithmInfo& algorithm = info_of(options.algorithm);
  result.options = options;
  if (options.algorithm == Algorithm::bfs && !options.batch && corrects_labels(options.backend) &&
      options.bfs.variant != BfsVariant::push) {
    log::info(
        "asynchronous subgraphs correct levels along out-edges: bfs pushes; --subway-variant sync lets it choose directions");
    result.options.bfs.variant = BfsVariant::push;
  }
  if (options.verify == VerifyBy::properties && !algorithm.has_properties()) {
    log::info(fmt::format("{} has no check that costs less than its serial oracle: one thread computes the answer anew",
                          name_of(options.algorithm)));
    result.options.verify = VerifyBy::serial;
  }
  if (algorithm.needs_undirected() && !graph.symmetric) {
    raise<UsageError>("{} needs an undirected graph, and {} is directed: load it with --undirected, which takes arcs as edges",
                      name_of(options.algorithm), graph.name);
  }
  result.options.backend = with_defaults(options.backend);
  result.options.backend.needs_transpose |= needs_transpose(options);
  result.sssp.why_variant = algorithm.settle(result.options, what_is_known_of(graph));
  if (!result.sssp.why_variant.empty()) {
    log::info(fmt::format("{} by {}: {}", name_of(options.algorithm), variant_name(result.options), result.sssp.why_variant));
  }
  if (algorithm.needs_weights() && options.sssp.distances == FloatDistances::f32 && graph.weight_kind == WeightKind::u32)
    log::warn("--distances f32 has no effect: the weights are whole numbers");
  result.options.backend.records = reads_records(result.options);
  if (result.options.backend.records && !graph.has_records()) {
    raise<UsageError>("variant {} of {} reads records and the graph has none: make them with add_records()",
                      variant_name(result.options), name_of(options.algorithm));
  }
  result.options.backend.needs_weights |= algorithm.needs_weights() && !result.options.backend.records;
  result.device = device;
  const bool one_rank = device.kind == DeviceKind::cpu && options.ranks == 1 && options.processes == nullptr;
  result.placement.threads = ThreadPool::size_for(one_rank ? threads_over(graph, options.threads) : options.threads);
  if (preset_of(options.backend.kind).source == EdgeSource::fabric) {
    result.placement.fabric = fabric_in_use(options.backend.fabric, device.kind == DeviceKind::cuda);
  }
  result.environment = describe_environment(device);
  if (!result.environment.optimised || !result.environment.sanitizers.empty()) {
    log::warn("this program was built without optimisation or with sanitizers: its times mean nothing");
  }
  result.phases = phases;
  result.graph = {.name = graph.name,
                  .format = "memory",
                  .encoding = is_packed(graph) ? "packed" : "raw",
                  .num_vertices = graph.num_vertices(),
                  .num_edges = graph.num_edges(),
                  .symmetric = graph.symmetric,
                  .transpose = transpose_of(graph),
                  .labelled = !graph.names.are_indices(),
                  .assumptions = graph.assumptions,
                  .weight_kind = algorithm.needs_weights() ? graph.weight_kind : WeightKind::none,
                  .weight_source = ""};
  result.names = graph.names;
  const Timer preparing;
  if (reads_lists_after(options)) require_lists(graph.out);
  const bool checked = graph.has_records() && result.options.backend.records;  // before they were made
  if (algorithm.needs_weights() && !checked && !edges_are_elsewhere(options)) check_weights_nonnegative(graph, *pool);
  if (options.processes != nullptr) {
    check_same(
        *options.processes,
        fmt::format("{} {} {} {} {} {:x}", graph.num_vertices(), graph.num_edges(), graph.symmetric, name_of(graph.weight_kind),
                    variant_name(result.options), sample_of(graph, edges_are_elsewhere(options))),
        "graph");
    check_same(*options.processes, name_of(options.backend.kind), "plan (--backend names one)");
  }
  const std::vector<VertexId> sources = choose_sources(graph, result.options, *pool);
  std::optional<VertexId> path_to;
  if (options.path_to) set_named("path-to", [&] { path_to = resolve_sources(graph, *options.path_to, 1, *pool).front(); });
  result.phases.prepare_ms += preparing.elapsed_ms();
  pool.reset();
  Harness(graph, result.options, result, session).run_all(sources);
  result.verification = overall(result.trials);
  const bool has_answer = options.processes == nullptr || options.processes->rank() == 0;
  if (path_to && has_answer && result.verification != Verification::wrong)
    result.path = shortest_path(graph, result.output, *path_to);
  return result;
}

/// `asked`, with a rank for each GPU of the device that it names; of several processes each takes one of them, those of a host in
/// turn. Throws UsageError for options that cannot be, and RunError for those that other processes were not given.
RunOptions checked(RunOptions asked, Device& device) {
  if (asked.processes != nullptr && canonical_device(asked.device) == "auto")  // which the others are told
    asked.device = why_no_cuda(0).empty() ? "cuda:all" : "cpu";
  check_options(asked);
  device = parse_device(asked.device);
  check_gpus(device, asked.ranks);
  if (asked.processes != nullptr) {
    device = of_process(device, asked.processes->place());
  } else if (device.gpus() > 1) {
    asked.ranks = device.gpus();
    check_options(asked);
  }
  if (asked.processes == nullptr) return asked;
  if (asked.graph == "-") throw UsageError("standard input can be read by one process: give several the name of a file");
  RunOptions shared = asked;
  shared.verify.reset();  // rank 0 checks
  shared.graph.clear();   // files may have other names on other hosts
  check_same(*asked.processes, GRAPHRUN_VERSION, "version");
  check_same(*asked.processes, options_text(shared), "set of options");
  return asked;
}

/// The same over a graph whose file may not have been checked, in kernels that do not check what it holds either.
RunResult run_on_trusted(const Graph& graph, const RunOptions& options, const Device& device, PhaseTimes phases,
                         std::unique_ptr<ThreadPool> pool) {
  std::unique_ptr<Session> session;
  try {
    return run_on(graph, options, device, phases, std::move(pool), session);
  } catch (const RunError& error) {
    if (options.load.check || edges_are_elsewhere(options)) throw;
    raise<RunError>("{}; {} was not checked: without --trust-file damage in it is found before a run", error.what(),
                    options.graph);
  }
}

}  // namespace

void check_files_unchanged(const Graph& graph) {
  const auto check_column = [](const auto& column) {
    if (column.in_mapped_file()) column.region()->file().check_unchanged();
  };
  const auto check = [&](const Csr& csr) {
    check_column(csr.offsets), check_column(csr.neighbours), check_column(csr.weights), check_column(csr.packed.lines);
  };
  check(graph.out);
  if (graph.in) check(*graph.in);
}

namespace {

/// run(), where a file that changed is the reason of every failure.
template <class Run>
RunResult while_unchanged(const Graph& graph, const Run& run) {
  try {
    check_files_unchanged(graph);
    RunResult result = run();
    check_files_unchanged(graph);
    return result;
  } catch (const Error&) {
    check_files_unchanged(graph);
    throw;
  }
}

/// Broadcasts how rank 0 verifies: the memory for that counts in the plans of all processes, which must be alike.
RunOptions verified_as_root(RunOptions options) {
  if (options.processes == nullptr) return options;
  constexpr int kNot = -1;
  const int own = options.verify ? static_cast<int>(*options.verify) : kNot;
  const int of_root = gather_values(*options.processes, own).front();
  options.verify = of_root == kNot ? std::nullopt : std::optional(static_cast<VerifyBy>(of_root));
  return options;
}

}  // namespace

std::unique_ptr<Session> open_session(const Graph& graph, const RunOptions& options, const Device& device) {
  SessionOptions how;
  how.device = device;
  how.threads = options.threads;
  how.ranks = options.ranks;
  how.processes = options.processes;
  how.backend = options.backend;
  how.backend.check_stripe = options.load.check;
  how.warm = options.warm;
  how.preload = options.preload;
  return open_session(graph, how);
}

WeightSource usual_weights(WeightKind of_file) {
  WeightSource source;
  source.kind = of_file == WeightKind::none ? WeightSource::Kind::unit : WeightSource::Kind::file;
  return source;
}

void tell_missing_weights(const Graph& graph, const char* algorithm) {
  if (graph.weight_kind != WeightKind::none) return;
  // The user of a file may expect its weights.
  (is_generator(graph.name) ? log::info : log::warn)(
      fmt::format("the graph has no weights: {} takes 1 for each edge; choose others with --weights, such as random", algorithm));
}

RunResult run(const Graph& graph, const RunOptions& options) {
  std::unique_ptr<Session> session;
  return run(graph, options, session);
}

RunResult run(const Graph& graph, const RunOptions& given, std::unique_ptr<Session>& session) {
  Device device;
  const RunOptions asked = checked(given, device);
  RunOptions options = asked;
  std::optional<RunPlan> plan;
  if (asked.auto_backend && !session) {
    plan = plan_run(graph, verified_as_root(asked), device);
    options.backend = planned(asked.backend, *plan);
  }
  if (info_of(options.algorithm).needs_weights() && graph.weight_kind == WeightKind::none) {
    throw UsageError("sssp needs weights and the graph has none: give it some with assign_weights()");
  }
  RunResult result = while_unchanged(graph, [&] {
    return run_on(graph, options, device, {}, std::make_unique<ThreadPool>(threads_over(graph, options.threads)), session);
  });
  result.plan = std::move(plan);
  return result;
}

RunResult run(const RunOptions& given) {
  Device device;
  const RunOptions asked = checked(given, device);  // first: a machine that lacks a GPU should say so before a long load
  RunOptions options = asked;
  std::optional<RunPlan> plan;
  check_countable(device, options.backend);
  const AlgorithmInfo& algorithm = info_of(options.algorithm);
  const LoadEstimate estimate = estimate_of(options);
  if (asked.auto_backend) {
    plan = plan_run(verified_as_root(asked), device);
    options.backend = planned(asked.backend, *plan);
  }
  RunOptions settled = options;
  algorithm.settle(settled, estimate);
  const bool by_records = reads_records(settled);
  if (!asked.auto_backend) check_memory(settled, device, estimate);
  auto pool = std::make_unique<ThreadPool>(options.threads);
  LoadOptions how = options.load;
  how.need_transpose = needs_transpose(options);
  how.keep_packed = keeps_packed(options, device.kind, estimate);
  const bool of_file = !options.weights || options.weights->kind == WeightSource::Kind::file;
  how.weights = algorithm.needs_weights() && of_file ? WeightUse::exact : WeightUse::unread;
  if (edges_are_elsewhere(options)) how.check = how.need_transpose = false;
  log::debug(fmt::format("reading {}", options.graph));
  Loaded loaded = load_graph(options.graph, how, *pool);
  Graph& graph = loaded.graph;
  if (loaded.times.read_ms + loaded.times.build_ms > kWorthTellingMs) {
    log::info(fmt::format("read {} in {:.1f} s, built rows in {:.1f} s", graph.name, loaded.times.read_ms / 1000,
                          loaded.times.build_ms / 1000));
  }
  PhaseTimes phases;
  phases.read_ms = loaded.times.read_ms;
  phases.build_ms = loaded.times.build_ms;
  std::string weight_source;
  const Timer preparing;
  const bool kept_packed = is_packed(graph);
  const bool makes_weights =
      algorithm.needs_weights() && options.weights.value_or(usual_weights(graph.weight_kind)).kind != WeightSource::Kind::file;
  const bool makes_records = by_records && (makes_weights || !graph.has_records());
  if (kept_packed && (reads_lists_after(options) || makes_weights || makes_records)) unpack_lists(graph, options.graph, *pool);
  if (!how.check) check_unchecked(graph, options, device, *pool);
  if (algorithm.needs_weights()) weight_source = give_weights(graph, options.weights, by_records, *pool);
  if (by_records && !graph.has_records()) {
    const Timer sorting;
    add_records(graph, *pool);
    log::info(fmt::format("put lists into the order of their weights in {:.1f} s", sorting.elapsed_ms() / 1000));
  }
  if (!reads_lists_after(options))
    keep_lists(graph, kept_packed);  // what checks, weights and records read is not needed by the run
  phases.prepare_ms = preparing.elapsed_ms();
  RunResult result = while_unchanged(graph, [&] { return run_on_trusted(graph, options, device, phases, std::move(pool)); });
  result.plan = std::move(plan);
  result.graph.format = std::move(loaded.format);
  if (loaded.unpacked) result.graph.encoding = "unpacked";
  if (loaded.made_transpose) result.graph.transpose = "made";
  result.graph.weight_source = std::move(weight_source);
  return result;
}

}  // namespace graphrun::inline GR_IDS
