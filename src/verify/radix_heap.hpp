// A priority queue for keys that are never smaller than the last one taken, which is what Dijkstra's algorithm does.
//
// The one-level radix heap of Ahuja, Mehlhorn, Orlin and Tarjan ("Faster Algorithms for the Shortest Path Problem",
// Journal of the ACM 1990, section 2): an entry lies in the bucket of the highest bit in which its key differs from
// the last key taken, so it moves at most 64 times in its life, through contiguous memory. Unlike std::priority_queue it
// needs no comparison tree, and unlike the kernels' queues no bucket width.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "graphrun/core/types.hpp"

namespace graphrun::verify::inline GR_IDS {

/// `Value` is trivially copyable. Entries are not updated in place: push again and skip the stale one when it is taken.
template <class Value>
class RadixHeap {
 public:
  struct Entry {
    std::uint64_t key;
    Value value;
  };

  bool empty() const { return size_ == 0; }

  /// Precondition: `key` is not below the key of the last entry taken.
  void push(std::uint64_t key, Value value) {
    buckets_[bucket_of(key)].push_back({key, value});
    ++size_;
  }

  /// An entry of smallest key. Precondition: not empty.
  Entry pop() {
    if (buckets_[0].empty()) refill();
    const Entry entry = buckets_[0].back();
    buckets_[0].pop_back();
    --size_;
    return entry;
  }

 private:
  std::size_t bucket_of(std::uint64_t key) const { return static_cast<std::size_t>(std::bit_width(key ^ last_)); }

  /// Spreads the first bucket that holds anything over the ones before it; its smallest key becomes the last taken.
  void refill() {
    std::size_t first = 1;
    while (buckets_[first].empty()) ++first;
    std::vector<Entry>& crowd = buckets_[first];
    last_ = std::numeric_limits<std::uint64_t>::max();
    for (const Entry& entry : crowd) last_ = std::min(last_, entry.key);
    for (const Entry& entry : crowd) buckets_[bucket_of(entry.key)].push_back(entry);
    crowd.clear();
  }

  std::array<std::vector<Entry>, 65> buckets_;
  std::uint64_t last_ = 0;
  std::size_t size_ = 0;
};

}  // namespace graphrun::verify::inline GR_IDS
