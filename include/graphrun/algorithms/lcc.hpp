// SPDX-License-Identifier: Apache-2.0
// Local clustering coefficients (LCC of LDBC Graphalytics; Watts and Strogatz, Nature 1998), and the triangles at each vertex.
#pragma once

#include <cstdint>
#include <vector>

#include "graphrun/algorithms/answer.hpp"
#include "graphrun/algorithms/oriented_lists.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

enum class LccVariant {
  hybrid,     ///< by degree where few vertices have most of the edges, else by id
  by_degree,  ///< examines each edge at its end of smaller degree
  by_id,      ///< examines each edge at its end of larger id
};

template <>
struct ChoicesOf<LccVariant> {
  static constexpr Choice<LccVariant> kAll[] = {
      {"hybrid", LccVariant::hybrid}, {"by-degree", LccVariant::by_degree}, {"by-id", LccVariant::by_id}};
};

struct LccOptions {
  LccVariant variant = LccVariant::hybrid;
  std::uint64_t buffer_bytes = 0;  ///< most bytes of lists that it makes at a time; 0: all of them
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

/// The neighbours of a vertex are the ends of its edges, in a directed graph of those in both directions, each once and without
/// the vertex itself. Of d neighbours, d (d - 1) ordered pairs could have an arc; the coefficient is the share that has one, 0
/// where d is below 2.
struct LccOutput {
  std::vector<double> coefficients;
  std::vector<std::uint64_t> arcs;  ///< between neighbours; an edge of an undirected graph is two
  double mean = 0;                  ///< of all coefficients
  double transitivity = 0;          ///< arcs at all vertices over pairs at all vertices; 0 without pairs
};
void describe(const LccOutput& output, AnswerData& answer);

/// Takes 32 bytes a vertex beside its lists (oriented_lists.hpp).
template <class Exec, class View>
class LccRun {
 public:
  /// `graph` has in-edges unless it is symmetric.
  LccRun(Exec& exec, const GraphView<View>& graph, const LccOptions& options);

  /// This is the region that is timed. Throws UsageError when the buffer has no room for the list of some vertex.
  AlgoStats run();
  LccOutput output();

 private:
  template <class T>
  using Array = typename Exec::template Array<T>;

  Exec& exec_;
  GraphView<View> graph_;
  LccOptions options_;
  OrientedLists<Exec, View> lists_;
  Array<std::uint64_t> by_rank_;  // arcs between neighbours
  Array<EdgeId> degrees_;         // by rank
  Array<std::uint64_t> arcs_;
  Array<double> coefficients_;
  double transitivity_ = 0;
};

}  // namespace graphrun::inline GR_IDS
