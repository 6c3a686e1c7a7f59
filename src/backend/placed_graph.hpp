// What all backends of a graph share: rows in the executor's memory, and a view of both directions. They differ in where edges
// are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graphrun/backend/backend.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun::inline GR_IDS {

enum class Direction { out, in };

/// The columns of edges that a run reads, as a backend has them: neighbours, weights when they are wanted, and neighbours of the
/// transpose when that is.
template <class Column>
struct EdgeColumns {
  std::vector<Column> all;
  bool weighted = false;

  const Column& neighbours(Direction direction) const { return direction == Direction::out ? all.front() : all.back(); }
  /// Null when in-edges are walked, which have none, and without weights.
  const Column* weights(Direction direction) const { return weighted && direction == Direction::out ? &all[1] : nullptr; }
};

/// In-edges as options have them, when they are not the out-edges; null otherwise.
inline const Csr* separate_in(const Graph& graph, const BackendOptions& options) {
  if (options.records) return graph.by_target ? &*graph.by_target : nullptr;
  return reaches_in(graph, options) ? &*graph.in : nullptr;
}

/// What put(column, holds_ids) makes of each column that the run reads.
template <class Put>
auto place_columns(const Graph& graph, const BackendOptions& options, Put&& put) {
  EdgeColumns<decltype(put(graph.out.neighbours, true))> placed;
  const Csr* const in = separate_in(graph, options);
  if (options.records) {
    placed.all.push_back(put(graph.out.records, false));
    if (in != nullptr) placed.all.push_back(put(in->records, false));
    return placed;
  }
  placed.weighted = options.needs_weights;
  placed.all.push_back(put(graph.out.neighbours, true));
  if (options.needs_weights) placed.all.push_back(put(graph.out.weights, false));
  if (in != nullptr) placed.all.push_back(put(in->neighbours, true));
  return placed;
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
    return view;
  }

 protected:
  PlacedGraph(const Graph& graph, const BackendOptions& options)
      : graph_(graph), options_(options), separate_(separate_in(graph, options) != nullptr) {}

  /// To be called by constructors. `cut` says how lists are cut, `where` is what RowsIn is made with.
  template <class... Where>
  void place_rows(const BackendOptions& cut, Where&... where) {
    out_ = RowsIn(graph_, graph_.out, cut, where...);
    if (separate_) in_ = RowsIn(graph_, *separate_in(graph_, options_), cut, where...);
  }
  template <class Put>
  auto place_columns(Put&& put) const {
    return graphrun::place_columns(graph_, options_, put);
  }
  /// Takes the graph's file out of this process, so that the page cache can give it up, where reads may come from there.
  void unmap_for_cold() const {
    if (options_.route != Route::direct && graph_.out.neighbours.in_mapped_file())
      graph_.out.neighbours.region()->drop_cached_pages();
  }
  /// What a pager's counters come to.
  Moved moved_of_pages(const PagerCounters& counters, const char* counted_as) const {
    Moved moved{counters.bytes_read, counters.misses, counted_as};
    if (options_.route != Route::direct) moved.routed = counters.routed;
    return moved;
  }
  auto rows_of(Direction direction) const { return direction == Direction::in && separate_ ? in_.rows() : out_.rows(); }
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
