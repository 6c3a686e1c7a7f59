// The format: R. Boisvert, R. Pozo, K. Remington, "The Matrix Market Exchange Formats: Initial Design", NISTIR 5935, 1996.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <string>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/io/readers.hpp"
#include "io/entries.hpp"
#include "io/line_parser.hpp"

namespace graphrun {
namespace {

enum class Field { real, integer, pattern };
enum class Symmetry { general, symmetric, skew };

struct Header {
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t entries = 0;
  std::size_t size_line = 0;  ///< byte offset
  std::size_t body = 0;       ///< byte offset of the line after it
};

std::string lower(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

std::vector<std::string> words_of_line(const char* p, const char* end) {
  std::vector<std::string> words;
  for (p = io::skip_blanks(p, end); !io::at_line_end(p, end); p = io::skip_blanks(p, end)) {
    const char* last = io::token_end(p, end);
    words.push_back(lower(std::string(p, last)));
    p = last;
  }
  return words;
}

/// "%%MatrixMarket matrix coordinate FIELD SYMMETRY".
void parse_banner(const io::Text& text, Header& header) {
  const auto refuse = [&](const std::string& message) { io::throw_at(text, 0, message); };
  const std::vector<std::string> words = words_of_line(text.begin(), text.end());
  if (words.size() != 5 || words[0] != "%%matrixmarket") {
    refuse("the first line should read '%%MatrixMarket matrix coordinate FIELD SYMMETRY'");
  }
  const auto printable = [](const std::string& word) { return io::quote_token(word.data(), word.data() + word.size()); };
  if (words[1] != "matrix") refuse(fmt::format("object {} is not supported, only 'matrix'", printable(words[1])));
  if (words[2] == "array") refuse("format 'array' (a dense matrix) is not supported, only 'coordinate'");
  if (words[2] != "coordinate") refuse(fmt::format("format {} is not supported, only 'coordinate'", printable(words[2])));
  if (words[3] == "real" || words[3] == "double") {
    header.field = Field::real;
  } else if (words[3] == "integer") {
    header.field = Field::integer;
  } else if (words[3] == "pattern") {
    header.field = Field::pattern;
  } else {
    refuse(fmt::format("field {} is not supported, only real, integer and pattern", printable(words[3])));
  }
  if (words[4] == "general") {
    header.symmetry = Symmetry::general;
  } else if (words[4] == "symmetric") {
    header.symmetry = Symmetry::symmetric;
  } else if (words[4] == "skew-symmetric") {
    header.symmetry = Symmetry::skew;
  } else {
    refuse(fmt::format("symmetry {} is not supported, only general, symmetric and skew-symmetric", printable(words[4])));
  }
}

/// "rows columns entries", after comments and blank lines.
void parse_size_line(const io::Text& text, Header& header) {
  const char* end = text.end();
  const char* p = io::next_line(text.begin(), end);
  for (; p < end; p = io::next_line(p, end)) {
    p = io::skip_blanks(p, end);
    if (!io::at_line_end(p, end) && *p != '%') break;
  }
  header.size_line = static_cast<std::size_t>(p - text.begin());
  if (p >= end) throw DataError(fmt::format("{} ends before its size line ('rows columns entries')", text.path));
  for (std::uint64_t* number : std::array{&header.rows, &header.columns, &header.entries}) {
    p = io::skip_blanks(p, end);
    const io::Parsed parsed = io::parse_unsigned(p, end, *number);
    if (parsed == io::Parsed::ok) continue;
    io::throw_at(text, header.size_line,
                 parsed == io::Parsed::too_large
                     ? fmt::format("{} in the size line does not fit 64 bits", io::quote_token(p, end))
                     : fmt::format("the size line should read 'rows columns entries', but holds {}", io::quote_token(p, end)));
  }
  p = io::skip_blanks(p, end);
  if (!io::at_line_end(p, end)) {
    io::throw_at(text, header.size_line, fmt::format("unexpected {} after 'rows columns entries'", io::quote_token(p, end)));
  }
  header.body = static_cast<std::size_t>(io::next_line(p, end) - text.begin());
}

/// Number of vertices that the size line stands for.
std::uint64_t count_vertices(const io::Text& text, const Header& header, bool bipartite) {
  const bool square = header.rows == header.columns;
  if (!square && header.symmetry != Symmetry::general) {
    io::throw_at(text, header.size_line, fmt::format("a symmetric matrix of {} x {} cannot be", header.rows, header.columns));
  }
  if (!square && !bipartite) {
    throw UsageError(fmt::format(
        "{} is a rectangular matrix ({} x {}): load it with --bipartite, which makes the columns vertices of their own",
        text.path, header.rows, header.columns));
  }
  const std::uint64_t more = square ? 0 : header.columns;
  if (header.rows > kNoVertex || more > kNoVertex - header.rows) {
    io::throw_at(text, header.size_line,
                 fmt::format("a matrix of {} x {} has more vertices than {}-bit ids can name{}", header.rows, header.columns,
                             kVertexBits, kVertexBits == 32 ? "; use graphrun64" : ""));
  }
  return header.rows + more;
}

void check_entry_count(const io::Text& text, const Header& header, const io::EntryLines& lines) {
  if (lines.count() < header.entries) {
    throw DataError(fmt::format("{}: the size line announces {} entries, but the file ends after {}", text.path, header.entries,
                                lines.count()));
  }
  if (lines.count() > header.entries) {
    io::throw_at(text, io::entry_offset(lines, header.entries),
                 fmt::format("more entries than the {} announced", header.entries));
  }
}

/// The opposite of an arc of a skew-symmetric matrix has the negated value, which Arcs::mirror cannot express.
void add_skew_mirrors(EdgeList& edges) {
  const std::size_t stored = edges.sources.size();
  EdgeList both;
  both.sources = Column<VertexId>::allocate(2 * stored);
  both.targets = Column<VertexId>::allocate(2 * stored);
  both.weights = Column<std::uint32_t>::allocate(2 * stored);
  std::size_t used = 0;
  const auto add = [&](VertexId source, VertexId target, std::uint32_t word) {
    both.sources[used] = source;
    both.targets[used] = target;
    both.weights[used++] = word;
  };
  for (std::size_t i = 0; i < stored; ++i) {
    add(edges.sources[i], edges.targets[i], edges.weights[i]);
    if (edges.sources[i] == edges.targets[i]) continue;
    add(edges.targets[i], edges.sources[i], std::bit_cast<std::uint32_t>(-std::bit_cast<float>(edges.weights[i])));
  }
  both.sources.truncate(used);
  both.targets.truncate(used);
  both.weights.truncate(used);
  edges.sources = std::move(both.sources);
  edges.targets = std::move(both.targets);
  edges.weights = std::move(both.weights);
  edges.arcs = Arcs::mirrored;
}

}  // namespace

EdgeList read_matrix_market(const std::string& path, bool bipartite, ThreadPool& pool) {
  const io::Text text = io::open_text(path);
  Header header;
  parse_banner(text, header);
  parse_size_line(text, header);
  const std::uint64_t vertices = count_vertices(text, header, bipartite);
  const io::EntryLines lines = io::find_entries(text, header.body, false, pool);
  check_entry_count(text, header, lines);
  io::check_density(text, vertices, header.entries);

  const bool skew = header.symmetry == Symmetry::skew;
  io::EntryRule rule;
  rule.first_id = 1;
  rule.num_sources = header.rows;
  rule.num_targets = header.columns;
  rule.target_shift = header.rows == header.columns ? 0 : header.rows;
  rule.limit_reason = fmt::format("the size that line {} announces", io::line_number(text, header.size_line));
  rule.valued = header.field != Field::pattern;
  rule.whole_values = header.field == Field::integer;
  rule.prefer_u32 = header.field == Field::integer && !skew;
  EdgeList edges = io::parse_entries(lines, rule, pool);
  edges.num_vertices = static_cast<VertexId>(vertices);
  edges.arcs = header.symmetry == Symmetry::general ? Arcs::directed : Arcs::mirror;
  if (skew && rule.valued) add_skew_mirrors(edges);
  return edges;
}

}  // namespace graphrun
