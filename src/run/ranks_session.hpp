// SPDX-License-Identifier: Apache-2.0
// A session of several ranks over the same graph. Each has a session with an executor that scans the lists of its part, and a
// backend with an equal share of the cache.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graphrun/exec/exchange.hpp"
#include "graphrun/run/session.hpp"

namespace graphrun::inline GR_IDS {

class RanksSession final : public Session {
 public:
  /// Opens options.ranks threads, or one for each GPU of options.device, or this process's rank of options.processes. Ranks have
  /// equal shares of options.threads and of the cache. Throws as open_session().
  RanksSession(const Graph& graph, const SessionOptions& options);

  std::string description() const override;
  std::uint64_t fast_tier_bytes() const override;
  StaticTier static_tier() const override;
  std::optional<UsedQueues> queues() const override { return ranks_.front()->queues(); }
  std::optional<cuda::KernelNeeds> kernel_needs() const override { return ranks_.front()->kernel_needs(); }
  bool emulated() const override { return ranks_.front()->emulated(); }

  void save_in(const std::string& folder, const std::string& request) override {
    for (const auto& rank : ranks_) rank->save_in(folder, request);
  }
  /// Throws the first error.
  Trial on_ranks(const std::function<Trial(Session&)>& trial) override;

 private:
  /// Replaces this process's counts by those of all processes.
  void add_other_processes(Trial& trial);

  std::vector<std::unique_ptr<Exchange>> owned_;  // first: outlives the executors; empty: ranks are processes
  std::vector<Exchange*> here_;                   // of the ranks of this process
  std::vector<std::unique_ptr<Session>> ranks_;   // of the same ranks
};

/// Splits the vertices of `graph` into parts with about equal numbers of edges, each a multiple of 32 vertices but the last.
std::vector<RankPart> parts_of(const Graph& graph, int parts);

}  // namespace graphrun::inline GR_IDS
