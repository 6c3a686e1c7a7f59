// SPDX-License-Identifier: Apache-2.0
// The result of a run, and its three forms: a table, JSON, and a file of values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphrun/algorithms/answer.hpp"
#include "graphrun/backend/backend.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/graph/names.hpp"
#include "graphrun/run/options.hpp"
#include "graphrun/run/resolve.hpp"
#include "graphrun/run/trials.hpp"
#include "graphrun/verify/digest.hpp"

namespace graphrun::inline GR_IDS {

/// The origin of a result. Empty strings where unknown.
struct Environment {
  std::string version;  ///< of this library
  std::string commit;   ///< of the source tree at configuration
  std::string compiler;
  std::string build_type;
  bool optimised = false;
  std::string sanitizers;  ///< of this build
  int vertex_bits = 0;
  std::string cpu_model;
  int cores = 0;  ///< processors available to this process
  std::uint64_t memory_bytes = 0;
  std::string kernel;
  std::optional<CudaFacts> cuda;  ///< of the run's GPU
};

/// Returns the environment. Precondition: a cuda device can be used.
Environment describe_environment(const Device& device);

struct GraphFacts {
  std::string name;
  std::string format;
  std::string encoding = "raw";  ///< of the lists in memory: raw, packed, or unpacked: packed only in the file
  std::uint64_t num_vertices = 0;
  std::uint64_t num_edges = 0;  ///< arcs stored: an undirected edge counts twice
  bool symmetric = false;
  std::string transpose;  ///< transpose_of(), or "made": in-edges were made for this run, or for an earlier one of an engine
  bool labelled = false;  ///< vertices have other names in the input than 0, 1, 2 ...: see RunResult::names
  std::vector<std::string> assumptions;       ///< Graph::assumptions
  WeightKind weight_kind = WeightKind::none;  ///< of the used weights; none unless sssp
  std::string weight_source;                  ///< "file", "unit" ...; empty unless sssp
};

/// Milliseconds before the first trial, and of all verification.
struct PhaseTimes {
  double read_ms = 0;     ///< see LoadTimes
  double build_ms = 0;    ///< see LoadTimes
  double prepare_ms = 0;  ///< weights and sources
  double place_ms = 0;    ///< open the executor and the backend
  double verify_ms = 0;
};

/// From the best to the worst. not_converged: the iteration limit ended pagerank; verification then checks only properties of
/// scores after any sweep.
enum class Verification { verified, unverified, not_converged, wrong };
const char* name_of(Verification verification);

struct TrialRecord : Trial {
  std::optional<VertexId> source = {};       ///< of bfs and sssp; none for a batch
  std::size_t batch = 0;                     ///< concurrent searches; 0 where there is no batch
  double input_edges = 0;                    ///< edges for GTEPS: see docs/results.md
  std::optional<double> gteps = {};          ///< 1e9 traversed edges a second; none without traversed edges, and for a batch
  std::optional<double> amplification = {};  ///< bytes moved / bytes of examined edges; none where bytes are not counted
  Verification verification = Verification::unverified;
  std::string reason = {};  ///< when wrong
};

/// A shortest path from the source of the last trial.
struct ShortestPath {
  VertexId to = 0;
  std::vector<VertexId> vertices;  ///< from the source to `to`; empty where `to` was not reached
};

struct RunResult {
  std::shared_ptr<const ResolvedRun> run;
  Environment environment;
  std::string description;  ///< executor and backend, in words
  std::uint64_t fast_tier_bytes = 0;
  StaticTier static_tier;
  std::optional<UsedQueues> queues;               ///< of each rank; none: edges come without commands
  std::optional<cuda::KernelNeeds> kernel_needs;  ///< none on a CPU
  bool emulated = false;                          ///< a part of the backend is a model
  GraphFacts graph;
  PhaseTimes phases;
  std::vector<TrialRecord> trials;                       ///< all trials of the first source or batch, then of the next
  std::vector<Digest> digests;                           ///< one a source, of its last trial
  AnswerData answer;                                     ///< of the last trial
  std::vector<AnswerData> earlier;                       ///< RunOptions::keep_answers: of earlier sources or batches
  std::optional<ShortestPath> path;                      ///< of RunOptions::path_to
  VertexNames names;                                     ///< Graph::names
  std::optional<std::uint64_t> longest_path;             ///< most edges in the sum of a verified floating-point value
  bool converged = true;                                 ///< pagerank: false when the iteration limit ended a trial
  Verification verification = Verification::unverified;  ///< the worst of all trials
};

/// Median, extremes and harmonic mean over a result's trials. Precondition: it has some.
struct Summary {
  double median_ms = 0;
  double min_ms = 0;
  double max_ms = 0;
  std::optional<double> harmonic_mean_gteps;  ///< Graph500's mean of rates
};
Summary summarise(const std::vector<TrialRecord>& trials);

/// Returns a short aligned table for people, lines ended. More than five trials collapse to median, minimum and maximum.
std::string table_text(const RunResult& result);
/// Returns everything, as indented JSON with a final newline (docs/results.md lists the fields).
std::string json_text(const RunResult& result);
/// Returns the content of its field "options".
std::string options_text(const RunOptions& options);

// Files of values, in the order of the vertices' indices. The suffix chooses the form:
//   .csv  a header, then "NAME,VALUE" a line, with the values of all columns, quoted as RFC 4180 says; no value for unreached
//         vertices and for no parent; floats so that they read back exactly. Values that are vertices (parents, components) are
//         names, too
//   .txt  a value a line, -1 for unreached vertices and for no parent. Where names are not the indices a line is
//         "NAME VALUE", and values that are vertices are names, too
//   .tsv  as .csv, with tabs
//   .jsonl an object a line, {"vertex": NAME, "value": VALUE}, null for none; "values", an array, of a batch
//   .bin  little-endian, no header: levels u32, distances u64 or f64 (f32 by --distances f32), components and parents VertexId
//   (indices), ranks f64;
//         unreached is all ones (infinity for f64 and f32)
// A batch has a value for each source: columns of .csv, which have the sources as their names, and of .txt; .bin has those of a
// vertex together. A table of vertices has a row a line, up to its end (.jsonl: an array); .bin has all ones after it.
// Text with .gz after its suffix is compressed. The path "-" is standard output, as CSV.

/// Throws UsageError for other suffixes, and for .graphalytics of a table, and DataError when nothing can be written there. Call
/// before a long run.
void check_output_path(const std::string& path, Algorithm algorithm);
/// Throws UsageError for names that the form cannot hold: with blanks in .txt, and others than whole numbers in .graphalytics.
void check_output_names(const std::string& path, const VertexNames& names, VertexId num_vertices);
/// Writes the column of that name; for an empty name all columns, or the table. Throws DataError, UsageError for the name of no
/// column, and as check_output_names().
void write_output(const RunResult& result, std::string_view column, const std::string& path);

}  // namespace graphrun::inline GR_IDS
