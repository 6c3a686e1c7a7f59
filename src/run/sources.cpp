#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>

#include "graphrun/core/error.hpp"
#include "graphrun/run/run.hpp"

namespace graphrun {
namespace {

/// Below `bound`, every value equally likely. std::uniform_int_distribution draws differently in each standard library.
std::uint64_t draw_below(std::uint64_t bound, std::mt19937_64& random) {
  const std::uint64_t limit = std::numeric_limits<std::uint64_t>::max() / bound * bound;
  for (;;) {
    if (const std::uint64_t word = random(); word < limit) return word % bound;
  }
}

/// The vertex that the input calls `label`.
VertexId find_vertex(const Graph& graph, std::uint64_t label) {
  const VertexId n = graph.num_vertices();
  const VertexNames& names = graph.names;
  if (const auto found = names.find(fmt::format("{}", label), n)) return *found;
  if (!names.are_consecutive()) throw UsageError(fmt::format("source {} is not a vertex: the input has no such id", label));
  throw UsageError(
      fmt::format("source {} is not a vertex: the graph has vertices {} to {}", label, names.text(0), names.text(n - 1)));
}

}  // namespace

std::vector<VertexId> resolve_sources(const Graph& graph, const SourceSpec& spec, int count, ThreadPool& pool) {
  const Csr& csr = graph.out;
  const VertexId n = graph.num_vertices();
  if (n == 0) throw UsageError("the graph has no vertices, so there is none to start from");
  if (spec.kind != SourceSpec::Kind::random && count != 1) {
    throw UsageError(fmt::format("--sources {} needs --source random:SEED, because {} names only one", count, to_string(spec)));
  }
  switch (spec.kind) {
    case SourceSpec::Kind::vertex:
      return {find_vertex(graph, spec.vertex)};
    case SourceSpec::Kind::max_degree:
      return {max_degree_vertex(csr, pool)};
    case SourceSpec::Kind::random:
      break;
  }
  if (csr.num_edges() == 0)
    throw UsageError("random sources are drawn among vertices that have out-edges, and the graph has no edges");
  std::mt19937_64 random(spec.seed);
  std::vector<VertexId> sources;
  while (sources.size() < static_cast<std::size_t>(count)) {
    const auto v = static_cast<VertexId>(draw_below(n, random));
    if (csr.degree(v) != 0) sources.push_back(v);
  }
  return sources;
}

}  // namespace graphrun
