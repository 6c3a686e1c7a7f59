// SPDX-License-Identifier: Apache-2.0
// Passes over rows that may be larger than memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "graphrun/core/parallel.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/graph/scratch.hpp"

namespace graphrun::inline GR_IDS {

/// Calls body(first, last) for consecutive ranges of rows [first, last), of about space.window() edges each (a single row
/// may be longer), and releases each range's offsets, neighbours and weights after it; `more_bytes` an edge are what the body
/// holds beside, and releases. In memory: one call for all rows.
template <class Body>
void for_each_row_window(const Csr& csr, const Workspace& space, std::size_t more_bytes, const Body& body) {
  const std::size_t n = csr.num_vertices();
  const EdgeId* offsets = csr.offsets.data();
  const std::size_t edges = space.window(sizeof(VertexId) + (csr.weights.empty() ? 0 : sizeof(std::uint32_t)) + more_bytes);
  const std::size_t rows = space.window(sizeof(EdgeId));
  for (std::size_t first = 0; first < n;) {
    std::size_t last = n;
    if (space.is_on_disk()) {
      const std::size_t limit = std::min(n, first + std::min(rows, n - first));
      const EdgeId* past = std::upper_bound(offsets + first, offsets + limit + 1, offsets[first] + edges);
      last = std::clamp(static_cast<std::size_t>(past - offsets) - 1, first + 1, limit);
    }
    body(static_cast<VertexId>(first), static_cast<VertexId>(last));
    if (space.is_on_disk()) {
      if (!csr.neighbours.empty()) csr.neighbours.release(offsets[first], offsets[last]);
      if (!csr.weights.empty()) csr.weights.release(offsets[first], offsets[last]);
      csr.offsets.release(first, last);
    }
    first = last;
  }
}

template <class Body>
void for_each_row_window(const Csr& csr, const Workspace& space, const Body& body) {
  for_each_row_window(csr, space, 0, body);
}

/// Returns the sum of of(v, e) over the edges e of all rows v.
template <class Of>
std::uint64_t sum_over_arcs(const Csr& csr, ThreadPool& pool, const Workspace& space, const Of& of) {
  std::uint64_t sum = 0;
  for_each_row_window(csr, space, [&](VertexId first, VertexId last) {
    sum += parallel_sum<std::uint64_t>(pool, last - first, [&](std::size_t i) {
      const std::size_t v = first + i;
      std::uint64_t of_row = 0;
      for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) of_row += of(v, e);
      return of_row;
    });
  });
  return sum;
}

/// Calls body(begin, end) for consecutive pieces of [0, count), each of at most `most` and of one window of `space`.
template <class Body>
void for_each_piece(const Workspace& space, std::uint64_t count, std::size_t item_bytes, const Body& body,
                    std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
  const std::uint64_t step = std::min<std::uint64_t>(space.window(item_bytes), most);
  for (std::uint64_t begin = 0, end; begin < count; begin = end) {
    end = begin + std::min(step, count - begin);
    body(begin, end);
  }
}

/// Does the same for a column, and releases each piece after it. In memory: one call.
template <class T, class Body>
void for_each_window(const Column<T>& column, const Workspace& space, const Body& body) {
  for_each_piece(space, column.size(), sizeof(T), [&](std::size_t begin, std::size_t end) {
    body(begin, end);
    if (space.is_on_disk()) column.release(begin, end);
  });
}

/// Copies a column to `space`, as elements of T.
template <class T, class From>
Column<T> copy_column(const Column<From>& column, const Workspace& space, ThreadPool& pool) {
  auto copy = space.make<T>(column.size());
  for_each_window(column, space, [&](std::size_t begin, std::size_t end) {
    parallel_for(pool, end - begin, [&](std::size_t i) { copy[begin + i] = column[begin + i]; });
    if (space.is_on_disk()) copy.release(begin, end);
  });
  return copy;
}

}  // namespace graphrun::inline GR_IDS
