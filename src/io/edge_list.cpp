#include <fmt/format.h>

#include "graphrun/core/error.hpp"
#include "graphrun/io/readers.hpp"
#include "io/entries.hpp"
#include "io/line_parser.hpp"

namespace graphrun {
namespace {

/// The first edge decides for the whole file.
bool has_weights(const io::EntryLines& lines) {
  const char* end = lines.text->end();
  const char* p = lines.text->begin() + io::entry_offset(lines, 0);
  for (int id = 0; id < 2; ++id) p = io::skip_blanks(io::token_end(p, end), end);
  return !io::at_line_end(p, end);
}

}  // namespace

EdgeList read_edge_list(const std::string& path, ThreadPool& pool) {
  const io::Text text = io::open_text(path);
  const io::EntryLines lines = io::find_entries(text, 0, true, pool);
  if (lines.count() == 0) throw DataError(fmt::format("{} holds no edges", path));
  io::EntryRule rule;
  rule.num_sources = rule.num_targets = kNoVertex;
  rule.limit_reason = fmt::format("what {}-bit vertex ids can name", kVertexBits);
  rule.valued = has_weights(lines);
  rule.prefer_u32 = true;
  EdgeList edges = io::parse_entries(lines, rule, pool);
  io::check_density(text, edges.num_vertices, lines.count());
  edges.arcs = Arcs::directed;
  return edges;
}

}  // namespace graphrun
