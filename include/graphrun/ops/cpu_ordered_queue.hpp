// SPDX-License-Identifier: Apache-2.0
// Vertices by priority, for edge_map_ordered on the CPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/cpu_frontier.hpp"
#include "graphrun/ops/operators.hpp"

namespace graphrun::cpu::inline GR_IDS {

/// The vertices that one worker has found and no worker has processed, by bucket. Only a window of buckets is open at a time,
/// so that memory follows the number of vertices and not the range of priorities.
class BucketWindow {
 public:
  static constexpr std::uint64_t kOpen = 1 << 12;

  void insert(std::uint64_t bucket, VertexId v) {
    if (bucket - base_ < kOpen) {
      auto& bin = open_[bucket - base_];
      bin.push_back(v);
    } else {
      later_.push_back({bucket, v});
      std::push_heap(later_.begin(), later_.end(), Later{});
    }
  }
  std::vector<VertexId>& open(std::uint64_t bucket) { return open_[bucket - base_]; }
  /// Returns the smallest non-empty open bucket in [from, end), or `end`.
  std::uint64_t first_open(std::uint64_t from, std::uint64_t end) const {
    for (std::uint64_t i = from - base_; i < std::min(end - base_, kOpen); ++i) {
      if (!open_[i].empty()) return base_ + i;
    }
    return end;
  }
  std::uint64_t first_later() const { return later_.empty() ? kNoBucket : later_.front().bucket; }
  /// Drops all vertices and opens the window at `base`.
  void clear(std::uint64_t base) {
    for (auto& bin : open_) bin.clear();
    later_.clear();
    base_ = base;
  }
  /// Opens the window at `base`; all open buckets are empty then.
  void move_to(std::uint64_t base) {
    base_ = base;
    while (!later_.empty() && later_.front().bucket - base_ < kOpen) {
      const Entry entry = later_.front();
      std::pop_heap(later_.begin(), later_.end(), Later{});
      later_.pop_back();
      insert(entry.bucket, entry.vertex);
    }
  }

 private:
  struct Entry {
    std::uint64_t bucket;
    VertexId vertex;
  };
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const { return a.bucket > b.bucket; }
  };
  std::uint64_t base_ = 0;
  std::vector<std::vector<VertexId>> open_ = std::vector<std::vector<VertexId>>(kOpen);
  std::vector<Entry> later_;  // a heap, lowest bucket first: windows may be many and nearly empty
};

}  // namespace graphrun::cpu::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// One window for each worker, and the vertices of the current bucket; for subgraph views, this round's vertices and the next
/// one's instead. Empty between searches; keeps its memory.
class CpuOrderedQueue {
 public:
  CpuOrderedQueue(CpuExecutor& exec, const Rows& rows)
      : workers(static_cast<std::size_t>(exec.pool().size())), near(exec, rows), next(exec, rows) {}

  struct alignas(64) Worker {
    cpu::BucketWindow window;
    std::vector<VertexId> batch;
    std::uint64_t examined = 0;
  };
  std::vector<Worker> workers;
  std::vector<VertexId> frontier;
  CpuFrontier near;  ///< a search starts from these
  CpuFrontier next;
  std::function<void()> after_round;  ///< none: empty
};

}  // namespace graphrun::inline GR_IDS
