// SPDX-License-Identifier: Apache-2.0
// Breadth-first searches from up to 64 vertices at once, which share their reads: levels, and no parents.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graphrun/algorithms/bfs.hpp"
#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::bfs::inline GR_IDS {

inline constexpr std::size_t kMostPlanes = 32;

/// Planes of levels: a word a vertex each, whose bit i belongs to search i.
struct LevelPlanes {
  std::uint64_t* of[kMostPlanes];
  int count;
};

}  // namespace graphrun::bfs::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// State of batches of searches over one graph, reused by each run(). `Exec` is CpuExecutor or CudaExecutor.
template <class Exec, class View>
class BfsBatchRun {
 public:
  /// Allocates for searches of up to 15 levels; each doubling takes 8 bytes a vertex more, in the first deeper run. The executor
  /// must outlive the searches; the view is copied.
  BfsBatchRun(Exec& exec, const GraphView<View>& graph, const BfsOptions& options);

  /// Searches from each of the sources, at most kMostSearches vertices, which may repeat: the timed region. Throws
  /// UnavailableError when the levels need more memory than there is.
  AlgoStats run(std::span<const VertexId> sources);
  /// Returns the levels of the last run.
  BfsBatchOutput output();
  /// Returns the levels of the last run in the memory of the executor: plane k has their bits k. Searches that did not reach a
  /// vertex have no bits there, as the one that starts there.
  bfs::LevelPlanes planes();

 private:
  using Words = typename Exec::template Array<std::uint64_t>;

  void start();
  void use_plane(std::size_t plane);
  std::uint64_t choose_pulls(std::uint64_t alive) const;

  Exec& exec_;
  GraphView<View> graph_;
  BfsOptions options_;
  std::vector<VertexId> sources_;
  Words reached_;              // of each vertex: the searches that have reached it
  Words seen_;                 // the same at the end of the last level
  Words visit_;                // searches that reached it in the last level
  Words alive_;                // one word: searches that reached a vertex in the last level
  std::vector<Words> planes_;  // bit k of the levels of each vertex
  std::size_t planes_in_use_ = 0;
  FrontierOf<Exec> frontier_;
  FrontierOf<Exec> found_;
};

/// Throws UnavailableError when one more plane of `vertices` words and its copy in the answer do not fit.
void check_room_for_plane(std::size_t plane, std::size_t vertices);

}  // namespace graphrun::inline GR_IDS
