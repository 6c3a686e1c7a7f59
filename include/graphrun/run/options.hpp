// Everything a user can ask of one run, and the names these choices go by.
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

/// How answers are verified.
enum class VerifyBy {
  properties,  ///< that only the right answer has, by all host threads (verify/properties.hpp)
  serial,      ///< the answer computed anew by one thread (verify/verify.hpp)
};

template <>
struct ChoicesOf<VerifyBy> {
  static constexpr const char* kWhat = "way to verify";
  static constexpr Choice<VerifyBy> kAll[] = {{"properties", VerifyBy::properties}, {"serial", VerifyBy::serial}};
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

/// Where traversals start.
struct SourceSpec {
  enum class Kind {
    name,        ///< the vertex that the input calls so (VertexNames); pagerank, bc: or several sources with commas between
    index,       ///< the vertex of that number from 0, not by its name
    max_degree,  ///< largest out-degree, the smallest id on ties; the default
    random,      ///< drawn among the vertices that have an out-edge, with replacement (GAP's rule)
  };
  Kind kind = Kind::max_degree;
  std::string name = {};
  std::uint64_t index = 0;
  std::uint64_t seed = 27491095;  ///< random: GAP's seed
};

class AlgorithmInfo;

/// A request. resolve() decides what it leaves open.
struct RunOptions : PlacementOptions, AlgorithmOptions {
  std::string graph;                    ///< file or generator, as load_graph() takes it
  LoadOptions load;                     ///< need_transpose is decided by resolve()
  std::optional<WeightSource> weights;  ///< sssp; none: the file's, or 1 an edge when it has none

  Algorithm algorithm = Algorithm::bfs;
  const AlgorithmInfo* custom = nullptr;  ///< a custom algorithm, in place of `algorithm`

  std::string device = "auto";                ///< as parse_device() takes it
  std::optional<std::uint64_t> memory_bytes;  ///< a run that is estimated to take more is refused; none: more than there is
  bool auto_backend = false;                  ///< a plan chooses backend.kind and backend.cache_bytes: run/plan.hpp

  std::optional<SourceSpec> source;  ///< bfs, sssp; none: max_degree. bc; none: random. pagerank restarts there; none: everywhere
  int num_sources = 0;               ///< more than one are drawn at random: `source` is none or random; 0: 1, and 4 of bc
  std::vector<VertexId> starts;      ///< sources by their numbers, in place of `source`: a run from each, or one from all
  bool keep_answers = false;         ///< of every source, and not of the last alone: RunResult::earlier
  bool batch = false;                ///< bfs: searches from up to kMostSearches sources at once
  int trials = 1;                    ///< runs of each source
  std::optional<VerifyBy> verify;    ///< how every trial's answer is checked, outside the clock; none: it is not
  int top = 0;                       ///< vertices with the largest values, or largest components, that a report lists
  std::optional<SourceSpec> path_to;  ///< bfs, sssp: where the shortest path ends that RunResult::path has; none: no path
};

/// "max-degree", "random", "random:SEED" or "index:N"; anything else is a name, and so is what has a comma. Throws UsageError.
SourceSpec parse_source(const std::string& text);
/// The inverse of parse_source().
std::string to_string(const SourceSpec& source);
/// The inverse of parse_weight_source().
std::string to_string(const WeightSource& source);

/// What a command line without options asks for.
RunOptions usual_options();

/// "auto", or the name of options.backend.kind.
const char* backend_name(const RunOptions& options);

/// Parts that the graph is divided into.
int ranks_of(const RunOptions& options);

/// The names that --variant takes.
std::vector<std::string_view> variants_of(Algorithm algorithm);

/// Whether a trial starts from one vertex: bfs and sssp. One of bc starts from several.
bool has_sources(Algorithm algorithm);

/// Why it has no value a vertex that --output could write; empty: it has.
std::string why_no_values(Algorithm algorithm);

/// Whether it reads Csr::records, lists in the order of their weights, and no neighbours.
bool reads_records(const RunOptions& options);
/// Whether the options' backend lets them be walked; host threads then decode packed lists, too.
bool walks_records(const RunOptions& options);

/// Throws UsageError when a number is out of its range or two choices do not fit together.
void check_options(const RunOptions& options);

/// What reads an option. A run that none of it belongs to gives the option no effect.
struct ReadBy {
  std::vector<Algorithm> algorithms = {};             ///< empty: all
  std::vector<BackendKind> backends = {};             ///< empty: all
  std::optional<DeviceKind> device = {};              ///< none: both
  const char* when = "";                              ///< in words, what else must hold: "fabric proxy or ofi"
  std::string (*unmet)(const RunOptions&) = nullptr;  ///< what a run has instead, "fabric sm"; empty: it holds
  bool required = false;  ///< check_options() refuses other runs, and open_session() those on another device
  bool by_auto = false;   ///< --backend auto reads it, too; it chooses other options of backends itself
};

struct RunOption : Option<RunOptions> {
  ReadBy read_by = {};
};

/// Everything that graphrun can be asked for, in the order of its help. Those without a set() say where results go, or ask for no
/// run, and are the program's.
const std::vector<RunOption>& run_options();

/// Sets the option of that name to what a user would type, "" for a flag. Throws UsageError, also when there is no such option.
void set_option(RunOptions& options, const std::string& name, const std::string& text);

/// What a run has instead of what reads the option: "backend emogi"; empty when the option has an effect, and when such a run is
/// refused.
std::string unused_reason(const RunOption& option, const RunOptions& options);

/// Throws UsageError when an option that is ReadBy::required is not at its default in a run that does not read it.
void reject_unused(const RunOptions& options);

/// What graphrun knows, as JSON: algorithms, backends, options, formats. Names of fields say what they hold.
std::string description_json();
/// What `graphrun --list` says, as JSON.
std::string capabilities_json();

}  // namespace graphrun::inline GR_IDS
