// SPDX-License-Identifier: Apache-2.0
// The common part of all backends: rows in the executor's memory, and a view of both directions. They differ in where edges are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "graphrun/backend/backend.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun::inline GR_IDS {

enum class Direction { out, in };

/// A backend's columns of the edges that a run reads: neighbours, and as needed weights and the transpose's neighbours.
template <class Column>
struct EdgeColumns {
  std::vector<Column> all;
  bool weighted = false;

  const Column& neighbours(Direction direction) const { return direction == Direction::out ? all.front() : all.back(); }
  /// Returns null without weights, and for in-edges, which have none.
  const Column* weights(Direction direction) const { return weighted && direction == Direction::out ? &all[1] : nullptr; }
};

/// Returns the in-edges that options require, when they differ from the out-edges; null otherwise.
inline const Csr* separate_in(const Graph& graph, const BackendOptions& options) {
  if (options.records) return graph.by_target ? &*graph.by_target : nullptr;
  return reaches_in(graph, options) ? &*graph.in : nullptr;
}

/// Returns the file of the lists; null when they are in memory.
inline const Region* file_of_lists(const Csr& csr) {
  const auto file_of = [](const auto& column) { return column.in_mapped_file() ? column.region().get() : nullptr; };
  return csr.packed.empty() ? file_of(csr.neighbours) : file_of(csr.packed.lines);
}

/// Throws UsageError when lists are packed.
inline void require_unpacked(const Graph& graph, const char* who) {
  if (!is_packed(graph)) return;
  throw UsageError(std::string(who) +
                   " reads no packed lists: unpack_lists() makes plain ones, and graphrun does it when it reads the graph");
}

/// Calls put(column, holds_ids) for each column that the run reads, and returns the results.
template <class Put>
auto place_columns(const Graph& graph, const BackendOptions& options, Put&& put) {
  EdgeColumns<decltype(put(graph.out.neighbours, true))> placed;
  const Csr* const in = separate_in(graph, options);
  if (options.records) {
    placed.all.push_back(put(graph.out.records, false));
    if (in != nullptr) placed.all.push_back(put(in->records, false));
    return placed;
  }
  const auto put_lists = [&](const Csr& csr) {
    placed.all.push_back(csr.packed.empty() ? put(csr.neighbours, true) : put(csr.packed.lines, false));
  };
  placed.weighted = options.needs_weights;
  put_lists(graph.out);
  if (options.needs_weights)
    placed.all.push_back(graph.out.packed.weight_code.is_packed() ? put(graph.out.packed.weights, false)
                                                                  : put(graph.out.weights, false));
  if (in != nullptr) put_lists(*in);
  return placed;
}

/// Returns the addresses of a direction's edges for loads; at(column) is the start of a column.
template <class Column, class At>
HostEdges host_edges(const EdgeColumns<Column>& columns, Direction direction, const At& at) {
  const Column* const weights = columns.weights(direction);
  const std::byte* const words = weights == nullptr ? nullptr : at(*weights);
  return {reinterpret_cast<const VertexId*>(at(columns.neighbours(direction))), reinterpret_cast<const std::uint32_t*>(words)};
}

/// `RowsIn` is HostRows or cuda::DeviceRows.
template <class View, class RowsIn>
class PlacedGraph : public BackendOf<View> {
 public:
  GraphView<View> view() const final {
    GraphView<View> view;
    view.out = out_.rows();
    view.out_edges = edges(Direction::out);
    view.in = separate_ ? in_.rows() : view.out;
    view.in_edges = separate_ ? edges(Direction::in) : view.out_edges;
    view.has_in = graph_.symmetric || separate_ || options_.records;
    view.symmetric = graph_.symmetric;
    view.num_edges = graph_.num_edges();
    view.weight_table = out_.weight_table();
    return view;
  }

 protected:
  PlacedGraph(const Graph& graph, const BackendOptions& options)
      : graph_(graph), options_(options), separate_(separate_in(graph, options) != nullptr) {}

  /// Makes the rows, for constructors. `cut` says how lists are split; `where` are further arguments of RowsIn.
  template <class... Where>
  void place_rows(const BackendOptions& cut, Where&... where) {
    out_ = RowsIn(graph_, graph_.out, cut, where...);
    if (separate_) in_ = RowsIn(graph_, *separate_in(graph_, options_), cut, where...);
  }
  template <class Put>
  auto place_columns(Put&& put) const {
    return graphrun::place_columns(graph_, options_, put);
  }
  /// Returns whether reads may come from the page cache.
  bool routes() const { return preset_of(options_.kind).source == EdgeSource::storage && options_.route != Route::direct; }
  /// Unmaps the graph's file, so that the page cache can drop it, where reads may come from there.
  void unmap_for_cold() const {
    if (!routes()) return;
    const Region* const file = file_of_lists(graph_.out);
    if (file == nullptr) return;
    file->drop_cached_pages();
    bring_offsets();
  }
  /// Reads what host threads look up beside edges, after every rank dropped the page cache. For all ranks together.
  void bring_offsets() const {
    if constexpr (requires { out_.bring_offsets_together(); }) {
      out_.bring_offsets_together();
      if (separate_) in_.bring_offsets_together();
    }
  }
  /// Converts a pager's counters.
  Moved moved_of_pages(const PagerCounters& counters, const char* counted_as) const {
    Moved moved{counters.bytes_read, counters.misses, counted_as};
    if (routes()) moved.routed = counters.routed;
    return moved;
  }
  auto rows_of(Direction direction) const { return direction == Direction::in && separate_ ? in_.rows() : out_.rows(); }
  /// Sets where loads find packed lines and weights: at(column). For constructors, after place_rows().
  template <class Column, class At>
  void place_lines(const EdgeColumns<Column>& columns, const At& at) {
    for (const Direction direction : {Direction::out, Direction::in}) {
      const Column* const weights = columns.weights(direction);
      RowsIn& rows = direction == Direction::out ? out_ : in_;
      rows.place_lines(at(columns.neighbours(direction)), weights == nullptr ? nullptr : at(*weights));
    }
  }
  /// Returns null when lists are not packed.
  const PackedLists* packed(Direction direction) const { return (direction == Direction::out ? out_ : in_).packed(); }
  std::uint64_t most_hub_chunks() const { return std::max(out_.rows().num_hub_chunks, in_.rows().num_hub_chunks); }

  virtual View edges(Direction direction) const = 0;

  const Graph& graph_;
  BackendOptions options_;

 private:
  bool separate_;  ///< in-edges were placed, beside the out-edges
  RowsIn out_;
  RowsIn in_;
};

}  // namespace graphrun::inline GR_IDS
