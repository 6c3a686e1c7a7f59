// SPDX-License-Identifier: Apache-2.0
// Graphs of LDBC Graphalytics: NAME.properties beside a file of vertices and a file of edges. The format: A. Iosup et al., "The
// LDBC Graphalytics Benchmark", arXiv:2011.15028, section 2.2.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "graphrun/core/types.hpp"
#include "graphrun/io/readers.hpp"

namespace graphrun::io::inline GR_IDS {

/// The facts of a .properties file.
struct GraphalyticsFacts {
  std::string path;         ///< of the .properties file
  std::string vertex_file;  ///< path
  std::string edge_file;    ///< path
  std::string remark;       ///< how edge_file was found, where the properties name another; otherwise empty
  bool directed = true;
  std::uint64_t properties = 0;                 ///< columns of an edge after its ends
  std::optional<std::uint64_t> weight;          ///< the property with the weight, from 0
  std::optional<std::uint64_t> vertices;        ///< announced
  std::optional<std::uint64_t> edges;           ///< announced; an undirected edge counts once
  std::map<std::string, std::string> values{};  ///< by key, without "graph.NAME."
  std::string prefix;                           ///< "graph.NAME."
};

/// Returns whether text is a .properties file of Graphalytics: its first line that is no comment begins with "graph." and has
/// '='.
bool is_graphalytics(std::string_view head);

/// Returns whether load_graph() reads `spec` as a graph of Graphalytics: by `format`, else by its suffix.
bool names_graphalytics(const std::string& spec, std::optional<FileFormat> format);

/// Reads a .properties file. Throws DataError naming file and line.
GraphalyticsFacts read_graphalytics_facts(const std::string& path);

}  // namespace graphrun::io::inline GR_IDS
