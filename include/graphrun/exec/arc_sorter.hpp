// SPDX-License-Identifier: Apache-2.0
// Sorts and examines arcs on a GPU, for graph preparation. On the device an arc is a 64-bit key, source above target, and a
// weight word. Ids have 32 bits there, also where they are 64-bit in host memory.
#pragma once

#include <cstdint>
#include <memory>

#include "graphrun/core/thread_pool.hpp"

namespace graphrun {

/// An array of 4- or 8-byte elements in host memory, or none.
template <class Void>
struct HostArray {
  HostArray() = default;
  template <class T>
  HostArray(T* elements) : data(elements), wide(sizeof(T) == 8) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  }

  Void* data = nullptr;
  bool wide = false;
};

/// Unsorted arcs: the rows of a Csr, or the entries of a list.
struct ArcSource {
  std::uint64_t vertices = 0;
  std::uint64_t entries = 0;
  HostArray<const void> offsets;           ///< vertices + 1, of rows; null: `sources` is set
  HostArray<const void> sources;           ///< one an entry, below `vertices`
  HostArray<const void> targets;           ///< one an entry, below `vertices`
  const std::uint32_t* weights = nullptr;  ///< one an entry; null: all are 0
  HostArray<const void> new_ids;           ///< a permutation of the vertices, or null
  bool rename_sources = true;              ///< by new_ids; targets always are
  bool forwards = true;                    ///< an entry is an arc to its target
  bool backwards = false;                  ///< an entry is an arc from its target; a self loop is one arc in any case
  bool drop_self_loops = false;

  std::uint64_t most_arcs() const { return forwards && backwards ? 2 * entries : entries; }
};

/// Treatment of weights: `as_they_come` among parallel arcs, or ascending as by sort_weights().
enum class WeightOrder { no_weights, as_they_come, u32, f32 };

/// Results of one pass over the lists of a Csr.
struct ArcSums {
  std::uint64_t self_loops = 0;
  std::uint64_t duplicates = 0;  ///< arcs minus distinct arcs
  std::uint64_t descents = 0;    ///< arcs with a smaller target than the arc before them in their list
  std::uint64_t forward = 0;     ///< sum of splitmix64(splitmix64(source) ^ target)
  std::uint64_t backward = 0;    ///< the same with source and target exchanged
  std::uint64_t isolated = 0;    ///< vertices without any arc
};

/// Sorter of one graph's arcs at a time. Holds up to 2 MiB of pinned memory for each thread that has copied for it. One thread at
/// a time. Members throw RunError when the device fails.
class ArcSorter {
 public:
  virtual ~ArcSorter() = default;

  /// Returns whether too little room is an error because the user asked for the GPU. Otherwise the CPU sorts.
  virtual bool is_required() const = 0;
  /// Returns whether the device has room now: 16 bytes an arc, 8 more with weights, 32 a vertex, half a byte of each, and 32 MiB.
  /// Logs when it has not; throws UnavailableError when the GPU is required.
  virtual bool takes(std::uint64_t vertices, std::uint64_t arcs, bool weighted) const = 0;

  /// Sorts arcs by source and target, parallel arcs by weight or stably. Keeps only the first of parallel arcs with
  /// `drop_duplicates`. Returns the number kept. Precondition: takes(); as_they_come needs forward arcs only, with all self
  /// loops.
  virtual std::uint64_t sort(const ArcSource& source, WeightOrder order, bool drop_duplicates, ThreadPool& pool) = 0;
  /// Copies the sorted columns that are not null, and frees the device's memory. With `old_ids` targets keep their ids from
  /// before renaming.
  virtual void take(HostArray<void> offsets, HostArray<void> targets, HostArray<void> weights, bool old_ids,
                    ThreadPool& pool) = 0;

  /// Writes pairs of target and weight to `records`, each row in ascending order of weights, then of targets; minus zero becomes
  /// zero. Precondition: takes(); `order` is u32 or f32, and f32 weights are not negative.
  virtual void sort_records(const ArcSource& rows, WeightOrder order, HostArray<void> records, ThreadPool& pool) = 0;

  /// Sums over the forward arcs of `rows`. Precondition: takes().
  virtual ArcSums examine(const ArcSource& rows, ThreadPool& pool) = 0;

  /// Writes the vertices to `order` by descending degree, ties by ascending id. Precondition: takes() without arcs.
  virtual void order_by_degree(HostArray<const void> offsets, std::uint64_t vertices, HostArray<void> order,
                               ThreadPool& pool) = 0;
};

/// Opens the sorter of a GPU. Throws UnavailableError when there is no such GPU. `required`: see is_required().
std::shared_ptr<ArcSorter> open_arc_sorter(int device, bool required);

}  // namespace graphrun
