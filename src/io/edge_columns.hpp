// SPDX-License-Identifier: Apache-2.0
// The columns of a text that hold edges: by request, by a header line, or by the form of the first lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "io/entry_stream.hpp"

namespace graphrun::io::inline GR_IDS {

/// The fewest rows that tell something of a column.
inline constexpr std::size_t kFewestRows = 3;

/// A first line of whole numbers that may be counts.
struct CountsLine {
  std::vector<std::uint64_t> numbers = {};  ///< none: it is none
  std::size_t line = 1;                     ///< of the file
  std::size_t columns = 0;                  ///< of the other lines
  bool is_left_out = false;                 ///< it has other columns than these: it is no edge
};

/// Columns count from 0.
struct EdgeColumns {
  static constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

  char separator = '\0';  ///< 0: blanks
  bool header = false;    ///< the first line that is no comment holds no edge
  std::size_t source = 0;
  std::size_t target = 1;
  std::optional<std::size_t> weight;
  std::size_t least = 0;                 ///< columns that each line must have at least, beside the used ones
  std::size_t most = kAnyNumber;         ///< columns in a line; kAnyNumber: columns after the used ones are not examined
  bool strings = false;                  ///< vertices are called by strings, not by numbers
  bool whole_floats = false;             ///< ids may read "12.0"
  bool attributes = false;               ///< column 2 is a dict of Python to the end of the line, whose 'weight' is the weight
  bool zeros_are_told = false;           ///< an assumption is about ids that begin with 0
  CountsLine counts;                     ///< the first line, where it may hold counts
  std::string remark;                    ///< describes the choice; empty when there was none
  std::vector<std::string> assumptions;  ///< columns that were left out, and guesses

  std::size_t last() const;
  /// "u v" or "u v w" between blanks.
  bool plain() const;
};

/// Finds the columns of a text; `separated`: by other characters than blanks. Heeds ReadOptions::columns, names, ids and
/// left_out_counts. Throws UsageError naming --columns when that does not fit the file, or is needed.
EdgeColumns find_columns(const std::string& path, bool separated, const ReadOptions& options);

}  // namespace graphrun::io::inline GR_IDS
