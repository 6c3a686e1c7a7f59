// SPDX-License-Identifier: Apache-2.0
// Fork-join over a fixed set of host threads. A fork costs about a microsecond, because road networks need thousands a second:
// workers spin before they sleep, unless there are more threads than processors, and a caller can do without the late ones.
// ThreadSanitizer understands it, unlike libgomp.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace graphrun {

/// A fixed set of `size()` workers, the calling thread among them. Calls to run() and offer() come from one thread at a time and
/// do not nest.
class ThreadPool {
 public:
  /// Starts threads - 1 threads beside the caller; 0 means one worker for each processor that this process may run on.
  explicit ThreadPool(int threads = 0);
  /// Returns how many threads such a pool has.
  static int size_for(int threads);
  ~ThreadPool();

  int size() const { return size_; }

  /// Calls job(worker index) once for each in [0, size()), at the same time, and waits. Rethrows the first exception of a job.
  template <class Job>
  void run(Job&& job) {
    fork_and_join(job, Fork::for_all, size_ - 1);
  }

  /// Calls job(0), and job(worker index) for each worker that comes before job(0) returns, for fewer than `pieces` of them. Waits
  /// for these alone: a worker that the system runs late delays no other. For jobs that take pieces of shared work until none is
  /// left. Rethrows as run() does.
  template <class Job>
  void offer(std::size_t pieces, Job&& job) {
    const auto others = static_cast<std::size_t>(size_ - 1);
    fork_and_join(job, Fork::for_any, static_cast<int>(std::min(pieces, others + 1)) - 1);
  }

 private:
  using Entry = void (*)(void* context, int rank);
  enum class Fork { for_all, for_any };

  template <class Job>
  void fork_and_join(Job& job, Fork kind, int helpers) {
    fork_and_join([](void* context, int rank) { (*static_cast<Job*>(context))(rank); },
                  const_cast<void*>(static_cast<const void*>(&job)), kind, helpers);
  }
  void fork_and_join(Entry entry, void* context, Fork kind, int helpers);
  void join(Fork kind);
  void worker_loop(int rank);
  bool enter(std::uint32_t& last_fork);
  void call(int rank);
  void stop();

  int size_;
  bool crowded_;  // more threads than processors: one that waits would keep another from its work
  Entry entry_ = nullptr;
  void* context_ = nullptr;
  // The number of the last fork, whether it is closed, and the workers that came and that are inside. The caller's release pairs
  // with the acquire of workers that enter, theirs on leaving with the caller's acquire.
  alignas(64) std::atomic<std::uint64_t> gate_{0};
  std::atomic<int> helpers_{0};                      // workers that the last fork lets in
  alignas(64) std::atomic<bool> stopping_{false};
  // The number of the last fork: workers wait for a change. Not at the same place of a line as gate_: libstdc++ would take those
  // who sleep here for sleepers there, and make a system call whenever a worker leaves.
  std::atomic<std::uint32_t> epoch_{0};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  std::vector<std::jthread> workers_;  // last: joined before the rest is destroyed
};

}  // namespace graphrun
