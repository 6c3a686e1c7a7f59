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

// Parts of ThreadPool::gate_; above them the number of the fork.
constexpr std::uint64_t kInside = 1;             // a worker
constexpr std::uint64_t kCame = 1 << 12;         // a worker
constexpr std::uint64_t kClosed = 1 << 24;       // no worker enters any more
constexpr int kForkBits = 32;                    // from this bit on
constexpr std::uint64_t kCount = (1 << 12) - 1;  // the mask of a number of workers
static_assert(kMaxThreads <= kCount);

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

/// Enters the open fork, unless the worker was in it before.
bool ThreadPool::enter(std::uint32_t& last_fork) {
  std::uint64_t gate = gate_.load(std::memory_order_acquire);
  for (;;) {
    const auto fork = static_cast<std::uint32_t>(gate >> kForkBits);
    const auto came = static_cast<int>(gate / kCame & kCount);
    if (fork == last_fork || (gate & kClosed) != 0 || came >= helpers_.load(std::memory_order_relaxed)) return false;
    if (gate_.compare_exchange_weak(gate, gate + kCame + kInside, std::memory_order_acquire)) {
      last_fork = fork;
      return true;
    }
  }
}

void ThreadPool::worker_loop(int rank) {
  std::uint32_t seen = 0;
  std::uint32_t last_fork = 0;
  while (true) {
    seen = wait_while_equal(epoch_, seen, crowded_);
    if (stopping_.load(std::memory_order_relaxed)) return;
    if (!enter(last_fork)) continue;
    call(rank);
    gate_.fetch_sub(kInside, std::memory_order_release);
    gate_.notify_one();
  }
}

void ThreadPool::fork_and_join(Entry entry, void* context, Fork kind, int helpers) {
  check_cancelled();
  entry_ = entry;
  context_ = context;
  if (helpers > 0) {
    helpers_.store(helpers, std::memory_order_relaxed);
    const std::uint32_t fork = epoch_.load(std::memory_order_relaxed) + 1;
    gate_.store(std::uint64_t{fork} << kForkBits, std::memory_order_release);
    epoch_.store(fork);  // before notify_one() looks for sleepers
    // Waking a worker is a system call where it sleeps.
    for (int i = 0; helpers < size_ - 1 && i < helpers; ++i) epoch_.notify_one();
    if (helpers == size_ - 1) epoch_.notify_all();
  }
  call(0);
  if (helpers > 0) join(kind);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::join(Fork kind) {
  const std::uint64_t wanted = kind == Fork::for_all ? static_cast<std::uint64_t>(size_ - 1) : 0;
  std::uint64_t gate = kind == Fork::for_all ? gate_.load(std::memory_order_acquire)
                                             : gate_.fetch_or(kClosed, std::memory_order_acquire) | kClosed;
  while ((gate & kCount) != 0 || (gate / kCame & kCount) < wanted) gate = wait_while_equal(gate_, gate, crowded_);
}

}  // namespace graphrun
