// Properties of an answer that only the right answer has, checked by all threads of a pool in passes over the edges.
//
// The verdicts are those of the serial oracles (verify.hpp), which compute the answer anew; these do not, so that they cost a
// pass or two and a few bytes a vertex. A pass takes the edges in the order in which they lie, and can give back the pages of
// a mapped file behind it, so that the file may be larger than memory. Nothing here shares code with the kernels.
//
// Graphs must be valid (check_csr); answers may be anything. The reason names the first arc, in the order of the edge list,
// or the smallest vertex that breaks a property, with any number of threads.
#pragma once

#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/verify/verify.hpp"

namespace graphrun::verify::inline GR_IDS {

/// How a check goes over the edges.
struct Passes {
  ThreadPool& pool;
  bool release = false;    ///< takes what a pass has seen of a mapped file out of this process (Column::release)
  EdgeId piece_edges = 0;  ///< that a thread takes at a time; 0: chosen by the number of edges
};

/// Graph500's validation. The source is at level 0; an arc from a reached vertex leads to one that is reached, at most one
/// level deeper; parents[source] is the source, and every other parent is one level up and has the arc, so that each level
/// has a witness. One pass, a bit a vertex.
Verdict check_bfs_properties(const Graph& graph, const BfsOutput& output, const Passes& how);

/// The same of all searches of a batch, without parents: each reached vertex but the source of a search has an arc from one that
/// is one level up. One pass for all of them, with the arithmetic of levels on 64 searches at a time; 8 bytes a vertex.
Verdict check_bfs_batch_properties(const Graph& graph, const BfsBatchOutput& output, const Passes& how);

/// The source has distance 0; no arc relaxes, with sums that are exact for whole weights and rounded once, by at most half an
/// ulp, for floats; each other reached vertex has a way of tight arcs from the source. A tight arc from a smaller distance is
/// witness enough, because distances cannot fall for ever. Some vertices have tight arcs from equal distances only (zero weights,
/// or floats that round away): a search along tight arcs must reach each from a vertex with a witness, or two could be witnesses
/// of each other.
/// One pass and a bit a vertex; with such vertices two passes and up to 16 bytes a vertex. Throws UsageError as check_sssp()
/// does.
Verdict check_sssp_properties(const Graph& graph, const SsspOutput& output, const Passes& how);

/// A union of the ends of all arcs by all threads has the same parts, and each label is a member of its part. One pass, a word
/// a vertex.
Verdict check_cc_properties(const Graph& graph, const CcOutput& output, const Passes& how);

/// The limits of check_pagerank(). Where the graph is its own transpose, or has one, ranks are gathered along it, after sums of
/// hashes have shown that it holds the same arcs; else they are scattered. Two passes, three with a transpose beside the
/// graph; a word of 64 bits a vertex.
Verdict check_pagerank_properties(const Graph& graph, const PagerankOutput& output, double damping, double tolerance,
                                  bool single_precision, bool converged, const Passes& how,
                                  const std::vector<std::uint64_t>& restarts = {},
                                  double largest = std::numeric_limits<double>::infinity());

}  // namespace graphrun::verify::inline GR_IDS
