// What a file is, by its content. Only where the content fits two formats its name decides.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "graphrun/core/error.hpp"
#include "graphrun/io/readers.hpp"
#include "io/binary_formats.hpp"
#include "io/line_parser.hpp"
#include "io/native_layout.hpp"
#include "io/text_source.hpp"

namespace graphrun {
namespace {

constexpr std::size_t kHeadBytes = std::size_t{1} << 16;

bool is_text(const std::string& head) {
  return std::none_of(head.begin(), head.end(),
                      [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\n' && !io::is_blank(c); });
}

/// How the lines of a head look that are no comments; the last line is left out where it may be cut off.
struct Lines {
  char first_character = '\0';                // of the first line
  std::size_t first_words = 0;                // in it
  std::size_t least_words = ~std::size_t{0};  // in the others that are not empty
  std::size_t most_words = 0;
  bool any = false;
};

std::size_t count_words(const char* p, const char* end) {
  std::size_t words = 0;
  for (p = io::skip_blanks(p, end); !io::at_line_end(p, end); p = io::skip_blanks(p, end)) {
    p = io::token_end(p, end);
    ++words;
  }
  return words;
}

Lines look_at_lines(const std::string& head) {
  Lines lines;
  const char* end = head.data() + head.size();
  const bool whole = head.size() < kHeadBytes;
  for (const char* p = head.data(); p < end; p = io::next_line(p, end)) {
    if (!whole && io::next_line(p, end) == end) break;
    const char* first = io::skip_blanks(p, end);
    if (io::at_line_end(first, end) || *first == '#' || *first == '%') continue;
    const std::size_t words = count_words(first, end);
    if (!lines.any) {
      lines.any = true;
      lines.first_character = *first;
      lines.first_words = words;
      continue;
    }
    lines.least_words = std::min(lines.least_words, words);
    lines.most_words = std::max(lines.most_words, words);
  }
  return lines;
}

bool has_suffix(std::string_view path, std::string_view suffix) {
  for (const std::string_view compressed : {".gz", ".zst", ".xz", ".bz2"}) {
    if (path.ends_with(compressed)) path.remove_suffix(compressed.size());
  }
  return path.ends_with(suffix);
}

std::optional<FileFormat> text_format(const io::FileHead& head) {
  if (head.bytes.compare(0, 14, "%%MatrixMarket") == 0) return FileFormat::matrix_market;
  const Lines lines = look_at_lines(head.bytes);
  if (!lines.any) return FileFormat::edge_list;  // nothing but comments: its reader says what is wrong
  const char first = lines.first_character;
  if (first == 'c' || first == 'p' || first == 'a') return FileFormat::dimacs;
  if ((first < '0' || first > '9') && first != '-' && first != '+') return std::nullopt;
  // In an edge list all lines have as many words; in METIS's text a line has as many as a vertex has neighbours. A mesh may
  // look like either.
  const bool named_metis = has_suffix(head.path, ".graph") || has_suffix(head.path, ".metis");
  const bool uneven = lines.most_words > 3 && lines.least_words != lines.most_words;
  const bool header = lines.first_words >= 2 && lines.first_words <= 4;
  return header && (named_metis || uneven) ? FileFormat::metis : FileFormat::edge_list;
}

std::optional<FileFormat> binary_format(const io::FileHead& head) {
  if (head.bytes.compare(0, io::kMagic.size(), io::kMagic) == 0) return FileFormat::native;
  if (io::is_galois(head)) return FileFormat::galois;
  if (io::is_gapbs(head)) return FileFormat::gapbs;
  if (io::is_subway(head)) return FileFormat::subway;
  if (io::is_liberator(head)) return FileFormat::liberator;
  return std::nullopt;
}

std::optional<FileFormat> binary_format_by_name(const std::string& path) {
  constexpr std::pair<std::string_view, FileFormat> kSuffixes[] = {
      {".grf", FileFormat::native},  {".sg", FileFormat::gapbs},     {".wsg", FileFormat::gapbs},
      {".bcsr", FileFormat::subway}, {".bwcsr", FileFormat::subway}, {".gr", FileFormat::galois},
  };
  for (const auto& [suffix, format] : kSuffixes) {
    if (has_suffix(path, suffix)) return format;
  }
  return std::nullopt;
}

}  // namespace

FileFormat sniff_format(const std::string& path) {
  io::FileHead head{path, {}, 0};
  if (io::is_bel(head)) return FileFormat::bel;
  head.bytes = io::read_head(path, kHeadBytes);
  head.file_bytes = std::filesystem::file_size(path);
  if (is_text(head.bytes)) {
    if (const auto found = text_format(head)) return *found;
  } else if (const char* compression = io::compression_of_file(path)) {
    throw DataError(fmt::format(
        "{} is compressed with {} and holds no text: only text is read compressed, so decompress it first", path, compression));
  } else if (const auto found = binary_format(head)) {
    return *found;
  } else if (const auto named = binary_format_by_name(path)) {
    return *named;  // its reader says what is wrong
  }
  throw DataError(fmt::format("{} is in none of the formats that can be read (graphconv --help lists them), or damaged", path));
}

}  // namespace graphrun
