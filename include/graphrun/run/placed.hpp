// A session over one executor and one family of views: what algorithms run on, those of this library and those of others.
#pragma once

#include <memory>
#include <string>
#include <typeindex>
#include <unordered_map>
#include <utility>

#include "graphrun/core/timer.hpp"
#include "graphrun/run/session.hpp"

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
class SessionOn final : public Session {
 public:
  /// `graph` must outlive it.
  SessionOn(std::unique_ptr<Exec> exec, std::unique_ptr<BackendOf<View>> backend, const Graph& graph,
            const SessionOptions& options, std::string executor)
      : exec_(std::move(exec)), backend_(std::move(backend)), graph_(graph), options_(options), executor_(std::move(executor)) {}

  std::string description() const override { return executor_ + "; " + backend_->description(); }
  std::uint64_t fast_tier_bytes() const override { return backend_->fast_tier_bytes(); }
  StaticTier static_tier() const override { return backend_->static_tier(); }
  bool emulated() const override { return backend_->emulated(); }

  Exec& exec() { return *exec_; }
  GraphView<View> view() const { return backend_->view(); }
  const Graph& graph() const { return graph_; }
  const SessionOptions& options() const { return options_; }
  const BackendOf<View>& backend() const { return *backend_; }

  /// The one State of this session, made at first and kept for later trials: what an algorithm allocates once.
  template <class State>
  State& kept() {
    std::shared_ptr<void>& slot = kept_[typeid(State)];
    if (!slot) slot = std::make_shared<State>();
    return *static_cast<State*>(slot.get());
  }

  /// A trial of run(), which returns AlgoStats: caches are made cold or filled before, as the session's options say. Throws
  /// RunError when edges could not be read.
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
    exec_->synchronize();
    trial.elapsed_ms = timer.elapsed_ms();
    if (exchanged_before) trial.exchanged = {*exchanged() - *exchanged_before};
    backend_->throw_if_failed();
    trial.moved = backend_->moved();
    trial.phases = backend_->phases();
    return trial;
  }

 private:
  /// By this rank, where there are several.
  std::optional<ExchangeCounts> exchanged() const {
    if constexpr (requires { exec_->part(); }) {
      if (!exec_->part().is_single_rank()) return exec_->part().exchange->counts();
    }
    return std::nullopt;
  }

  std::unique_ptr<Exec> exec_;  // first: outlives what uses it
  std::unique_ptr<BackendOf<View>> backend_;
  const Graph& graph_;
  SessionOptions options_;
  std::string executor_;
  std::unordered_map<std::type_index, std::shared_ptr<void>> kept_;  // last: its arrays are the executor's
};

/// Pairs of executor and view that a session may have.
template <class... Each>
struct PlacementsOf {
  /// body(placed) for the one that `session` is, its device being current; false when it is none of them.
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
