// Edge lists and CSV: the names of both ends and the weight, an edge a line.
#include <fmt/format.h>

#include <string_view>

#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/output_file.hpp"
#include "graphrun/graph/statistics.hpp"
#include "io/entry_text.hpp"
#include "io/formats.hpp"
#include "io/row_file.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

/// UsageError when the words of a line would not be the names.
void check_words(const VertexNames& names, VertexId n, const std::string& path) {
  if (!names.are_strings()) return;
  for (VertexId v = 0; v < n; ++v) {
    const std::string_view name = names.string(v);
    if (!name.empty() && name.find_first_of(" \t,;") == std::string_view::npos && name.find_first_of("#%\"") != 0) continue;
    throw UsageError(fmt::format(
        "cannot write {}: a word of an edge list cannot be '{}', which holds a blank, a comma or a semicolon, or begins "
        "as a comment or a quote does: write CSV (--to csv)",
        path, name));
  }
}

void warn_of_isolated(const Graph& graph, const std::string& path, const Workspace& space, ThreadPool& pool) {
  const VertexId isolated = count_isolated(graph, pool, space);
  if (isolated == 0) return;
  const std::string sentence =
      fmt::format("{} {} without edges {} in no line of {}", isolated, isolated == 1 ? "vertex" : "vertices",
                  isolated == 1 ? "is" : "are", path == kStandardOutputPath ? "the output" : path);
  // The number 0 of a list that counts from 1 is no loss.
  const bool known = graph.symmetric || (graph.in && graph.in->degree(0) == 0);  // without a transpose it may be another
  const bool is_only_0 = isolated == 1 && graph.names.are_indices() && graph.out.degree(0) == 0 && known;
  (is_only_0 ? log::info : log::warn)(
      sentence + ": read again, ids below the largest are vertices, others are not (--vertices compact: none)");
}

EntryStyle style_of(const Graph& graph, const WriteOptions& options, char separator) {
  return {.weights = options.weighted ? graph.weight_kind : WeightKind::none, .names = graph.names, .separator = separator};
}

}  // namespace

void write_edge_list(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                     ThreadPool& pool) {
  check_graph_to_write(graph, path, options, space, pool);
  check_words(graph.names, graph.num_vertices(), path);
  warn_of_isolated(graph, path, space, pool);
  OutputFile file(path);
  write_entries(file, path, graph.out, style_of(graph, options, ' '), space, pool);
  file.commit();
}

void write_csv(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
               ThreadPool& pool) {
  check_graph_to_write(graph, path, options, space, pool);
  warn_of_isolated(graph, path, space, pool);
  const EntryStyle style = style_of(graph, options, ',');
  OutputFile file(path);
  file.write(style.weights == WeightKind::none ? "source,target\n" : "source,target,weight\n");
  write_entries(file, path, graph.out, style, space, pool);
  file.commit();
}

}  // namespace graphrun::io::inline GR_IDS
