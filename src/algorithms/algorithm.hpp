// SPDX-License-Identifier: Apache-2.0
// The program's interface to an algorithm: names, needs, running, verification and display. One subclass for each algorithm, in
// NAME/NAME.cpp.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/access_pattern.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/io/estimate.hpp"
#include "graphrun/run/result.hpp"
#include "graphrun/verify/properties.hpp"
#include "graphrun/verify/verify.hpp"

namespace graphrun::inline GR_IDS {

using Json = nlohmann::ordered_json;

/// Bytes a vertex of an algorithm beside the rows: state, frontiers, queues and output. Measured on graphs of degree 4 and 32 and
/// rounded up; searches over subgraphs have 64-bit labels.
struct StateBytes {
  std::uint64_t run;
  std::uint64_t verified;   ///< with a check of properties
  std::uint64_t by_serial;  ///< with the serial oracle
};

/// Bytes a vertex that a rank of several holds on host threads, beside the graph. docs/many.md has them, and tests compare them
/// with what ranks take.
struct RankBytes {
  double of_all;      ///< for every vertex
  double of_own;      ///< for each of its own
  double answer = 0;  ///< for every vertex on rank 0, beside these

  /// Returns the mean over all ranks, without the answer.
  double of_a_rank(double ranks) const { return of_all + of_own / ranks; }
};

/// Expected exchanges of ranks in a run, for models of it; fitted to 1, 2 and 4 processes (docs/notes/hosts.md).
struct RankTraffic {
  double steps;
  double bytes_a_vertex;  ///< published for each vertex of the graph, by all ranks in all steps
  double merged_reads;    ///< random reads a vertex of each rank, to merge what all ranks publish
  double work_of_one;     ///< of one rank: times the reads of access_pattern()
  double work;            ///< of several ranks together: times the same
  const char* why;        ///< of the steps
};

/// Returns the value of v in a column with one value a vertex; null without a value.
Json column_value(const AnswerColumn& column, VertexId v);

/// The list of --top: vertices with the largest values, in descending order.
struct TopValues {
  std::string_view name;  ///< of the values
  std::vector<std::pair<VertexId, Json>> rows;
  std::string_view of = "vertex";  ///< the owner of a value
};
TopValues top_of(const AnswerColumn& column, std::size_t k);

// Convert a digest for results. Texts have JSON's names with blanks, and the three highest scores.
Json digest_json(const Digest& digest, const VertexNames& names);
std::string digest_text(const Digest& digest, const VertexNames& names);

/// The edges of GTEPS.
enum class Rate {
  examined,  ///< examined by the trial
  reached,   ///< out-edges of the vertices with a value; undirected ones count once
  graph,     ///< all; undirected ones count once
};
/// Returns the edges of GTEPS; none: the examined ones.
std::optional<double> counted_edges(Rate rate, const Graph& graph, const AnswerData& answer, ThreadPool& pool);

/// Facts that hold for all runs of an algorithm.
struct AlgorithmFacts {
  const char* name;
  const char* about = "";    ///< its result, in words that follow its name
  const char* variant = "";  ///< of one without a choice of variants; empty: set_variant() and so on know them
  bool has_sources = false;  ///< a trial starts from one vertex
  /// The sources of a trial from several vertices; null for other trials.
  std::vector<std::uint64_t>& (*source_set)(RunOptions&) = nullptr;
  /// The shares of these sources; null: all are alike.
  std::vector<double>& (*source_shares)(RunOptions&) = nullptr;
  bool needs_sources = has_sources;  ///< draws sources where none is named
  bool needs_undirected = false;
  bool needs_weights = false;
  /// Whether a run reads weights, because some are named; null: naming them does not decide that.
  bool& (*weights_named)(RunOptions&) = nullptr;
  bool saves_state = false;        ///< goes on from a Checkpoint
  bool has_properties = true;      ///< has a check that is cheaper than recomputing the result
  const char* why_no_values = "";  ///< why its result has no columns; empty: it has
  bool gives_table = false;        ///< its files have the rows of AnswerData::table
  Rate rate = Rate::examined;
  /// The meaning of GTEPS, in words, where no other algorithm shares it; {} is replaced by kHalved's text for an undirected
  /// graph.
  const char* rate_text = "";
};

/// Its default functions are for custom algorithms.
class AlgorithmInfo {
 public:
  explicit AlgorithmInfo(const AlgorithmFacts& its) : facts(its) {}
  virtual ~AlgorithmInfo() = default;

  const AlgorithmFacts facts;

  /// Returns the rows of options that only this algorithm reads.
  virtual std::vector<RunOption> options() const { return {}; }
  /// Throws UsageError when its own options are out of range or conflict.
  virtual void check_options(const RunOptions&) const {}
  /// Returns the number of sources drawn at a time; 0: a trial starts from all vertices.
  virtual int usual_sources(const RunOptions&) const { return 1; }
  /// Returns whether sources are drawn from all vertices, distinct, instead of by GAP's rule.
  virtual bool draws_distinct(const RunOptions&) const { return false; }
  /// Returns whether it scans in-edges, so that a directed graph needs its transpose.
  virtual bool needs_transpose(const RunOptions&) const { return false; }
  /// Returns whether it reads weights.
  virtual bool needs_weights(const RunOptions&) const { return facts.needs_weights; }
  virtual StateBytes state(const RunOptions&) const { return {36, 44, 64}; }
  /// Returns the state of one rank of several.
  virtual RankBytes rank_state(const RunOptions& options) const { return {static_cast<double>(state(options).run), 0}; }
  /// Returns what its ranks exchange; nothing where that was not fitted to measured runs.
  virtual std::optional<RankTraffic> rank_traffic(const RunOptions&, const LoadEstimate&) const { return std::nullopt; }
  /// Returns further bytes for a graph with this many arcs.
  virtual std::uint64_t buffer_bytes(const RunOptions&, std::uint64_t) const { return 0; }
  /// Returns the bytes of a run beside rows and edges, with its check's.
  virtual std::uint64_t taken_bytes(const RunOptions& options, const LoadEstimate& graph) const;

  virtual AccessPattern access_pattern(const RunOptions&, const LoadEstimate&) const;
  /// `first`: cached edges of each list.
  virtual LinkTraffic link_traffic(const RunOptions&, const LoadEstimate&, double first) const;
  /// Returns the share of a cold CPU trial's bytes that remains with this many cached edges a list; low-degree graphs excepted.
  virtual double share_beyond_prefixes(const RunOptions&, const LoadEstimate&, double) const { return 1; }

  /// Returns whether the run has a check that is cheaper than recomputing the result.
  virtual bool has_properties(const RunOptions&) const { return facts.has_properties; }
  /// Returns whether it reads Csr::records, and no neighbours.
  virtual bool reads_records(const RunOptions&) const { return false; }

  virtual std::vector<std::string_view> variants() const;
  /// Replaces a variant by one that suits the graph; returns why, for the log and results, or nothing where the run does what its
  /// request names.
  virtual std::string settle(RunOptions&, const LoadEstimate&, DeviceKind) const { return {}; }
  /// Throws UsageError for a name that is no variant's.
  virtual void set_variant(RunOptions&, const std::string& name) const;
  virtual const char* variant(const RunOptions&) const { return facts.variant; }

  /// Runs one trial; `sources` has one source, or a batch's. Fills `answer` unless it is null.
  virtual Trial run(Session& session, std::span<const VertexId> sources, const RunOptions& options, AnswerData* answer) const = 0;
  /// Verifies by the options; `how` is for checks of properties.
  virtual verify::Verdict check(const Graph&, const AnswerData&, const RunOptions&, bool converged,
                                const verify::Passes& how) const;
  /// Returns why the answer did not converge.
  virtual std::string why_not_converged(const RunOptions&, const AnswerData&) const { return {}; }

  /// Returns its choices and findings; texts each begin with a comma.
  virtual Json chosen_json(const RunResult&) const { return Json::object(); }
  virtual std::string chosen_text(const RunResult&) const { return {}; }
  /// Returns a shortest path to a vertex that the answer reached.
  virtual ShortestPath path(const Graph&, const AnswerData&, VertexId) const { return {}; }

  /// Returns whether GPUs run it with the ids of this build: see kGpusRunAll.
  virtual bool runs_on_gpu(const RunOptions&) const { return kGpusRunAll; }
  /// Returns whether a GPU should decode packed lists for it. Needs instances for PackedPlacements.
  virtual bool gpus_decode(const RunOptions&) const { return false; }
};

/// The common part of algorithms with several variants, whose options, with the variant, are a field of RunOptions.
template <auto kOptions>
class AlgorithmOf : public AlgorithmInfo {
 public:
  using AlgorithmInfo::AlgorithmInfo;
  std::vector<std::string_view> variants() const override { return names_of<Variant>(); }
  void set_variant(RunOptions& options, const std::string& name) const override {
    // Two algorithms may share an enumeration.
    (options.*kOptions).variant = parse_name<Variant>(name, fmt::format("variant of {}", facts.name));
  }
  const char* variant(const RunOptions& options) const override { return name_of((options.*kOptions).variant); }

 private:
  using Variant = decltype((RunOptions{}.*kOptions).variant);
};

/// Defines the function that returns an algorithm's only Info.
#define GR_INFO_OF(name, ...)          \
  const AlgorithmInfo& name##_info() { \
    static const __VA_ARGS__ kInfo;    \
    return kInfo;                      \
  }

/// Calls trial(output), which fills `answer` unless that is null; then output is null, too. The output has the earlier answer,
/// for algorithms that reuse its memory.
template <class Output, class Timed>
Trial answering(AnswerData* answer, const Timed& trial) {
  if (answer == nullptr) return trial(static_cast<Output*>(nullptr));
  Output output = answer->take<Output>();
  const Trial timed = trial(&output);
  *answer = AnswerData(std::move(output));
  return timed;
}

const AlgorithmInfo& info_of(Algorithm algorithm);
inline const AlgorithmInfo& info_of(const RunOptions& options) {
  return options.custom != nullptr ? *options.custom : info_of(options.algorithm);
}

/// Returns the request of `what`, an algorithm's struct of graphrun.hpp.
template <class What>
RunOptions request_of(Algorithm algorithm, const What& what) {
  RunOptions options;
  options.algorithm = algorithm;
  if (!what.variant.empty()) set_option(options, "variant", what.variant);
  options.trials = what.trials;
  if (what.verify) options.verify = VerifyBy::properties;
  return options;
}

/// Sets the source to one vertex, by its index.
inline void start_at(VertexId source, RunOptions& options) {
  options.starts = {source};
  options.source = SourceSpec{.kind = SourceSpec::Kind::index, .index = source};
}

/// Returns the rows of options of single algorithms: see run_options().
std::vector<RunOption> algorithm_options();

/// Returns whether sssp processes buckets of distances in order, so that there is a delta.
bool orders_by_distance(const RunOptions& options);

/// Returns the vertices from the source, which is its own parent, to `to`. Throws RunError where parents do not lead there.
std::vector<VertexId> path_by_parents(const std::vector<VertexId>& parents, VertexId source, VertexId to);

/// Returns estimate_load()'s facts of a loaded graph, for settle() and plans.
LoadEstimate what_is_known_of(const Graph& graph);

// The AlgorithmInfo of each algorithm of the list.
#define GR_INFO(name, Options) const AlgorithmInfo& name##_info();
GR_FOR_EACH_ALGORITHM(GR_INFO)
#undef GR_INFO

/// Returns a number where the input names vertices by numbers.
Json name_json(const VertexNames& names, VertexId v);

inline constexpr const char* kHalved = ", halved because each undirected edge is stored twice";

}  // namespace graphrun::inline GR_IDS
