// SPDX-License-Identifier: Apache-2.0
// Compares values of vertices by the rules of LDBC Graphalytics (arXiv:2011.15028, section 2.4).
#pragma once

#include <string>
#include <string_view>

#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

struct Comparison {
  bool agrees = false;
  std::string text;  ///< a sentence: the rule, or the first vertex that differs
};

/// Compares two files with "ID VALUE" a line, plain or compressed, in any order. bfs and cdlp: equal values; cc: the same groups,
/// whatever they are called; others: within 1e-4 of the expected value, infinity only with infinity. Takes 24 bytes a vertex of
/// `output`, and the groups; reads `expected` in windows. Throws DataError naming file and line, and UsageError for an algorithm
/// that Graphalytics lacks.
Comparison compare_values(const std::string& output, const std::string& expected, std::string_view algorithm);

}  // namespace graphrun::inline GR_IDS
