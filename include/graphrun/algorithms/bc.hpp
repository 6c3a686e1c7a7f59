// SPDX-License-Identifier: Apache-2.0
// Betweenness centrality from some sources (Brandes 2001): the share of their shortest paths through each vertex.
#pragma once

#include <cstdint>
#include <vector>

#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/algorithms/path_count.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

enum class BcVariant {
  direction_optimizing,  ///< each level, forward and backward, in the direction that examines less
  push,                  ///< along out-edges only; needs no transpose
};

template <>
struct ChoicesOf<BcVariant> {
  static constexpr Choice<BcVariant> kAll[] = {{"direction-optimizing", BcVariant::direction_optimizing},
                                               {"push", BcVariant::push}};
  static constexpr ShortForm kShortForms[] = {{"direction-optimising", "direction-optimizing"}};
};

struct BcOptions {
  BcVariant variant = BcVariant::direction_optimizing;
  std::vector<std::uint64_t> sources = {};  ///< distinct vertices, the starts of shortest paths; empty: all vertices
  BcDefinition definition = BcDefinition::gap;
  bool sampled = false;  ///< normalized: sources represent all vertices, so scores are n / sources times their sums
};

inline constexpr int kUsualBcSources = 4;  ///< of one trial: GAP's rule

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
class BcRun {
 public:
  /// Throws UsageError for a source that is no vertex, and for missing in-edges that the variant needs.
  BcRun(Exec& exec, const GraphView<View>& graph, const BcOptions& options);

  /// Processes the sources one after another: the timed region. Throws UsageError when there are 2^4194302 shortest paths to some
  /// vertex.
  AlgoStats run();
  BcOutput output();

 private:
  /// Vertices at one distance from the source: a range of levels_.
  struct Level {
    std::size_t first;
    std::size_t size;
    EdgeId edges;  ///< out-edges; an estimate after a push into many vertices
  };
  /// Direction of a step that moves dependencies one level back.
  enum class Back {
    gather,   ///< each vertex nearer to the source reads its out-edges
    sweep,    ///< the same, in a pass over all vertices, without atomics
    scatter,  ///< each farther vertex updates along its in-edges
  };

  void clear();
  void widen();
  void add_dependencies(VertexId source, AlgoStats& stats);
  std::vector<Level> search(VertexId source, AlgoStats& stats);
  std::vector<Level> count_paths(VertexId source, AlgoStats& stats);
  template <class T>
  using Array = typename Exec::template Array<T>;
  template <class Count>
  void push(Array<Count>& paths, std::uint32_t depth, AlgoStats& stats);
  template <class Value>
  Value largest_of(Array<Value>& values);
  bool has_too_many_paths(std::size_t levels);
  void pull(std::uint32_t depth, AlgoStats& stats);
  bool better_to_pull() const;
  Back way_back(const Level& nearer, const Level& farther) const;
  void hand_back(const Level& nearer, const Level& farther, std::uint32_t depth, AlgoStats& stats);
  template <class F>
  void gather(const Level& nearer, F f);
  void finish(const Level& level);
  void scale();

  Exec& exec_;
  GraphView<View> graph_;
  BcOptions options_;
  Array<std::uint32_t> depths_;
  Array<double> paths_;                 // shortest paths from the source, and after the last vertex the largest count
  Array<path_count::Word> wide_paths_;  // paths_ where is_wide_
  Array<double> shares_;                // sums from farther vertices, then (1 + dependency) / paths; where is_wide_ dependencies
  Array<double> scores_;                // and after the last vertex the largest of them
  Array<VertexId> levels_;              // all reached vertices, by distance
  FrontierOf<Exec> frontier_;
  FrontierOf<Exec> next_;
  FrontierOf<Exec> farther_;  // by in-edges
  EdgeId unvisited_edges_ = 0;
  std::uint64_t gathered_edges_ = 0;  // backward, by this rank
  double largest_ = 0;
  bool is_wide_ = false;
};

}  // namespace graphrun::inline GR_IDS
