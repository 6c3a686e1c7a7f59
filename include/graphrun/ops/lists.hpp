// SPDX-License-Identifier: Apache-2.0
// Lists of vertices that an algorithm makes: ascending, each entry once, in the executor's memory. Their operators:
//
//   load_list_kernels(exec)                        once, before the clock, as load_kernels() of operators.hpp
//   exclusive_sums(exec, array, most)              replaces the first `most` values, or all without it, by their exclusive
//                                                  prefix sums; returns the sum of these
//   list_intersections(exec, a, b)                 counts common entries of list r of `a` and list q of `b`, over all r and the
//                                                  entries q of list r that have a list in `b`
//   tally_triangles(exec, a, b, tally)             adds the triangles of the same pairs of lists to the counts of all three
//   vertices
//
// in cpu_lists.hpp and cuda_lists.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "graphrun/core/macros.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

/// Entries [begin, end) are a list.
struct ListPlace {
  EdgeId begin;
  EdgeId end;
};

/// Lists [first, last) of `places`. Trivially copyable, does not own.
struct Lists {
  ListPlace* places = nullptr;  ///< of list 0
  VertexId* entries = nullptr;  ///< that places refer to
  VertexId first = 0;
  VertexId last = 0;

  GR_HD bool has(VertexId list) const { return first <= list && list < last; }
};

/// Counts of arcs between two neighbours of each vertex. An entry of a directed graph is an id shifted by a bit, which tells
/// whether there are arcs in both directions, as every edge of an undirected graph is.
struct TriangleTally {
  unsigned shift;         ///< 1: directed
  std::uint64_t* counts;  ///< by list

  GR_HD VertexId id(VertexId entry) const { return entry >> shift; }
  GR_HD std::uint64_t arcs(VertexId entry) const { return shift == 0 ? 2 : 1 + (entry & 1); }
};

/// Sorts list `lists.first + i`, and leaves each entry once.
struct PutInOrder {
  Lists lists;

  GR_HD void operator()(std::size_t i) const {
    ListPlace& place = lists.places[lists.first + i];
    VertexId* const list = lists.entries + place.begin;
    const EdgeId size = place.end - place.begin;
    EdgeId kept = size == 0 ? 0 : 1;
    while (kept < size && list[kept - 1] < list[kept]) ++kept;
    if (kept == size) return;
    sort(list, size);
    kept = 1;
    for (EdgeId e = 1; e < size; ++e) {
      if (list[e] != list[kept - 1]) list[kept++] = list[e];
    }
    place.end = place.begin + kept;
  }

 private:
  GR_HD static void sort(VertexId* list, EdgeId size) {
#if !defined(__CUDA_ARCH__)
    std::sort(list, list + size);
#else
    for (EdgeId root = size / 2; root-- > 0;) sift(list, root, size);
    for (EdgeId end = size; end-- > 1;) {
      swap(list[0], list[end]);
      sift(list, 0, end);
    }
#endif
  }
#if defined(__CUDA_ARCH__)
  GR_HD static void swap(VertexId& a, VertexId& b) {
    const VertexId kept = a;
    a = b;
    b = kept;
  }
  /// Sifts down, in heap sort: the heap below `root` gets its largest entry to the root.
  GR_HD static void sift(VertexId* list, EdgeId root, EdgeId size) {
    for (EdgeId child; (child = 2 * root + 1) < size; root = child) {
      if (child + 1 < size && list[child] < list[child + 1]) ++child;
      if (list[root] >= list[child]) return;
      swap(list[root], list[child]);
    }
  }
#endif
};

}  // namespace graphrun::inline GR_IDS
