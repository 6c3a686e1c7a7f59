// SPDX-License-Identifier: Apache-2.0
// Scores that tell how often neighbour sampling reads the row of a vertex (Min, dissertation, section 4.2.1). Sampling follows
// arcs from training vertices on; the paper's in-edges are the out-arcs here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/graph/scratch.hpp"

namespace graphrun::inline GR_IDS {

/// Where the walks of a reverse PageRank begin and restart.
enum class WalkStart {
  anywhere,      ///< begin and restart at any vertex: reverse PageRank
  weighted,      ///< begin anywhere, more often at the starts; restart anywhere: the paper's algorithm 2
  personalised,  ///< begin and restart at the starts: personalised PageRank
};

/// The number that stands for a score of 1.
inline constexpr std::uint64_t kWholeScore = std::uint64_t{1} << 58;

/// Returns the number of arcs that lead to each vertex.
std::vector<std::uint64_t> arc_counts(const Csr& out, const Workspace& space = {});

/// Returns each vertex's score after five passes over the arcs (later passes forget the starts), damped by 0.85, in fixed point:
/// the same on any number of threads. A vertex passes its score on in equal shares. WalkStart::weighted multiplies the initial
/// scores of the starts by vertices / starts. Requires distinct starts, none for anywhere.
std::vector<std::uint64_t> walk_scores(const Csr& out, WalkStart start, std::span<const VertexId> starts, ThreadPool& pool,
                                       const Workspace& space = {});

/// Returns the vertices by descending score, smaller ids first on ties.
std::vector<VertexId> by_descending(std::span<const std::uint64_t> scores);

}  // namespace graphrun::inline GR_IDS
