// SPDX-License-Identifier: Apache-2.0
// Properties of an answer that only the right answer has, checked by all threads of a pool in passes over the edges.
//
// The verdicts equal the serial oracles' (verify.hpp), which compute the answer anew; checks of properties cost a pass or two and
// a few bytes a vertex instead. A pass takes the edges in storage order, and can give back the pages of a mapped file after it,
// so that the file may be larger than memory. Nothing here shares code with the kernels.
//
// Graphs must be valid (check_csr); answers may be anything. The reason names the first arc, in the order of the edge list,
// or the smallest vertex that breaks a property, with any number of threads.
#pragma once

#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/verify/verify.hpp"

namespace graphrun::verify::inline GR_IDS {

/// How a check passes over the edges.
struct Passes {
  ThreadPool& pool;
  bool release = false;    ///< drops pages that a pass has seen from this process (Column::release)
  EdgeId piece_edges = 0;  ///< edges that a thread takes at a time; 0: chosen by the number of edges
};

/// Checks Graph500's rules. The source is at level 0; an arc from a reached vertex leads to a reached vertex, at most one level
/// deeper; parents[source] is the source, and every other parent is one level up and has the arc, so that each level has a
/// witness. One pass, a bit a vertex.
Verdict check_bfs_properties(const Graph& graph, const BfsOutput& output, const Passes& how);

/// Checks all searches of a batch, without parents: each reached vertex but the source of a search has an arc from a vertex one
/// level up. One pass for all of them, with the arithmetic of levels on 64 searches at a time; 8 bytes a vertex.
Verdict check_bfs_batch_properties(const Graph& graph, const BfsBatchOutput& output, const Passes& how);

/// Checks distances. The source has distance 0; no arc relaxes, with sums that are exact for whole weights and rounded once, by
/// at most half an ulp, for floats; a path of tight arcs leads from the source to each other reached vertex. A tight arc from a
/// smaller distance is witness enough, because distances cannot fall for ever. Some vertices have tight arcs from equal distances
/// only (zero weights, or floats that round away): a search along tight arcs must reach each from a vertex with a witness, or two
/// could be witnesses of each other. One pass and a bit a vertex; with such vertices two passes and up to 16 bytes a vertex.
/// Throws UsageError as check_sssp() does.
Verdict check_sssp_properties(const Graph& graph, const SsspOutput& output, const Passes& how);

/// Checks components: a union of the ends of all arcs by all threads has the same parts, and each label is a member of its part.
/// One pass, a word a vertex.
Verdict check_cc_properties(const Graph& graph, const CcOutput& output, const Passes& how);

/// Checks scores by the limits of check_pagerank(). Scores are gathered along a symmetric graph or a transpose, after hashes have
/// shown that it holds the same arcs; else they are scattered. Two passes, three with a transpose beside the graph; a word of 64
/// bits a vertex.
Verdict check_pagerank_properties(const Graph& graph, const PagerankOutput& output, double damping, double tolerance,
                                  bool single_precision, bool converged, const Passes& how,
                                  const std::vector<std::uint64_t>& restarts = {},
                                  double largest = std::numeric_limits<double>::infinity(),
                                  const std::vector<double>& shares = {});

}  // namespace graphrun::verify::inline GR_IDS
