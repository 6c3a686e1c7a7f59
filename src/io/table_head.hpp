// SPDX-License-Identifier: Apache-2.0
// The first lines of a table that has edges in its columns, and their form.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/column_names.hpp"
#include "io/edge_columns.hpp"

namespace graphrun::io::inline GR_IDS {

using Row = std::vector<std::string>;

// Quotes a field for a sentence.
std::string quote_field(const std::string& field);
std::string list_of_fields(const Row& row);

/// Returns the numbers of a row; none where one is no whole number of 64 bits.
std::vector<std::uint64_t> whole_numbers(const Row& row);

/// Returns whether a row has a column, and holds(its field).
template <class Predicate>
bool has(const Row& row, std::size_t column, const Predicate& holds) {
  return column < row.size() && holds(row[column]);
}
inline bool has(const Row& row, std::size_t column) { return column < row.size(); }

/// The rows at the head of a table, and the columns that were chosen so far. A header counts as chosen with `columns.header`.
class TableHead {
 public:
  /// Reads 64 KiB. `separated`: by other characters than blanks.
  TableHead(const std::string& path, bool separated);

  const std::string& path;
  EdgeColumns columns;
  std::vector<Row> rows;       ///< lines that are no comments
  bool whole = false;          ///< the rows are all lines
  std::size_t first_line = 1;  ///< the line of rows[0]

  std::size_t data_begin() const { return columns.header && rows.size() > 1 ? 1 : 0; }
  const Row& data() const { return rows[data_begin()]; }
  /// Returns whether holds(field) in all data rows that have the column.
  template <class Predicate>
  bool all_data(std::size_t column, const Predicate& holds) const {
    return std::all_of(rows.begin() + static_cast<std::ptrdiff_t>(data_begin()), rows.end(),
                       [&](const Row& row) { return !has(row, column) || holds(row[column]); });
  }
  bool holds_numbers(std::size_t column) const;
  bool is_used(std::size_t column) const;
  /// Returns whether the column merely numbers the data rows, from 0 or from 1.
  bool counts(std::size_t column) const;

  // Of the first line.

  /// Returns false for equal names of both columns, which a self loop has, unless they are LDBC's Person.id; and for a number as
  /// the name of weights.
  bool may_be_header(std::size_t source, std::size_t target) const;
  /// Returns whether a vertex of the first line, in `source` and `target`, occurs in a later row.
  bool first_line_recurs(std::size_t source, std::size_t target) const;
  /// Returns whether a column has a word of letters first, and then digits, points or slashes in all rows.
  bool is_headed(std::size_t column) const;
  /// Returns whether both columns of vertices are headed so.
  bool first_line_is_of_other_kind() const;

  // Of names in a header.

  bool names_columns() const { return columns.header && !columns.counts.is_left_out; }
  ColumnRole role(std::size_t column) const;
  bool says_weight(std::size_t column) const;
  /// Says what a column of numbers holds that is no weight; empty where it may be one.
  std::string why_no_weight(std::size_t column) const;

  void assume(const std::string& sentence) { columns.assumptions.push_back(path + ": " + sentence); }

 private:
  void take_names_of_rows();
};

/// Adds assumptions about what was chosen, and the remark that describes it.
void tell_of_columns(TableHead& head, const ReadOptions& options);

}  // namespace graphrun::io::inline GR_IDS
