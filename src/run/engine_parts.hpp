// SPDX-License-Identifier: Apache-2.0
// The parts of an engine: a graph, the open session over it, and its coverage. Every run goes through it.
#pragma once

#include <memory>
#include <optional>

#include "graphrun/graphrun.hpp"
#include "graphrun/run/run.hpp"

namespace graphrun::inline GR_IDS {

class Engine::Parts {
 public:
  /// Serves requests with `placement`, on a device that must exist.
  Parts(const Graph& graph, RunOptions placement);
  /// For resolved runs, over a graph with all that they read.
  explicit Parts(Graph graph);

  /// Resolves the request with this engine's placement, and runs it.
  RunResult run(RunOptions request);
  /// Opens a session unless the open one covers the run. `before`: times spent on the graph.
  RunResult run(ResolvedRun resolved, const PhaseTimes& before);

  const Graph& graph() const { return graph_; }
  /// Returns the kind of the graph's original weights, or of those it gets.
  WeightKind usual_kind() const { return own_.weight_kind == WeightKind::none ? WeightKind::u32 : own_.weight_kind; }
  /// Sets the requested weights, or the graph's own, else 1 an edge, for algorithm `name`.
  void bring_weights(const std::optional<WeightSource>& asked, const char* name);
  /// Throws UsageError unless weights are finite and not negative.
  void check_weights();

 private:
  void leave_place(const std::string& who);
  void make_transpose(const std::string& who);
  void make_records(const std::string& who);
  /// Opens the session of the run where none is open.
  void place(RunResult& result);
  /// Returns the facts known before the first trial.
  RunResult described(std::shared_ptr<const ResolvedRun> run) const;

  const Graph own_;  ///< as loaded, with its own weights
  Graph graph_;
  RunOptions asked_;  ///< placement options
  Device device_;
  bool made_transpose_ = false;
  std::optional<WeightSource> weights_;  ///< the graph's current weights; none: its own, unless an algorithm requested others
  bool weights_are_checked_ = false;
  std::shared_ptr<const ResolvedRun> placed_;  ///< the last run that was placed, or reused its placement
  std::unique_ptr<Session> session_;
};

}  // namespace graphrun::inline GR_IDS
