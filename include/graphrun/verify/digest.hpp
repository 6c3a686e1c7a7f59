// SPDX-License-Identifier: Apache-2.0
// Short fingerprints of answers, in results under `result`, comparable across systems.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "graphrun/algorithms/answer.hpp"
#include "graphrun/core/thread_pool.hpp"

namespace graphrun::inline GR_IDS {

/// The digest of one search, or of an answer without searches.
struct Digest {
  std::optional<VertexId> source = {};
  /// Scalars of the answer, and of its column: "reached", "max_level", "sum_levels"; "components", "largest"; "sum".
  std::vector<std::pair<std::string, decltype(Scalar::value)>> scalars = {};
  /// Sum modulo 2^64 over the vertices that have a value of (v+1) * (value(v)+1); of floats the value is their bit pattern.
  /// Of a table: over its cells, column by column, of splitmix64(index) * vertex.
  std::optional<std::uint64_t> checksum = {};
  /// Sizes, and the number of groups of each, largest first. Values that are no vertex (in a wrong answer) are left out.
  std::optional<std::vector<std::pair<std::uint64_t, std::uint64_t>>> sizes = {};
  /// Ten largest scores, descending, equal ones by smaller id.
  std::optional<std::vector<std::pair<VertexId, double>>> top = {};

  /// Returns a scalar; 0 where there is none.
  double number(std::string_view name) const;
  std::uint64_t count(std::string_view name) const;
};

/// Returns a digest for each search, or one; none for an answer without columns and scalars.
/// Sums do not depend on the number of threads.
std::vector<Digest> digests_of(const AnswerData& answer, ThreadPool& pool);

/// Returns the number of vertices with each value; 0 for vertices that are no value.
std::vector<std::uint64_t> group_sizes(std::span<const VertexId> values);

/// Returns the k largest of `values`, other than `absent`, with their indices: descending, equal ones by smaller index.
template <class T>
std::vector<std::pair<VertexId, T>> largest_of(std::span<const T> values, std::size_t k, std::optional<T> absent = {}) {
  using Entry = std::pair<VertexId, T>;
  const auto goes_before = [](const Entry& a, const Entry& b) {
    return a.second > b.second || (a.second == b.second && a.first < b.first);
  };
  std::vector<Entry> heap;  // of the largest so far, the least of them in front
  for (std::size_t v = 0; v < values.size() && k != 0; ++v) {
    if (absent && values[v] == *absent) continue;
    const Entry entry{static_cast<VertexId>(v), values[v]};
    if (heap.size() == k) {
      if (!goes_before(entry, heap.front())) continue;
      std::pop_heap(heap.begin(), heap.end(), goes_before);
      heap.back() = entry;
    } else {
      heap.push_back(entry);
    }
    std::push_heap(heap.begin(), heap.end(), goes_before);
  }
  std::sort_heap(heap.begin(), heap.end(), goes_before);
  return heap;
}

}  // namespace graphrun::inline GR_IDS
