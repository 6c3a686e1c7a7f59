#include <fmt/format.h>

#include "graphrun/core/output_file.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/graph/row_windows.hpp"
#include "io/entry_text.hpp"
#include "io/formats.hpp"
#include "io/row_file.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

/// What has to be known before the first line is written.
struct Survey {
  std::uint64_t lower_entries = 0;  ///< arcs on and below the diagonal
  std::uint64_t imbalance = 0;      ///< hash of the weighted arcs less that of the reversed ones
  Survey& operator+=(const Survey& other) {
    lower_entries += other.lower_entries;
    imbalance += other.imbalance;
    return *this;
  }
};

Survey survey_row(const Csr& csr, std::uint64_t row, bool weighted) {
  Survey seen;
  for (EdgeId e = csr.offsets[row]; e < csr.offsets[row + 1]; ++e) {
    const std::uint64_t column = csr.neighbours[e];
    const std::uint64_t weight = weighted ? csr.weights[e] : 0;
    seen.lower_entries += column <= row ? 1 : 0;
    seen.imbalance += splitmix64(row, column, weight) - splitmix64(column, row, weight);
  }
  return seen;
}

Survey survey_rows(const Csr& csr, bool weighted, const Workspace& space, ThreadPool& pool) {
  Survey all;
  for_each_row_window(csr, space, [&](VertexId first, VertexId last) {
    all += parallel_sum<Survey>(pool, last - first, [&](std::size_t i) { return survey_row(csr, first + i, weighted); });
  });
  return all;
}

const char* field_name(WeightKind kind) {
  return kind == WeightKind::none ? "pattern" : kind == WeightKind::u32 ? "integer" : "real";
}

}  // namespace

void write_matrix_market(const Graph& graph, const std::string& path, const WriteOptions& options, const Workspace& space,
                         ThreadPool& pool) {
  check_graph_to_write(graph, path, options, space, pool);
  const WeightKind kind = options.weighted ? graph.weight_kind : WeightKind::none;
  // A hash of 64 bits tells multisets of arcs apart but for one chance in 2^64, in one pass and without memory.
  const Survey survey = graph.symmetric ? survey_rows(graph.out, options.weighted, space, pool) : Survey{};
  const bool symmetric = graph.symmetric && survey.imbalance == 0;
  const std::uint64_t entries = symmetric ? survey.lower_entries : graph.num_edges();

  OutputFile file(path);
  file.write(fmt::format("%%MatrixMarket matrix coordinate {} {}\n{} {} {}\n", field_name(kind),
                         symmetric ? "symmetric" : "general", graph.num_vertices(), graph.num_vertices(), entries));
  write_entries(file, path, graph.out, {.weights = kind, .names = VertexNames::consecutive(1), .lower_only = symmetric}, space,
                pool);
  file.commit();
}

}  // namespace graphrun::io::inline GR_IDS
