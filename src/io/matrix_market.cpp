// SPDX-License-Identifier: Apache-2.0
// The format: R. Boisvert, R. Pozo, K. Remington, "The Matrix Market Exchange Formats: Initial Design", NISTIR 5935, 1996.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/io/readers.hpp"
#include "io/entries.hpp"
#include "io/formats.hpp"
#include "io/text_cursor.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr CommentMarks kMatrixMarketComments{'%', '%'};

enum class Field { real, integer, pattern };
enum class Symmetry { general, symmetric, skew };

struct Banner {
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
};

struct Size {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t entries = 0;
  std::uint64_t vertices = 0;  ///< that rows and columns stand for
  std::uint64_t line = 0;

  bool square() const { return rows == columns; }
};

/// Parses "%%MatrixMarket matrix coordinate FIELD SYMMETRY".
Banner parse_banner(const TextCursor& cursor) {
  constexpr std::pair<std::string_view, Field> kFields[] = {{"real", Field::real},
                                                            {"double", Field::real},
                                                            {"integer", Field::integer},
                                                            {"unsigned-integer", Field::integer},
                                                            {"pattern", Field::pattern}};
  constexpr std::pair<std::string_view, Symmetry> kSymmetries[] = {
      {"general", Symmetry::general}, {"symmetric", Symmetry::symmetric}, {"skew-symmetric", Symmetry::skew}};
  const Text& text = cursor.window();
  constexpr std::ptrdiff_t kLongest = 4096;  // a file that is none may have no second line
  const char* const begin = cursor.position();
  const std::string line(begin, std::min(next_line(begin, text.end()), begin + std::min(kLongest, text.end() - begin)));
  std::istringstream stream(in_small_letters(line));
  const std::vector<std::string> words(std::istream_iterator<std::string>(stream), {});
  const auto refuse = [&](const char* what, const std::string& word, const char* known) {
    throw_at(text, 0, fmt::format("{} {} is not supported, only {}", what, quote_word(word), known));
  };
  const auto choose = [&](const auto& choices, const char* what, const std::string& word, const char* known) {
    const auto* found = std::ranges::find(choices, word, [](const auto& choice) { return choice.first; });
    if (found == std::end(choices)) refuse(what, word, known);
    return found->second;
  };
  if (words.size() != 5 || words[0] != "%%matrixmarket") {
    throw_at(text, 0, "the first line should read '%%MatrixMarket matrix coordinate FIELD SYMMETRY'");
  }
  if (words[1] != "matrix") refuse("object", words[1], "'matrix'");
  if (words[2] == "array") throw_at(text, 0, "format 'array' (a dense matrix) is not supported, only 'coordinate'");
  if (words[2] != "coordinate") refuse("format", words[2], "'coordinate'");
  return {choose(kFields, "field", words[3], "real, integer, unsigned-integer and pattern"),
          choose(kSymmetries, "symmetry", words[4], "general, symmetric and skew-symmetric")};
}

/// Parses "rows columns entries", after comments and blank lines.
Size parse_size_line(TextCursor& cursor, const Banner& banner, bool bipartite) {
  HeaderLine header(cursor, kMatrixMarketComments, "size line", "rows columns entries");
  Size size;
  size.rows = header.number();
  size.columns = header.number();
  size.entries = header.number();
  size.line = header.line();
  header.finish(cursor);
  if (!size.square() && banner.symmetry != Symmetry::general) {
    header.refuse(fmt::format("a symmetric matrix of {} x {} cannot be", size.rows, size.columns));
  }
  if (!size.square() && !bipartite) {
    raise<UsageError>(
        "{} is a rectangular matrix ({} x {}): load it with --bipartite, which makes the columns vertices of their own",
        cursor.path(), size.rows, size.columns);
  }
  const std::uint64_t more = size.square() ? 0 : size.columns;
  const bool overflows = __builtin_add_overflow(size.rows, more, &size.vertices);
  header.check_vertices(size.vertices, overflows, fmt::format("a matrix of {} x {}", size.rows, size.columns));
  return size;
}

EntryFormat format_of(const Banner& banner, const Size& size) {
  EntryFormat format;
  format.comments = kMatrixMarketComments;
  format.rule.sources = {1, size.rows, fmt::format("the size that line {} announces", size.line)};
  format.rule.targets = {1, size.columns, format.rule.sources.reason};
  format.rule.target_shift = size.square() ? 0 : size.rows;
  format.rule.valued = banner.field != Field::pattern;
  format.rule.whole_values = banner.field == Field::integer;
  format.arcs = banner.symmetry == Symmetry::general ? Arcs::directed : Arcs::mirror;
  format.negates_mirrors = banner.symmetry == Symmetry::skew && format.rule.valued;
  format.num_vertices = static_cast<VertexId>(size.vertices);
  format.announced = size.entries;
  format.announcer = "the size line";
  return format;
}

}  // namespace

std::unique_ptr<EntryStream> open_matrix_market(const std::string& path, const ReadOptions& options, ThreadPool& pool) {
  auto cursor = std::make_unique<TextCursor>(path, options.batch_bytes);
  const Banner banner = parse_banner(*cursor);
  const Size size = parse_size_line(*cursor, banner, options.bipartite);
  check_density(path, size.vertices, size.entries);
  EntryFormat format = format_of(banner, size);
  format.weights = options.weights;
  if (banner.field == Field::integer && banner.symmetry != Symmetry::skew) format.value_kind = first_kind(options);
  return stream_entries(std::move(cursor), std::move(format), pool);
}

}  // namespace graphrun::io::inline GR_IDS

namespace graphrun::inline GR_IDS {

EdgeList read_matrix_market(const std::string& path, bool bipartite, ThreadPool& pool) {
  EdgeList edges;
  io::open_matrix_market(path, {.bipartite = bipartite}, pool)->next(edges);
  return edges;
}

}  // namespace graphrun::inline GR_IDS
