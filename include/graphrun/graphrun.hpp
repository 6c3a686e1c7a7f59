// SPDX-License-Identifier: Apache-2.0
// The public interface: a program that wants answers needs nothing else.
//
//   const graphrun::Graph web = graphrun::open("web.grf");
//   graphrun::Engine engine(web, {.backend = "bam", .device = "cuda", .cache = "1GiB"});
//   const auto search = engine.run(graphrun::Bfs{.source = 7});
//   std::cout << search.reached() << " reached in " << search.trial().elapsed_ms << " ms\n";
//
// Every error is an exception derived from graphrun::Error whose message is one sentence.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "graphrun/algorithms/sample.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/io/load.hpp"
#include "graphrun/run/result.hpp"

namespace graphrun::inline GR_IDS {

/// Reads `graph`: a file in any recognised format, or a generator such as "kron:20:16". Maps containers (.grf) and checks them
/// for damage by one full read, also where how.check is false. Throws DataError, UsageError, and UnavailableError when the
/// estimate exceeds the free memory.
Graph open(const std::string& graph, const LoadOptions& how = {});

/// Placement of edges and computation. Texts are as for graphrun's options.
struct EngineOptions {
  std::string backend = "auto";  ///< chooses for the current algorithm whenever edges are placed
  std::string device = "auto";
  std::string cache = {};                        ///< most edge bytes in the fast tier; backends without a cache ignore it
  int threads = 0;                               ///< host threads; 0: all, or one on a CPU for a tiny graph
  std::map<std::string, std::string> more = {};  ///< other placement options by name: {{"page", "8KiB"}}
};

// Requests to an engine. `source` is a vertex id from 0; Graph::names has the names of the input. `variant` is as graphrun's
// --variant, empty for the default. `trials` is the number of timed runs.

/// Breadth-first search along out-edges.
struct Bfs {
  VertexId source = 0;
  std::string variant = {};
  int trials = 1;
  bool verify = false;
};

/// Shortest paths along out-edges. Weights are the graph's own, else 1 an edge; `weights` chooses, as graphrun's --weights.
struct Sssp {
  VertexId source = 0;
  std::string weights = {};
  double delta = 0;  ///< width of a bucket of distances; 0: chosen from the weights
  int trials = 1;
  bool verify = false;
  std::string variant = {};
  FloatDistances distances = FloatDistances::f64;  ///< of f32 weights; see SsspOptions
};

/// Weakly connected components.
struct ConnectedComponents {
  std::string variant = {};
  int trials = 1;
  bool verify = false;
};

struct PageRank {
  double damping = 0.85;
  double tolerance = 1e-4;
  PagerankStop stop = PagerankStop::sum;  ///< the quantity that the tolerance bounds
  std::uint64_t max_iterations = 1000;
  std::string variant = {};
  int trials = 1;
  bool verify = false;
  std::vector<VertexId> restarts = {};  ///< personalised: vertices where walks restart, with equal probability; empty: all
  std::vector<double> shares = {};      ///< of each restart, in proportion; empty: alike
  std::string weights = {};             ///< as --weights; empty: every edge is followed alike
  bool certify = false;                 ///< compute the true residual: PageRankAnswer::certificate(); `largest` always does
};

/// Betweenness centrality over shortest paths in hops from the sources.
struct Betweenness {
  std::vector<VertexId> sources = {};  ///< empty: 4 random vertices with out-edges for gap; all vertices otherwise
  BcDefinition definition = BcDefinition::gap;
  std::string variant = {};
  int trials = 1;
  bool verify = false;
};

/// The number of triangles of an undirected graph.
struct Triangles {
  std::string variant = {};
  int trials = 1;
  bool verify = false;
};

/// The results of any run.
class Answer {
 public:
  explicit Answer(RunResult result) : result_(std::move(result)) {}

  /// Returns the last trial: time in ms, iterations, bytes moved.
  const TrialRecord& trial() const { return result_.trials.back(); }
  const std::vector<TrialRecord>& trials() const { return result_.trials; }
  /// Returns true when verification was requested and every trial passed.
  bool verified() const { return result_.verification == Verification::verified; }
  const RunResult& result() const { return result_; }
  /// Returns a per-vertex column by its name, such as "level"; docs/results.md gives the type T. Throws UsageError for an unknown
  /// name or another type.
  template <class T>
  std::span<const T> column(std::string_view name) const {
    const AnswerColumn* const found = result_.answer.column(name);
    if (const auto* values = found == nullptr ? nullptr : std::get_if<std::span<const T>>(&found->values)) return *values;
    throw UsageError("the answer has no column '" + std::string(name) + "' of this type");
  }
  /// Returns a number of docs/results.md, "What came out", such as "reached" or "sum_levels"; 0 for an unknown name.
  double number(std::string_view name) const { return result_.digests.back().number(name); }

 protected:
  template <class Output>
  const Output& output() const {
    return *result_.answer.as<Output>();
  }

 private:
  RunResult result_;
};

class BfsAnswer : public Answer {
 public:
  using Answer::Answer;
  /// Returns hops from the source, one a vertex; kUnreachedLevel where unreached.
  const std::vector<std::uint32_t>& values() const { return output<BfsOutput>().levels; }
  /// Returns the predecessor of each vertex on a shortest path; kNoVertex where unreached.
  const std::vector<VertexId>& parents() const { return output<BfsOutput>().parents; }
  std::uint64_t reached() const { return result().digests.back().count("reached"); }
};

class SsspAnswer : public Answer {
 public:
  using Answer::Answer;
  /// Returns one distance a vertex, infinity where unreached. Whole distances are exact below 2^53.
  std::vector<double> values() const;
  /// Returns the distances in the type of the run: u64 for whole weights, f64 for floats, or f32 by Sssp::distances.
  const Distances& distances() const { return output<SsspOutput>().distances; }
  std::uint64_t reached() const { return result().digests.back().count("reached"); }
};

class ComponentsAnswer : public Answer {
 public:
  using Answer::Answer;
  /// Returns one label a vertex: the id of a vertex of its component.
  const std::vector<VertexId>& values() const { return output<CcOutput>().labels; }
  std::uint64_t components() const { return result().digests.back().count("components"); }
};

class PageRankAnswer : public Answer {
 public:
  using Answer::Answer;
  /// Returns one score a vertex; scores sum to 1.
  const std::vector<double>& values() const { return output<PagerankOutput>().ranks; }
  /// Returns the last sweep's residual, relative to the sum of scores. The run converges when it is below the tolerance.
  double residual() const { return output<PagerankOutput>().residual; }
  /// Returns the change of the scores by one exact iteration; none unless PageRank::certify was set.
  const std::optional<PagerankCertificate>& certificate() const { return output<PagerankOutput>().certificate; }
  bool converged() const { return result().converged; }
};

class BetweennessAnswer : public Answer {
 public:
  using Answer::Answer;
  /// Returns one score a vertex, by Betweenness::definition.
  const std::vector<double>& values() const { return output<BcOutput>().scores; }
};

class TrianglesAnswer : public Answer {
 public:
  using Answer::Answer;
  std::uint64_t triangles() const { return result().digests.back().count("triangles"); }
};

/// What a custom algorithm reads beside out-edges.
struct Reads {
  bool in_edges = false;
  bool undirected = false;                ///< accepts only graphs that store every edge in both directions
  WeightKind weights = WeightKind::none;  ///< of out-edges: the graph's own, else u32 weights of 1; accepts no others
};

/// The results of a custom algorithm.
template <class Own>
class OwnAnswer {
 public:
  OwnAnswer(std::vector<TrialRecord> trials, typename Own::Output output)
      : trials_(std::move(trials)), output_(std::move(output)) {}

  const typename Own::Output& values() const { return output_; }
  /// Returns the last trial: time in ms, iterations, bytes moved.
  const TrialRecord& trial() const { return trials_.back(); }
  const std::vector<TrialRecord>& trials() const { return trials_; }

 private:
  std::vector<TrialRecord> trials_;
  typename Own::Output output_;
};

/// A graph with placed edges, for any number of runs. It places them at the first run, and again when a run needs weights or
/// in-edges that were not placed; the log says so. One thread at a time. Engines on different GPUs may coexist.
class Engine {
 public:
  class Parts;  ///< the library's

  /// Keeps the memory of the graph alive. Throws UsageError and UnavailableError.
  explicit Engine(const Graph& graph, const EngineOptions& options = {});
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  // Each throws UsageError, UnavailableError and RunError. A wrong answer does not throw: verified() is false then.
  BfsAnswer run(const Bfs& what);
  SsspAnswer run(const Sssp& what);
  ComponentsAnswer run(const ConnectedComponents& what);
  PageRankAnswer run(const PageRank& what);
  BetweennessAnswer run(const Betweenness& what);
  TrianglesAnswer run(const Triangles& what);
  /// Samples neighbours of start vertices over several hops: a batch for training. Weights default to Sssp's. Throws UsageError
  /// also when a start or a fanout is out of range, and by weight for several ranks.
  OwnAnswer<Sampling> run(const Sampling& what);
  /// Runs an algorithm by its name, with command-line options: run("cc", {{"variant", "hooking"}}).
  Answer run(const std::string& algorithm, const std::map<std::string, std::string>& options = {});
  /// Runs with the program's options as texts (set_option()): algorithm, its options, sources, weights, trials, verification. The
  /// graph and the placement are the engine's.
  RunResult run(const RunOptions& what);
  /// Runs a custom algorithm, whose source includes graphrun/algorithm.hpp. Throws UsageError when several ranks cannot merge
  /// what a functor of it changes (graphrun/ops/ranks.hpp).
  template <class Own>
  OwnAnswer<Own> run(const Own& what);

 private:
  /// Runs trial(session, is_last) `trials` times, in a session with the data of `reads`. `on_gpu`: GPUs can run it with these
  /// ids.
  RunResult run_custom(const char* name, const Reads& reads, int trials, const std::function<Trial(Session&, bool)>& trial,
                       bool on_gpu = true);

  std::unique_ptr<Parts> parts_;
};

}  // namespace graphrun::inline GR_IDS
