// Fork-join over a fixed set of host threads.
//
// A traversal of a road network forks thousands of times a second, so a fork costs about a microsecond: workers spin
// for a while before they sleep, unless there are more threads than processors. std::jthread and atomics only, which
// ThreadSanitizer understands (it does not understand libgomp).
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace graphrun {

/// `size()` workers, the calling thread among them. Calls to run() must come from one thread at a time and must not nest.
class ThreadPool {
 public:
  /// threads >= 1; 0 means one a processor this process may run on.
  explicit ThreadPool(int threads = 0);
  /// How many threads such a pool has.
  static int size_for(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return size_; }

  /// Calls job(rank) once for each rank in [0, size()), at the same time, and returns when all are done. The first
  /// exception thrown by a job is thrown again here.
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
