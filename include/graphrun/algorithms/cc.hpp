// SPDX-License-Identifier: Apache-2.0
// Weakly connected components.
#pragma once

#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/exec/exchange.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

enum class CcVariant {
  afforest,  ///< links a few edges of each vertex, then only those outside the largest component (Sutton et al., IPDPS 2018)
  hooking,   ///< links every edge (Shiloach and Vishkin 1982, without their rounds)
};

template <>
struct ChoicesOf<CcVariant> {
  static constexpr const char* kWhat = "variant of cc";
  static constexpr Choice<CcVariant> kAll[] = {{"afforest", CcVariant::afforest}, {"hooking", CcVariant::hooking}};
};

struct CcOptions {
  CcVariant variant = CcVariant::afforest;
};

}  // namespace graphrun

namespace graphrun::cc::inline GR_IDS {

struct Link;

inline constexpr std::size_t kSampleSize = 1024;  // sampled vertices for guessing the largest component's root

/// A root, and the number of sampled vertices below it.
struct Frequent {
  VertexId root;
  std::size_t count;
};

/// The roots of the sampled vertices, which are the same on every rank.
struct Roots {
  VertexId of[kSampleSize];

  Frequent most_frequent() const;
};
}  // namespace graphrun::cc::inline GR_IDS

namespace graphrun::inline GR_IDS {

struct EdgeMapStats;

template <class Exec, class View>
class CcRun {
 public:
  CcRun(Exec& exec, const GraphView<View>& graph, const CcOptions& options);

  /// Finds the components: the timed region.
  AlgoStats run();
  /// Gives all ranks all labels; after run() each has its own vertices'. Collective.
  void collect();
  CcOutput output();

 private:
  /// Compresses this rank's vertices.
  void compress();
  cc::Roots sample();
  /// Gives all ranks the same trees: each vertex gets its owner's parent, and a common sample joins the large trees. For each
  /// root outside its largest tree a rank keeps one foreign vertex, and links the two again. It publishes that after the next
  /// pass (`hooked`), and drops other links of foreign vertices: edges of vertices outside the largest tree are examined again.
  /// `mine`: this rank's guess of the largest tree. Returns the root of the largest guess; `sampling` becomes the sum over ranks.
  VertexId join_trees(EdgeMapStats& sampling, const cc::Frequent& mine, BitmapRef hooked);

  Exec& exec_;
  GraphView<View> graph_;
  CcOptions options_;
  typename Exec::template Array<VertexId> parents_;
  typename Exec::template Array<cc::Roots> roots_;  // roots of the sampled vertices, by rank
  RankPart own_;
  typename Exec::template Array<VertexId> below_;        // Own::below; empty for a single rank
  typename Exec::template Array<std::uint32_t> hooked_;  // Link::hooked; empty for a single rank
};

}  // namespace graphrun::inline GR_IDS
