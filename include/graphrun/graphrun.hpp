// The front door: a program that wants answers needs nothing else.
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

/// Reads `graph`: a file in any format that is recognised, or a generator such as "kron:20:16". Containers (.grf) are mapped, and
/// read through once to see that they are undamaged, also where how.check is false. Throws DataError, UsageError, and
/// UnavailableError when it is estimated to need more memory than is free.
Graph open(const std::string& graph, const LoadOptions& how = {});

/// Where edges live and who computes. Texts are as graphrun's options take them.
struct EngineOptions {
  std::string backend = "auto";  ///< chooses whenever edges are placed, for the algorithm that runs then
  std::string device = "auto";
  std::string cache = {};                        ///< most edge bytes in the fast tier; backends without a cache leave it alone
  int threads = 0;                               ///< host threads; 0: all, or one on a CPU for a tiny graph
  std::map<std::string, std::string> more = {};  ///< other options of placement by their names: {{"page", "8KiB"}}
};

// What an engine can be asked for. `source` is a vertex by its number from 0; Graph::names has the names of the input.
// `variant` is as graphrun's --variant, empty for the default. `trials` runs of each are timed.

/// Breadth-first search along out-edges.
struct Bfs {
  VertexId source = 0;
  std::string variant = {};
  int trials = 1;
  bool verify = false;
};

/// Shortest paths along out-edges. The weights are the graph's own, else 1 an edge; `weights` chooses, as graphrun's --weights.
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
  PagerankStop stop = PagerankStop::sum;  ///< what the tolerance is on
  std::uint64_t max_iterations = 1000;
  std::string variant = {};
  int trials = 1;
  bool verify = false;
  std::vector<VertexId> restarts = {};  ///< personalised: where the walk restarts, each as often; empty: at all
  bool certify = false;                 ///< find the true residual: PageRankAnswer::certificate(); `largest` always does
};

/// Betweenness centrality: of shortest paths in hops from the sources.
struct Betweenness {
  std::vector<VertexId> sources = {};  ///< empty: 4 vertices that have out-edges, drawn at random; not by gap: all vertices
  BcDefinition definition = BcDefinition::gap;
  std::string variant = {};
  int trials = 1;
  bool verify = false;
};

/// How many triangles an undirected graph has.
struct Triangles {
  std::string variant = {};
  int trials = 1;
  bool verify = false;
};

/// What every run leaves behind.
class Answer {
 public:
  explicit Answer(RunResult result) : result_(std::move(result)) {}

  /// The last trial: its time, iterations, bytes moved.
  const TrialRecord& trial() const { return result_.trials.back(); }
  const std::vector<TrialRecord>& trials() const { return result_.trials; }
  /// True when it was asked for and every trial passed.
  bool verified() const { return result_.verification == Verification::verified; }
  const RunResult& result() const { return result_; }
  /// A column over the vertices by its name, such as "level"; T is the type that docs/results.md names. Throws UsageError where
  /// there is none, or one of another type.
  template <class T>
  std::span<const T> column(std::string_view name) const {
    const AnswerColumn* const found = result_.answer.column(name);
    if (const auto* values = found == nullptr ? nullptr : std::get_if<std::span<const T>>(&found->values)) return *values;
    throw UsageError("the answer has no column '" + std::string(name) + "' of this type");
  }
  /// A number of docs/results.md, "What came out", such as "reached" or "sum_levels"; 0 where there is none of this name.
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
  /// Hops from the source, one a vertex; kUnreachedLevel where unreached.
  const std::vector<std::uint32_t>& values() const { return output<BfsOutput>().levels; }
  /// The vertex before each on a shortest path; kNoVertex where unreached.
  const std::vector<VertexId>& parents() const { return output<BfsOutput>().parents; }
  std::uint64_t reached() const { return result().digests.back().count("reached"); }
};

class SsspAnswer : public Answer {
 public:
  using Answer::Answer;
  /// One a vertex; infinity where unreached. Whole distances are exact below 2^53.
  std::vector<double> values() const;
  /// As they were computed: u64 for whole weights, f64 for floats, or f32 where Sssp::distances says so.
  const Distances& distances() const { return output<SsspOutput>().distances; }
  std::uint64_t reached() const { return result().digests.back().count("reached"); }
};

class ComponentsAnswer : public Answer {
 public:
  using Answer::Answer;
  /// The id of a vertex of its component, one a vertex.
  const std::vector<VertexId>& values() const { return output<CcOutput>().labels; }
  std::uint64_t components() const { return result().digests.back().count("components"); }
};

class PageRankAnswer : public Answer {
 public:
  using Answer::Answer;
  /// Summing to 1, one a vertex.
  const std::vector<double>& values() const { return output<PagerankOutput>().ranks; }
  /// What the last sweep tells of the residual, relative to the sum of ranks: the run ends when it is below the tolerance.
  double residual() const { return output<PagerankOutput>().residual; }
  /// By how much one exact iteration changes these ranks; none where PageRank::certify was not set.
  const std::optional<PagerankCertificate>& certificate() const { return output<PagerankOutput>().certificate; }
  bool converged() const { return result().converged; }
};

class BetweennessAnswer : public Answer {
 public:
  using Answer::Answer;
  /// Scores by Betweenness::definition, one a vertex.
  const std::vector<double>& values() const { return output<BcOutput>().scores; }
};

class TrianglesAnswer : public Answer {
 public:
  using Answer::Answer;
  std::uint64_t triangles() const { return result().digests.back().count("triangles"); }
};

/// What an algorithm of one's own reads beside out-edges.
struct Reads {
  bool in_edges = false;
  bool undirected = false;                ///< only graphs that store every edge in both directions; others are refused
  WeightKind weights = WeightKind::none;  ///< of out-edges: the graph's own, else 1 an edge, which are u32; others are refused
};

/// Of an algorithm of one's own.
template <class Own>
class OwnAnswer {
 public:
  OwnAnswer(std::vector<TrialRecord> trials, typename Own::Output output)
      : trials_(std::move(trials)), output_(std::move(output)) {}

  const typename Own::Output& values() const { return output_; }
  /// The last trial: its time, iterations, bytes moved.
  const TrialRecord& trial() const { return trials_.back(); }
  const std::vector<TrialRecord>& trials() const { return trials_; }

 private:
  std::vector<TrialRecord> trials_;
  typename Own::Output output_;
};

/// A graph whose edges are placed, asked for as many answers as wanted. Edges are placed when an algorithm first needs them, and
/// anew when one needs weights or in-edges that were not placed; the log says so. One thread at a time. Engines on different
/// GPUs may live beside each other.
class Engine {
 public:
  class Parts;  ///< the library's

  /// The engine keeps the memory of the graph alive. Throws UsageError and UnavailableError.
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
  /// Neighbours of some vertices, of these, and so on: a batch for training. Weights as Sssp's are where none are named. Throws
  /// UsageError also when a start or a fanout is out of range, and for several ranks.
  OwnAnswer<Sampling> run(const Sampling& what);
  /// An algorithm by its name, with options as the command line takes them: run("cc", {{"variant", "hooking"}}).
  Answer run(const std::string& algorithm, const std::map<std::string, std::string>& options = {});
  /// A run by the options of the program, for what takes these as texts (set_option()): algorithm, its options, sources, weights,
  /// trials, how to verify. The graph and the placement are the engine's.
  RunResult run(const RunOptions& what);
  /// An algorithm of one's own, whose source includes graphrun/algorithm.hpp: that says what it has.
  template <class Own>
  OwnAnswer<Own> run(const Own& what);

 private:
  /// Runs trial(session, is_last) so often, in a session that reaches what it reads. `on_gpu`: GPUs run it with these ids.
  RunResult run_custom(const char* name, const Reads& reads, int trials, const std::function<Trial(Session&, bool)>& trial,
                       bool on_gpu = true);

  std::unique_ptr<Parts> parts_;
};

}  // namespace graphrun::inline GR_IDS
