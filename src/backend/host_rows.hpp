// SPDX-License-Identifier: Apache-2.0
// The rows of a graph in the memory of an executor, or of host threads. Backends differ in where edges are, not in this.
#pragma once

#include <cstring>
#include <vector>

#include "graphrun/backend/backend.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/graph/packed_walk.hpp"
#include "graphrun/graph/rows.hpp"

namespace graphrun::inline GR_IDS {

/// Returns a column in memory: itself, or a copy of elements [first, last) when it is mapped from a file.
template <class T>
Column<T> in_memory(const Column<T>& column, ThreadPool& pool, std::size_t first, std::size_t last) {
  if (!column.in_mapped_file()) return column;
  Column<T> copy = Column<T>::allocate_guarded(column.size());
  parallel_chunks(pool, last - first, 1 << 18, [&](std::size_t begin, std::size_t end, int) {
    std::memcpy(copy.data() + first + begin, column.data() + first + begin, (end - begin) * sizeof(T));
  });
  return copy;
}

template <class T>
Column<T> in_memory(const Column<T>& column, ThreadPool& pool) {
  return in_memory(column, pool, 0, column.size());
}

// A piece takes tens of microseconds: fine enough to balance, coarse enough to schedule.
inline constexpr EdgeId kHostChunkEdges = EdgeId{1} << 15;

/// Offsets, the pieces of split lists, and the place of packed lists. `Array` is Column or DeviceArray; `Chunks` holds the
/// pieces.
template <template <class> class Array, class Chunks>
class PlacedRows {
 public:
  Rows rows() const {
    return {.offsets = offsets_.data(),
            .num_vertices = num_vertices_,
            .chunk_edges = chunk_edges_,
            .hub_chunks = hub_chunks_.data(),
            .num_hub_chunks = hub_chunks_.size(),
            .own = own_};
  }

  /// Sets where loads find the packed lines and weights.
  void place_lines(const std::byte* lines, const std::byte* weights) {
    packed_.lines = lines;
    packed_.weights = weights;
  }
  /// Returns null unless placed: for graph.out of runs that read u64 weights.
  const std::uint64_t* weight_table() const { return weight_table_.size() == 0 ? nullptr : weight_table_.data(); }
  /// Returns null when lists are not packed. The object is in host memory.
  const PackedLists* packed() const { return groups_.size() == 0 ? nullptr : &packed_; }

 protected:
  void place_packed(const Csr& csr) {
    packed_ = packed_lists(csr);
    packed_.groups = groups_.data();
    packed_.offsets = offsets_.data();
  }

  EdgeId chunk_edges_ = kUncut;
  VertexId num_vertices_ = 0;
  Array<EdgeId> offsets_;
  Array<std::uint64_t> weight_table_;
  Array<packed::Group> groups_;
  Chunks hub_chunks_;
  OwnRows own_;

 private:
  PackedLists packed_;
};

class HostRows : public PlacedRows<Column, std::vector<HubChunk>> {
 public:
  HostRows() = default;
  /// Copies a file's offsets into memory; of several ranks each leaves them where they are, and looks at few but its own.
  HostRows(const Graph& graph, const Csr& csr, const BackendOptions& options, CpuExecutor& exec) : part_(exec.part()) {
    ThreadPool& pool = exec.pool();
    if (options.layout == Layout::balanced) chunk_edges_ = choose_chunk(graph, options, kHostChunkEdges);
    num_vertices_ = graph.num_vertices();
    offsets_ = part_.is_single_rank() ? in_memory(csr.offsets, pool) : csr.offsets;
    bring_offsets();
    if (&csr == &graph.out && (options.needs_weights || options.records)) weight_table_ = in_memory(graph.weight_table, pool);
    if (!csr.packed.empty() && !options.records) {
      groups_ = in_memory(csr.packed.groups, pool);
      place_packed(csr);
    }
    if (options.layout == Layout::balanced) hub_chunks_ = hub_chunks_of(graph, csr, chunk_edges_, pool);
  }

  /// Waits until every rank dropped the file's pages. Then reads this rank's offsets: trials
  /// begin with offsets in memory. For all ranks together.
  void bring_offsets_together() const {
    if (!part_.is_single_rank()) part_.exchange->all_gather({});
    bring_offsets();
  }

 private:
  /// Reads this rank's offsets where they are in a file, an element of each page.
  void bring_offsets() const {
    if (!offsets_.in_mapped_file()) return;
    constexpr std::size_t kElementsAPage = 4096 / sizeof(EdgeId);
    const RankPart own = part_.within(num_vertices_);
    for (std::size_t v = own.first; v < own.last; v += kElementsAPage) static_cast<void>(atomics::load(offsets_[v]));
    static_cast<void>(atomics::load(offsets_[own.last]));  // on a page of its own, where the first is not the first of its page
  }

  RankPart part_;
};

}  // namespace graphrun::inline GR_IDS
