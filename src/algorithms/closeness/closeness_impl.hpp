// SPDX-License-Identifier: Apache-2.0
// Closeness, both executors. A search from u finds the hops from u to every vertex, so each batch of searches adds to the sums
// of all vertices in one pass over the bits of its levels. docs/algorithms/closeness.md has the estimates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "graphrun/algorithms/closeness.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/checkpoint.hpp"
#include "graphrun/ops/operators.hpp"

namespace graphrun::closeness::inline GR_IDS {

GR_HD inline int ones(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return __popcll(word);
#else
  return __builtin_popcountll(word);
#endif
}

/// Adds a batch's levels to the sums of a vertex: whole numbers, or reciprocals in the order of the sources.
struct AddLevels {
  bfs::LevelPlanes planes;
  Closeness which;
  VertexId* reaching;
  double* sums;

  GR_HD std::uint32_t level(std::size_t v, int search) const {
    std::uint32_t level = 0;
    for (int k = 0; k < planes.count; ++k) level |= static_cast<std::uint32_t>(planes.of[k][v] >> search & 1u) << k;
    return level;
  }
  GR_HD void operator()(std::size_t v) const {
    std::uint64_t others = 0;  // a vertex has level 0 in its own search
    std::uint64_t hops = 0;
    for (int k = 0; k < planes.count; ++k) {
      others |= planes.of[k][v];
      hops += static_cast<std::uint64_t>(ones(planes.of[k][v])) << k;
    }
    reaching[v] += static_cast<VertexId>(ones(others));
    if (which == Closeness::mean) {
      sums[v] += static_cast<double>(hops);
      return;
    }
    for (int search = 0; others != 0; ++search, others >>= 1) {
      if ((others & 1u) != 0) sums[v] += 1.0 / level(v, search);
    }
  }
};

}  // namespace graphrun::closeness::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
ClosenessRun<Exec, View>::ClosenessRun(Exec& exec, const GraphView<View>& graph, Closeness which, const ClosenessOptions& options)
    : exec_(exec),
      num_vertices_(graph.num_vertices()),
      which_(which),
      options_(options),
      batch_(exec, graph, {.variant = options.variant}),
      reaching_(exec.template make_array<VertexId>(graph.num_vertices())),
      sums_(exec.template make_array<double>(graph.num_vertices())) {
  load_kernels<ClosenessRun>(exec_);
  for (const std::uint64_t source : options_.sources) {
    if (source < num_vertices_) continue;
    throw UsageError("vertex " + std::to_string(source) + " is not in the graph, which has " + std::to_string(num_vertices_) +
                     " vertices: no search can start there");
  }
}

template <class Exec, class View>
AlgoStats ClosenessRun<Exec, View>::run() {
  AlgoStats stats;
  fill(exec_, reaching_, VertexId{0});
  fill(exec_, sums_, 0.0);
  std::uint64_t done = 0;
  SavedState state(exec_, done, reaching_, sums_);
  Progress progress("searches from sources", searches(), "source");
  progress.advance(done);
  for (std::vector<VertexId> sources; done < searches(); state.save()) {
    sources.clear();
    for (const std::uint64_t end = std::min<std::uint64_t>(searches(), done + kMostSearches); done < end; ++done)
      sources.push_back(static_cast<VertexId>(options_.sources.empty() ? done : options_.sources[done]));
    const AlgoStats batch = batch_.run(sources);
    stats.edges_examined += batch.edges_examined;
    stats.iterations += batch.iterations;
    vertex_map(exec_, num_vertices_, closeness::AddLevels{batch_.planes(), which_, reaching_.data(), sums_.data()});
    progress.advance(sources.size());
  }
  exec_.synchronize();
  return stats;
}

template <class Exec, class View>
ClosenessOutput ClosenessRun<Exec, View>::output() {
  ClosenessOutput found{exec_.download(sums_), searches()};
  const auto reaching = exec_.download(reaching_);
  std::vector<double> others(num_vertices_, static_cast<double>(searches()));  // sources that are not the vertex
  if (options_.sources.empty()) {
    for (double& count : others) --count;
  } else {
    for (const std::uint64_t source : options_.sources) --others[source];
  }
  for (std::size_t v = 0; v < num_vertices_; ++v) {
    if (reaching[v] == 0) continue;  // the score is 0
    const auto reached_by = static_cast<double>(reaching[v]);
    double& score = found.scores[v];
    score = which_ == Closeness::mean ? reached_by / score * (reached_by / others[v])
                                      : score * ((static_cast<double>(num_vertices_) - 1) / others[v]);
  }
  return found;
}

}  // namespace graphrun::inline GR_IDS
