// A session over one executor and one family of views: what algorithms run on, the four of this library and those of others.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "graphrun/core/timer.hpp"
#include "graphrun/run/session.hpp"

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
class PlacedOn : public Session {
 public:
  std::string description() const override { return executor_ + "; " + backend_->description(); }
  std::uint64_t fast_tier_bytes() const override { return backend_->fast_tier_bytes(); }
  bool emulated() const override { return backend_->emulated(); }

  Exec& exec() { return *exec_; }
  GraphView<View> view() const { return backend_->view(); }

  /// A trial of run(), which returns AlgoStats: caches are made cold or filled before, as the session's options say. Throws
  /// RunError when edges could not be read.
  template <class Run>
  Trial timed(Run&& run) {
    if (!options_.warm && !options_.preload) backend_->make_cold();
    if (options_.preload) backend_->preload();
    exec_->synchronize();
    backend_->reset_counters();
    Trial trial;
    const Timer timer;
    backend_->begin_run();
    trial.stats = run();
    exec_->synchronize();
    trial.elapsed_ms = timer.elapsed_ms();
    backend_->throw_if_failed();
    trial.moved = backend_->moved();
    trial.phases = backend_->phases();
    return trial;
  }

 protected:
  PlacedOn(std::unique_ptr<Exec> exec, std::unique_ptr<BackendOf<View>> backend, const SessionOptions& options,
           std::string executor)
      : exec_(std::move(exec)), backend_(std::move(backend)), options_(options), executor_(std::move(executor)) {}

  std::unique_ptr<Exec> exec_;  // first: outlives what uses it
  std::unique_ptr<BackendOf<View>> backend_;
  SessionOptions options_;

 private:
  std::string executor_;
};

}  // namespace graphrun::inline GR_IDS
