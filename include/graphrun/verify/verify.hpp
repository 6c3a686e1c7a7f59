// Serial oracles. Nothing here shares code with the kernels: only graph/ and core/ are used. properties.hpp has checks by all
// threads, which give the same verdicts.
//
// Graphs must be valid (check_csr); answers may be anything: a wrong size or an id out of range makes a verdict, not a
// crash. Every check costs one thread O(n + m), check_sssp a logarithm more, and a few words a vertex. A graph without
// vertices has one right answer, the empty one, for every source.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/graph/graph.hpp"

namespace graphrun::inline GR_IDS {
struct CdlpOutput;  // algorithms/cdlp.hpp
}

namespace graphrun::verify::inline GR_IDS {

struct Verdict {
  bool correct = true;
  std::string reason;              ///< when wrong: what is wrong at the first vertex that differs
  std::uint64_t longest_path = 0;  ///< of right f32 distances: the most edges of a path that one is the sum of

  explicit operator bool() const { return correct; }
};

/// Levels against a serial search; parents by their arcs: parents[source] is the source, every other parent is one level
/// up and has the arc (Graph500's five checks follow from these).
Verdict check_bfs(const Graph& graph, const BfsOutput& output);

/// Levels of each search of a batch against a serial search, one after another.
Verdict check_bfs_batch(const Graph& graph, const BfsBatchOutput& output);

/// Distances against Dijkstra's algorithm: u64 sums of u32 weights are equal. Sums of f32 weights are compared with those in long
/// double, from which they differ by at most what rounding explains: half an ulp (2^-53, or 2^-24 of f32 distances, relative) for
/// each edge of the path. f32 distances stop at the largest float. Throws UsageError when the graph has no weights, or one is met
/// that is negative, infinite or not a number.
Verdict check_sssp(const Graph& graph, const SsspOutput& output);

/// Labels against a serial union-find over all arcs: the same partition, and each label a member of its component.
Verdict check_cc(const Graph& graph, const CcOutput& output);

/// One more iteration in 64-bit floats, dangling mass spread uniformly, changes the ranks by at most
/// 2 * damping * tolerance (docs/notes/algorithms.md says why) plus what rounding explains, 32-bit rounding when
/// `single_precision`; all ranks are at least what teleporting gives, (1-damping)/n, times (1 - slack), with slack
/// damping/(1-damping) * tolerance plus rounding, and their sum is 1 within 1e-6 (1e-9 in double precision). When `converged` is
/// false (the iteration limit was reached) only the last two are checked, and slack is `damping`: ranks that are scaled to sum 1
/// on their way may be that much lower. Restarts are where teleporting leads and dangling mass goes, each as often; none: all
/// vertices. Where `converged`, the iteration changes no rank by more than `largest` and rounding.
Verdict check_pagerank(const Graph& graph, const PagerankOutput& output, double damping, double tolerance, bool single_precision,
                       bool converged, const std::vector<std::uint64_t>& restarts = {},
                       double largest = std::numeric_limits<double>::infinity());

/// Scores against Brandes' algorithm with a queue, by the path counts and dependencies of one thread in 64-bit floats: no score
/// differs by more than a ten-millionth of itself, which is far more than rounding explains. `output` must have these sources and
/// this definition. `sampled`: the sources stand for all vertices (BcOptions).
Verdict check_bc(const Graph& graph, const BcOutput& output, const std::vector<std::uint64_t>& sources,
                 BcDefinition definition = BcDefinition::gap, bool sampled = false);

/// The number against that of a serial count: neighbours of each vertex are marked, and edges between them looked for in lists
/// that are sorted and have no entry twice.
Verdict check_tc(const Graph& graph, const TcOutput& output);

/// Labels against serial_cdlp(), each and exactly.
Verdict check_cdlp(const Graph& graph, const CdlpOutput& output, std::uint64_t max_iterations);

/// Serial reference results, for tests. Throw UsageError when the source is no vertex (or as check_sssp does).
std::vector<std::uint32_t> serial_bfs_levels(const Csr& csr, VertexId source);
Distances serial_sssp(const Graph& graph, VertexId source);  ///< f64 for f32 weights, rounded once
std::vector<VertexId> serial_components(const Csr& csr);     ///< smallest id of each vertex's weak component
/// Jacobi iteration in 64-bit floats from where teleporting leads until the sum of changes falls below `tolerance`.
PagerankOutput serial_pagerank(const Csr& csr, double damping, double tolerance, std::uint64_t max_iterations,
                               const std::vector<std::uint64_t>& restarts = {});

BcOutput serial_bc(const Graph& graph, const std::vector<std::uint64_t>& sources, BcDefinition definition = BcDefinition::gap,
                   bool sampled = false);
/// Of an undirected graph: each arc has its opposite.
std::uint64_t serial_triangles(const Csr& csr);
/// Sorts the labels of the neighbours of each vertex, in each iteration.
CdlpOutput serial_cdlp(const Graph& graph, std::uint64_t max_iterations);

}  // namespace graphrun::verify::inline GR_IDS
