// Which columns of a text hold edges: as the caller says, as a header line says, or as its first lines look.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "io/entry_stream.hpp"

namespace graphrun::io::inline GR_IDS {

/// Columns count from 0.
struct EdgeColumns {
  static constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

  char separator = '\0';  ///< 0: blanks
  bool header = false;    ///< the first line that is no comment names the columns
  std::size_t source = 0;
  std::size_t target = 1;
  std::optional<std::size_t> weight;
  std::size_t most = kAnyNumber;  ///< columns in a line; kAnyNumber: those behind the used ones are not looked at
  bool strings = false;           ///< vertices are called by strings, not by numbers
  std::string remark;             ///< what a user should know; empty when nothing was chosen
  bool doubtful = false;          ///< the remark is about what may be weights, or a header, and was not taken for them: a warning

  std::size_t last() const;
  /// "u v" or "u v w" between blanks.
  bool plain() const;
};

/// `path` is a text; `separated` says by separators other than blanks. Heeds ReadOptions::columns, names and ids_are_names.
/// Throws UsageError naming --columns when that does not fit the file, or is needed.
EdgeColumns find_columns(const std::string& path, bool separated, const ReadOptions& options);

}  // namespace graphrun::io::inline GR_IDS
