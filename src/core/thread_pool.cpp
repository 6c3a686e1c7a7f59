// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/thread_pool.hpp"

#include <sched.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "core/spin.hpp"
#include "graphrun/core/cancellation.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun {
namespace {

constexpr int kMaxThreads = 1024;

int available_processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

/// Returns once `word` differs from `old`.
template <class T>
T wait_while_equal(const std::atomic<T>& word, T old, bool sleeps_at_once) {
  T now;
  const auto differs = [&] { return (now = word.load(std::memory_order_acquire)) != old; };
  if (!sleeps_at_once && spin_until(differs)) return now;
  while (!differs()) word.wait(old, std::memory_order_acquire);
  return now;
}

}  // namespace

int ThreadPool::size_for(int threads) { return threads == 0 ? std::min(available_processors(), kMaxThreads) : threads; }

ThreadPool::ThreadPool(int threads) : size_(size_for(threads)), crowded_(size_ > available_processors()) {
  if (size_ < 1 || size_ > kMaxThreads)
    throw UsageError("--threads must lie between 1 and " + std::to_string(kMaxThreads) + ", not " + std::to_string(threads));
  workers_.reserve(static_cast<std::size_t>(size_ - 1));
  try {
    for (int rank = 1; rank < size_; ++rank) workers_.emplace_back([this, rank] { worker_loop(rank); });
  } catch (const std::system_error& error) {
    stop();
    throw RunError("cannot start " + std::to_string(size_) + " host threads: " + error.what() + "; ask for fewer with --threads");
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() {
  stopping_.store(true, std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
}

void ThreadPool::call(int rank) {
  try {
    entry_(context_, rank);
  } catch (...) {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void ThreadPool::worker_loop(int rank) {
  std::uint32_t seen = 0;
  while (true) {
    wait_while_equal(epoch_, seen, crowded_);
    ++seen;  // the caller waits for us, so it cannot be more than one ahead
    if (stopping_.load(std::memory_order_relaxed)) return;
    call(rank);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_one();
  }
}

void ThreadPool::fork_and_join(Entry entry, void* context) {
  check_cancelled();
  entry_ = entry;
  context_ = context;
  if (size_ > 1) {
    running_.store(size_ - 1, std::memory_order_relaxed);
    epoch_.fetch_add(1, std::memory_order_release);
    epoch_.notify_all();
  }
  call(0);
  for (int left = running_.load(std::memory_order_acquire); left != 0;) left = wait_while_equal(running_, left, crowded_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace graphrun
