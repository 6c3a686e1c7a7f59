// Sorting and examining arcs on a GPU, for graphs that are being prepared. On the device an arc is a key of 64 bits, its source
// above its target, and a word of weight. Ids have 32 bits there, also where they are 64-bit in host memory.
#pragma once

#include <cstdint>
#include <memory>

#include "graphrun/core/thread_pool.hpp"

namespace graphrun {

/// Elements of 4 or 8 bytes in host memory, or none.
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

/// Arcs as they come: the rows of a Csr, or entries of a list.
struct ArcSource {
  std::uint64_t vertices = 0;
  std::uint64_t entries = 0;
  HostArray<const void> offsets;           ///< vertices + 1, of rows; without them there are `sources`
  HostArray<const void> sources;           ///< below `vertices`, an entry each
  HostArray<const void> targets;           ///< below `vertices`, an entry each
  const std::uint32_t* weights = nullptr;  ///< a word an entry; null: all are 0
  HostArray<const void> new_ids;           ///< a permutation of the vertices, or null
  bool rename_sources = true;              ///< by new_ids, as targets always are
  bool forwards = true;                    ///< an entry is an arc to its target
  bool backwards = false;                  ///< an entry is an arc from its target; a self loop is one arc in any case
  bool drop_self_loops = false;

  std::uint64_t most_arcs() const { return forwards && backwards ? 2 * entries : entries; }
};

/// What to do with weights: `as_they_come` among parallel arcs, or ascending, as sort_weights() has it.
enum class WeightOrder { no_weights, as_they_come, u32, f32 };

/// What one pass over the lists of a Csr tells.
struct ArcSums {
  std::uint64_t self_loops = 0;
  std::uint64_t duplicates = 0;  ///< arcs less distinct ones
  std::uint64_t descents = 0;    ///< arcs whose target is below that of the arc before them in their list
  std::uint64_t forward = 0;     ///< sum of splitmix64(splitmix64(source) ^ target)
  std::uint64_t backward = 0;    ///< the same with the ends exchanged
  std::uint64_t isolated = 0;    ///< vertices that are no end of any arc
};

/// Holds one graph's arcs at a time, and up to 2 MiB of pinned memory for each thread that has copied for it. For one thread at a
/// time. Members throw RunError when the device fails.
class ArcSorter {
 public:
  virtual ~ArcSorter() = default;

  /// Returns whether too little room is an error, because the user asked for the GPU; otherwise the CPU sorts.
  virtual bool is_required() const = 0;
  /// Returns whether the device has room now: 16 bytes an arc, 8 more with weights, 32 a vertex, half a byte of each, and 32 MiB.
  /// Logs when it has not; throws UnavailableError where it is required.
  virtual bool takes(std::uint64_t vertices, std::uint64_t arcs, bool weighted) const = 0;

  /// Sorts arcs by source and target, parallel ones by weight or stably; with `drop_duplicates` keeps the first of these. Returns
  /// their number. Precondition: takes(); and as_they_come only forwards, all self loops kept.
  virtual std::uint64_t sort(const ArcSource& source, WeightOrder order, bool drop_duplicates, ThreadPool& pool) = 0;
  /// Copies the sorted columns that are not null, and frees the device's memory. With `old_ids` targets have their ids before
  /// renaming.
  virtual void take(HostArray<void> offsets, HostArray<void> targets, HostArray<void> weights, bool old_ids,
                    ThreadPool& pool) = 0;

  /// Of rows, forwards. Precondition: takes().
  virtual ArcSums examine(const ArcSource& rows, ThreadPool& pool) = 0;

  /// Writes the vertices to `order` by descending degree, smaller ids first on ties. Precondition: takes() without arcs.
  virtual void order_by_degree(HostArray<const void> offsets, std::uint64_t vertices, HostArray<void> order,
                               ThreadPool& pool) = 0;
};

/// Throws UnavailableError when there is no such GPU. `required`: see is_required().
std::shared_ptr<ArcSorter> open_arc_sorter(int device, bool required);

}  // namespace graphrun
