// SPDX-License-Identifier: Apache-2.0
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

namespace graphrun {
enum class Centrality;
enum class Closeness;
struct CentralityOptions;
struct WalksOptions;
}  // namespace graphrun

namespace graphrun::inline GR_IDS {
struct CdlpOutput;        // algorithms/cdlp.hpp
struct CentralityOutput;  // algorithms/centrality.hpp
struct ClosenessOutput;   // algorithms/closeness.hpp
struct KcoreOutput;       // algorithms/kcore.hpp
struct LccOutput;         // algorithms/lcc.hpp
struct LouvainOutput;     // algorithms/louvain.hpp
struct MisOutput;         // algorithms/mis.hpp
struct MsfOutput;         // algorithms/msf.hpp
struct SccOutput;         // algorithms/scc.hpp
struct TopoOutput;        // algorithms/topo.hpp
struct WalksOutput;       // algorithms/walks.hpp
}  // namespace graphrun::inline GR_IDS

namespace graphrun::verify::inline GR_IDS {

struct Verdict {
  bool correct = true;
  std::string reason;              ///< when wrong: the fault at the first vertex that differs
  std::uint64_t longest_path = 0;  ///< of right f32 distances: the most edges of a path that gives one

  explicit operator bool() const { return correct; }
};

/// Compares levels with a serial search; checks parents by their arcs: parents[source] is the source, every other parent is one
/// level up and has the arc (Graph500's five checks follow from these).
Verdict check_bfs(const Graph& graph, const BfsOutput& output);

/// Compares the levels of each search of a batch with a serial search, one after another.
Verdict check_bfs_batch(const Graph& graph, const BfsBatchOutput& output);

/// Compares distances with Dijkstra's algorithm: u64 sums of u32 weights are equal. Sums of f32 weights are compared with sums in
/// long double, and differ by at most the rounding: half an ulp (2^-53, or 2^-24 of f32 distances, relative) for each edge of the
/// path. f32 distances stop at the largest float. Throws UsageError when the graph has no weights, or a weight is negative,
/// infinite or not a number.
Verdict check_sssp(const Graph& graph, const SsspOutput& output);

/// Compares labels with a serial union-find over all arcs: the same partition, and each label a member of its component.
Verdict check_cc(const Graph& graph, const CcOutput& output);

/// Checks scores. One more iteration in 64-bit floats, dangling mass spread uniformly, changes the scores by at most 2 * damping
/// * tolerance (docs/notes/algorithms.md says why) plus rounding, of 32 bits when `single_precision`. All scores are at least the
/// teleported (1-damping)/n times (1 - slack), with slack damping/(1-damping) * tolerance plus rounding, and their sum is 1
/// within 1e-6 (1e-9 in double precision). When `converged` is false (the iteration limit was reached) only the last two are
/// checked, and slack is `damping`: scores that are scaled to sum 1 on their way may be that much lower. Restarts get teleported
/// and dangling mass, each as often; none: all vertices do. When `converged`, the iteration changes no score by more than
/// `largest` and rounding. Reported numbers are checked too: the certificate is the change by this iteration, and the residual of
/// a converged run is below the tolerance, unless `largest` is finite. `weighted`: scores are spread in proportion to weights.
/// `shares` of each restart; none: alike.
Verdict check_pagerank(const Graph& graph, const PagerankOutput& output, double damping, double tolerance, bool single_precision,
                       bool converged, const std::vector<std::uint64_t>& restarts = {},
                       double largest = std::numeric_limits<double>::infinity(), bool weighted = false,
                       const std::vector<double>& shares = {});

/// Compares scores and residual after exactly `sweeps` Jacobi iterations with serial_pagerank(): no score differs by more than a
/// billionth of itself, far more than rounding.
Verdict check_pagerank_sweeps(const Graph& graph, const PagerankOutput& output, double damping, std::uint64_t sweeps,
                              const std::vector<std::uint64_t>& restarts = {});

/// Compares scores with Brandes' algorithm with a queue, by the path counts and dependencies of one thread in 64-bit floats: no
/// score differs by more than a ten-millionth of itself, far more than rounding. `output` must have these sources and this
/// definition. `sampled`: the sources stand for all vertices (BcOptions).
Verdict check_bc(const Graph& graph, const BcOutput& output, const std::vector<std::uint64_t>& sources,
                 BcDefinition definition = BcDefinition::gap, bool sampled = false);

/// Compares the number with a serial count, which marks neighbours of each vertex, and looks for edges between them in lists that
/// are sorted and have no entry twice.
Verdict check_tc(const Graph& graph, const TcOutput& output);

/// Compares arcs exactly, and coefficients within 1e-12, with serial_lcc(), which marks neighbours of larger degree.
Verdict check_lcc(const Graph& graph, const LccOutput& output);

/// Compares each label exactly with serial_cdlp().
Verdict check_cdlp(const Graph& graph, const CdlpOutput& output, std::uint64_t max_iterations);

/// Compares scores, norm and residual with serial_centrality() after as many sweeps: no score differs by more than a
/// hundred-millionth of itself. When `converged`, the last sweep changes them by less than the tolerance; otherwise the run came
/// to its limit of iterations, or the sums to kNoLimit.
Verdict check_centrality(const Graph& graph, const CentralityOutput& output, const CentralityOptions& options, bool converged);

/// Compares each score exactly with serial_closeness().
Verdict check_closeness(const Graph& graph, const ClosenessOutput& output, Closeness which,
                        const std::vector<std::uint64_t>& sources);

/// Compares each step of each walk, and the numbers, with serial_walk().
Verdict check_walks(const Graph& graph, const WalksOutput& output, const WalksOptions& options);

/// Compares each coreness with serial_cores().
Verdict check_kcore(const Graph& graph, const KcoreOutput& output);

/// Compares each label with serial_strong_components().
Verdict check_scc(const Graph& graph, const SccOutput& output);

/// Checks that each level is the largest one of its predecessors, and one more; 0 without any. Such levels are right, and exist
/// only without cycles.
Verdict check_topo(const Graph& graph, const TopoOutput& output);

/// Compares each member with serial_independent_set().
Verdict check_mis(const Graph& graph, const MisOutput& output);

/// Computes the modularity anew, which has to be as large as with a community a vertex, and looks for two communities that would
/// gain by joining: there are none. Then it is as large as that of one community, 1 - resolution.
Verdict check_louvain(const Graph& graph, const LouvainOutput& output, double resolution, bool weighted);

/// Compares components with serial_components(), and the edges to parents with those that Kruskal's algorithm takes, which sorts
/// all edges.
Verdict check_msf(const Graph& graph, const MsfOutput& output);

/// Returns serial reference results, for tests. Throws UsageError when the source is no vertex (or as check_sssp does).
std::vector<std::uint32_t> serial_bfs_levels(const Csr& csr, VertexId source);
Distances serial_sssp(const Graph& graph, VertexId source);  ///< f64 for f32 weights, rounded once
std::vector<VertexId> serial_components(const Csr& csr);     ///< smallest id of each vertex's weak component
/// Makes Jacobi iterations in 64-bit floats from the teleport distribution until the sum of changes falls below `tolerance`.
PagerankOutput serial_pagerank(const Csr& csr, double damping, double tolerance, std::uint64_t max_iterations,
                               const std::vector<std::uint64_t>& restarts = {});

BcOutput serial_bc(const Graph& graph, const std::vector<std::uint64_t>& sources, BcDefinition definition = BcDefinition::gap,
                   bool sampled = false);
/// Counts triangles of an undirected graph: each arc has its opposite.
std::uint64_t serial_triangles(const Csr& csr);
/// Sorts the labels of the neighbours of each vertex, in each iteration.
CdlpOutput serial_cdlp(const Graph& graph, std::uint64_t max_iterations);
LccOutput serial_lcc(const Csr& csr);
/// Makes the sweeps of CentralityRun along out-edges.
CentralityOutput serial_centrality(const Csr& csr, Centrality which, double attenuation, std::uint64_t iterations);
/// Adds up the levels of one search after another, from `sources`, or all vertices where there are none.
std::vector<double> serial_closeness(const Csr& csr, Closeness which, const std::vector<std::uint64_t>& sources);
/// Returns a walk by its number: a vertex a step, and kNoVertex after its end.
std::vector<VertexId> serial_walk(const Graph& graph, const WalksOptions& options, std::uint64_t number);
/// Returns the coreness of each vertex, by removing one vertex after another.
std::vector<VertexId> serial_cores(const Graph& graph);
/// Returns the smallest vertex of each vertex's strong component, by one search depth first.
std::vector<VertexId> serial_strong_components(const Csr& csr);
/// Returns 1 for members of the set that takes vertices in the order of splitmix64, unless a neighbour was taken.
std::vector<std::uint32_t> serial_independent_set(const Csr& csr);

}  // namespace graphrun::verify::inline GR_IDS
