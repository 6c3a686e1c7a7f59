// What an engine has: a graph, the session that is open over it, and what that reaches. Every run goes through it.
#pragma once

#include <memory>
#include <optional>

#include "graphrun/graphrun.hpp"
#include "graphrun/run/run.hpp"

namespace graphrun::inline GR_IDS {

class Engine::Parts {
 public:
  /// Requests are placed as `placement` says, on a device that is there.
  Parts(const Graph& graph, RunOptions placement);
  /// For runs that are resolved already, over a graph that has what they read.
  explicit Parts(Graph graph);

  /// Resolves the request, placed as this engine is, and runs it.
  RunResult run(RunOptions request);
  /// Opens a session unless the one that is open reaches what the run reads. `before`: what was spent on the graph.
  RunResult run(ResolvedRun resolved, const PhaseTimes& before);

  const Graph& graph() const { return graph_; }
  /// Of the weights that the graph came with, or else gets.
  WeightKind usual_kind() const { return own_.weight_kind == WeightKind::none ? WeightKind::u32 : own_.weight_kind; }
  /// Brings the weights that are asked for, or the graph's own, else 1 an edge, for algorithm `name`.
  void bring_weights(const std::optional<WeightSource>& asked, const char* name);
  /// Throws UsageError unless those are finite and not negative.
  void check_weights();

 private:
  void leave_place(const std::string& who);
  void make_transpose(const std::string& who);
  void make_records(const std::string& who);
  /// Opens the session of the run where none is.
  void place(RunResult& result);
  /// What is known before the first trial.
  RunResult described(std::shared_ptr<const ResolvedRun> run) const;

  const Graph own_;  ///< as it came, with its own weights
  Graph graph_;
  RunOptions asked_;  ///< of placement
  Device device_;
  bool made_transpose_ = false;
  std::optional<WeightSource> weights_;  ///< that the graph has now; none: its own, unless an algorithm asked for others
  bool weights_are_checked_ = false;
  std::shared_ptr<const ResolvedRun> placed_;  ///< the last run that was placed, or served by its place
  std::unique_ptr<Session> session_;
};

}  // namespace graphrun::inline GR_IDS
