// Which columns of a text hold edges: as the caller says, as a header line says, or as its first lines look.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "io/entry_stream.hpp"

namespace graphrun::io::inline GR_IDS {

/// So many rows tell something of a column.
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
  std::size_t most = kAnyNumber;         ///< columns in a line; kAnyNumber: those behind the used ones are not looked at
  bool strings = false;                  ///< vertices are called by strings, not by numbers
  bool whole_floats = false;             ///< ids may read "12.0"
  bool attributes = false;               ///< column 2 is a dict of Python to the end of the line, whose 'weight' is the weight
  bool zeros_are_told = false;           ///< an assumption is about ids that begin with 0
  CountsLine counts;                     ///< the first line, where it may hold counts
  std::string remark;                    ///< what was chosen; empty when nothing was
  std::vector<std::string> assumptions;  ///< what was left out or taken for granted

  std::size_t last() const;
  /// "u v" or "u v w" between blanks.
  bool plain() const;
};

/// `path` is a text; `separated` says by separators other than blanks. Heeds ReadOptions::columns, names, ids and
/// left_out_counts. Throws UsageError naming --columns when that does not fit the file, or is needed.
EdgeColumns find_columns(const std::string& path, bool separated, const ReadOptions& options);

}  // namespace graphrun::io::inline GR_IDS
