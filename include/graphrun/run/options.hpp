// Everything a user can ask of one run, and the names these choices go by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "graphrun/algo/bfs.hpp"
#include "graphrun/algo/cc.hpp"
#include "graphrun/algo/pagerank.hpp"
#include "graphrun/algo/sssp.hpp"
#include "graphrun/backend/backend.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/io/load.hpp"

namespace graphrun {

enum class Algorithm { bfs, sssp, cc, pagerank };

/// Where traversals start.
struct SourceSpec {
  enum class Kind {
    name,        ///< the vertex that the input calls so (VertexNames)
    index,       ///< the vertex of that number from 0, not by its name
    max_degree,  ///< largest out-degree, the smallest id on ties
    random,      ///< drawn among the vertices that have an out-edge, with replacement (GAP's rule)
  };
  Kind kind = Kind::max_degree;
  std::string name;
  std::uint64_t index = 0;
  std::uint64_t seed = 27491095;  ///< random: GAP's seed
};

struct RunOptions {
  std::string graph;                    ///< file or generator, as load_graph() takes it
  LoadOptions load;                     ///< need_transpose is decided by run()
  std::optional<WeightSource> weights;  ///< sssp; none: the file's, or random:1 when it has none

  Algorithm algorithm = Algorithm::bfs;
  BfsOptions bfs;
  SsspOptions sssp;
  CcOptions cc;
  PagerankOptions pagerank;

  std::string device = "auto";                ///< as parse_device() takes it
  int threads = 0;                            ///< host threads for loading and running; 0 for all
  std::optional<std::uint64_t> memory_bytes;  ///< a run that is estimated to take more is refused; none: more than there is
  BackendOptions backend;                     ///< needs_transpose and needs_weights are decided by run()

  SourceSpec source;     ///< bfs and sssp
  int num_sources = 1;   ///< more than one needs SourceSpec::Kind::random
  int trials = 1;        ///< runs of each source
  bool warm = false;     ///< leave caches as the last trial left them
  bool preload = false;  ///< fill the cache with all edges before each trial, outside the clock
  bool verify = false;   ///< check every trial's answer, outside the clock
};

const char* name_of(Algorithm algorithm);
const char* name_of(IdPolicy policy);
const char* name_of(BfsVariant variant);
const char* name_of(CcVariant variant);
const char* name_of(PagerankVariant variant);

// Names as the command line spells them. UsageError, listing the names there are, on others.
Algorithm parse_algorithm(const std::string& text);
BackendKind parse_backend(const std::string& text);
Access parse_access(const std::string& text);
UvmAdvise parse_uvm_advise(const std::string& text);
Layout parse_layout(const std::string& text);
IdPolicy parse_id_policy(const std::string& text);
SubwayVariant parse_subway_variant(const std::string& text);
/// FabricOptions::name in its usual spelling: "auto", "memory", "sm", "proxy" or "ofi:PROVIDER".
std::string canonical_fabric(const std::string& text);

/// "max-degree", "random", "random:SEED" or "index:N"; anything else is a name. Throws UsageError.
SourceSpec parse_source(const std::string& text);
/// The inverse of parse_source().
std::string to_string(const SourceSpec& source);
/// The inverse of parse_weight_source().
std::string to_string(const WeightSource& source);

/// Chooses how options.algorithm is computed. bfs: direction-optimizing, push. sssp: delta-stepping. cc: afforest,
/// hooking. pagerank: pull, push. Throws UsageError on other names.
void set_variant(RunOptions& options, const std::string& name);
/// sssp: whether vertices are processed in the order of buckets of distances, so that there is a delta.
bool orders_by_distance(const RunOptions& options);
/// The variant that options.algorithm will be computed with.
const char* variant_name(const RunOptions& options);

/// Whether the algorithm walks in-edges, so that a directed graph needs its transpose.
bool needs_transpose(const RunOptions& options);

/// The number that all of `text` spells, within [low, high]. Throws UsageError naming `what`.
std::uint64_t parse_whole(const std::string& text, const std::string& what, std::uint64_t low, std::uint64_t high);
/// The finite number that all of `text` spells, in decimal or with an exponent. Throws UsageError naming `what`.
double parse_real(const std::string& text, const std::string& what);

/// Throws UsageError when a number is out of its range or two choices do not fit together.
void check_options(const RunOptions& options);

}  // namespace graphrun
