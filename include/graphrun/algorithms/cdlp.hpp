// SPDX-License-Identifier: Apache-2.0
// Community detection by label propagation (CDLP of LDBC Graphalytics; Raghavan, Albert and Kumara, Physical Review E 2007).
#pragma once

#include <cstdint>
#include <vector>

#include "graphrun/algorithms/answer.hpp"
#include "graphrun/algorithms/label_table.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

struct CdlpOptions {
  std::uint64_t max_iterations = 10;  ///< fewer where an iteration changes no label
  /// Most bytes of tables of labels that all ranks of a process hold at a time; more where the table of one vertex takes more.
  std::uint64_t table_bytes = std::uint64_t{256} << 20;
};

}  // namespace graphrun

namespace graphrun::cdlp::inline GR_IDS {

/// A label, and how many neighbours have it.
struct Slot {
  VertexId label;
  VertexId count;
};

/// Vertices [first, last), whose tables are in memory together. Slot `base` of all tables is the first of these.
struct Batch {
  VertexId first;
  VertexId last;
  EdgeId base;
};

struct Tables;

}  // namespace graphrun::cdlp::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// Each vertex has the label of its community: a vertex of the graph.
struct CdlpOutput {
  std::vector<VertexId> labels;
  bool stable = false;  ///< the last iteration changed no label, so that no further one would
};
void describe(const CdlpOutput& output, AnswerData& answer);

/// Takes 8 bytes a vertex, and a table of the labels of neighbours for as many vertices at a time as CdlpOptions::table_bytes
/// hold.
template <class Exec, class View>
class CdlpRun {
 public:
  /// `order`: the vertices in ascending order of their names; empty where that is the order of their ids. `graph` has in-edges
  /// unless it is symmetric. Throws UsageError when a vertex has more neighbours than a VertexId counts.
  CdlpRun(Exec& exec, const GraphView<View>& graph, const CdlpOptions& options, const std::vector<VertexId>& order);

  /// This is the region that is timed.
  AlgoStats run();
  CdlpOutput output();

 private:
  template <class T>
  using Array = typename Exec::template Array<T>;

  cdlp::Tables tables() const;
  void make_batches();
  /// Returns the edges that it read.
  std::uint64_t find_labels(const cdlp::Batch& batch);

  Exec& exec_;
  GraphView<View> graph_;
  CdlpOptions options_;
  const std::vector<VertexId>& order_;
  Array<VertexId> labels_;  // places in order_
  Array<VertexId> next_;
  Array<VertexId> places_;  // of each vertex in order_; empty where order_ is
  std::vector<cdlp::Batch> batches_;
  Array<cdlp::Slot> slots_;   // of a batch; empty between batches
  Array<TablePiece> pieces_;  // of all long tables
  Array<VertexId> most_;      // of each piece that is a head: the largest count of its table
  bool stable_ = false;
};

}  // namespace graphrun::inline GR_IDS
