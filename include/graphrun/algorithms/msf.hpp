// SPDX-License-Identifier: Apache-2.0
// A minimum spanning forest of an undirected graph with weights (Boruvka 1926).
#pragma once

#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

#include "graphrun/algorithms/answer.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::inline GR_IDS {

/// The forest of least weight. Among edges of equal weight, the one with the smaller lower end is lighter, then the one with the
/// smaller higher end. So it is one forest, whatever found it.
struct MsfOutput {
  std::vector<VertexId> parents;     ///< the next vertex toward the smallest one of the tree, which has itself
  std::vector<VertexId> components;  ///< the smallest vertex of the tree
  /// The weights of the edges to the parents, of the graph's kind; 0 for the smallest vertex of a tree.
  std::variant<std::vector<std::uint32_t>, std::vector<std::uint64_t>, std::vector<float>> weights;
};
void describe(const MsfOutput& output, AnswerData& answer);

namespace msf {

/// A tree's edge of each vertex that was the root of a component when it joined another one.
struct Edges {
  std::vector<std::uint32_t> keys;
  std::vector<VertexId> lows;
  std::vector<VertexId> highs;  ///< kNoVertex: no edge
};

}  // namespace msf

/// Takes 28 bytes a vertex (44 with 64-bit ids), and two frontiers. A round reads the lists of vertices with neighbours in
/// another component; with 64-bit ids it reads them twice.
template <class Exec, class View>
class MsfRun {
 public:
  /// `graph` is symmetric and has weights. `kind`: of their words.
  MsfRun(Exec& exec, const GraphView<View>& graph, WeightKind kind);

  /// This is the region that is timed.
  AlgoStats run();
  msf::Edges output();

 private:
  template <class T>
  using Array = typename Exec::template Array<T>;

  /// Finds the lightest edge of each vertex of the frontier to another component. Returns the edges that it examined. Throws
  /// UsageError in the first round when an edge weighs otherwise in the other direction.
  std::uint64_t find_lightest(bool is_first);
  /// Finds the lightest edge of each component, along which it joins another one.
  void join();

  Exec& exec_;
  GraphView<View> graph_;
  std::uint32_t mask_;         // of the key in the word of a weight
  Array<VertexId> roots_;      // of the component of each vertex
  Array<VertexId> joined_;     // the same after the round
  Array<std::uint64_t> best_;  // key and other end of each vertex's lightest edge; with 64-bit ids the key alone
  Array<VertexId> ends_;       // with 64-bit ids the other end
  Array<std::uint32_t> keys_;  // of the lightest edge of each root's component; of a vertex that is no root, its last one
  Array<VertexId> lows_;
  Array<VertexId> highs_;
  FrontierOf<Exec> frontier_;
  FrontierOf<Exec> none_;
};

}  // namespace graphrun::inline GR_IDS
