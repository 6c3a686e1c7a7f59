// SPDX-License-Identifier: Apache-2.0
// Each of several GPUs holds only the edges of its own vertices.
#pragma once

#include <cstdint>

#include "backend/placed_graph.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/exec/exchange.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// The range of these edges in each column. Kernels address edges by their index in the whole column, so a view's pointers and
/// first pages are moved back by first(direction).
class OwnEdges {
 public:
  OwnEdges(const Graph& graph, const BackendOptions& options, const RankPart& part)
      : in_(separate_in(graph, options)), words_(options.records ? 2 : 1), stretch_of_out_(stretch(graph.out, part)) {
    if (in_ != nullptr) stretch_of_in_ = stretch(*in_, part);
    all_ = part.is_single_rank();
  }

  /// Returns the range of a column that place_columns() publishes.
  template <class T>
  Column<T> of(const Column<T>& column) const {
    if (all_) return column;
    const void* const data = column.data();
    const bool is_in = in_ != nullptr && (data == in_->neighbours.data() || data == in_->records.data());
    const Stretch& own = is_in ? stretch_of_in_ : stretch_of_out_;
    return column.slice(own.first * words_, (own.last - own.first) * words_);
  }
  /// Returns the start of its range of the neighbours, or of the records, in words.
  std::uint64_t first(Direction direction) const {
    return (direction == Direction::in && in_ != nullptr ? stretch_of_in_ : stretch_of_out_).first * words_;
  }
  /// Does as edge_bytes(graph, options).
  std::uint64_t bytes(const Graph& graph, const BackendOptions& options) const {
    if (all_) return edge_bytes(graph, options);
    const EdgeId out = stretch_of_out_.last - stretch_of_out_.first;
    if (options.records) return (out + stretch_of_in_.last - stretch_of_in_.first) * 2 * sizeof(VertexId);
    return out * (sizeof(VertexId) + (options.needs_weights ? sizeof(std::uint32_t) : 0)) +
           (stretch_of_in_.last - stretch_of_in_.first) * sizeof(VertexId);
  }

 private:
  struct Stretch {
    EdgeId first = 0;
    EdgeId last = 0;
  };
  /// Aligned to the largest page of 4-byte words, to keep the lines and pages of the whole column.
  static constexpr EdgeId kAlignment = kMostCommandBytes / 4;

  static Stretch stretch(const Csr& csr, const RankPart& part) {
    if (part.is_single_rank()) return {0, csr.num_edges()};
    const RankPart mine = part.within(csr.num_vertices());
    return {csr.offsets[mine.first] / kAlignment * kAlignment, csr.offsets[mine.last]};
  }

  const Csr* in_;
  std::uint64_t words_;  // of a neighbour or a record
  bool all_ = true;
  Stretch stretch_of_out_;
  Stretch stretch_of_in_;
};

/// Returns a pointer to word 0 of a column whose word `first` is at `data`; valid from `first` on.
template <class T>
const T* whole_column(const void* data, std::uint64_t first) {
  return reinterpret_cast<const T*>(reinterpret_cast<std::uintptr_t>(data) - first * sizeof(T));
}

}  // namespace graphrun::cuda::inline GR_IDS
