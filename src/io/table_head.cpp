// SPDX-License-Identifier: Apache-2.0

#include "io/table_head.hpp"

#include <fmt/format.h>

#include <cctype>

#include "io/attributes.hpp"
#include "io/column_values.hpp"
#include "io/entries.hpp"
#include "io/line_parser.hpp"
#include "io/text_source.hpp"

namespace graphrun::io::inline GR_IDS {

std::string quote_field(const std::string& field) { return fmt::format("'{}'", printable(field)); }

std::string list_of_fields(const Row& row) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(row.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + quote_field(row[i]);
  return text + (row.size() > kMost ? ", ..." : "");
}

std::vector<std::uint64_t> whole_numbers(const Row& row) {
  std::vector<std::uint64_t> numbers;
  for (const std::string& text : row) {
    const auto number = whole_number(text);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

TableHead::TableHead(const std::string& file, bool separated) : path(file) {
  constexpr std::size_t kColumnsHeadBytes = std::size_t{1} << 16;
  const std::string head = read_head(path, kColumnsHeadBytes);
  const char* end = head.data() + head.size();
  whole = head.size() < kColumnsHeadBytes;
  for (const char* p = head.data() + size_of_mark(head); (p = seek_content(p, end, kEdgeListComments)) < end;) {
    const char* next = next_line(p, end);
    if (!whole && next == end && !rows.empty()) break;  // cut off
    const auto attributes = find_attributes({p, static_cast<std::size_t>(next - p)});
    if (rows.empty()) {
      first_line = 1 + static_cast<std::size_t>(std::count(head.data(), p, '\n'));
      columns.attributes = attributes.has_value();
      if (separated) columns.separator = attributes ? attributes->separator : separator_of_line(p, end);
    }
    const bool split = columns.attributes && attributes;  // attributes are the last field
    rows.push_back(fields_of_line(p, split ? p + attributes->begin - 1 : end, columns.separator));
    if (split) rows.back().emplace_back(p + attributes->begin, std::find(p, end, '\n'));
    if (rows.back().empty()) break;  // the reader says what is wrong
    p = next;
  }
  if (!rows.empty() && rows.back().empty()) rows.pop_back();
  take_names_of_rows();
}

/// Takes R's names of rows, which write.table writes without a name for their column.
void TableHead::take_names_of_rows() {
  if (rows.size() < 2 || rows[0].size() < 2 || columns.attributes) return;
  const auto is_named = [&](const Row& row) { return row.size() == rows[0].size() + 1 && reads_like_id(row[0]); };
  if (std::any_of(rows[0].begin(), rows[0].end(), reads_like_number)) return;
  if (std::all_of(rows.begin() + 1, rows.end(), is_named)) rows[0].insert(rows[0].begin(), std::string());
}

bool TableHead::holds_numbers(std::size_t column) const {
  return !all_data(column, [](const std::string& text) { return !reads_like_number(text); });
}

bool TableHead::is_used(std::size_t column) const {
  return column == columns.source || column == columns.target || column == columns.weight;
}

bool TableHead::counts(std::size_t column) const {
  const std::size_t begin = data_begin();
  std::uint64_t next = 0;
  for (std::size_t i = begin; i < rows.size(); ++i) {
    const auto number = has(rows[i], column) ? whole_number(rows[i][column]) : std::nullopt;
    if (!number || (i == begin ? *number > 1 : *number != next)) return false;
    next = *number + 1;
  }
  return true;
}

bool TableHead::may_be_header(std::size_t source, std::size_t target) const {
  const Row& first = rows[0];
  if (has(first, columns.weight.value_or(std::max(source, target) + 1), reads_like_number)) return false;
  return !has(first, source) || !has(first, target) || first[source] != first[target] || first[source].ends_with(".id");
}

bool TableHead::first_line_recurs(std::size_t source, std::size_t target) const {
  const auto is_vertex = [&](const std::string& text) {
    const auto is_it = [&](const std::string& first) { return first == text; };
    return has(rows[0], source, is_it) || has(rows[0], target, is_it);
  };
  return std::any_of(rows.begin() + 1, rows.end(),
                     [&](const Row& row) { return has(row, source, is_vertex) || has(row, target, is_vertex); });
}

bool TableHead::is_headed(std::size_t column) const {
  const auto has_letters_alone = [](const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
      return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ' ' || c == '-';
    });
  };
  const auto is_other = [](const std::string& text) { return text.find_first_of("0123456789.:/@") != std::string::npos; };
  return has(rows[0], column, has_letters_alone) &&
         std::all_of(rows.begin() + 1, rows.end(), [&](const Row& row) { return has(row, column, is_other); });
}

bool TableHead::first_line_is_of_other_kind() const {
  return rows.size() >= kFewestRows && may_be_header(columns.source, columns.target) && is_headed(columns.source) &&
         is_headed(columns.target);
}

ColumnRole TableHead::role(std::size_t column) const {
  return names_columns() && has(rows[0], column) ? role_of(rows[0][column]) : ColumnRole::unknown;
}

bool TableHead::says_weight(std::size_t column) const { return has_suffix(path, ".wel") || role(column) == ColumnRole::weight; }

std::string TableHead::why_no_weight(std::size_t column) const {
  if (role(column) == ColumnRole::time) return "holds times";
  if (role(column) == ColumnRole::row_number) return "numbers the rows";
  if (role(column) == ColumnRole::attribute) return "holds attributes";
  if (all_data(column, reads_like_time)) return "looks like times";
  const bool named = names_columns() && !says_weight(column);
  return named && rows.size() > kFewestRows && counts(column) ? "merely counts" : "";
}

}  // namespace graphrun::io::inline GR_IDS
