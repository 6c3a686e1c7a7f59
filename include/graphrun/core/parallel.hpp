// SPDX-License-Identifier: Apache-2.0
// Loops over a ThreadPool, for loaders, generators and the CPU executor.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "graphrun/core/cancellation.hpp"
#include "graphrun/core/thread_pool.hpp"

namespace graphrun {

/// Calls body(begin, end, worker index) for pieces of [0, n) of `grain`, as workers come for them. Small loops run on the caller,
/// and so do the pieces of a pool of one thread, in order. A pool runs one loop at a time. An exception of a body ends the loop.
template <class Body>
void parallel_chunks(ThreadPool& pool, std::size_t n, std::size_t grain, Body&& body) {
  if (n == 0) return;
  if (n <= grain) {
    body(std::size_t{0}, n, 0);
    return;
  }
  std::atomic<std::size_t> next{0};
  pool.offer((n - 1) / grain + 1, [&](int rank) {
    try {
      for (std::size_t begin; (begin = next.fetch_add(grain, std::memory_order_relaxed)) < n;) {
        body(begin, std::min(begin + grain, n), rank);
        if (rank == 0) check_cancelled();
      }
    } catch (...) {
      next.store(n, std::memory_order_relaxed);  // the others need not go on
      throw;
    }
  });
}

inline constexpr std::size_t kDefaultGrain = 4096;

/// Calls body(i) for each i in [0, n).
template <class Body>
void parallel_for(ThreadPool& pool, std::size_t n, Body&& body, std::size_t grain = kDefaultGrain) {
  parallel_chunks(pool, n, grain, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

/// Does the same for long bodies: workers come for one at a time.
template <class Body>
void parallel_tasks(ThreadPool& pool, std::size_t n, Body&& body) {
  parallel_for(pool, n, std::forward<Body>(body), 1);
}

/// One T for each worker, on cache lines of its own.
template <class T>
class PerThread {
 public:
  explicit PerThread(const ThreadPool& pool, T initial = T{}) : slots_(static_cast<std::size_t>(pool.size()), Slot{initial}) {}
  T& operator[](int rank) { return slots_[static_cast<std::size_t>(rank)].value; }
  auto begin() { return slots_.begin(); }
  auto end() { return slots_.end(); }

  struct alignas(64) Slot {
    T value;
  };

 private:
  std::vector<Slot> slots_;
};

inline constexpr std::uint64_t kNoIndex = ~std::uint64_t{0};

/// The smallest index that any thread reports.
class FirstIndex {
 public:
  void report(std::uint64_t index) {
    std::uint64_t seen = first_.load(std::memory_order_relaxed);
    while (index < seen && !first_.compare_exchange_weak(seen, index, std::memory_order_relaxed)) {
    }
  }
  /// Returns the index; kNoIndex without reports. Call it when all threads that may report are done.
  std::uint64_t get() const { return first_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> first_{kNoIndex};
};

/// Calls body(i) for i in [begin, end); a worker leaves the rest of its grain when body returns false. Returns the smallest such
/// i, or kNoIndex.
template <class Body>
std::uint64_t first_failure(ThreadPool& pool, std::uint64_t begin, std::uint64_t end, Body&& body) {
  FirstIndex failed;
  parallel_chunks(pool, end - begin, 1 << 16, [&](std::size_t first, std::size_t last, int) {
    if (begin + first > failed.get()) return;
    for (std::uint64_t i = begin + first; i < begin + last; ++i) {
      if (!body(i)) return failed.report(i);
    }
  });
  return failed.get();
}

/// Sums value(i) over [0, n), a piece at a time: the last bits of floating-point results depend on the number of threads.
template <class T, class Value>
T parallel_sum(ThreadPool& pool, std::size_t n, Value&& value, std::size_t grain = kDefaultGrain) {
  PerThread<T> partial(pool, T{});
  parallel_chunks(pool, n, grain, [&](std::size_t begin, std::size_t end, int rank) {
    T sum{};
    for (std::size_t i = begin; i < end; ++i) sum += value(i);
    partial[rank] += sum;
  });
  T total{};
  for (auto& slot : partial) total += slot.value;
  return total;
}

/// Replaces data[0..n) by its exclusive prefix sums and returns the total.
template <class T>
T exclusive_scan(ThreadPool& pool, T* data, std::size_t n) {
  const std::size_t pieces = n < 1 << 16 ? 1 : static_cast<std::size_t>(pool.size());
  const auto bound = [&](std::size_t piece) { return n / pieces * piece + std::min(piece, n % pieces); };
  std::vector<T> sums(pieces + 1, T{});
  parallel_tasks(pool, pieces, [&](std::size_t p) {
    T sum{};
    for (std::size_t i = bound(p); i < bound(p + 1); ++i) sum += data[i];
    sums[p + 1] = sum;
  });
  for (std::size_t p = 0; p < pieces; ++p) sums[p + 1] += sums[p];
  parallel_tasks(pool, pieces, [&](std::size_t p) {
    T running = sums[p];
    for (std::size_t i = bound(p); i < bound(p + 1); ++i) {
      const T value = data[i];
      data[i] = running;
      running += value;
    }
  });
  return sums[pieces];
}

}  // namespace graphrun
