#include <fmt/format.h>

#include <memory>
#include <utility>

#include "core/raise.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/io/readers.hpp"
#include "io/entries.hpp"
#include "io/formats.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

/// Edges in columns; `separated` by more than blanks.
std::unique_ptr<EntryStream> open_columns(const std::string& path, bool separated, const ReadOptions& options, ThreadPool& pool) {
  const EdgeColumns columns = find_columns(path, separated, options);
  if (separated && columns.separator == '\0')
    raise<DataError>("{}: no comma, semicolon or tab separates columns in its first line", path);
  auto cursor = std::make_unique<TextCursor>(path, options.batch_bytes);
  if (cursor->seek_line(kEdgeListComments) && columns.header)
    cursor->move_to(next_line(cursor->position(), cursor->window().end()));
  const bool empty = !cursor->seek_line(kEdgeListComments);
  if (empty) options.assume(fmt::format("{} holds no edges: it is read as a graph without vertices", path));
  if (columns.doubtful && !empty) options.assume(columns.remark);
  if (!columns.doubtful && !columns.remark.empty() && !empty && !options.again) log::info(columns.remark);

  EntryFormat format;
  format.comments = kEdgeListComments;
  format.rule.sources = {
      0, kNoVertex,
      fmt::format("what {}-bit vertex ids can name (--vertices compact takes ids of 64 bits, --vertices names any{})",
                  kVertexBits, kVertexBits == 32 ? ", --ids 64 has vertices of 64 bits" : ""),
      " (--vertices names takes any)"};
  format.rule.targets = format.rule.sources;
  format.rule.valued = columns.weight.has_value();
  format.weights = options.weights;
  format.prefer_u32 = !options.float_weights;
  format.names = options.names;
  format.assumptions = options.assumptions;
  format.most_name_bytes = options.most_name_bytes;
  if (columns.strings && !empty) format.names->kind = NameKind::strings;
  const bool naming = format.names != nullptr && format.names->kind != NameKind::none;
  if (naming || !columns.plain()) format.columns = columns;
  return stream_entries(std::move(cursor), std::move(format), pool);
}

}  // namespace

std::unique_ptr<EntryStream> open_edge_list(const std::string& path, const ReadOptions& options, ThreadPool& pool) {
  return open_columns(path, false, options, pool);
}

std::unique_ptr<EntryStream> open_csv(const std::string& path, const ReadOptions& options, ThreadPool& pool) {
  return open_columns(path, true, options, pool);
}

}  // namespace graphrun::io::inline GR_IDS

namespace graphrun::inline GR_IDS {

EdgeList read_edge_list(const std::string& path, ThreadPool& pool) {
  EdgeList edges = io::take_only_batch(io::open_edge_list(path, {}, pool));
  io::check_density(path, edges.num_vertices, edges.sources.size());
  return edges;
}

}  // namespace graphrun::inline GR_IDS
