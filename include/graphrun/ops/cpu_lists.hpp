// SPDX-License-Identifier: Apache-2.0
// What lists.hpp asks of an executor, on host threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "graphrun/core/atomics.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/ops/lists.hpp"

namespace graphrun::cpu::inline GR_IDS {

/// A bitmap of the entries of one list, which counts another list's entries among them.
class ListBits {
 public:
  explicit ListBits(std::size_t ids) : words_(Column<std::uint64_t>::allocate(ids / 64 + 1)) {}

  void set(const VertexId* list, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) words_[list[i] / 64] |= std::uint64_t{1} << (list[i] % 64);
  }
  void clear(const VertexId* list, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) words_[list[i] / 64] = 0;
  }
  bool has(VertexId id) const { return (words_[id / 64] >> (id % 64) & 1u) != 0; }
  std::uint64_t common(const VertexId* other, std::size_t size) const {
    const std::uint64_t* words = words_.data();
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < size; ++i) count += words[other[i] / 64] >> (other[i] % 64) & 1u;
    return count;
  }

 private:
  Column<std::uint64_t> words_;
};

/// The same for a short list of ids far apart: a few bits of each id stay in the nearest cache; where these agree the list is
/// searched.
class ListFilter {
 public:
  static constexpr std::size_t kMostEntries = 128;

  void set(const VertexId* list, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) words_[word_of(list[i])] |= std::uint64_t{1} << (list[i] % 64);
    list_ = list;
    size_ = size;
  }
  void clear() {
    for (std::size_t i = 0; i < size_; ++i) words_[word_of(list_[i])] = 0;
  }
  std::uint64_t common(const VertexId* other, std::size_t size) const {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < size; ++i) {
      if ((words_[word_of(other[i])] >> (other[i] % 64) & 1u) != 0) count += std::binary_search(list_, list_ + size_, other[i]);
    }
    return count;
  }

 private:
  static constexpr std::size_t kWords = 256;
  static std::size_t word_of(VertexId id) { return id / 64 % kWords; }
  std::array<std::uint64_t, kWords> words_{};
  const VertexId* list_ = nullptr;
  std::size_t size_ = 0;
};

/// A list of a few entries, which are compared one by one.
struct FewEntries {
  static constexpr std::size_t kMostEntries = 3;
  VertexId ids[kMostEntries];

  FewEntries(const VertexId* list, std::size_t size) {
    for (std::size_t i = 0; i < kMostEntries; ++i) ids[i] = list[std::min(i, size - 1)];
  }
  std::uint64_t common(const VertexId* other, std::size_t size) const {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < size; ++i) count += (other[i] == ids[0]) | (other[i] == ids[1]) | (other[i] == ids[2]);
    return count;
  }
};

/// Calls body(list, size, k) for the lists in `b` of a list's entries k, and prefetches the next ones. Two lists share only
/// entries below the entry that names the other list, so the first entry's list shares none.
template <class Body>
void for_each_entry_list(const Lists& b, const VertexId* entries, std::size_t size, const Body& body) {
  constexpr std::ptrdiff_t kPlacesAhead = 16;
  constexpr std::ptrdiff_t kListsAhead = 8;
  const VertexId* const begin = b.first <= entries[1] ? entries + 1 : std::lower_bound(entries + 1, entries + size, b.first);
  const VertexId* const end = b.last > entries[size - 1] ? entries + size : std::lower_bound(begin, entries + size, b.last);
  for (const VertexId* at = begin; at != end; ++at) {
    if (end - at > kPlacesAhead) __builtin_prefetch(&b.places[at[kPlacesAhead]]);
    if (end - at > kListsAhead) __builtin_prefetch(b.entries + b.places[at[kListsAhead]].begin);
    const ListPlace place = b.places[*at];
    body(b.entries + place.begin, static_cast<std::size_t>(place.end - place.begin), static_cast<std::size_t>(at - entries));
  }
}

}  // namespace graphrun::cpu::inline GR_IDS

namespace graphrun::inline GR_IDS {

inline void load_list_kernels(CpuExecutor&) {}

template <class T>
T exclusive_sums(CpuExecutor& exec, Column<T>& array, std::size_t most = ~std::size_t{0}) {
  return exclusive_scan(exec.pool(), array.data(), std::min(array.size(), most));
}

inline std::uint64_t list_intersections(CpuExecutor& exec, const Lists& a, const Lists& b) {
  constexpr std::size_t kListGrain = 64;
  constexpr VertexId kNearIds = VertexId{1} << 18;  // bits of this many ids stay in the nearest cache
  PerThread<std::uint64_t> counts(exec.pool(), 0);
  std::vector<std::unique_ptr<cpu::ListBits>> bits(static_cast<std::size_t>(exec.pool().size()));
  parallel_chunks(exec.pool(), a.last - a.first, kListGrain, [&](std::size_t first, std::size_t last, int rank) {
    auto& near = bits[static_cast<std::size_t>(rank)];
    if (!near) near = std::make_unique<cpu::ListBits>(a.last);
    cpu::ListFilter far;
    std::uint64_t count = 0;
    for (std::size_t i = first; i < last; ++i) {
      const ListPlace place = a.places[a.first + i];
      const auto size = static_cast<std::size_t>(place.end - place.begin);
      if (size < 2) continue;
      const VertexId* const list = a.entries + place.begin;
      if (size <= cpu::FewEntries::kMostEntries) {
        const cpu::FewEntries few(list, size);
        cpu::for_each_entry_list(b, list, size,
                                 [&](const VertexId* other, std::size_t n, std::size_t) { count += few.common(other, n); });
      } else if (size > cpu::ListFilter::kMostEntries || list[size - 1] < kNearIds) {
        near->set(list, size);
        cpu::for_each_entry_list(b, list, size,
                                 [&](const VertexId* other, std::size_t n, std::size_t) { count += near->common(other, n); });
        near->clear(list, size);
      } else {
        far.set(list, size);
        cpu::for_each_entry_list(b, list, size,
                                 [&](const VertexId* other, std::size_t n, std::size_t) { count += far.common(other, n); });
        far.clear();
      }
    }
    counts[rank] += count;
  });
  std::uint64_t total = 0;
  for (const auto& slot : counts) total += slot.value;
  return total;
}

inline void tally_triangles(CpuExecutor& exec, const Lists& a, const Lists& b, const TriangleTally& tally) {
  constexpr std::size_t kListGrain = 64;
  struct Marks {
    explicit Marks(std::size_t most) : bits(most), places(Column<VertexId>::allocate(most)) {}
    cpu::ListBits bits;                 // of the ids in the list; in a nearer cache than
    Column<VertexId> places;            // their places in it
    std::vector<VertexId> ids;          // of the list
    std::vector<std::uint64_t> counts;  // of each entry
  };
  std::vector<std::unique_ptr<Marks>> marks(static_cast<std::size_t>(exec.pool().size()));
  parallel_chunks(exec.pool(), a.last - a.first, kListGrain, [&](std::size_t first, std::size_t last, int rank) {
    auto& mine = marks[static_cast<std::size_t>(rank)];
    if (!mine) mine = std::make_unique<Marks>(a.last);
    auto& [bits, places, ids, counts] = *mine;
    for (std::size_t i = first; i < last; ++i) {
      const ListPlace place = a.places[a.first + i];
      const VertexId* const list = a.entries + place.begin;
      const auto size = static_cast<std::size_t>(place.end - place.begin);
      if (size < 2) continue;
      counts.assign(size, 0);
      ids.resize(size);
      for (std::size_t k = 0; k < size; ++k) places[ids[k] = tally.id(list[k])] = static_cast<VertexId>(k);
      bits.set(ids.data(), size);
      std::uint64_t own = 0;
      cpu::for_each_entry_list(b, ids.data(), size, [&](const VertexId* other, std::size_t n, std::size_t j) {
        for (std::size_t e = 0; e < n; ++e) {
          const VertexId id = tally.id(other[e]);
          if (!bits.has(id)) continue;
          const VertexId at = places[id];
          own += tally.arcs(other[e]);
          counts[j] += tally.arcs(list[at]);
          counts[at] += tally.arcs(list[j]);
        }
      });
      bits.clear(ids.data(), size);
      for (std::size_t k = 0; k < size; ++k) {
        if (counts[k] != 0) atomics::fetch_add(tally.counts[ids[k]], counts[k]);
      }
      if (own != 0) atomics::fetch_add(tally.counts[a.first + i], own);
    }
  });
}

}  // namespace graphrun::inline GR_IDS
