// SPDX-License-Identifier: Apache-2.0
// A session over one executor and one family of views, for algorithms of this library and custom ones.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <typeindex>
#include <unordered_map>
#include <utility>

#include "graphrun/core/checkpoint.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/run/session.hpp"

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
class SessionOn final : public Session {
 public:
  /// Takes the executor and the backend. `graph` must outlive the session.
  SessionOn(std::unique_ptr<Exec> exec, std::unique_ptr<BackendOf<View>> backend, const Graph& graph,
            const SessionOptions& options, std::string executor)
      : exec_(std::move(exec)), backend_(std::move(backend)), graph_(graph), options_(options), executor_(std::move(executor)) {}

  std::string description() const override { return executor_ + "; " + backend_->description(); }
  std::uint64_t fast_tier_bytes() const override { return backend_->fast_tier_bytes(); }
  StaticTier static_tier() const override { return backend_->static_tier(); }
  std::optional<UsedQueues> queues() const override { return backend_->queues(); }
  std::optional<cuda::KernelNeeds> kernel_needs() const override {
    if constexpr (requires { exec_->kernel_needs(); }) {
      exec_->make_current();
      return exec_->kernel_needs();
    }
    return std::nullopt;
  }
  bool emulated() const override { return backend_->emulated(); }

  void save_in(const std::string& folder, const std::string& request) override {
    exec_->save_to(nullptr);
    checkpoint_.reset();
    if (!folder.empty()) exec_->save_to(&checkpoint_.emplace(folder, request, exec_->part().rank(), exec_->part().ranks()));
  }

  Exec& exec() { return *exec_; }
  GraphView<View> view() const { return backend_->view(); }
  const Graph& graph() const { return graph_; }
  const SessionOptions& options() const { return options_; }
  const BackendOf<View>& backend() const { return *backend_; }

  /// Returns this session's only State, made at the first call and kept for later trials: an algorithm's allocations.
  template <class State>
  State& kept() {
    std::shared_ptr<void>& slot = kept_[typeid(State)];
    if (!slot) slot = std::make_shared<State>();
    return *static_cast<State*>(slot.get());
  }

  /// Runs a trial of run(), which returns AlgoStats. Makes caches cold or fills them first, by the session's options. Throws
  /// RunError when edges could not be read, StoppedError after a signal that came when nothing was left to save.
  template <class Run>
  Trial timed(Run&& run) {
    exec_->synchronize();  // every rank has loaded its kernels
    [[maybe_unused]] const auto modules = Exec::keep_modules();
    if (!options_.warm && !options_.preload) backend_->make_cold();
    if (options_.preload) backend_->preload();
    exec_->synchronize();
    backend_->reset_counters();
    Trial trial;
    const auto exchanged_before = exchanged();
    const Timer timer;
    backend_->begin_run();
    trial.stats = run();
    if (const int signal = Rounds::stopped_by(); checkpoint_ && signal != 0) checkpoint_->end_by(signal);
    exec_->synchronize();
    trial.elapsed_ms = timer.elapsed_ms();
    trial.resumed = checkpoint_ && checkpoint_->loaded();
    if (exchanged_before) trial.exchanged = {*exchanged() - *exchanged_before};
    backend_->throw_if_failed();
    trial.moved = backend_->moved();
    trial.phases = backend_->phases();
    return trial;
  }

 private:
  /// Returns this rank's counts; none for a single rank.
  std::optional<ExchangeCounts> exchanged() const {
    if constexpr (requires { exec_->part(); }) {
      if (!exec_->part().is_single_rank()) return exec_->part().exchange->counts();
    }
    return std::nullopt;
  }

  std::unique_ptr<Exec> exec_;  // first: outlives its users
  std::unique_ptr<BackendOf<View>> backend_;
  const Graph& graph_;
  SessionOptions options_;
  std::string executor_;
  std::optional<Checkpoint> checkpoint_;
  std::unordered_map<std::type_index, std::shared_ptr<void>> kept_;  // last: its arrays are the executor's
};

/// Times run.run(source...). Unless `output` is null, outside the timed region ranks collect a result that they hold in parts,
/// and the answering one copies it there, into memory of the output before where it can.
template <class Exec, class View, class Run, class Answer, class... Source>
Trial timed(SessionOn<Exec, View>& placed, Run& run, Answer* output, const Source&... source) {
  constexpr bool kReuses = requires { run.reuse(std::move(*output)); };
  const bool answers = output != nullptr && placed.exec().answers();  // ranks of one process share `output`
  if (answers && !kReuses) *output = Answer{};
  const Trial trial = placed.timed([&] { return run.run(source...); });
  if (output == nullptr) return trial;
  if constexpr (kReuses) {
    if (answers) run.reuse(std::move(*output));
  }
  if constexpr (requires { run.collect(); }) run.collect();
  if (answers) *output = run.output();
  return trial;
}

/// Pairs of executor and view that a session may have.
template <class... Each>
struct PlacementsOf {
  /// Calls body(placed) for the pair of `session`, with its device current. Returns false when it is none of them.
  template <class Body>
  static bool visit(Session& session, Body& body) {
    return (... || visit_as(dynamic_cast<Each*>(&session), body));
  }

 private:
  template <class Placed, class Body>
  static bool visit_as(Placed* placed, Body& body) {
    if (placed == nullptr) return false;
    placed->exec().make_current();
    body(*placed);
    return true;
  }
};

}  // namespace graphrun::inline GR_IDS
