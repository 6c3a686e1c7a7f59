#include "io/edge_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "core/raise.hpp"
#include "io/attributes.hpp"
#include "io/column_names.hpp"
#include "io/column_values.hpp"
#include "io/entries.hpp"
#include "io/line_parser.hpp"
#include "io/text_source.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr std::size_t kColumnsHeadBytes = std::size_t{1} << 16;

using Row = std::vector<std::string>;

/// Fields for a sentence.
std::string quote_field(const std::string& field) { return fmt::format("'{}'", printable(field)); }

std::string list_of_fields(const Row& row) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(row.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + quote_field(row[i]);
  return text + (row.size() > kMost ? ", ..." : "");
}

/// Looks at the first lines of a text.
class ColumnFinder {
 public:
  ColumnFinder(const std::string& path, bool separated, const ReadOptions& options) : path_(path), options_(options) {
    const std::string head = read_head(path, kColumnsHeadBytes);
    const char* end = head.data() + head.size();
    whole_ = head.size() < kColumnsHeadBytes;
    for (const char* p = head.data() + size_of_mark(head); (p = seek_content(p, end, kEdgeListComments)) < end;) {
      const char* next = next_line(p, end);
      if (!whole_ && next == end && !rows_.empty()) break;  // cut off
      const std::string_view line(p, static_cast<std::size_t>(next - p));
      const auto attributes = find_attributes(line);
      if (rows_.empty()) {
        first_line_ = 1 + static_cast<std::size_t>(std::count(head.data(), p, '\n'));
        columns_.attributes = attributes.has_value();
        if (separated) columns_.separator = attributes ? attributes->separator : separator_of_line(p, end);
      }
      rows_.push_back(fields_of(p, end, attributes ? attributes->begin : line.npos));
      if (rows_.back().empty()) break;  // the reader says what is wrong
      p = next;
    }
    if (!rows_.empty() && rows_.back().empty()) rows_.pop_back();
    take_names_of_rows();
  }

  EdgeColumns find() {
    if (rows_.empty()) {
      columns_.most = 2;
      columns_.strings = options_.names != nullptr;  // what reads strings can say which quotes are wrong
      return columns_;
    }
    if (!options_.columns.empty()) {
      take_asked();
    } else if (!take_counts() && !take_named()) {
      take_first();
    }
    if (options_.names != nullptr) choose_names();
    tell_of_left_out();
    tell_of_first_line();
    if (options_.left_out_counts) {
      columns_.header = true;
      columns_.counts = {};
    } else if (!columns_.plain() || columns_.header) {
      columns_.remark = describe();
    }
    return columns_;
  }

 private:
  const Row& data() const { return rows_[data_begin()]; }
  std::size_t data_begin() const { return columns_.header && rows_.size() > 1 ? 1 : 0; }
  template <class Predicate>
  bool all_data(std::size_t column, const Predicate& holds) const {
    return std::all_of(rows_.begin() + static_cast<std::ptrdiff_t>(data_begin()), rows_.end(),
                       [&](const Row& row) { return !has(row, column) || holds(row[column]); });
  }
  template <class Predicate>
  const std::string* find_id(const Predicate& holds) const {
    for (std::size_t i = data_begin(); i < rows_.size(); ++i) {
      for (const std::size_t column : {columns_.source, columns_.target}) {
        if (has(rows_[i], column) && holds(rows_[i][column])) return &rows_[i][column];
      }
    }
    return nullptr;
  }
  bool holds_numbers(std::size_t column) const {
    return !all_data(column, [](const std::string& text) { return !reads_like_number(text); });
  }
  static bool has(const Row& row, std::size_t column) { return column < row.size(); }
  bool is_used(std::size_t column) const {
    return column == columns_.source || column == columns_.target || column == columns_.weight;
  }
  void assume(std::string sentence) { columns_.assumptions.push_back(fmt::format("{}: {}", path_, sentence)); }

  /// The fields of the line at `p`; the attributes that begin at its byte `attributes` are the last one.
  Row fields_of(const char* p, const char* end, std::size_t attributes) const {
    if (!columns_.attributes || attributes == std::string_view::npos) return fields_of_line(p, end, columns_.separator);
    Row row = fields_of_line(p, p + attributes - 1, columns_.separator);
    row.emplace_back(p + attributes, std::find(p, end, '\n'));
    return row;
  }

  /// R's write.table writes names of rows, and none for their column.
  void take_names_of_rows() {
    if (rows_.size() < 2 || rows_[0].size() < 2 || columns_.attributes) return;
    const std::size_t size = rows_[0].size() + 1;
    if (std::any_of(rows_.begin() + 1, rows_.end(), [&](const Row& row) { return row.size() != size; })) return;
    if (std::any_of(rows_[0].begin(), rows_[0].end(), reads_like_number)) return;
    if (std::all_of(rows_.begin() + 1, rows_.end(), [](const Row& row) { return reads_like_id(row[0]); }))
      rows_[0].insert(rows_[0].begin(), std::string());
  }

  /// Whether the column merely numbers the rows from `begin` on, from 0 or from 1.
  bool counts(std::size_t column, std::size_t begin) const {
    std::uint64_t next = 0;
    for (std::size_t i = begin; i < rows_.size(); ++i) {
      if (!has(rows_[i], column)) return false;
      const char* p = rows_[i][column].data();
      const char* end = p + rows_[i][column].size();
      std::uint64_t number = 0;
      if (parse_unsigned(p, end, number) != Parsed::ok || p != end) return false;
      if (i == begin && number > 1) return false;
      if (i != begin && number != next) return false;
      next = number + 1;
    }
    return begin < rows_.size();
  }

  bool ids_are_numbers(const Row& row) const {
    const auto is_number = [&](std::size_t column) {
      return !has(row, column) || reads_like_id(row[column]) || reads_like_whole_float(row[column]);
    };
    return is_number(columns_.source) && is_number(columns_.target);
  }

  /// Strings or numbers: by the first edge, and by forms that numbers would lose.
  void choose_names() {
    columns_.strings = options_.ids == IdPolicy::names || !ids_are_numbers(data());
    if (columns_.strings && options_.ids != IdPolicy::names) {
      const auto* fraction = find_id([](const std::string& id) { return reads_like_number(id) && !reads_like_id(id); });
      if (fraction != nullptr)
        assume(fmt::format("vertices are called by strings, as {} is no whole number", quote_field(*fraction)));
    }
    if (columns_.strings) return;
    if (const auto* id = find_id(has_leading_zero)) {
      columns_.zeros_are_told = true;
      columns_.strings = options_.ids == IdPolicy::automatic;
      assume(columns_.strings
                 ? fmt::format("ids such as {} begin with 0: they are names, not numbers (--vertices compact reads numbers)",
                               quote_field(*id))
                 : fmt::format("ids such as {} begin with 0, and are read as numbers (--vertices names keeps them apart)",
                               quote_field(*id)));
    }
    if (columns_.strings) return;
    if (const auto* id = find_id(reads_like_whole_float)) {
      columns_.whole_floats = true;
      assume(fmt::format("ids such as {} are read as whole numbers (--vertices names takes them as they are)", quote_field(*id)));
    }
  }

  /// Whether the first line holds words where the second has numbers. A line whose vertices are numbers is an edge: what is wrong
  /// with its weight the reader says.
  bool first_line_differs() const {
    if (rows_.size() < 2) return false;
    const auto reads_as_number = [&](std::size_t column) { return has(rows_[0], column) && reads_like_number(rows_[0][column]); };
    if (reads_as_number(columns_.source) || reads_as_number(columns_.target)) return false;
    const std::size_t weight = columns_.weight.value_or(2);
    if (reads_as_number(weight)) return false;
    if (!ids_are_numbers(rows_[0]) && ids_are_numbers(rows_[1])) return true;
    if (!may_be_header(columns_.source, columns_.target)) return false;
    const bool has_weights = columns_.weight || (rows_[0].size() == 3 && rows_[1].size() == 3);
    return has_weights && has(rows_[0], weight) && has(rows_[1], weight) && !reads_like_number(rows_[0][weight]) &&
           reads_like_number(rows_[1][weight]);
  }

  /// No header calls two columns the same, as a self loop does, but LDBC's Person.id; and none calls weights by a number.
  bool may_be_header(std::size_t source, std::size_t target) const {
    const Row& first = rows_[0];
    const std::size_t weight = columns_.weight.value_or(std::max(source, target) + 1);
    if (has(first, weight) && reads_like_number(first[weight])) return false;
    return !has(first, source) || !has(first, target) || first[source] != first[target] || first[source].ends_with(".id");
  }

  /// Whether a vertex of the first line, in `source` and `target`, occurs in the next ones that were looked at.
  bool first_line_recurs(std::size_t source, std::size_t target) const {
    return std::any_of(rows_.begin() + 1, rows_.end(), [&](const Row& row) {
      const auto is_there = [&](std::size_t column) {
        return has(rows_[0], column) &&
               ((has(row, source) && row[source] == rows_[0][column]) || (has(row, target) && row[target] == rows_[0][column]));
      };
      return is_there(source) || is_there(target);
    });
  }

  /// Whether strings of the first line, taken for an edge, are in none of the next ones that were looked at.
  bool first_line_stands_alone() const {
    if (!columns_.strings || columns_.header || rows_.size() < kFewestRows || !options_.columns.empty()) return false;
    return has(rows_[0], columns_.source) && has(rows_[0], columns_.target) &&
           !first_line_recurs(columns_.source, columns_.target);
  }

  /// Whether the first line has words of letters, and all others in both columns what no such word has: digits, points, slashes.
  bool first_line_is_of_other_kind() const {
    if (rows_.size() < kFewestRows || !may_be_header(columns_.source, columns_.target)) return false;
    return is_headed(columns_.source) && is_headed(columns_.target);
  }
  bool is_headed(std::size_t column) const {
    const auto has_letters_alone = [](const std::string& text) {
      return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ' ' || c == '-';
      });
    };
    const auto is_other = [](const std::string& text) { return text.find_first_of("0123456789.:/@") != std::string::npos; };
    return has(rows_[0], column) && has_letters_alone(rows_[0][column]) &&
           std::all_of(rows_.begin() + 1, rows_.end(), [&](const Row& row) { return has(row, column) && is_other(row[column]); });
  }

  void take_asked() {
    std::vector<std::size_t> found;
    for (const std::string& name : options_.columns) found.push_back(column_called(name));
    columns_.source = found[0];
    columns_.target = found[1];
    if (found[0] == found[1]) {
      raise<UsageError>("--columns says that column {} of {} holds sources and targets: name two columns", found[0] + 1, path_);
    }
    if (found.size() > 2) columns_.weight = found[2];
    columns_.header = columns_.header || first_line_differs() || another_column_is_headed();
    if (columns_.separator != '\0') columns_.most = rows_[0].size();
  }

  /// Whether the first line names the columns, by columns that were not asked for: their names are well known, or have letters
  /// alone where all other lines have numbers or dates.
  bool another_column_is_headed() {
    const Row& first = rows_[0];
    if (rows_.size() < 2 || columns_.attributes || !may_be_header(columns_.source, columns_.target)) return false;
    for (const std::size_t end : {columns_.source, columns_.target}) {
      if (has(first, end) && reads_like_number(first[end])) return false;
    }
    const auto ends = find_ends(first);
    bool headed = ends && !first_line_recurs(ends->first, ends->second);
    for (std::size_t column = 0; column < first.size(); ++column) headed = headed || (!is_used(column) && is_headed(column));
    if (headed) assume(fmt::format("line {}, {}, names the columns", first_line_, list_of_fields(first)));
    return headed;
  }

  /// By number from 1, or by its name in the header.
  std::size_t column_called(const std::string& name) {
    const Row& first = rows_[0];
    if (all_digits(name)) {
      std::uint64_t number = 0;
      const char* p = name.data();
      const bool fits = parse_unsigned(p, name.data() + name.size(), number) == Parsed::ok;
      if (fits && number >= 1 && number <= first.size()) return number - 1;
      raise<UsageError>("{} has {} columns: --columns cannot ask for column {}", path_, first.size(), name);
    }
    for (std::size_t column = 0; column < first.size(); ++column) {
      if (first[column] != name && (simple_name(first[column]).empty() || simple_name(first[column]) != simple_name(name)))
        continue;
      columns_.header = true;
      return column;
    }
    raise<UsageError>("{} has no column {} for --columns: its first line that is no comment holds {}", path_, quote_field(name),
                      list_of_fields(first));
  }

  /// Whether the first line is a header whose first name is that of row numbers, as "id" and "" are.
  bool first_line_numbers_rows() const {
    const Row& first = rows_[0];
    if (rows_.size() < 2 || first.size() < 3 || !may_be_header(1, 2) || reads_like_number(first[0]) ||
        role_of(first[0]) != ColumnRole::row_number)
      return false;
    return std::all_of(rows_.begin() + 1, rows_.end(), [](const Row& row) { return reads_like_id(row[0]); });
  }

  /// A first line of counts may have another number of columns than all others.
  bool take_counts() {
    constexpr std::size_t kMostCounts = 3;
    if (rows_.size() < kFewestRows || columns_.attributes || rows_[0].size() > kMostCounts) return false;
    const std::size_t size = rows_[1].size();
    const auto is_even = [&](const Row& row) { return row.size() == size; };
    if (size < 2 || size == rows_[0].size() || !std::all_of(rows_.begin() + 1, rows_.end(), is_even)) return false;
    columns_.counts = {whole_numbers(rows_[0]), first_line_, size, true};
    if (columns_.counts.numbers.empty()) return false;
    columns_.header = true;
    take_first();
    return true;
  }

  /// By a header whose names are well known.
  bool take_named() {
    const Row& first = rows_[0];
    const auto ends = find_ends(first);
    if (!ends || columns_.attributes || !may_be_header(ends->first, ends->second)) return false;
    if (std::find(rows_.begin() + 1, rows_.end(), first) != rows_.end()) {
      raise<DataError>(
          "{} has its header, {}, again after lines of edges, as files have that are joined: leave out all but the first", path_,
          list_of_fields(first));
    }
    if (first_line_recurs(ends->first, ends->second)) {
      assume(fmt::format("line {}, {}, is an edge, as its words occur again; if it is a header, say --columns {},{}", first_line_,
                         list_of_fields(first), printable(first[ends->first]), printable(first[ends->second])));
      return false;
    }
    columns_.header = true;
    columns_.source = ends->first;
    columns_.target = ends->second;
    columns_.least = columns_.most = first.size();
    std::vector<std::size_t> others;
    for (std::size_t column = 0; column < first.size(); ++column) {
      if (is_used(column)) continue;
      if (role_of(first[column]) == ColumnRole::weight && !columns_.weight) columns_.weight = column;
      if (role_of(first[column]) != ColumnRole::row_number) others.push_back(column);
    }
    if (columns_.weight) refuse_decimal_commas(*columns_.weight);
    if (!columns_.weight && others.size() == 1) take_third(others[0]);
    return true;
  }

  /// The first two, and what is behind them where that leaves no doubt.
  void take_first() {
    const bool numbered = !columns_.header && first_line_numbers_rows();
    columns_.header = columns_.header || numbered || first_line_differs() || first_line_is_of_other_kind();
    const std::size_t count = data().size();
    columns_.least = columns_.most = count;
    if (numbered) columns_.source = 1, columns_.target = 2;
    const std::size_t third = columns_.target + 1;
    if (options_.ids != IdPolicy::names && separates_decimals()) refuse_decimal_comma(rows_[0][0] + "," + rows_[0][1]);
    refuse_decimal_commas(third);
    if (count <= third) return;
    if (columns_.attributes && third == 2 && count == 3) {
      const auto weight = attribute_of(data()[2], "weight");
      if (weight && reads_like_number(std::string(*weight))) columns_.weight = 2;
      return;
    }
    const bool weighs = reads_like_number(data()[third]);
    if (count == third + 1 && weighs) {
      take_third(third);
    } else if (count == third + 2 && weighs && holds_times(third + 1)) {
      columns_.weight = third;
    } else {
      raise<UsageError>(
          "{} has {} columns: say which hold source, target and, where there is one, weight, such as "
          "--columns {} (the first line holds {})",
          path_, count,
          columns_.header && has(rows_[0], 1) ? fmt::format("{},{}", printable(rows_[0][0]), printable(rows_[0][1])) : "1,2",
          list_of_fields(rows_[0]));
    }
  }

  /// Whether lines such as "1 2 0,5" are read as fields "1 2 0" and "5".
  bool separates_decimals() const {
    return columns_.separator == ',' && std::all_of(rows_.begin(), rows_.end(), [](const Row& row) {
             return row.size() == 2 && holds_several_numbers(row[0]) && reads_like_number(row[1]);
           });
  }
  /// Weights such as "0,5".
  void refuse_decimal_commas(std::size_t column) const {
    for (const Row& row : rows_) {
      if (has(row, column) && has_decimal_comma(row[column])) refuse_decimal_comma(row[column]);
    }
  }
  [[noreturn]] void refuse_decimal_comma(const std::string& found) const {
    raise<DataError>("{} has decimal commas, as in '{}', and numbers are read with decimal points: replace the commas", path_,
                     printable(found));
  }

  /// The only column beside the two of ids: weights where it holds numbers, unless these are something else. What is no number
  /// among them the reader names.
  void take_third(std::size_t column) {
    refuse_decimal_commas(column);
    if (!holds_numbers(column)) return;
    if (says_weight(column) || why_no_weight(column).empty()) columns_.weight = column;
  }

  /// Whether the first line is a header of names.
  bool names_columns() const { return columns_.header && !columns_.counts.is_left_out; }
  ColumnRole role(std::size_t column) const {
    return names_columns() && has(rows_[0], column) ? role_of(rows_[0][column]) : ColumnRole::unknown;
  }
  bool says_weight(std::size_t column) const { return has_suffix(path_, ".wel") || role(column) == ColumnRole::weight; }
  bool holds_times(std::size_t column) const { return role(column) == ColumnRole::time || all_data(column, reads_like_time); }

  /// What a column of numbers holds that is no weight; empty where it may be one.
  std::string why_no_weight(std::size_t column) const {
    if (role(column) == ColumnRole::time) return "holds times";
    if (role(column) == ColumnRole::row_number) return "numbers the rows";
    if (role(column) == ColumnRole::attribute) return "holds attributes";
    if (all_data(column, reads_like_time)) return "looks like times";
    const bool named = names_columns() && !says_weight(column);
    if (named && rows_.size() >= kFewestRows + 1 && counts(column, data_begin())) return "merely counts";
    return "";
  }

  // For sentences.

  std::string name_of(std::size_t column) const {
    const std::string number = fmt::format("column {}", column + 1);
    return names_columns() && has(rows_[0], column) ? fmt::format("{} ({})", number, quote_field(rows_[0][column])) : number;
  }

  /// Columns of numbers that are not used, and used ones that merely count.
  void tell_of_left_out() {
    if (columns_.attributes) {
      const auto others = [](const Row& row) { return row.size() == 3 && has_other_attributes(row[2], "weight"); };
      if (std::any_of(rows_.begin(), rows_.end(), others)) assume("attributes of edges other than 'weight' are left out");
      return;
    }
    if (!options_.columns.empty()) return;
    for (std::size_t column = 0; column < data().size(); ++column) {
      const bool numbers = holds_numbers(column);
      const bool numbers_rows = role(column) == ColumnRole::row_number;
      if (is_used(column) || (!numbers && !numbers_rows && role(column) != ColumnRole::time)) continue;
      const std::string why = why_no_weight(column);
      const std::string taken = fmt::format("--columns {},{},{} takes {} as weights", columns_.source + 1, columns_.target + 1,
                                            column + 1, numbers_rows ? "it" : "them");
      assume(fmt::format("{} {} and is left out{}", name_of(column), why.empty() ? "holds numbers" : why,
                         columns_.weight || !numbers ? "" : fmt::format(" ({})", taken)));
    }
    const std::size_t begin = data_begin();
    if (columns_.header || rows_.size() < kFewestRows || !columns_.weight) return;
    if (counts(*columns_.weight, begin) && !has_suffix(path_, ".wel")) {
      assume(fmt::format("{} merely counts, and is taken as weights (--columns {},{} leaves it out)", name_of(*columns_.weight),
                         columns_.source + 1, columns_.target + 1));
    } else if (counts(columns_.source, begin) && !counts(columns_.target, begin) && !has_suffix(path_, ".wel")) {
      assume(fmt::format("{} merely counts, and is taken as sources (if it numbers the rows, say --columns {},{})",
                         name_of(columns_.source), columns_.target + 1, *columns_.weight + 1));
    }
  }

  void tell_of_first_line() {
    if (columns_.counts.is_left_out || !options_.columns.empty()) return;
    const std::string line = fmt::format("line {}, {},", first_line_, list_of_fields(rows_[0]));
    if (columns_.header && rows_.size() == 1 && whole_) {
      assume(fmt::format(
          "{} names the columns, and the file holds no edges: it is read as a graph without vertices (--columns {},{} "
          "takes the line as an edge)",
          line, columns_.source + 1, columns_.target + 1));
    } else if (columns_.header && !find_ends(rows_[0]) && columns_.strings && !columns_.weight && first_line_is_of_other_kind()) {
      assume(fmt::format("{} names the columns, as no other line looks like it (--columns {},{} takes it as an edge)", line,
                         columns_.source + 1, columns_.target + 1));
    } else if (first_line_stands_alone()) {
      assume(fmt::format("{} is an edge; if it is a header, as its words occur in no other line, say --columns {},{}", line,
                         printable(rows_[0][columns_.source]), printable(rows_[0][columns_.target])));
    }
    const bool numbers = !columns_.header && !columns_.strings && !columns_.attributes;
    if (numbers && rows_.size() > 1) columns_.counts = {whole_numbers(rows_[0]), first_line_, rows_[1].size(), false};
  }

  /// The numbers of a row; none where one is no whole number of 64 bits.
  static std::vector<std::uint64_t> whole_numbers(const Row& row) {
    std::vector<std::uint64_t> numbers;
    for (const std::string& text : row) {
      const char* p = text.data();
      std::uint64_t number = 0;
      if (!all_digits(text) || parse_unsigned(p, p + text.size(), number) != Parsed::ok) return {};
      numbers.push_back(number);
    }
    return numbers;
  }

  std::string describe() const {
    const std::string weights = columns_.attributes ? "the attribute 'weight'" : name_of(columns_.weight.value_or(0));
    std::string text = fmt::format("{}: edges go from {} to {}, {}", path_, name_of(columns_.source), name_of(columns_.target),
                                   columns_.weight ? "with weights in " + weights : "without weights");
    if (!columns_.attributes && data().size() > 2 + (columns_.weight ? 1u : 0u)) text += "; the others are left out";
    if (!columns_.strings) return text;
    return text + "; vertices are called by strings" + (columns_.header ? "" : ", and the first line is an edge");
  }

  const std::string& path_;
  const ReadOptions& options_;
  bool whole_ = false;          // the rows are all lines
  std::size_t first_line_ = 1;  // the line of rows_[0]
  std::vector<Row> rows_;       // as many lines as fit the head
  EdgeColumns columns_;
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
