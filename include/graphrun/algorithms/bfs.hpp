// SPDX-License-Identifier: Apache-2.0
// Breadth-first search: parents of a shortest-path tree in hops.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

enum class BfsVariant {
  direction_optimizing,  ///< push or pull in each level, whichever examines less (Beamer et al., SC 2012)
  push,                  ///< push only; needs no transpose
};

template <>
struct ChoicesOf<BfsVariant> {
  static constexpr Choice<BfsVariant> kAll[] = {{"direction-optimizing", BfsVariant::direction_optimizing},
                                                {"push", BfsVariant::push}};
  static constexpr ShortForm kShortForms[] = {{"direction-optimising", "direction-optimizing"}};
};

struct BfsOptions {
  BfsVariant variant = BfsVariant::direction_optimizing;
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

/// State of searches over one graph, reused by each run(). `Exec` is CpuExecutor or CudaExecutor.
template <class Exec, class View>
class BfsRun {
 public:
  /// Allocates all of run()'s memory. The executor must outlive the search; the view is copied.
  BfsRun(Exec& exec, const GraphView<View>& graph, const BfsOptions& options);

  /// Searches from `source` (< num_vertices): the timed region. A search by one kernel ends after `most` levels.
  AlgoStats run(VertexId source, std::uint64_t most = ~std::uint64_t{0});
  /// Returns each vertex's parent, in the executor's memory, kNoVertex without one. After run().
  const VertexId* parents() const { return parents_.data(); }
  /// Returns the vertices with in-edges that run() did not reach, and another frontier, for a step from them. After a search by
  /// one kernel that may pull (searches_by_one_kernel()).
  std::pair<FrontierOf<Exec>&, FrontierOf<Exec>&> unreached();
  /// Takes an earlier output, whose memory the next one gets: new memory costs a page fault for every 4 KiB.
  void reuse(BfsOutput&& output) { found_ = std::move(output.parents), levels_ = std::move(output.levels); }
  /// Gives rank 0 all parents; after run() each rank has its own vertices'. Collective.
  void collect() { found_ = download_parts(exec_, parents_, std::move(found_)); }
  /// Returns the tree that collect() brought; levels are derived from it. On rank 0, once.
  BfsOutput output();

 private:
  AlgoStats run_correcting();
  AlgoStats run_by_one_kernel(std::uint64_t most);

  Exec& exec_;
  GraphView<View> graph_;
  BfsOptions options_;
  VertexId source_ = 0;
  typename Exec::template Array<VertexId> parents_;
  std::vector<VertexId> found_;
  std::vector<std::uint32_t> levels_;
  typename Exec::template Array<std::uint64_t> labels_;  // empty unless the view is asynchronous
  FrontierOf<Exec> frontier_;
  FrontierOf<Exec> next_;
  // Bits of the vertices with in-edges, then of those that may still want a parent; empty unless edges are near.
  typename Exec::template Array<std::uint32_t> open_;
  std::uint64_t reachable_bound_ = 0;  // vertices with an in-edge
};

/// Returns every vertex's hops from `source`, by its chain of `parents`. Linear time: resolves a vertex once, or once a thread.
/// They reuse the memory of `levels`.
std::vector<std::uint32_t> levels_from_parents(const std::vector<VertexId>& parents, VertexId source, ThreadPool& pool,
                                               std::vector<std::uint32_t> levels = {});

}  // namespace graphrun::inline GR_IDS
