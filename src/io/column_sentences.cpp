// SPDX-License-Identifier: Apache-2.0
// What readers say of the columns that they chose.
#include <fmt/format.h>

#include "io/attributes.hpp"
#include "io/line_parser.hpp"
#include "io/table_head.hpp"
#include "io/text_source.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

std::string name_of_column(const TableHead& head, std::size_t column) {
  const std::string number = fmt::format("column {}", column + 1);
  return head.names_columns() && has(head.rows[0], column) ? fmt::format("{} ({})", number, quote_field(head.rows[0][column]))
                                                           : number;
}

/// Tells of columns of numbers that are not used.
void tell_of_left_out(TableHead& head) {
  const EdgeColumns& columns = head.columns;
  for (std::size_t column = 0; column < head.data().size(); ++column) {
    const bool numbers = head.holds_numbers(column);
    const bool numbers_rows = head.role(column) == ColumnRole::row_number;
    if (head.is_used(column) || (!numbers && !numbers_rows && head.role(column) != ColumnRole::time)) continue;
    const std::string why = head.why_no_weight(column);
    const std::string taken = fmt::format(" (--columns {},{},{} takes {} as weights)", columns.source + 1, columns.target + 1,
                                          column + 1, numbers_rows ? "it" : "them");
    head.assume(fmt::format("{} {} and is left out{}", name_of_column(head, column), why.empty() ? "holds numbers" : why,
                            columns.weight || !numbers ? "" : taken));
  }
}

/// Tells of columns that are used and merely count.
void tell_of_counting(TableHead& head) {
  const EdgeColumns& columns = head.columns;
  if (columns.header || head.rows.size() < kFewestRows || !columns.weight || has_suffix(head.path, ".wel")) return;
  if (head.counts(*columns.weight)) {
    head.assume(fmt::format("{} merely counts, and is taken as weights (--columns {},{} leaves it out)",
                            name_of_column(head, *columns.weight), columns.source + 1, columns.target + 1));
  } else if (head.counts(columns.source) && !head.counts(columns.target)) {
    head.assume(fmt::format("{} merely counts, and is taken as sources (if it numbers the rows, say --columns {},{})",
                            name_of_column(head, columns.source), columns.target + 1, *columns.weight + 1));
  }
}

/// Returns whether strings of the first line, taken for an edge, are in none of the later rows.
bool first_line_stands_alone(const TableHead& head) {
  const EdgeColumns& columns = head.columns;
  return columns.strings && !columns.header && head.rows.size() >= kFewestRows && has(head.rows[0], columns.source) &&
         has(head.rows[0], columns.target) && !head.first_line_recurs(columns.source, columns.target);
}

void tell_of_first_line(TableHead& head) {
  const EdgeColumns& columns = head.columns;
  const Row& first = head.rows[0];
  const std::string line = fmt::format("line {}, {},", head.first_line, list_of_fields(first));
  if (columns.header && head.rows.size() == 1 && head.whole) {
    head.assume(
        fmt::format("{} names the columns, and the file holds no edges: it is read as a graph without vertices (--columns {},{} "
                    "takes the line as an edge)",
                    line, columns.source + 1, columns.target + 1));
  } else if (columns.header && !find_ends(first) && columns.strings && !columns.weight && head.first_line_is_of_other_kind()) {
    head.assume(fmt::format("{} names the columns, as no other line looks like it (--columns {},{} takes it as an edge)", line,
                            columns.source + 1, columns.target + 1));
  } else if (first_line_stands_alone(head)) {
    head.assume(fmt::format("{} is an edge; if it is a header, as its words occur in no other line, say --columns {},{}", line,
                            printable(first[columns.source]), printable(first[columns.target])));
  }
}

std::string describe_columns(const TableHead& head) {
  const EdgeColumns& columns = head.columns;
  const std::string weights = columns.attributes ? "the attribute 'weight'" : name_of_column(head, columns.weight.value_or(0));
  std::string text =
      fmt::format("{}: edges go from {} to {}, {}", head.path, name_of_column(head, columns.source),
                  name_of_column(head, columns.target), columns.weight ? "with weights in " + weights : "without weights");
  if (!columns.attributes && head.data().size() > 2 + (columns.weight ? 1u : 0u)) text += "; the others are left out";
  if (!columns.strings) return text;
  return text + "; vertices are called by strings" + (columns.header ? "" : ", and the first line is an edge");
}

}  // namespace

void tell_of_columns(TableHead& head, const ReadOptions& options) {
  const auto has_others = [](const Row& row) { return row.size() == 3 && has_other_attributes(row[2], "weight"); };
  if (head.columns.attributes) {
    if (std::ranges::any_of(head.rows, has_others)) head.assume("attributes of edges other than 'weight' are left out");
  } else if (options.columns.empty()) {
    tell_of_left_out(head);
    tell_of_counting(head);
  }
  if (options.columns.empty() && !head.columns.counts.is_left_out) tell_of_first_line(head);
  if (!head.columns.plain() || head.columns.header) head.columns.remark = describe_columns(head);
}

}  // namespace graphrun::io::inline GR_IDS
