// SPDX-License-Identifier: Apache-2.0
// Closeness and harmonic centrality, of all sources or estimated from a sample of them (Eppstein and Wang, Journal of Graph
// Algorithms and Applications 8, 2004): batches of searches, whose levels are added up.
#pragma once

#include <cstdint>
#include <vector>

#include "graphrun/algorithms/answer.hpp"
#include "graphrun/algorithms/bfs_batch.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

enum class Closeness {
  mean,      ///< 1 over the mean hops from the vertices that reach one, times their share of all others
  harmonic,  ///< the sum over all others of 1 over the hops
};

struct ClosenessOptions {
  BfsVariant variant = BfsVariant::direction_optimizing;
  std::vector<std::uint64_t> sources = {};  ///< distinct vertices that represent all; empty: all vertices
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

/// One score a vertex; 0 where no source reaches it.
struct ClosenessOutput {
  std::vector<double> scores;
  std::uint64_t sources = 0;  ///< number of searches
};
void describe(const ClosenessOutput& output, AnswerData& answer);

/// Takes a batch's state, and a VertexId and a double a vertex.
template <class Exec, class View>
class ClosenessRun {
 public:
  /// Throws UsageError for a source that is no vertex, and for missing in-edges that the variant needs.
  ClosenessRun(Exec& exec, const GraphView<View>& graph, Closeness which, const ClosenessOptions& options);

  /// Searches from up to kMostSearches sources at a time: the timed region. Throws as BfsBatchRun::run().
  AlgoStats run();
  ClosenessOutput output();

 private:
  template <class T>
  using Array = typename Exec::template Array<T>;

  std::uint64_t searches() const { return options_.sources.empty() ? num_vertices_ : options_.sources.size(); }

  Exec& exec_;
  VertexId num_vertices_;
  Closeness which_;
  ClosenessOptions options_;
  BfsBatchRun<Exec, View> batch_;
  Array<VertexId> reaching_;  // of each vertex: other sources that reach it
  Array<double> sums_;        // of their hops, or of 1 over these
};

}  // namespace graphrun::inline GR_IDS
