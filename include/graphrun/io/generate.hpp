// SPDX-License-Identifier: Apache-2.0
// Synthetic graphs by name. The same name gives the same graph with any number of threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"

namespace graphrun::inline GR_IDS {

/// Returns whether `spec` starts with a known generator name and a colon.
bool is_generator(const std::string& spec);

struct GeneratorText {
  std::string_view form;  ///< "grid:WIDTH:HEIGHT"
  std::string_view meaning;
};
std::vector<GeneratorText> known_generators();
/// Returns one line for each generator, for --help.
std::string generator_help();

/// kron:SCALE[:EDGEFACTOR[:SEED]]    Kronecker (R-MAT) with A,B,C = .57,.19,.19, ids permuted; 2^SCALE vertices (Graph500, GAP)
/// urand:SCALE[:EDGEFACTOR[:SEED]]   uniform random endpoints
/// web:SCALE[:EDGEFACTOR[:SEED]]     power-law degrees up to a fifth of n, four fifths of the edges short, ids keep locality
/// grid:WIDTH:HEIGHT                 4-neighbour mesh
/// path:N  star:N  complete:N        classic shapes
/// All are undirected: every edge is stored in both directions. Throws UsageError on anything else.
EdgeList generate(const std::string& spec, ThreadPool& pool);

}  // namespace graphrun::inline GR_IDS
