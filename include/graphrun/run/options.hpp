// SPDX-License-Identifier: Apache-2.0
// The options of one run, and their names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphrun/algorithms/list.hpp"
#include "graphrun/backend/backend.hpp"
#include "graphrun/core/option.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/io/load.hpp"
#include "graphrun/run/session.hpp"

namespace graphrun {

/// Verification of results.
enum class VerifyBy {
  properties,  ///< checks properties that only the right result has, with all host threads (verify/properties.hpp)
  serial,      ///< compares with one thread's computation (verify/verify.hpp)
};

template <>
struct ChoicesOf<VerifyBy> {
  static constexpr const char* kWhat = "way to verify";
  static constexpr Choice<VerifyBy> kAll[] = {{"properties", VerifyBy::properties}, {"serial", VerifyBy::serial}};
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

/// The start of traversals.
struct SourceSpec {
  enum class Kind {
    name,        ///< a vertex by its name in the input (VertexNames); pagerank, bc: or several, separated by commas
    index,       ///< a vertex by its index from 0, not by its name
    max_degree,  ///< largest out-degree, the smallest id on ties; the default
    random,      ///< drawn among the vertices with an out-edge, with replacement (GAP's rule)
  };
  Kind kind = Kind::max_degree;
  std::string name = {};
  std::uint64_t index = 0;
  std::uint64_t seed = 27491095;  ///< random: GAP's seed
  std::string origin = {};        ///< of a name that was not typed: FileParameter::origin
};

class AlgorithmInfo;

/// A request. resolve() decides open choices.
struct RunOptions : PlacementOptions, AlgorithmOptions {
  std::string graph;                    ///< file or generator, as load_graph() takes it
  LoadOptions load;                     ///< resolve() decides need_transpose
  std::optional<WeightSource> weights;  ///< sssp; none: the file's, or 1 an edge when it has none

  Algorithm algorithm = Algorithm::bfs;
  const AlgorithmInfo* custom = nullptr;  ///< a custom algorithm, instead of `algorithm`

  std::string device = "auto";                ///< as parse_device() takes it
  std::optional<std::uint64_t> memory_bytes;  ///< rejects runs with a larger estimate; none: the machine's memory
  bool auto_backend = false;                  ///< a plan chooses backend.kind and backend.cache_bytes: run/plan.hpp

  std::optional<SourceSpec> source;  ///< bfs, sssp; none: max_degree. bc; none: random. pagerank restarts there; none: everywhere
  int num_sources = 0;               ///< more than one are drawn at random: `source` is none or random; 0: 1, and 4 of bc
  std::vector<VertexId> starts;      ///< sources by index, instead of `source`: a run from each, or one from all
  bool keep_answers = false;         ///< of every source, not only the last: RunResult::earlier
  bool batch = false;                ///< bfs: searches from up to kMostSearches sources at once
  int trials = 1;                    ///< runs of each source
  std::string checkpoint;            ///< folder for the state of a long run, which goes on from there; empty: none
  std::optional<VerifyBy> verify;    ///< check of every trial's result, outside the timed region; none: no check
  int top = 0;                       ///< vertices with the largest values, or largest components, in a report
  std::optional<SourceSpec> path_to;  ///< bfs, sssp: end of the shortest path in RunResult::path; none: no path
};

/// Parses "max-degree", "random", "random:SEED" or "index:N"; other texts, and texts with a comma, are names. Throws UsageError.
SourceSpec parse_source(const std::string& text);
/// Inverts parse_source().
std::string to_string(const SourceSpec& source);
/// Inverts parse_weight_source().
std::string to_string(const WeightSource& source);

/// Returns the options of a command line without any.
RunOptions usual_options();

/// Returns "auto", or the name of options.backend.kind.
const char* backend_name(const RunOptions& options);

/// Returns the number of parts of the graph.
int ranks_of(const RunOptions& options);

/// Returns the values of --variant.
std::vector<std::string_view> variants_of(Algorithm algorithm);

/// Returns whether a trial starts from one vertex: bfs and sssp. A trial of bc starts from several.
bool has_sources(Algorithm algorithm);

/// Returns why --output cannot write its values; empty: it can.
std::string why_no_values(Algorithm algorithm);

/// Returns whether the run reads Csr::records, lists sorted by weight, and no neighbours.
bool reads_records(const RunOptions& options);
/// Returns whether the options' backend can scan records; host threads then decode packed lists, too.
bool walks_records(const RunOptions& options);

/// Throws UsageError when a number is out of range or two choices conflict.
void check_options(const RunOptions& options);

/// The runs that read an option. Others ignore it.
struct ReadBy {
  std::vector<Algorithm> algorithms = {};             ///< empty: all
  std::vector<BackendKind> backends = {};             ///< empty: all
  std::optional<DeviceKind> device = {};              ///< none: both
  const char* when = "";                              ///< in words, a further condition: "fabric proxy or ofi"
  std::string (*unmet)(const RunOptions&) = nullptr;  ///< what a run has instead, "fabric sm"; empty: the condition holds
  bool required = false;                              ///< check_options() rejects other runs, and open_session() other devices
  bool by_auto = false;  ///< --backend auto reads it, too; it chooses other options of backends itself
};

struct RunOption : Option<RunOptions> {
  ReadBy read_by = {};
};

/// Returns all options of graphrun, in the order of its help. Options without a set() are the program's: they direct its output,
/// or request no run.
const std::vector<RunOption>& run_options();

/// Sets an option by its name to the text of a command line, "" for a flag. Throws UsageError, also for an unknown name.
void set_option(RunOptions& options, const std::string& name, const std::string& text);

/// Returns why a run ignores an option: "backend emogi". Empty when the option has an effect, and when such a run is rejected.
std::string unused_reason(const RunOption& option, const RunOptions& options);

/// Throws UsageError when an option that is ReadBy::required is not at its default in a run that does not read it.
void reject_unused(const RunOptions& options);

/// Returns algorithms, backends, options and formats as JSON with self-explaining fields.
std::string description_json();
/// Returns the output of `graphrun --list` as JSON.
std::string capabilities_json();

}  // namespace graphrun::inline GR_IDS
