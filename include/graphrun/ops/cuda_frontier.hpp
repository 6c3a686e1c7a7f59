// SPDX-License-Identifier: Apache-2.0
// A frontier on the GPU: a queue of work items for push steps, a bitmap for pull steps, converted on demand.
//
// With several GPUs, each has the whole frontier as a bitmap, and a queue of the members whose lists it traverses.
//
// A list longer than a chunk enters the queue as several items, so that a push step hands warps pieces of bounded size
// and a hub never becomes one warp's burden.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graphrun/core/types.hpp"
#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/bitmap.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// Piece `piece` of the list of `vertex` (Rows::piece).
struct QueueItem {
  VertexId vertex;
  VertexId piece;
};

/// Counts of an operator call, in device memory.
struct Counters {
  unsigned long long items = 0;     ///< queue entries appended
  unsigned long long vertices = 0;  ///< vertices that joined
  unsigned long long edges = 0;     ///< their out-edges
  unsigned long long examined = 0;  ///< edges looked at
  unsigned long long deferred = 0;  ///< pull: pieces left for a second pass. ordered: entries of the far pile
  unsigned long long lowest = 0;    ///< ordered: lowest bucket in the far pile
  unsigned int fault = 0;           ///< not zero: a queue was too short, because a functor let a vertex join twice
};

/// A queue that kernels append to.
struct QueueRef {
  QueueItem* items;
  std::uint64_t capacity;
  Counters* counters;
};

}  // namespace graphrun::cuda::inline GR_IDS

namespace graphrun::inline GR_IDS {

class CudaFrontier {
 public:
  /// Makes an empty frontier of vertices with out-lists in `rows`. spare_queue() will hold at least `spare_items`.
  CudaFrontier(CudaExecutor& exec, const Rows& rows, std::uint64_t spare_items = 0);

  std::size_t size() const { return vertices_; }
  bool empty() const { return vertices_ == 0; }
  EdgeId edges() const { return edges_; }
  /// Returns the edges of the queue.
  EdgeId own_edges() const { return own_edges_; }

  void clear();
  void insert(CudaExecutor& exec, VertexId v);
  void insert_all(CudaExecutor& exec);
  /// Makes the vertices list[0 .. count) the members, each of them once. `edges`: their out-edges, which a single GPU counts
  /// itself.
  void assign(CudaExecutor& exec, const VertexId* list, std::size_t count, EdgeId edges);
  /// Writes the members to to[0 .. size()).
  void copy_to(CudaExecutor& exec, VertexId* to);

  BitmapRef bitmap(CudaExecutor& exec);

  // Functions for the operators.

  const Rows& rows() const { return rows_; }
  /// Returns the queue of items() entries: members whose lists this GPU traverses.
  const cuda::QueueItem* queue(CudaExecutor& exec);
  std::uint64_t items() const { return items_; }
  /// Returns whether the queue has all members.
  bool is_queue() const { return has_queue_; }
  /// Sorts the queue nearly by ascending vertices: reads of host memory that ascend go at the full rate of the link, random ones
  /// at two thirds of it. Costs two passes over the queue and one over a bitmap.
  void sort_queue(CudaExecutor& exec);
  /// Starts over as an empty queue for a kernel to append to, which counts on from `start`; then take_counts() brings the result
  /// to the host.
  cuda::QueueRef start_queue(CudaExecutor& exec, const cuda::Counters& start = {});
  /// Starts over as a bitmap; a kernel writes all of its words; then take_counts().
  BitmapRef start_bitmap(CudaExecutor& exec, const cuda::Counters& start = {});
  /// Starts over as an empty bitmap in which kernels set bits, in any order; then count_members().
  BitmapRef start_empty_bitmap(CudaExecutor& exec);
  void count_members(CudaExecutor& exec);
  /// Returns the queue's memory, for a kernel that needs a list while this frontier is a bitmap, or that keeps this frontier
  /// while it makes several steps; then set_counts().
  cuda::QueueRef spare_queue() const { return {queue_.data(), queue_.size(), counters_.data()}; }
  BitmapRef spare_bitmap() const { return {words_.data()}; }
  cuda::Counters* counters() const { return counters_.data(); }
  /// Waits for the kernel and reads what it counted. Throws RunError on a fault.
  cuda::Counters take_counts(CudaExecutor& exec);
  /// Becomes the queue that a kernel left in spare_queue() and counted elsewhere. Throws RunError on a fault.
  void set_counts(const cuda::Counters& counts);
  /// Becomes a bitmap to which kernels add members, and which they count on; then take_counts().
  BitmapRef start_union(CudaExecutor& exec);
  /// Becomes a bitmap whose members were counted elsewhere.
  void set_counts(std::uint64_t vertices, EdgeId edges);
  std::size_t words() const { return words_.size(); }

 private:
  void check_and_count(const cuda::Counters& counts);

  Rows rows_;
  DeviceArray<cuda::QueueItem> queue_;
  DeviceArray<std::uint32_t> words_;
  DeviceArray<cuda::Counters> counters_;
  std::uint64_t items_ = 0;
  std::size_t vertices_ = 0;
  EdgeId edges_ = 0;
  EdgeId own_edges_ = 0;
  bool has_queue_ = true;
  bool has_bitmap_ = false;
};

}  // namespace graphrun::inline GR_IDS
