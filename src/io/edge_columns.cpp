#include "io/edge_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <sstream>
#include <string_view>
#include <vector>

#include "core/raise.hpp"
#include "io/entries.hpp"
#include "io/line_parser.hpp"
#include "io/text_source.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr std::size_t kColumnsHeadBytes = std::size_t{1} << 16;

using Row = std::vector<std::string>;
using Names = std::span<const std::string_view>;

constexpr std::string_view kSourceNames[] = {"source",   "src",   "from", "fromnode", "fromnodeid", "fromid",
                                             "sourceid", "srcid", "u",    "start",    "startid"};
constexpr std::string_view kTargetNames[] = {"target", "dst",      "dest",  "destination", "to",  "tonode", "tonodeid",
                                             "toid",   "targetid", "dstid", "v",           "end", "endid"};
constexpr std::string_view kWeightNames[] = {"weight", "weights", "w", "cost", "distance", "dist", "length"};
constexpr std::string_view kTimeNames[] = {"time", "timestamp", "ts", "t", "date", "datetime", "unixtime", "epoch"};

/// Letters and digits of a name, in lower case: "From Node_ID" is "fromnodeid".
std::string simple(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

bool is_among(std::string_view name, Names names) { return std::find(names.begin(), names.end(), simple(name)) != names.end(); }

bool reads_like_number(const std::string& text) {
  const char* p = text.data();
  double ignored = 0;
  return parse_real(p, text.data() + text.size(), ignored) != Parsed::not_a_number;
}

/// Seconds or milliseconds since 1970, in the years 1990 to 2039.
bool reads_like_time(const std::string& text) {
  constexpr std::uint64_t kFrom = 631'152'000;
  constexpr std::uint64_t kTo = 2'208'988'800;
  constexpr std::uint64_t kMilli = 1000;
  const char* p = text.data();
  const char* end = p + text.size();
  std::uint64_t time = 0;
  if (parse_unsigned(p, end, time) != Parsed::ok || p != end) return false;
  return (time >= kFrom && time < kTo) || (time >= kFrom * kMilli && time < kTo * kMilli);
}

/// "0,5".
bool has_decimal_comma(std::string text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos || reads_like_number(text)) return false;
  text[comma] = '.';
  return reads_like_number(text);
}

/// "1 2 0": numbers with blanks between.
bool holds_several_numbers(const std::string& text) {
  std::istringstream words(text);
  std::size_t count = 0;
  for (std::string word; words >> word; ++count) {
    if (!reads_like_number(word)) return false;
  }
  return count > 1;
}

/// Looks at the first lines of a text.
class ColumnFinder {
 public:
  ColumnFinder(const std::string& path, bool separated, const ReadOptions& options) : path_(path), options_(options) {
    const std::string head = read_head(path, kColumnsHeadBytes);
    const char* end = head.data() + head.size();
    const bool whole = head.size() < kColumnsHeadBytes;
    for (const char* p = head.data() + size_of_mark(head); (p = seek_content(p, end, kEdgeListComments)) < end;) {
      const char* next = next_line(p, end);
      if (!whole && next == end && !rows_.empty()) break;  // cut off
      if (rows_.empty() && separated) columns_.separator = separator_of_line(p, end);
      rows_.push_back(fields_of_line(p, end, columns_.separator));
      if (rows_.back().empty()) break;  // the reader says what is wrong
      p = next;
    }
    if (!rows_.empty() && rows_.back().empty()) rows_.pop_back();
  }

  EdgeColumns find() {
    if (rows_.empty()) {
      columns_.most = 2;
      columns_.strings = options_.names != nullptr;  // what reads strings can say which quotes are wrong
      return columns_;
    }
    if (!options_.columns.empty()) {
      take_asked();
    } else if (!take_named()) {
      take_first();
    }
    if (!columns_.strings) columns_.strings = options_.names != nullptr && (options_.ids_are_names || !ids_are_numbers(data()));
    if (!columns_.plain() || columns_.header) columns_.remark = describe();
    columns_.doubtful = columns_.doubtful || first_line_stands_alone();
    return columns_;
  }

 private:
  const Row& data() const { return rows_[columns_.header && rows_.size() > 1 ? 1 : 0]; }

  static bool has(const Row& row, std::size_t column) { return column < row.size(); }
  bool ids_are_numbers(const Row& row) const {
    const auto is_number = [&](std::size_t column) { return !has(row, column) || reads_like_id(row[column]); };
    return is_number(columns_.source) && is_number(columns_.target);
  }

  /// Whether the first line holds words where the second has numbers. A line whose vertices are numbers is an edge: what is wrong
  /// with its weight the reader says.
  bool first_line_differs() const {
    if (rows_.size() < 2) return false;
    const auto reads_as_number = [&](std::size_t column) { return has(rows_[0], column) && reads_like_number(rows_[0][column]); };
    if (reads_as_number(columns_.source) || reads_as_number(columns_.target)) return false;
    if (!ids_are_numbers(rows_[0]) && ids_are_numbers(rows_[1])) return true;
    const std::size_t weight = columns_.weight.value_or(2);
    const bool has_weights = columns_.weight || (rows_[0].size() == 3 && rows_[1].size() == 3);
    return has_weights && has(rows_[0], weight) && has(rows_[1], weight) && !reads_like_number(rows_[0][weight]) &&
           reads_like_number(rows_[1][weight]);
  }

  /// Whether strings of the first line, taken for an edge, are in none of the next ones that were looked at.
  bool first_line_stands_alone() const {
    constexpr std::size_t kLeastRows = 3;
    if (!columns_.strings || columns_.header || rows_.size() < kLeastRows || !options_.columns.empty()) return false;
    const auto is_there = [&](std::size_t column) {
      return has(rows_[0], column) && std::any_of(rows_.begin() + 1, rows_.end(), [&](const Row& row) {
               return (has(row, columns_.source) && row[columns_.source] == rows_[0][column]) ||
                      (has(row, columns_.target) && row[columns_.target] == rows_[0][column]);
             });
    };
    return has(rows_[0], columns_.source) && has(rows_[0], columns_.target) && !is_there(columns_.source) &&
           !is_there(columns_.target);
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
    columns_.header = columns_.header || first_line_differs();
  }

  /// By number from 1, or by its name in the header.
  std::size_t column_called(const std::string& name) {
    const Row& first = rows_[0];
    if (name.find_first_not_of("0123456789") == std::string::npos) {
      std::uint64_t number = 0;
      const char* p = name.data();
      const bool fits = parse_unsigned(p, name.data() + name.size(), number) == Parsed::ok;
      if (fits && number >= 1 && number <= first.size()) return number - 1;
      raise<UsageError>("{} has {} columns: --columns cannot ask for column {}", path_, first.size(), name);
    }
    for (std::size_t column = 0; column < first.size(); ++column) {
      if (first[column] != name && simple(first[column]) != simple(name)) continue;
      columns_.header = true;
      return column;
    }
    raise<UsageError>("{} has no column {} for --columns: its first line that is no comment holds {}", path_, quote(name),
                      list_of(first));
  }

  /// By a header whose names are well known.
  bool take_named() {
    const Row& first = rows_[0];
    const auto find = [&](Names names) -> std::optional<std::size_t> {
      const auto at = std::find_if(first.begin(), first.end(), [&](const std::string& name) { return is_among(name, names); });
      if (at == first.end()) return std::nullopt;
      return static_cast<std::size_t>(at - first.begin());
    };
    const auto source = find(kSourceNames);
    const auto target = find(kTargetNames);
    if (!source || !target) return false;
    columns_.header = true;
    columns_.source = *source;
    columns_.target = *target;
    columns_.weight = find(kWeightNames);
    if (!columns_.weight && first.size() == 3) take_third(3 - *source - *target);
    const auto may_weigh = [&](std::size_t column) {
      return column != *source && column != *target && has(data(), column) && reads_like_number(data()[column]) &&
             !holds_times(column);
    };
    for (std::size_t column = 0; !columns_.weight && column < first.size(); ++column) {
      columns_.doubtful = columns_.doubtful || may_weigh(column);
    }
    return true;
  }

  /// The first two, and what is behind them where that leaves no doubt.
  void take_first() {
    columns_.header = first_line_differs();
    const std::size_t count = data().size();
    columns_.most = count;
    if (!options_.ids_are_names) refuse_decimal_commas();
    if (count <= 2) return;
    const bool weighs = reads_like_number(data()[2]);
    if (count == 3 && weighs) {
      take_third(2);
    } else if (count == 4 && weighs && holds_times(3)) {
      columns_.weight = 2;
      time_ = 3;
    } else {
      raise<UsageError>(
          "{} has {} columns: say which hold source, target and, where there is one, weight, such as "
          "--columns {} (the first line holds {})",
          path_, count,
          columns_.header && has(rows_[0], 1) ? fmt::format("{},{}", printable(rows_[0][0]), printable(rows_[0][1])) : "1,2",
          list_of(rows_[0]));
    }
  }

  /// Lines such as "1 2 0,5" read as fields "1 2 0" and "5".
  void refuse_decimal_commas() const {
    const bool parted = columns_.separator == ',' && std::all_of(rows_.begin(), rows_.end(), [](const Row& row) {
                          return row.size() == 2 && holds_several_numbers(row[0]) && reads_like_number(row[1]);
                        });
    const bool third = data().size() > 2 && has_decimal_comma(data()[2]);
    if (!parted && !third) return;
    raise<DataError>("{} has decimal commas, as in '{}', and numbers are read with decimal points: replace the commas", path_,
                     third ? data()[2] : rows_[0][0] + "," + rows_[0][1]);
  }

  /// The only column beside the two of ids: weights where it holds numbers, unless they are times.
  void take_third(std::size_t column) {
    if (!has(data(), column) || !reads_like_number(data()[column])) return;
    if (!says_weight(column) && holds_times(column)) {
      time_ = column;
      columns_.doubtful = !is_named(column, kTimeNames);
    } else {
      columns_.weight = column;
    }
  }

  bool is_named(std::size_t column, Names names) const {
    return columns_.header && has(rows_[0], column) && is_among(rows_[0][column], names);
  }

  bool says_weight(std::size_t column) const { return has_suffix(path_, ".wel") || is_named(column, kWeightNames); }

  bool holds_times(std::size_t column) const {
    if (is_named(column, kTimeNames)) return true;
    const auto is_time = [&](const Row& row) { return !has(row, column) || reads_like_time(row[column]); };
    return std::all_of(rows_.begin() + (columns_.header ? 1 : 0), rows_.end(), is_time);
  }

  // For sentences.

  static std::string quote(const std::string& field) { return fmt::format("'{}'", printable(field)); }

  static std::string list_of(const Row& row) {
    constexpr std::size_t kMost = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(row.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + quote(row[i]);
    return text + (row.size() > kMost ? ", ..." : "");
  }

  std::string name_of(std::size_t column) const {
    const std::string number = fmt::format("column {}", column + 1);
    return columns_.header && has(rows_[0], column) ? fmt::format("{} ({})", number, quote(rows_[0][column])) : number;
  }

  std::string describe() const {
    std::string text = fmt::format("{}: edges go from {} to {}, {}", path_, name_of(columns_.source), name_of(columns_.target),
                                   columns_.weight ? "with weights in " + name_of(*columns_.weight) : "without weights");
    if (time_) {
      text += fmt::format("; {} {} and is left out", name_of(*time_), columns_.doubtful ? "looks like times" : "holds times");
      if (!columns_.weight)
        text += fmt::format(" (--columns {},{},{} takes them as weights)", columns_.source + 1, columns_.target + 1, *time_ + 1);
    } else if (data().size() > 2 + (columns_.weight ? 1u : 0u)) {
      text +=
          columns_.doubtful ? "; a column of numbers is left out (--columns takes it as weights)" : "; the others are left out";
    }
    if (columns_.strings) text += "; vertices are called by strings";
    for (const std::size_t column : {columns_.source, columns_.target}) {
      if (!columns_.strings || options_.ids_are_names || !has(data(), column)) continue;
      const std::string& name = data()[column];
      if (!reads_like_number(name) || reads_like_id(name)) continue;
      text += fmt::format(", as {} is no whole number", quote(name));
      break;
    }
    if (!columns_.strings || columns_.header) return text;
    text += ", and the first line is an edge";
    if (!first_line_stands_alone()) return text;
    return text + fmt::format("; if it is a header, as its words occur in no other line, say --columns {},{}",
                              printable(rows_[0][columns_.source]), printable(rows_[0][columns_.target]));
  }

  const std::string& path_;
  const ReadOptions& options_;
  std::vector<Row> rows_;  // as many lines as fit the head
  EdgeColumns columns_;
  std::optional<std::size_t> time_;
};

}  // namespace

std::size_t EdgeColumns::last() const { return std::max({source, target, weight.value_or(0)}); }

bool EdgeColumns::plain() const {
  return separator == '\0' && source == 0 && target == 1 && weight.value_or(2) == 2 && !strings &&
         (most <= 2 || (most == 3 && weight));
}

EdgeColumns find_columns(const std::string& path, bool separated, const ReadOptions& options) {
  return ColumnFinder(path, separated, options).find();
}

}  // namespace graphrun::io::inline GR_IDS
