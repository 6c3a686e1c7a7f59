// Weakly connected components.
#pragma once

#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/exec/exchange.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

enum class CcVariant {
  afforest,  ///< link a few edges of each vertex, then only what lies outside the largest component (Sutton et al., IPDPS 2018)
  hooking,   ///< link every edge (Shiloach and Vishkin 1982, without their rounds)
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

inline constexpr std::size_t kSampleSize = 1024;  // vertices asked for their root to guess that of the largest component

/// A root, and how many of a sample are below it.
struct Frequent {
  VertexId root;
  std::size_t count;
};

/// Those of the same vertices on every rank.
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

  /// This is the region that is timed.
  AlgoStats run();
  /// Ranks have the labels of their own vertices; this brings them together. All ranks call it.
  void collect();
  CcOutput output();

 private:
  /// Of this rank's vertices.
  void compress();
  cc::Roots sample();
  /// Gives all ranks the same trees: a vertex hangs where its own rank put it, and a common sample brings the large trees
  /// together. Of what a rank found out about vertices of others it keeps one vertex for each root of its own outside its largest
  /// tree, links the two again, and hands that out after the next pass (`hooked`). The rest is lost: edges of vertices outside
  /// the largest tree are looked at again. `mine`: what this rank takes for the largest. Returns the root of the largest of all
  /// of these; `sampling` becomes what all ranks counted.
  VertexId join_trees(EdgeMapStats& sampling, const cc::Frequent& mine, BitmapRef hooked);

  Exec& exec_;
  GraphView<View> graph_;
  CcOptions options_;
  typename Exec::template Array<VertexId> parents_;
  typename Exec::template Array<cc::Roots> roots_;  // by rank, what the sampled vertices hang under
  RankPart own_;
  typename Exec::template Array<VertexId> below_;        // Own::below; empty where there is one rank
  typename Exec::template Array<std::uint32_t> hooked_;  // Link::hooked; empty where there is one rank
};

}  // namespace graphrun::inline GR_IDS
