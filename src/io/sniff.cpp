// SPDX-License-Identifier: Apache-2.0
// Recognises the format of a file by its content, and by its name where the content fits two.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/io/readers.hpp"
#include "io/attributes.hpp"
#include "io/entries.hpp"
#include "io/formats.hpp"
#include "io/graphalytics.hpp"
#include "io/line_parser.hpp"
#include "io/native_layout.hpp"
#include "io/pipe_input.hpp"
#include "io/text_source.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kHeadBytes = std::size_t{1} << 16;
constexpr std::size_t kMarkBytes = 3;  // of a byte order mark, which the text lacks here

bool is_text(std::string_view head) {
  return std::none_of(head.begin(), head.end(),
                      [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\n' && !io::is_blank(c); });
}

/// The shape of lines that are no comments, without a last line that may be cut off.
struct Lines {
  char separator = '\0';                // in the first line; 0: blanks
  std::vector<std::string> first;       // fields of it
  std::size_t least = ~std::size_t{0};  // fields of the others
  std::size_t most = 0;

  bool any() const { return !first.empty(); }
  bool even() const { return most == 0 || (least == most && most == first.size()); }
  /// Returns whether it is a table, also below R's header, which lacks a name for the names of rows.
  bool table() const { return even() || (least == most && most == first.size() + 1); }
  std::string doubt = {};  // which of two separators was taken
};

/// Returns the separator of a line; a tab between numbers is a blank.
char separator_of(const char* first, const char* end) {
  const char separator = io::separator_of_line(first, end);
  return separator == '\t' && std::ranges::all_of(io::fields_of_line(first, end, '\0'), io::reads_like_id) ? '\0' : separator;
}

/// Examines lines; without a `separator`, by the first one's. Calls words(fields) for each line.
template <class Words>
Lines look_at_lines(std::string_view head, std::optional<char> separator, const Words& words) {
  Lines lines;
  const char* end = head.data() + head.size();
  const bool whole = head.size() < kHeadBytes;
  for (const char* p = head.data(); (p = io::seek_content(p, end, io::kEdgeListComments)) < end; p = io::next_line(p, end)) {
    if (!whole && io::next_line(p, end) == end) break;
    if (!lines.any()) {
      lines.separator = separator ? *separator : separator_of(p, end);
      lines.first = io::fields_of_line(p, end, lines.separator);
      words(lines.first);
      if (!lines.any()) lines.first = {""};  // quotes that do not close
      continue;
    }
    const std::vector<std::string> fields = io::fields_of_line(p, end, lines.separator);
    words(fields);
    lines.least = std::min(lines.least, fields.size());
    lines.most = std::max(lines.most, fields.size());
  }
  return lines;
}

/// Examines lines by the separator that gives all lines as many fields. Commas, semicolons and bars of the first line may also
/// stand in names, with blanks between the columns. If both fit, blanks are taken where every word holds as many commas ("Smith,J
/// Miller,K") or the file is called an edge list.
Lines look_at_lines(const std::string& path, std::string_view head) {
  Lines separated = look_at_lines(head, std::nullopt, [](const auto&) {});
  const char mark = separated.separator;
  const bool table = io::has_suffix(path, ".csv") || io::has_suffix(path, ".tsv");
  if (mark == '\0' || mark == '\t' || table) return separated;
  bool padding = false;  // a word begins or ends with the mark: blanks stand around marks
  bool alike = true;     // every word holds as many marks as the first one
  std::optional<std::ptrdiff_t> marks_of_first;
  Lines blanks = look_at_lines(head, '\0', [&](const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      const std::ptrdiff_t marks = std::ranges::count(word, mark);
      padding = padding || word.starts_with(mark) || word.ends_with(mark);
      alike = alike && marks == marks_of_first.value_or(marks);
      marks_of_first = marks;
    }
  });
  const std::size_t columns = blanks.first.size();
  if (padding || !blanks.even() || columns < 2 || columns > 3) return separated;
  if (!separated.even()) return blanks;
  const bool list = io::has_suffix(path, ".el") || io::has_suffix(path, ".wel");
  Lines& taken = alike || list ? blanks : separated;
  const char* const name = mark == ',' ? "commas" : mark == ';' ? "semicolons" : "bars";
  taken.doubt = fmt::format("{}: columns may be separated by blanks or by {}: {} are taken, --format {} takes the other", path,
                            name, &taken == &blanks ? "blanks" : name, &taken == &blanks ? "csv" : "el");
  return taken;
}

bool begins_with_letters_of(std::string_view text, std::string_view small_letters) {
  return text.size() >= small_letters.size() && in_small_letters(text.substr(0, small_letters.size())) == small_letters;
}

/// Throws where the name or the first comment says MatrixMarket and the banner is missing: such text reads like an edge list.
bool is_matrix_market(const std::string& path, std::string_view head) {
  if (begins_with_letters_of(head, "%%matrixmarket")) return true;
  const char* const begin = head.data();
  const char* const end = begin + head.size();
  const std::string_view content = head.substr(std::min(head.find_first_not_of(" \t\r\v\f\n"), head.size()));
  const std::string_view words = content.substr(std::min(content.find_first_not_of("%# \t"), content.size()));
  const bool says_so = content.data() != words.data() && begins_with_letters_of(words, "matrixmarket");
  if (!says_so && !io::has_suffix(path, ".mtx")) return false;
  const char* const token = io::skip_blanks(begin, end);
  const std::string found = token < end && *token == '\n' ? "a blank line"
                            : token > begin               ? "a blank"
                                                          : io::quote_token(token, end);
  raise<DataError>(
      "{} begins with {} instead of '%%MatrixMarket matrix coordinate FIELD SYMMETRY': mend its first line, which "
      "--format mtx needs too, or say --format el if every line is an edge",
      path, found);
}

/// Returns whether a line "p sp V E" or an arc "a U V W" follows lines that begin with c.
bool is_dimacs(std::string_view head) {
  constexpr io::CommentMarks kComments{'c', 'c'};
  const char* end = head.data() + head.size();
  const char* p = io::seek_content(head.data(), end, kComments);
  if (p == end) return head.starts_with("c\n") || head.starts_with("c ") || head.starts_with("c\r");
  const std::vector<std::string> words = io::fields_of_line(p, end, '\0');
  if (words.size() < 2) return false;
  const bool problem = words[0] == "p" && (words.size() == 4 || words[1] == "sp");
  return problem || (words[0] == "a" && words.size() == 4 && io::reads_like_id(words[1]));
}

/// Recognises edges in a table of two columns or more.
std::optional<FileFormat> columns_format(const std::string& path, const Lines& lines) {
  const bool named = io::has_suffix(path, ".csv") || io::has_suffix(path, ".tsv");
  const bool pairs = lines.first.size() >= 2 && !lines.first[0].empty() && !lines.first[1].empty();
  const bool ids = pairs && io::reads_like_id(lines.first[0]) && io::reads_like_id(lines.first[1]);
  const bool table = pairs && lines.table() && lines.first[0].find_first_of("{[<") != 0;
  if (lines.separator != '\0' && (named || ids || table)) return FileFormat::csv;
  const bool list = io::has_suffix(path, ".el") || io::has_suffix(path, ".wel");  // its reader names the faulty line
  if (lines.separator == '\0' && (named || (list && pairs) || (table && lines.first.size() <= 3))) return FileFormat::edge_list;
  return std::nullopt;
}

/// Recognises edges with a dict after the vertices, as networkx.write_edgelist writes them.
std::optional<FileFormat> attributes_format(std::string_view head) {
  std::optional<io::AttributeLine> first;
  const char* const end = head.data() + head.size();
  for (const char* p = head.data(); (p = io::seek_content(p, end, io::kEdgeListComments)) < end; p = io::next_line(p, end)) {
    const char* const next = io::next_line(p, end);
    if (next == end && first && head.size() >= kHeadBytes - kMarkBytes) break;  // cut off
    const auto found = io::find_attributes({p, static_cast<std::size_t>(next - p)});
    if (!found || (first && found->separator != first->separator)) return std::nullopt;
    first = found;
  }
  if (!first) return std::nullopt;
  return first->separator == '\0' ? FileFormat::edge_list : FileFormat::csv;
}

/// Recognises METIS, whose lines of two or three neighbours read like edges, too.
std::optional<FileFormat> metis_format(const io::FileHead& file, std::string_view head, const Lines& lines, std::string& doubt) {
  const bool named = io::has_suffix(file.path, ".graph") || io::has_suffix(file.path, ".metis");
  const bool header = lines.first.size() >= 2 && lines.first.size() <= 4;
  if (header && named) return FileFormat::metis;
  constexpr std::size_t kMostColumns = 3;
  const bool uneven = lines.least != lines.most && (lines.most > kMostColumns || lines.least == 1);
  const bool is_whole = head.size() < kHeadBytes - kMarkBytes;
  if (!is_whole || !io::is_metis_text(head)) {
    // A line of one column between lines of two or three misses one, where the text is seen whole.
    return header && uneven && !(is_whole && lines.most <= kMostColumns) ? FileFormat::metis : FileFormat::edge_list;
  }
  const bool even = lines.least == lines.most;
  if (even && lines.most == 2) {
    raise<DataError>(
        "{} reads like METIS, with a line of neighbours for each vertex, and like an edge list: say --format metis or --format "
        "el",
        file.path);
  }
  if (even) {
    doubt = fmt::format("{} is taken for METIS, with a line of neighbours for each vertex: --format el takes lines as edges",
                        file.path);
  }
  return FileFormat::metis;
}

std::optional<FileFormat> text_format(const io::FileHead& file, bool columns, std::string& doubt) {
  const std::string_view head = std::string_view(file.bytes).substr(io::size_of_mark(file.bytes));
  if (is_matrix_market(file.path, head)) return FileFormat::matrix_market;
  if (io::is_graphalytics(head)) return FileFormat::graphalytics;
  if (const auto found = attributes_format(head)) return found;
  if (!columns) io::refuse_foreign_text(file.path, head.substr(0, file.bytes.size() < kHeadBytes ? head.npos : head.rfind('\n')));
  const Lines lines = look_at_lines(file.path, head);
  doubt = lines.doubt;
  if (!lines.any()) return FileFormat::edge_list;  // nothing but comments: its reader says what is wrong
  if (columns) return lines.separator != '\0' ? FileFormat::csv : FileFormat::edge_list;
  if (is_dimacs(head) && !(lines.even() && lines.first.size() < 4 && lines.first[0] == "c")) return FileFormat::dimacs;
  const char first = lines.first.front().empty() ? '\0' : lines.first.front().front();
  const bool number = (first >= '0' && first <= '9') || first == '-' || first == '+';
  if (lines.separator != '\0' || !number) return columns_format(file.path, lines);
  // In an edge list all lines have as many words; in METIS's text a line has as many as a vertex has neighbours. A mesh may
  // look like either.
  return metis_format(file, head, lines, doubt);
}

/// Returns the line that should have told the format, for a sentence.
std::string first_line_in_words(const std::string& head) {
  const char* end = head.data() + head.size();
  const char* p = io::seek_content(head.data() + io::size_of_mark(head), end, io::kEdgeListComments);
  std::vector<std::string> words;
  for (const std::string& field : io::fields_of_line(p, end, '\0')) words.push_back(io::quote_word(field));
  if (words.empty()) {  // a quote in it does not close
    std::istringstream plain(std::string(p, std::find(p, end, '\n')));
    for (std::string word; plain >> word;) words.push_back(io::quote_word(word));
  }
  constexpr std::size_t kMost = 4;
  const bool more = words.size() > kMost;
  if (more) words.resize(kMost);
  return fmt::format("its line {} reads {}{}", 1 + std::count(head.data(), p, '\n'), fmt::join(words, " "), more ? " ..." : "");
}

/// Refuses lines that end as on a Mac before 2001: they would be one line.
void refuse_lone_returns(const std::string& path, std::string_view head) {
  for (std::size_t at = head.find('\r'); at != head.npos; at = head.find('\r', at + 1)) {
    if (at + 1 == head.size() || io::is_blank(head[at + 1]) || head[at + 1] == '\n') continue;
    raise<DataError>("{} ends lines with a carriage return alone (CR, as old Macs do): \"tr '\\r' '\\n' < {} > NEW\" mends it",
                     path, path);
  }
}

std::optional<FileFormat> binary_format(const io::FileHead& head) {
  if (head.bytes.compare(0, io::kMagic.size(), io::kMagic) == 0) return FileFormat::native;
  if (io::is_in(io::kGalois, head)) return FileFormat::galois;
  if (io::is_in(io::kGbbs, head)) return FileFormat::gbbs;
  if (io::is_in(io::kGapbs, head)) return FileFormat::gapbs;
  if (io::is_in(io::kSubway, head)) return FileFormat::subway;
  if (io::is_in(io::kLiberator, head)) return FileFormat::liberator;
  return std::nullopt;
}

std::optional<FileFormat> binary_format_by_name(const std::string& path) {
  constexpr std::pair<std::string_view, FileFormat> kSuffixes[] = {
      {".grf", FileFormat::native},  {".sg", FileFormat::gapbs},     {".wsg", FileFormat::gapbs},
      {".bcsr", FileFormat::subway}, {".bwcsr", FileFormat::subway}, {".gr", FileFormat::galois},
      {".bin", FileFormat::gbbs},
  };
  for (const auto& [suffix, format] : kSuffixes) {
    if (io::has_suffix(path, suffix)) return format;
  }
  return std::nullopt;
}

}  // namespace

FileFormat sniff_format(const std::string& spec, bool columns, std::string* doubt) {
  std::string ignored;
  const std::string path = io::input_path(spec);
  io::FileHead head{path, {}, 0};
  if (io::is_bel(head)) return FileFormat::bel;
  head.bytes = io::read_head(path, kHeadBytes);
  head.file_bytes = io::input_bytes(path);
  if (is_text(head.bytes)) {
    refuse_lone_returns(path, head.bytes);
    if (const auto found = text_format(head, columns, doubt != nullptr ? *doubt : ignored)) return *found;
  } else if (head.bytes.starts_with("\xff\xfe") || head.bytes.starts_with("\xfe\xff")) {
    raise<DataError>("{} is text of UTF-16: save it as UTF-8 first", path);
  } else if (io::is_archived(path)) {
    raise<DataError>("{} holds no text: only text is read out of an archive, so unpack it first", path);
  } else if (const char* compression = io::compression_of_file(path)) {
    raise<DataError>("{} is compressed with {} and holds no text: only text is read compressed, so decompress it first", path,
                     compression);
  } else if (const auto found = binary_format(head)) {
    return *found;
  } else if (const auto named = binary_format_by_name(path)) {
    return *named;  // its reader says what is wrong
  }
  const std::string_view bytes = head.bytes;
  const std::size_t zero = bytes.find('\0');
  std::string why;
  if (is_text(bytes)) {
    why = ": " + first_line_in_words(head.bytes);
  } else if (zero != bytes.npos && bytes.find('\n') < zero && is_text(bytes.substr(0, zero))) {
    why = fmt::format(": line {} of what reads like text holds a byte of zero",
                      1 + std::ranges::count(bytes.substr(0, zero), '\n'));
  }
  raise<DataError>("{} is in none of the formats that can be read (graphconv --help lists them), or damaged{}", path, why);
}

}  // namespace graphrun::inline GR_IDS
