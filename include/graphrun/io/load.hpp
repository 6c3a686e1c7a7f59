// SPDX-License-Identifier: Apache-2.0
// One call that turns what a user names into a Graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphrun/core/names.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/io/readers.hpp"

namespace graphrun {

template <class Options>
struct Option;

/// Treatment of ids that no line of an edge list mentions. Except with `keep`, 64-bit ids beyond this build's are compacted.
/// Ids are strings where the first edge has one that is no number.
enum class IdPolicy {
  automatic,  ///< keep, unless fewer than half of the ids up to the largest occur, or all but 0: then compact
  keep,       ///< vertices without edges, as the GAP Benchmark Suite has it; ids must fit this build's
  compact,    ///< only ids that occur become vertices, in ascending order; Graph::names has the ids
  names       ///< ids are strings, also those that read like numbers; vertices in the order in which they come first
};

template <>
struct ChoicesOf<IdPolicy> {
  static constexpr const char* kWhat = "policy for ids";
  static constexpr Choice<IdPolicy> kAll[] = {
      {"auto", IdPolicy::automatic}, {"keep", IdPolicy::keep}, {"compact", IdPolicy::compact}, {"names", IdPolicy::names}};
};

template <>
struct ChoicesOf<MergeRule> {
  static constexpr const char* kWhat = "rule for parallel edges";
  static constexpr Choice<MergeRule> kAll[] = {{"keep", MergeRule::keep},
                                               {"min", MergeRule::min},
                                               {"max", MergeRule::max},
                                               {"sum", MergeRule::sum},
                                               {"first", MergeRule::first}};
};

/// Widths of vertex ids. A library has one width: programs that link both choose by it.
enum class IdWidth {
  automatic,  ///< 32 bits, and 64 where those cannot name all vertices: WideIdsError tells
  wide        ///< 64 bits
};

template <>
struct ChoicesOf<IdWidth> {
  static constexpr const char* kWhat = "width of ids";
  static constexpr Choice<IdWidth> kAll[] = {{"auto", IdWidth::automatic}, {"64", IdWidth::wide}};
};

/// How weights in a text that are not whole, or beyond 32 bits, are read. Vertices and edges stay the same.
enum class WeightUse {
  kept,    ///< whole ones beyond 32 bits make all u64; f32 where others are not whole, with a warning of the first rounded
  unread,  ///< f32 in silence; those that no f32 holds become the largest: for algorithms that read none
  exact    ///< whole ones beyond 32 bits that f32 would round are refused, unless LoadOptions::float_weights asks for floats
};

struct LoadOptions {
  std::optional<FileFormat> format = {};  ///< instead of looking at the content
  bool undirected = false;                ///< symmetrise what is not symmetric
  bool bipartite = false;                 ///< allow rectangular matrices: columns become vertices rows .. rows+columns-1
  /// Edge lists and CSV: columns of source, target and, with a third, weight; each by its number from 1, or by its name in the
  /// first line. Empty: by a header line, or the first ones.
  std::vector<std::string> columns = {};
  bool float_weights = false;  ///< formats that do not say: weights are f32 instead of u32
  WeightUse weights = WeightUse::kept;
  std::optional<std::uint64_t> raw_offset = {};  ///< .bel: where the payload of .dst and .val begins when they have no header
  IdWidth id_width = IdWidth::automatic;  ///< load_graph() throws WideIdsError where its ids have 32 bits and 64 are asked for
  IdPolicy ids = IdPolicy::automatic;
  /// Edge lists: ids below it are vertices, also those that no line names. Nothing: `ids` decides.
  std::optional<std::uint64_t> num_vertices = {};
  bool need_transpose = false;  ///< build Graph::in when the graph is directed and the file holds none
  bool drop_self_loops = false;
  MergeRule merge = MergeRule::keep;
  bool drop_duplicates = false;  ///< as MergeRule::min
  bool sort_lists = false;       ///< ascending lists also from formats that store lists (others always ascend)
  VertexOrder relabel = VertexOrder::as_read;
  bool hubs_first = false;   ///< put_hubs_first
  bool keep_packed = false;  ///< native container: leave packed lists packed, unless something here changes the graph
  bool check = false;        ///< native container: read and check all of it (everything else always is)
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

/// Milliseconds of each phase.
struct LoadTimes {
  double read_ms = 0;   ///< open, map or parse, or generate
  double build_ms = 0;  ///< sort into rows, symmetrise, transpose
};

struct Loaded {
  Graph graph;
  LoadTimes times;
  std::string format;           ///< title of the format, or "generator"
  bool unpacked = false;        ///< the file had packed lists, and the graph has not
  bool made_transpose = false;  ///< LoadOptions::need_transpose had Graph::in made
};

/// Loads a graph. `spec` is a path (text may be compressed, and may come through a pipe), "-" for standard input, or a generator
/// (generate.hpp). A name that exists as a file is a file. Formats are recognised by content. A graph whose arcs all have their
/// opposite is symmetric, whether its format says so or not.
///
/// With a workspace on disk the graph may be larger than memory: its columns are in scratch files then. The result is the same.
///
/// Throws DataError (missing, truncated, lying or oversized file; names file and line or offset) and UsageError
/// (unknown generator, rectangular matrix without `bipartite`, ids too sparse for IdPolicy::keep), and WideIdsError where the ids
/// of this library are too narrow.
Loaded load_graph(const std::string& spec, const LoadOptions& options, ThreadPool& pool, const Workspace& space = {});

/// Returns the files that load_graph() reads for `spec`: three for a .bel and a .properties, none for a generator and for standard input.
std::vector<std::string> files_of(const std::string& spec, const LoadOptions& options);

/// Returns the options of graphrun and graphconv that set LoadOptions, in the order of their help (core/option.hpp).
const std::vector<Option<LoadOptions>>& load_options();

/// Returns the rule of `options` for parallel arcs. Throws UsageError for two rules.
MergeRule merge_rule(const LoadOptions& options);

/// Throws WideIdsError where 64-bit ids are asked for and this library has 32 bits.
void require_width(const LoadOptions& options);

/// Changes a graph as `options` say, after reading: the second part of load_graph().
Graph arrange(Graph&& graph, const LoadOptions& options, ThreadPool& pool, const Workspace& space = {});

}  // namespace graphrun::inline GR_IDS
