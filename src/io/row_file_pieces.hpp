// What reading and writing rows have in common: going through long columns piece by piece, and finding the first fault.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "graphrun/core/parallel.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/graph/scratch.hpp"

namespace graphrun::io::inline GR_IDS {

inline constexpr std::uint64_t kNoIndex = ~std::uint64_t{0};
inline constexpr std::size_t kElementGrain = 1 << 16;

/// The smallest index that any thread reports.
class FirstIndex {
 public:
  void report(std::uint64_t index) {
    std::uint64_t seen = first_.load(std::memory_order_relaxed);
    while (index < seen && !first_.compare_exchange_weak(seen, index, std::memory_order_relaxed)) {
    }
  }
  /// kNoIndex when there were no reports. For when all threads that may report are done.
  std::uint64_t get() const { return first_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> first_{kNoIndex};
};

/// Calls body(begin, end) for consecutive pieces of [0, count), each of at most `most` and of one window of `space`.
template <class Body>
void for_each_piece(const Workspace& space, std::uint64_t count, std::size_t item_bytes, std::uint64_t most, const Body& body) {
  const std::uint64_t step = std::min<std::uint64_t>(space.window(item_bytes), most);
  for (std::uint64_t begin = 0, end; begin < count; begin = end) {
    end = begin + std::min(step, count - begin);
    body(begin, end);
  }
}

/// body(i) for i in [begin, end) on all cores; a worker leaves the rest of its grain when body returns false, and the
/// smallest i of these is returned, kNoIndex when there is none.
template <class Body>
std::uint64_t first_failure(ThreadPool& pool, std::uint64_t begin, std::uint64_t end, const Body& body) {
  FirstIndex failed;
  parallel_chunks(pool, end - begin, kElementGrain, [&](std::size_t first, std::size_t last, int) {
    for (std::uint64_t i = begin + first; i < begin + last; ++i) {
      if (!body(i)) return failed.report(i);
    }
  });
  return failed.get();
}

}  // namespace graphrun::io::inline GR_IDS
