// Breadth-first search: parents of a shortest-path tree in hops.
#pragma once

#include <cstdint>
#include <vector>

#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

enum class BfsVariant {
  direction_optimizing,  ///< push or pull, level by level: the one that examines less (Beamer et al., SC 2012)
  push,                  ///< push only; needs no transpose
};

template <>
struct ChoicesOf<BfsVariant> {
  static constexpr const char* kWhat = "variant of bfs";
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
  /// Allocates everything run() needs. The executor must outlive the search; the view is copied.
  BfsRun(Exec& exec, const GraphView<View>& graph, const BfsOptions& options);

  /// Searches from `source` (< num_vertices). This is the region that is timed.
  AlgoStats run(VertexId source);
  /// Of several ranks each has the parents of its own vertices after run(); after this, all have all. On all ranks.
  void collect();
  /// The tree of the last run. Levels are derived from it.
  BfsOutput output();

 private:
  AlgoStats run_correcting();
  bool better_to_pull(const FrontierOf<Exec>& frontier) const;

  Exec& exec_;
  GraphView<View> graph_;
  BfsOptions options_;
  VertexId source_ = 0;
  typename Exec::template Array<VertexId> parents_;
  typename Exec::template Array<std::uint64_t> labels_;  // empty unless the view is asynchronous
  FrontierOf<Exec> frontier_;
  FrontierOf<Exec> next_;
  std::uint64_t reachable_bound_ = 0;  // vertices that have an in-edge at all
  std::uint64_t unvisited_ = 0;        // of those, not visited yet
  EdgeId unvisited_edges_ = 0;
};

/// Hops of every vertex from `source`, following `parents` up. Linear time: a vertex is resolved once, or once a thread.
std::vector<std::uint32_t> levels_from_parents(const std::vector<VertexId>& parents, VertexId source, ThreadPool& pool);

}  // namespace graphrun::inline GR_IDS
