#include <fmt/format.h>

#include <memory>
#include <utility>

#include "graphrun/core/error.hpp"
#include "graphrun/io/readers.hpp"
#include "io/entries.hpp"
#include "io/text_formats.hpp"

namespace graphrun {
namespace io {
namespace {

constexpr CommentMarks kEdgeListComments{'#', '%'};

/// Whether the entry that `cursor` is at has a third column: the first one decides for the whole file.
bool has_weight(const TextCursor& cursor) {
  const char* end = cursor.window().end();
  const char* p = cursor.position();
  for (int id = 0; id < 2; ++id) p = skip_blanks(token_end(p, end), end);
  return !at_line_end(p, end);
}

}  // namespace

std::unique_ptr<EntryStream> open_edge_list(const std::string& path, const ReadOptions& options, ThreadPool& pool) {
  auto cursor = std::make_unique<TextCursor>(path, options.batch_bytes);
  if (!cursor->seek_line(kEdgeListComments)) throw DataError(fmt::format("{} holds no edges", path));
  EntryFormat format;
  format.comments = kEdgeListComments;
  format.rule.sources = {0, kNoVertex, fmt::format("what {}-bit vertex ids can name", kVertexBits)};
  format.rule.targets = format.rule.sources;
  format.rule.valued = has_weight(*cursor);
  format.prefer_u32 = !options.float_weights;
  return stream_entries(std::move(cursor), std::move(format), pool);
}

}  // namespace io

EdgeList read_edge_list(const std::string& path, ThreadPool& pool) {
  EdgeList edges = io::take_only_batch(io::open_edge_list(path, {}, pool));
  io::check_density(path, edges.num_vertices, edges.sources.size());
  return edges;
}

}  // namespace graphrun
