#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "graphrun/core/error.hpp"
#include "graphrun/io/readers.hpp"
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

/// True when the first line that is no comment begins like a number, or when all that can be seen is comments.
bool looks_like_edges(const std::string& head) {
  const char* end = head.data() + head.size();
  for (const char* p = head.data(); p < end; p = io::next_line(p, end)) {
    p = io::skip_blanks(p, end);
    if (io::at_line_end(p, end) || *p == '#' || *p == '%') continue;
    return (*p >= '0' && *p <= '9') || *p == '-' || *p == '+';
  }
  return true;
}

}  // namespace

const char* format_name(FileFormat format) {
  switch (format) {
    case FileFormat::matrix_market:
      return "MatrixMarket";
    case FileFormat::edge_list:
      return "edge list";
    case FileFormat::native:
      return "native container";
  }
  return "unknown";
}

FileFormat sniff_format(const std::string& path) {
  const std::string head = io::read_head(path, kHeadBytes);
  if (head.compare(0, io::kMagic.size(), io::kMagic) == 0) return FileFormat::native;
  if (is_text(head)) {
    if (head.compare(0, 14, "%%MatrixMarket") == 0) return FileFormat::matrix_market;
    if (looks_like_edges(head)) return FileFormat::edge_list;
  }
  throw DataError(fmt::format("{} is neither a MatrixMarket file, an edge list nor a native container", path));
}

}  // namespace graphrun
