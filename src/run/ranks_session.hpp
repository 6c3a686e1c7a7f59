// A session of several ranks: each has a session of its own over the same graph, with an executor that walks the lists of its
// part, and a backend, whose cache holds an equal share.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graphrun/exec/exchange.hpp"
#include "graphrun/run/session.hpp"

namespace graphrun::inline GR_IDS {

class RanksSession final : public Session {
 public:
  /// options.ranks threads of this process, or one for each GPU of options.device, each with an equal share of options.threads
  /// and of the cache, or the one rank that this process is among options.processes. Throws as open_session() does.
  RanksSession(const Graph& graph, const SessionOptions& options);

  std::string description() const override;
  std::uint64_t fast_tier_bytes() const override;
  StaticTier static_tier() const override;
  bool emulated() const override { return ranks_.front()->emulated(); }

  /// trial(session) of each rank at the same time. Returns that of rank 0, with what all moved. An error of one ends all: the one
  /// that came first is thrown.
  Trial run(const std::function<Trial(Session&)>& trial);

 private:
  /// Puts what all processes counted in place of what this one did.
  void add_other_processes(Trial& trial);

  std::vector<std::unique_ptr<Exchange>> owned_;  // first: outlives the executors; empty: ranks are processes
  std::vector<Exchange*> here_;                   // of the ranks of this process
  std::vector<std::unique_ptr<Session>> ranks_;   // the same ranks
};

/// Cuts the vertices of `graph` into parts with about the same number of edges, each a multiple of 32 vertices but the last.
std::vector<RankPart> parts_of(const Graph& graph, int parts);

}  // namespace graphrun::inline GR_IDS
