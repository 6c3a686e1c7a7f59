// One call that turns what a user names into a Graph.
#pragma once

#include <string>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/graph.hpp"

namespace graphrun {

struct LoadOptions {
  bool undirected = false;     ///< symmetrise what is not symmetric
  bool bipartite = false;      ///< allow rectangular matrices: columns become vertices rows .. rows+columns-1
  bool need_transpose = false; ///< build Graph::in when the graph is directed and the file holds none
  bool drop_self_loops = false;
  bool drop_duplicates = false;
  bool check = false;          ///< also check every id and offset of a native container (text is always checked)
};

/// Milliseconds of each phase.
struct LoadTimes {
  double read_ms = 0;   ///< open, map or parse, or generate
  double build_ms = 0;  ///< sort into rows, symmetrise, transpose
};

struct Loaded {
  Graph graph;
  LoadTimes times;
  std::string format;   ///< "MatrixMarket", "edge list", "native container", "generator"
};

/// `spec` is a path to a MatrixMarket file, an edge list or a native container (recognised by content; text may be
/// gzip-compressed), or a generator: see generate.hpp. A name that exists as a file is a file.
///
/// Throws DataError (missing, truncated, lying or oversized file; names file and line or offset) and UsageError
/// (unknown generator, rectangular matrix without `bipartite`).
Loaded load_graph(const std::string& spec, const LoadOptions& options, ThreadPool& pool);

}  // namespace graphrun
