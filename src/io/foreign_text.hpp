// Text of other tools that is no edge list, and would be read as one, or as nothing.
#pragma once

#include <string>
#include <string_view>

#include "graphrun/core/types.hpp"

namespace graphrun::io::inline GR_IDS {

/// Throws DataError where `head`, the beginning of the text in `path`, is GML, GraphML, GEXF, DOT, Pajek, JSON, LEDA, UCINET,
/// LGL, an adjacency list of networkx, DIMACS edges without a p line, or edges written with arrows or in brackets. The sentence
/// names the commands for each meaning.
void refuse_foreign_text(const std::string& path, std::string_view head);

}  // namespace graphrun::io::inline GR_IDS
