// What the program knows of an algorithm beside how it computes: names, needs, and how to run, verify and show it. One class
// each, in the files beside this one.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/access_pattern.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/io/estimate.hpp"
#include "graphrun/run/result.hpp"
#include "graphrun/verify/properties.hpp"
#include "graphrun/verify/verify.hpp"

namespace graphrun::inline GR_IDS {

using Json = nlohmann::ordered_json;

/// Bytes a vertex that an algorithm takes beside the rows: state, frontiers, queues and the answer. Measured on graphs of degree
/// 4 and 32 and rounded up; searches over subgraphs have labels of 64 bits.
struct StateBytes {
  std::uint64_t run;
  std::uint64_t verified;   ///< with those of a check of properties
  std::uint64_t by_serial;  ///< with the serial oracle's
};

/// The value of v, of a column with one a vertex; null where it has none.
Json column_value(const AnswerColumn& column, VertexId v);

/// What --top lists: vertices with the largest values, in descending order.
struct TopValues {
  std::string_view name;  ///< of the values
  std::vector<std::pair<VertexId, Json>> rows;
  std::string_view of = "vertex";  ///< what has the values
};
TopValues top_of(const AnswerColumn& column, std::size_t k);

// A digest as results have it. Texts have the names of JSON with blanks, and the three highest scores.
Json digest_json(const Digest& digest, const VertexNames& names);
std::string digest_text(const Digest& digest, const VertexNames& names);

/// Edges that GTEPS counts.
enum class Rate {
  examined,  ///< by the trial
  reached,   ///< out-edges of the vertices that have a value, undirected ones counted once
  graph,     ///< all, undirected ones counted once
};
/// None: those that were examined.
std::optional<double> counted_edges(Rate rate, const Graph& graph, const AnswerData& answer);

/// What is the same for all runs of an algorithm.
struct AlgorithmFacts {
  const char* name;
  const char* about = "";    ///< what its answer is, in words that follow its name
  bool has_sources = false;  ///< a trial starts from one vertex
  /// Where a trial that starts from several vertices has them; null for those that do not.
  std::vector<std::uint64_t>& (*source_set)(RunOptions&) = nullptr;
  bool needs_sources = has_sources;  ///< sources are drawn where none is named
  bool needs_undirected = false;
  bool needs_weights = false;
  bool has_properties = true;      ///< there is a check that costs less than the answer computed anew
  const char* why_no_values = "";  ///< why its answer has no columns; empty: it has
  Rate rate = Rate::examined;
  /// What GTEPS is, in words, where no other algorithm has the same; {} stands for what kHalved says of an undirected graph.
  const char* rate_text = "";
};

/// The defaults of its functions are those of a custom algorithm.
class AlgorithmInfo {
 public:
  explicit AlgorithmInfo(const AlgorithmFacts& its) : facts(its) {}
  virtual ~AlgorithmInfo() = default;

  const AlgorithmFacts facts;

  /// Rows of the options that it alone reads.
  virtual std::vector<RunOption> options() const { return {}; }
  /// Throws UsageError when options of its own are out of their range or do not fit together.
  virtual void check_options(const RunOptions&) const {}
  /// How many sources are drawn at a time; 0: a trial starts from all vertices.
  virtual int usual_sources(const RunOptions&) const { return 1; }
  /// Whether sources are drawn among all vertices, each once, and not by GAP's rule.
  virtual bool draws_distinct(const RunOptions&) const { return false; }
  /// Whether it walks in-edges, so that a directed graph needs its transpose.
  virtual bool needs_transpose(const RunOptions&) const { return false; }
  virtual StateBytes state(const RunOptions&) const { return {36, 44, 64}; }
  /// Bytes that it takes beside that for a graph with so many arcs.
  virtual std::uint64_t buffer_bytes(const RunOptions&, std::uint64_t) const { return 0; }
  /// Bytes that a run takes beside rows and edges, with those of the check that it asks for.
  virtual std::uint64_t taken_bytes(const RunOptions& options, const LoadEstimate& graph) const;

  virtual AccessPattern access_pattern(const RunOptions&, const LoadEstimate&) const;
  /// `first`: how many edges of each list are near.
  virtual LinkTraffic link_traffic(const RunOptions&, const LoadEstimate&, double first) const;
  /// Of the bytes that a cold trial on a CPU moves over lists that are not thin, the share left when so many leading edges of
  /// each are near.
  virtual double share_beyond_prefixes(const RunOptions&, const LoadEstimate&, double) const { return 1; }

  /// Whether it reads Csr::records, and no neighbours.
  virtual bool reads_records(const RunOptions&) const { return false; }

  virtual std::vector<std::string_view> variants() const { return {}; }
  /// Replaces a variant that is left to the run by one that suits the graph; returns why, or nothing where one was named.
  virtual std::string settle(RunOptions&, const LoadEstimate&, DeviceKind) const { return {}; }
  virtual void set_variant(RunOptions&, const std::string&) const {}
  virtual const char* variant(const RunOptions&) const { return ""; }

  /// One trial; `sources` is for those that have sources: one, or a batch. Fills `answer` unless it is null.
  virtual Trial run(Session& session, std::span<const VertexId> sources, const RunOptions& options, AnswerData* answer) const = 0;
  /// As the options say; `how` is for checks of properties.
  virtual verify::Verdict check(const Graph&, const AnswerData&, const RunOptions&, bool converged,
                                const verify::Passes& how) const;
  /// Why the answer did not converge.
  virtual std::string why_not_converged(const RunOptions&, const AnswerData&) const { return {}; }

  /// What it chose or found out about itself; in words each begins with a comma.
  virtual Json chosen_json(const RunResult&) const { return Json::object(); }
  virtual std::string chosen_text(const RunResult&) const { return {}; }
  /// One of the shortest paths to a vertex that the answer reached.
  virtual ShortestPath path(const Graph&, const AnswerData&, VertexId) const { return {}; }

  /// Whether GPUs run it with the ids of this build: see kGpusRunAll.
  virtual bool runs_on_gpu(const RunOptions&) const { return kGpusRunAll; }
  /// Whether packed lists are what a GPU is to decode for it. Only those compiled for PackedPlacements can.
  virtual bool gpus_decode(const RunOptions&) const { return false; }
};

/// What is alike where an algorithm's options, with a variant among them, are in a field of RunOptions.
template <auto kOptions>
class AlgorithmOf : public AlgorithmInfo {
 public:
  using AlgorithmInfo::AlgorithmInfo;
  std::vector<std::string_view> variants() const override { return names_of<Variant>(); }
  void set_variant(RunOptions& options, const std::string& name) const override {
    (options.*kOptions).variant = parse_name<Variant>(name);
  }
  const char* variant(const RunOptions& options) const override { return name_of((options.*kOptions).variant); }

 private:
  using Variant = decltype((RunOptions{}.*kOptions).variant);
};

/// trial(output), where that is null if `answer` is, and else becomes the answer.
template <class Output, class Timed>
Trial answering(AnswerData* answer, const Timed& trial) {
  if (answer == nullptr) return trial(static_cast<Output*>(nullptr));
  Output output;
  const Trial timed = trial(&output);
  *answer = AnswerData(std::move(output));
  return timed;
}

const AlgorithmInfo& info_of(Algorithm algorithm);
inline const AlgorithmInfo& info_of(const RunOptions& options) {
  return options.custom != nullptr ? *options.custom : info_of(options.algorithm);
}

/// A request of `what`, a front-door struct of one of the algorithms (graphrun.hpp).
template <class What>
RunOptions request_of(Algorithm algorithm, const What& what) {
  RunOptions options;
  options.algorithm = algorithm;
  if (!what.variant.empty()) set_option(options, "variant", what.variant);
  options.trials = what.trials;
  if (what.verify) options.verify = VerifyBy::properties;
  return options;
}

/// Lets a run start at one vertex, by its number.
inline void start_at(VertexId source, RunOptions& options) {
  options.starts = {source};
  options.source = SourceSpec{.kind = SourceSpec::Kind::index, .index = source};
}

/// Rows of the options that belong to single algorithms: see run_options().
std::vector<RunOption> algorithm_options();

/// sssp: whether vertices are processed in the order of buckets of distances, so that there is a delta.
bool orders_by_distance(const RunOptions& options);

/// Returns the vertices that parents lead through from the source, which is its own, to `to`. Throws RunError where they do not.
std::vector<VertexId> path_by_parents(const std::vector<VertexId>& parents, VertexId source, VertexId to);

/// For settle() and plans: what estimate_load() tells of a file before it is read.
LoadEstimate what_is_known_of(const Graph& graph);

// The AlgorithmInfo of each algorithm of the list.
#define GR_INFO(name, Options) const AlgorithmInfo& name##_info();
GR_FOR_EACH_ALGORITHM(GR_INFO)
#undef GR_INFO

/// A number where the input calls vertices by numbers.
Json name_json(const VertexNames& names, VertexId v);

inline constexpr const char* kHalved = ", halved because each undirected edge is stored twice";

}  // namespace graphrun::inline GR_IDS
