// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "core/raise.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/io/readers.hpp"
#include "io/entries.hpp"
#include "io/formats.hpp"
#include "io/head_comments.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

/// Gives sources and targets vertices of their own, like the rows and columns of a rectangular matrix.
void take_two_sides(const std::string& path, const HeadComments& comments, EntryFormat& format) {
  if (!comments.sizes) {
    raise<DataError>(
        "{}: its second comment is no '% EDGES LEFT RIGHT', which --bipartite needs: say --format el without --bipartite "
        "if equal numbers in both columns are one vertex",
        path);
  }
  const auto [left, right] = *comments.sizes;
  if (left >= kNoVertex || right >= kNoVertex - left) {
    raise<WideIdsError>("{}: {} and {} vertices do not fit {}-bit ids", path, left, right, kVertexBits);
  }
  format.rule.sources = {1, left, "the vertices of the first column that its second comment announces"};
  format.rule.targets = {1, right, "the vertices of the second column that its second comment announces"};
  format.rule.target_shift = left;
  format.num_vertices = static_cast<VertexId>(left + right);
}

/// Opens edges in columns; `separated` by more than blanks.
std::unique_ptr<EntryStream> open_columns(const std::string& path, bool separated, const ReadOptions& options, ThreadPool& pool) {
  const HeadComments comments = options.bipartite ? read_head_comments(path) : HeadComments{};
  const bool bipartite = comments.bipartite;
  ReadOptions reading = options;
  if (bipartite) reading.names = nullptr;  // both columns count from 1
  const EdgeColumns columns = find_columns(path, separated, reading);
  if (separated && columns.separator == '\0')
    raise<DataError>("{}: no comma, semicolon, bar or tab separates columns in its first line", path);
  auto cursor = std::make_unique<TextCursor>(path, options.batch_bytes);
  if (cursor->seek_line(kEdgeListComments) && columns.header)
    cursor->move_to(next_line(cursor->position(), cursor->window().end()));
  const bool empty = !cursor->seek_line(kEdgeListComments);
  if (empty && !columns.header) options.assume(fmt::format("{} holds no edges: it is read as a graph without vertices", path));
  for (const std::string& sentence : columns.assumptions) options.assume(sentence);
  if (!columns.remark.empty() && !empty && !options.again) log::info(columns.remark);

  EntryFormat format;
  format.comments = kEdgeListComments;
  format.rule.sources = {0, kNoVertex,
                         fmt::format("what {}-bit vertex ids can name (--vertices compact takes ids of 64 bits, --vertices names "
                                     "any{})",
                                     kVertexBits, kVertexBits == 32 ? ", --ids 64 has vertices of 64 bits" : ""),
                         " (--vertices names takes any)"};
  if (options.num_vertices) {
    format.rule.sources.reason = fmt::format("and --num-vertices {} is for ids below it", *options.num_vertices);
    format.rule.sources.hint = " (without --num-vertices it may be a name)";
  }
  format.rule.targets = format.rule.sources;
  if (bipartite) take_two_sides(path, comments, format);
  format.rule.valued = columns.weight.has_value();
  format.weights = options.weights;
  format.value_kind = first_kind(options);
  format.names = reading.names;
  format.assumptions = options.assumptions;
  format.most_name_bytes = options.most_name_bytes;
  format.tells_of_zeros = !columns.zeros_are_told;
  format.tells_of_comments = true;
  if (!bipartite) format.counts = columns.counts;
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
  EdgeList edges;
  for (io::ReadOptions reading;;) {
    const auto entries = io::open_edge_list(path, reading, pool);
    if (entries->next(edges) || !entries->must_reread(reading)) break;
  }
  io::check_density(path, edges.num_vertices, edges.sources.size());
  return edges;
}

}  // namespace graphrun::inline GR_IDS
