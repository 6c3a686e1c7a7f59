// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "algorithms/algorithm.hpp"
#include "core/raise.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/io/estimate.hpp"
#include "graphrun/run/describe_graph.hpp"
#include "run/engine_parts.hpp"
#include "run/memory_check.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Sets an option of placement, and warns when the backend does not read it.
void set_placement(RunOptions& options, const std::string& name, const std::string& text) {
  set_option(options, name, text);
  const auto& all = run_options();
  const auto option = std::find_if(all.begin(), all.end(), [&](const RunOption& each) { return name == each.text.name; });
  if (option->text.group != std::string_view("Placement") || name == "backend" || name == "device" || name == "memory") {
    raise<UsageError>("EngineOptions::more takes options of placement, and '{}' is none", name);
  }
  if (option->text.argument == nullptr && !text.empty())
    raise<UsageError>("'{}' is a switch: its text is empty, not '{}'", name, text);
  if (const std::string by = unused_reason(*option, options); !by.empty())
    log::warn(fmt::format("--{} has no effect on {}", name, by));
}

RunOptions placed_by(const EngineOptions& how) {
  RunOptions options;
  set_option(options, "backend", how.backend);
  set_option(options, "device", how.device);
  if (how.threads != 0) set_option(options, "threads", std::to_string(how.threads));
  for (const auto& [name, text] : how.more) set_placement(options, name, text);
  if (!how.cache.empty()) set_option(options, "cache", how.cache);
  if (!options.auto_backend && preset_of(options.backend.kind).delivery == EdgeDelivery::load)
    options.backend.cache_bytes.reset();
  options.load.check = true;
  check_options(options);
  return options;
}

/// A custom algorithm as an AlgorithmInfo.
class CustomInfo final : public AlgorithmInfo {
 public:
  CustomInfo(const char* name, const Reads& reads, const std::function<Trial(Session&, bool)>& trial, bool on_gpu)
      : AlgorithmInfo({.name = name,
                       .needs_undirected = reads.undirected,
                       .needs_weights = reads.weights != WeightKind::none,
                       .has_properties = false}),
        in_edges_(reads.in_edges),
        on_gpu_(on_gpu),
        trial_(trial) {}
  bool runs_on_gpu(const RunOptions&) const override { return on_gpu_; }
  bool needs_transpose(const RunOptions&) const override { return in_edges_; }
  Trial run(Session& session, std::span<const VertexId>, const RunOptions&, AnswerData* answer) const override {
    return trial_(session, answer != nullptr);
  }

 private:
  bool in_edges_;
  bool on_gpu_;
  const std::function<Trial(Session&, bool)>& trial_;
};

}  // namespace

Graph open(const std::string& graph, const LoadOptions& how) {
  ThreadPool pool;
  require_memory(graph, kProgramBytes + estimate_load(graph, how).peak_bytes, std::nullopt,
                 fmt::format("make a container by graphconv {} OUT.grf --memory SIZE, and open that", graph));
  LoadOptions checked = how;
  checked.check = true;
  return load_graph(graph, checked, pool).graph;
}

Engine::Parts::Parts(const Graph& graph, RunOptions placement)
    : own_(graph), graph_(graph), asked_(std::move(placement)), device_(parse_device(asked_.device)) {
  if (canonical_device(asked_.device) != "auto") asked_.device = to_string(device_);
  check_gpus(device_, asked_.ranks);
  if (device_.gpus() > 1) asked_.ranks = device_.gpus();
}

Engine::Parts::Parts(Graph graph) : own_(graph), graph_(std::move(graph)) {}

RunResult Engine::Parts::run(RunOptions request) {
  static_cast<PlacementOptions&>(request) = asked_;
  request.graph = asked_.graph;
  request.load = asked_.load;
  request.device = asked_.device;
  request.auto_backend = asked_.auto_backend;
  const bool reads_weights = info_of(request).needs_weights(request);
  if (reads_weights) {
    bring_weights(request.weights, info_of(request).facts.name);
    if (request.custom == nullptr) check_weights();
  }
  const Timer preparing;
  ResolvedRun resolved = resolve(std::move(request), graph_, device_, placed_.get(), session_ != nullptr);
  RunResult result = run(std::move(resolved), {.prepare_ms = preparing.elapsed_ms()});
  if (reads_weights) result.graph.weight_source = to_string(*weights_);
  return result;
}

RunResult Engine::Parts::described(std::shared_ptr<const ResolvedRun> run) const {
  RunResult result;
  result.run = std::move(run);
  result.environment = describe_environment(result.run->device);
  if (!result.environment.optimised || !result.environment.sanitizers.empty())
    log::warn("this program was built without optimisation or with sanitizers: its times mean nothing");
  const bool weights = info_of(result.run->options).needs_weights(result.run->options);
  result.graph = {.name = graph_.name,
                  .format = "memory",
                  .encoding = is_packed(graph_) ? "packed" : "raw",
                  .num_vertices = graph_.num_vertices(),
                  .num_edges = graph_.num_edges(),
                  .symmetric = graph_.symmetric,
                  .transpose = made_transpose_ ? "made" : transpose_of(graph_),
                  .labelled = !graph_.names.are_indices(),
                  .assumptions = graph_.assumptions,
                  .weight_kind = weights ? graph_.weight_kind : WeightKind::none,
                  .weight_source = ""};
  result.names = graph_.names;
  return result;
}

void Engine::Parts::place(RunResult& result) {
  const ResolvedRun& run = *result.run;
  if (session_ == nullptr) {
    const Timer placing;
    const Progress progress("placing the graph");
    session_ = open_session(graph_, {run.options, run.device});
    check_files_unchanged(graph_);  // a truncated file's offsets are no lists
    result.phases.place_ms = placing.elapsed_ms();
    log::debug(fmt::format("placed in {:.1f} ms: {}", result.phases.place_ms, session_->description()));
  }
  result.description = session_->description();
  result.fast_tier_bytes = session_->fast_tier_bytes();
  result.static_tier = session_->static_tier();
  result.queues = session_->queues();
  result.emulated = session_->emulated();
  placed_ = result.run;
}

RunResult Engine::Parts::run(ResolvedRun resolved, const PhaseTimes& before) {
  const auto shared = std::make_shared<const ResolvedRun>(std::move(resolved));
  const ResolvedRun& run = *shared;
  const RunOptions& options = run.options;
  const std::string who = run.text();
  const bool reads_edges = options.backend.fabric.remote.empty();  // otherwise servers have them
  try {
    check_files_unchanged(graph_);
    if (!run.stays) leave_place(who);
    if (options.backend.needs_transpose && reads_edges && graph_.transpose() == nullptr) make_transpose(who);
    if (options.backend.records && !graph_.has_records()) make_records(who);
    if (reads_lists_after(options)) require_lists(graph_.out);
    RunResult result = described(shared);
    result.phases = before;
    place(result);
    time_trials(*session_, graph_, result);
    result.kernel_needs = session_->kernel_needs();
    const bool has_answer = options.processes == nullptr || options.processes->rank() == 0;
    if (run.path_to && has_answer && result.verification != Verification::wrong) {
      const Progress progress("finding the path");
      result.path = info_of(options).path(graph_, result.answer, *run.path_to);
    }
    check_files_unchanged(graph_);
    return result;
  } catch (const RunError& error) {
    session_.reset();               // a backend that failed once fails from then on
    check_files_unchanged(graph_);  // a changed file is then the reason
    if (options.load.check || !reads_edges) throw;
    raise<RunError>("{}; {} was not checked: without --trust-file damage in it is found before a run", error.what(),
                    options.graph);
  } catch (...) {
    session_.reset();
    check_files_unchanged(graph_);
    throw;
  }
}

void Engine::Parts::bring_weights(const std::optional<WeightSource>& asked, const char* name) {
  const WeightSource wanted = asked.value_or(usual_weights(own_.weight_kind));
  if (weights_ == wanted) return;
  ThreadPool pool(asked_.threads);
  Graph weighted = own_;
  weighted.in = graph_.in;
  assign_weights(weighted, wanted, pool);
  leave_place(name);  // the session may read the old weights in place
  graph_ = std::move(weighted);
  weights_ = wanted;
  // Weights of records were checked; weights of servers are not read here.
  weights_are_checked_ = graph_.has_records() || !asked_.backend.fabric.remote.empty();
  if (!asked) {
    tell_missing_weights(own_, name);
  } else if (wanted.kind != WeightSource::Kind::file) {
    log::info(fmt::format("{} uses weights {}", name, to_string(wanted)));
  }
}

void Engine::Parts::check_weights() {
  if (weights_are_checked_) return;
  ThreadPool pool(asked_.threads);
  check_weights_nonnegative(graph_, pool);
  weights_are_checked_ = true;
}

void Engine::Parts::make_records(const std::string& who) {
  const Timer timer;
  ThreadPool pool(asked_.threads);
  require_memory(fmt::format("{} in the order of weights", graph_.name),
                 records_peak_bytes(graph_.num_vertices(), graph_.num_edges(), !is_balanced(graph_, pool)), std::nullopt,
                 "store that: graphconv --sort weight makes a .grf with it, and with --memory SIZE in little memory");
  add_records(graph_, pool);
  log::info(fmt::format("{} reads lists in the order of their weights: these were made in {:.1f} ms", who, timer.elapsed_ms()));
}

void Engine::Parts::leave_place(const std::string& who) {
  if (session_) log::info(fmt::format("{} reads what was not placed yet: the edges are placed again", who));
  session_.reset();
}

void Engine::Parts::make_transpose(const std::string& who) {
  const Timer timer;
  ThreadPool pool(asked_.threads);
  const std::uint64_t bytes = graph_.num_vertices() * sizeof(EdgeId) + 2 * graph_.num_edges() * sizeof(VertexId);
  require_memory(fmt::format("the transpose of {}", graph_.name), bytes, std::nullopt,
                 "store it: graphconv makes a .grf with it, and with --memory SIZE in little memory");
  graph_.in = transpose(graph_.out, pool);
  made_transpose_ = true;
  log::info(fmt::format("{} reads in-edges: the transpose was made in {:.1f} ms", who, timer.elapsed_ms()));
}

Engine::Engine(const Graph& graph, const EngineOptions& options) : parts_(std::make_unique<Parts>(graph, placed_by(options))) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

Answer Engine::run(const std::string& algorithm, const std::map<std::string, std::string>& options) {
  RunOptions what;
  set_option(what, "algo", algorithm);
  for (const auto& [name, text] : options) set_option(what, name, text);
  return Answer(run(what));
}

RunResult Engine::run(const RunOptions& what) {
  if (what.batch && !what.keep_answers && what.num_sources > static_cast<int>(kMostSearches)) {
    raise<UsageError>("an answer has the searches of one --batch, at most {}: ask for so many sources at a time, not {}",
                      kMostSearches, what.num_sources);
  }
  RunResult result = parts_->run(what);
  remove_saves(result);
  return result;
}

RunResult Engine::run_custom(const char* name, const Reads& reads, int trials, const std::function<Trial(Session&, bool)>& trial,
                             bool on_gpu) {
  if (trials < 1) raise<UsageError>("{} must have at least 1 trial, not {}", name, trials);
  if (reads.weights != WeightKind::none && parts_->usual_kind() != reads.weights) {
    raise<UsageError>("{} reads weights that are {}, and those of {} are {}", name, name_of(reads.weights), parts_->graph().name,
                      name_of(parts_->usual_kind()));
  }
  const CustomInfo custom(name, reads, trial, on_gpu);
  RunOptions request;
  request.custom = &custom;
  request.trials = trials;
  return parts_->run(request);
}

}  // namespace graphrun::inline GR_IDS
