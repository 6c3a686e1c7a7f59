// SPDX-License-Identifier: Apache-2.0
// Weakly connected components.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "graphrun/algorithms/bfs.hpp"
#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/exec/exchange.hpp"
#include "graphrun/ops/ranks.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

enum class CcVariant {
  afforest,  ///< links a few edges of each vertex, then only those outside the largest component (Sutton et al., IPDPS 2018)
  hooking,   ///< links every edge (Shiloach and Vishkin 1982, without their rounds)
};

template <>
struct ChoicesOf<CcVariant> {
  static constexpr Choice<CcVariant> kAll[] = {{"afforest", CcVariant::afforest}, {"hooking", CcVariant::hooking}};
};

struct CcOptions {
  CcVariant variant = CcVariant::afforest;
};

}  // namespace graphrun

namespace graphrun::cc::inline GR_IDS {

struct Own;

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

template <class Exec, class View>
class CcRun {
 public:
  CcRun(Exec& exec, const GraphView<View>& graph, const CcOptions& options);

  /// Finds the components: the timed region.
  AlgoStats run();
  /// Gives rank 0 all labels; after run() each rank has its own vertices'. Collective.
  void collect() { found_ = download_parts(exec_, parents_, std::move(found_)); }
  /// Returns what collect() brought. On rank 0, once.
  CcOutput output() { return {std::move(found_)}; }

 private:
  /// Makes a tree of the vertices that a search from a hub reaches, and links the edges of the others. Returns false where these
  /// have many, which are not linked then.
  bool search(AlgoStats& stats);
  /// Compresses this rank's vertices.
  void compress();
  cc::Roots sample();
  /// Joins the ranks' trees after PlaceOwn: a common sample joins the large ones. For each root outside its largest tree a rank
  /// keeps one foreign vertex, and links the two again. It publishes that after the next pass (hooked_), and drops other links of
  /// foreign vertices: edges outside the largest tree are examined again. (Merging whole forests would link nearly every vertex
  /// again; so, four H100 take 4.9 ms, and one 13.2.) `mine`: this rank's guess. Returns the root of the largest guess.
  VertexId join_trees(const cc::Own& own, const cc::Frequent& mine);

  Exec& exec_;
  GraphView<View> graph_;
  CcOptions options_;
  typename Exec::template Array<VertexId> parents_;
  typename Exec::template Array<cc::Roots> roots_;  // roots of the sampled vertices, by rank
  RankPart own_;
  std::vector<VertexId> found_;
  std::unique_ptr<BfsRun<Exec, View>> search_;           // null: samples find the largest component
  typename Exec::template Array<std::uint64_t> hub_;     // cc::FindHub's, for a search
  typename Exec::template Array<VertexId> below_;        // Own::below; empty for a single rank
  typename Exec::template Array<std::uint32_t> hooked_;  // Link::hooked; empty for a single rank
};

}  // namespace graphrun::inline GR_IDS
