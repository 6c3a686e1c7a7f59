// SPDX-License-Identifier: Apache-2.0
// Fork-join over a fixed set of host threads. A fork costs about a microsecond, because road networks need thousands a second:
// workers spin before they sleep, unless there are more threads than processors. ThreadSanitizer understands it, unlike libgomp.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace graphrun {

/// A fixed set of `size()` workers, the calling thread among them. Calls to run() come from one thread at a time and do not nest.
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
    using Plain = std::remove_reference_t<Job>;
    fork_and_join([](void* context, int rank) { (*static_cast<Plain*>(context))(rank); },
                  const_cast<void*>(static_cast<const void*>(&job)));
  }

 private:
  using Entry = void (*)(void* context, int rank);
  void fork_and_join(Entry entry, void* context);
  void worker_loop(int rank);
  void call(int rank);
  void stop();

  int size_;
  bool crowded_;  // more threads than processors: one that waits would keep another from its work
  Entry entry_ = nullptr;
  void* context_ = nullptr;
  alignas(64) std::atomic<std::uint32_t> epoch_{0};  // bumped once a fork; release pairs with the workers' acquire
  alignas(64) std::atomic<int> running_{0};          // workers not done yet; their release pairs with the caller's acquire
  std::atomic<bool> stopping_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  std::vector<std::jthread> workers_;  // last: joined before the rest is destroyed
};

}  // namespace graphrun
