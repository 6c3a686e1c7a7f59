// SPDX-License-Identifier: Apache-2.0

#include "io/edge_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/raise.hpp"
#include "io/attributes.hpp"
#include "io/column_values.hpp"
#include "io/line_parser.hpp"
#include "io/table_head.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

class ColumnFinder : private TableHead {
 public:
  ColumnFinder(const std::string& file, bool separated, const ReadOptions& options)
      : TableHead(file, separated), options_(options) {}

  EdgeColumns find() {
    if (rows.empty()) {
      columns.most = 2;
      columns.strings = options_.names != nullptr;  // what reads strings can say which quotes are wrong
      return columns;
    }
    if (!options_.columns.empty()) {
      take_asked();
    } else if (!take_counts() && !take_named()) {
      take_first();
    }
    if (options_.names != nullptr) choose_names();
    tell_of_columns(*this, options_);
    const bool is_edge = !columns.header && !columns.strings && !columns.attributes && !columns.counts.is_left_out;
    if (options_.left_out_counts) {
      columns.header = true;
      columns.counts = {};
      columns.remark.clear();
    } else if (is_edge && options_.columns.empty() && rows.size() > 1) {
      columns.counts = {whole_numbers(rows[0]), first_line, rows[1].size(), false};
    }
    return columns;
  }

 private:
  template <class Predicate>
  const std::string* find_id(const Predicate& holds) const {
    for (std::size_t i = data_begin(); i < rows.size(); ++i) {
      for (const std::size_t column : {columns.source, columns.target}) {
        if (has(rows[i], column, holds)) return &rows[i][column];
      }
    }
    return nullptr;
  }

  bool ids_are_numbers(const Row& row) const {
    const auto is_name = [](const std::string& text) { return !reads_like_id(text) && !reads_like_whole_float(text); };
    return !has(row, columns.source, is_name) && !has(row, columns.target, is_name);
  }

  /// Chooses strings or numbers: by the first edge, and by forms that numbers would lose.
  void choose_names() {
    const bool is_automatic = options_.ids == IdPolicy::automatic;
    columns.strings = options_.ids == IdPolicy::names || !ids_are_numbers(data());
    if (columns.strings) {
      const auto* fraction = find_id([](const std::string& id) { return reads_like_number(id) && !reads_like_id(id); });
      if (options_.ids != IdPolicy::names && fraction != nullptr)
        assume(fmt::format("vertices are called by strings, as {} is no whole number", quote_field(*fraction)));
      return;
    }
    if (const auto* id = find_id(has_leading_zero)) {
      columns.zeros_are_told = true;
      columns.strings = is_automatic;
      assume(fmt::format("ids such as {} begin with 0{}", quote_field(*id),
                         is_automatic ? ": they are names, not numbers (--vertices compact reads numbers)"
                                      : ", and are read as numbers (--vertices names keeps them apart)"));
      if (columns.strings) return;
    }
    if (const auto* id = find_id(reads_like_whole_float)) {
      columns.whole_floats = true;
      assume(fmt::format("ids such as {} are read as whole numbers (--vertices names takes them as they are)", quote_field(*id)));
    }
  }

  /// Returns whether the first line holds words where the second has numbers. A line whose vertices are numbers is an edge: its
  /// reader says what is wrong with its weight.
  bool first_line_differs() const {
    const Row& first = rows[0];
    const std::size_t weight = columns.weight.value_or(2);
    if (rows.size() < 2 || has(first, columns.source, reads_like_number) || has(first, columns.target, reads_like_number) ||
        has(first, weight, reads_like_number))
      return false;
    if (!ids_are_numbers(first) && ids_are_numbers(rows[1])) return true;
    const bool has_weights = columns.weight || (first.size() == 3 && rows[1].size() == 3);
    return may_be_header(columns.source, columns.target) && has_weights && has(first, weight) &&
           has(rows[1], weight, reads_like_number);
  }

  void take_asked() {
    std::vector<std::size_t> found;
    for (const std::string& name : options_.columns) found.push_back(column_called(name));
    columns.source = found[0];
    columns.target = found[1];
    if (found[0] == found[1]) {
      raise<UsageError>("--columns says that column {} of {} holds sources and targets: name two columns", found[0] + 1, path);
    }
    if (found.size() > 2) columns.weight = found[2];
    columns.header = columns.header || first_line_differs() || another_column_is_headed();
    if (columns.separator != '\0') columns.most = rows[0].size();
  }

  /// Returns whether the first line names the columns, by columns that were not asked for: their names are well known, or have
  /// letters alone where all other lines have numbers or dates.
  bool another_column_is_headed() {
    const Row& first = rows[0];
    if (rows.size() < 2 || columns.attributes || !may_be_header(columns.source, columns.target) ||
        has(first, columns.source, reads_like_number) || has(first, columns.target, reads_like_number))
      return false;
    const auto ends = find_ends(first);
    bool headed = ends && !first_line_recurs(ends->first, ends->second);
    for (std::size_t column = 0; column < first.size(); ++column) headed = headed || (!is_used(column) && is_headed(column));
    if (headed) assume(fmt::format("line {}, {}, names the columns", first_line, list_of_fields(first)));
    return headed;
  }

  /// Finds a column by its number from 1, or by its name in the header.
  std::size_t column_called(const std::string& name) {
    const Row& first = rows[0];
    if (all_digits(name)) {
      const std::uint64_t number = whole_number(name).value_or(0);
      if (number >= 1 && number <= first.size()) return number - 1;
      raise<UsageError>("{} has {} columns: --columns cannot ask for column {}", path, first.size(), name);
    }
    const auto found = std::ranges::find_if(first, [&](const std::string& each) {
      return each == name || (!simple_name(each).empty() && simple_name(each) == simple_name(name));
    });
    if (found == first.end()) {
      raise<UsageError>("{} has no column {} for --columns: its first line that is no comment holds {}", path, quote_field(name),
                        list_of_fields(first));
    }
    columns.header = true;
    return static_cast<std::size_t>(found - first.begin());
  }

  /// Returns whether the first line is a header whose first name is of row numbers: "id" or "".
  bool first_line_numbers_rows() const {
    const Row& first = rows[0];
    return rows.size() >= 2 && first.size() >= 3 && may_be_header(1, 2) && !reads_like_number(first[0]) &&
           role_of(first[0]) == ColumnRole::row_number &&
           std::all_of(rows.begin() + 1, rows.end(), [](const Row& row) { return reads_like_id(row[0]); });
  }

  /// Takes a first line of counts that has another number of columns than all others.
  bool take_counts() {
    constexpr std::size_t kMostCounts = 3;
    if (rows.size() < kFewestRows || columns.attributes || rows[0].size() > kMostCounts) return false;
    const std::size_t size = rows[1].size();
    const auto is_even = [&](const Row& row) { return row.size() == size; };
    if (size < 2 || size == rows[0].size() || !std::all_of(rows.begin() + 1, rows.end(), is_even)) return false;
    columns.counts = {whole_numbers(rows[0]), first_line, size, true};
    if (columns.counts.numbers.empty()) return false;
    columns.header = true;
    take_first();
    return true;
  }

  /// Takes columns by a header whose names are well known.
  bool take_named() {
    const Row& first = rows[0];
    const auto ends = find_ends(first);
    if (!ends || columns.attributes || !may_be_header(ends->first, ends->second)) return false;
    if (std::find(rows.begin() + 1, rows.end(), first) != rows.end()) {
      raise<DataError>(
          "{} has its header, {}, again after lines of edges, as files have that are joined: leave out all but the first", path,
          list_of_fields(first));
    }
    if (first_line_recurs(ends->first, ends->second)) {
      assume(fmt::format("line {}, {}, is an edge, as its words occur again; if it is a header, say --columns {},{}", first_line,
                         list_of_fields(first), printable(first[ends->first]), printable(first[ends->second])));
      return false;
    }
    columns.header = true;
    columns.source = ends->first;
    columns.target = ends->second;
    columns.least = columns.most = first.size();
    std::vector<std::size_t> others;
    for (std::size_t column = 0; column < first.size(); ++column) {
      if (is_used(column)) continue;
      if (role_of(first[column]) == ColumnRole::weight && !columns.weight) columns.weight = column;
      if (role_of(first[column]) != ColumnRole::row_number) others.push_back(column);
    }
    if (columns.weight) refuse_decimal_commas(*columns.weight);
    if (!columns.weight && others.size() == 1) take_third(others[0]);
    return true;
  }

  /// Takes the first two columns, and those after them where that leaves no doubt.
  void take_first() {
    const bool numbered = !columns.header && first_line_numbers_rows();
    columns.header = columns.header || numbered || first_line_differs() || first_line_is_of_other_kind();
    const std::size_t count = data().size();
    columns.least = columns.most = count;
    if (numbered) columns.source = 1, columns.target = 2;
    const std::size_t third = columns.target + 1;
    if (options_.ids != IdPolicy::names && separates_decimals()) refuse_decimal_comma(rows[0][0] + "," + rows[0][1]);
    refuse_decimal_commas(third);
    if (count <= third) return;
    if (columns.attributes && third == 2 && count == 3) {
      const auto weight = attribute_of(data()[2], "weight");
      if (weight && reads_like_number(std::string(*weight))) columns.weight = 2;
      return;
    }
    const bool weighs = reads_like_number(data()[third]);
    if (count == third + 1 && weighs) {
      take_third(third);
    } else if (count == third + 2 && weighs && (role(count - 1) == ColumnRole::time || all_data(count - 1, reads_like_time))) {
      columns.weight = third;
    } else {
      raise<UsageError>(
          "{} has {} columns: say which hold source, target and, where there is one, weight, such as "
          "--columns {} (the first line holds {})",
          path, count,
          columns.header && has(rows[0], 1) ? fmt::format("{},{}", printable(rows[0][0]), printable(rows[0][1])) : "1,2",
          list_of_fields(rows[0]));
    }
  }

  /// Takes the only column beside the two of ids as weights where it holds numbers, unless these are something else. The reader
  /// names what is no number among them.
  void take_third(std::size_t column) {
    refuse_decimal_commas(column);
    if (holds_numbers(column) && (says_weight(column) || why_no_weight(column).empty())) columns.weight = column;
  }

  /// Returns whether lines such as "1 2 0,5" are read as fields "1 2 0" and "5".
  bool separates_decimals() const {
    return columns.separator == ',' && std::all_of(rows.begin(), rows.end(), [](const Row& row) {
             return row.size() == 2 && holds_several_numbers(row[0]) && reads_like_number(row[1]);
           });
  }
  /// Refuses weights such as "0,5".
  void refuse_decimal_commas(std::size_t column) const {
    for (const Row& row : rows) {
      if (has(row, column, has_decimal_comma)) refuse_decimal_comma(row[column]);
    }
  }
  [[noreturn]] void refuse_decimal_comma(const std::string& found) const {
    raise<DataError>("{} has decimal commas, as in '{}', and numbers are read with decimal points: replace the commas", path,
                     printable(found));
  }

  const ReadOptions& options_;
};

}  // namespace

std::size_t EdgeColumns::last() const { return std::max({source, target, weight.value_or(0)}); }

bool EdgeColumns::plain() const {
  return separator == '\0' && source == 0 && target == 1 && weight.value_or(2) == 2 && !strings && !whole_floats && !attributes &&
         (most <= 2 || (most == 3 && weight));
}

EdgeColumns find_columns(const std::string& path, bool separated, const ReadOptions& options) {
  return ColumnFinder(path, separated, options).find();
}

}  // namespace graphrun::io::inline GR_IDS
