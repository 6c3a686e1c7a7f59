// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include "core/raise.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/run/run.hpp"
#include "io/column_values.hpp"
#include "io/line_parser.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Draws uniformly below `bound`. std::uniform_int_distribution differs between standard libraries.
std::uint64_t draw_below(std::uint64_t bound, std::mt19937_64& random) {
  const std::uint64_t limit = std::numeric_limits<std::uint64_t>::max() / bound * bound;
  for (;;) {
    if (const std::uint64_t word = random(); word < limit) return word % bound;
  }
}

/// Returns the vertex that the input names `name`.
VertexId find_named(const Graph& graph, const std::string& name) {
  const VertexNames& names = graph.names;
  const VertexId n = graph.num_vertices();
  if (const auto found = names.find(name, n)) return *found;
  if (name.starts_with('"')) {  // as written in CSV
    const std::vector<std::string> fields = io::fields_of_line(name.data(), name.data() + name.size(), ',');
    const auto found = fields.size() == 1 && !fields[0].empty() ? names.find(fields[0], n) : std::nullopt;
    if (found) return *found;
  }
  if (!names.are_strings() && name.find('e') == std::string::npos && io::reads_like_whole_float(name)) {  // as in its file
    if (const auto found = names.find(name.substr(0, name.find('.')), n)) return *found;
  }
  if (!names.are_strings() && !io::all_digits(name)) {
    constexpr std::string_view kWords[] = {"max-degree", "random", "index"};
    raise<UsageError>(
        "'{}' is not a vertex{}: those of this graph are called by numbers; write one of them, max-degree, "
        "random:SEED or index:N",
        name, did_you_mean(name.substr(0, name.find(':')), kWords));
  }
  if (names.are_consecutive()) {
    raise<UsageError>("{} is not a vertex: the graph has vertices {} to {}", name, names.text(0), names.text(n - 1));
  }
  raise<UsageError>("{} is not a vertex: the input has none of that name", name);
}

VertexId find_index(const Graph& graph, std::uint64_t index) {
  const VertexId n = graph.num_vertices();
  if (index < n) return static_cast<VertexId>(index);
  raise<UsageError>("index:{} is not a vertex: the graph has index:0 to index:{}", index, n - 1);
}

/// Returns the vertices of all sources in a comma-separated text, unless it is the name of one vertex.
std::vector<VertexId> find_several(const Graph& graph, const std::string& text, ThreadPool& pool) {
  std::vector<VertexId> all;
  for (const std::string& one : io::split_names(text, "--source")) {
    const std::vector<VertexId> found = resolve_sources(graph, parse_source(one), 1, pool);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

}  // namespace

void require_vertex(VertexId v, const Graph& graph) {
  if (v >= graph.num_vertices())
    raise<UsageError>("vertex {} is not in the graph, which has {} vertices", v, graph.num_vertices());
}

std::vector<VertexId> resolve_source_list(const Graph& graph, const SourceSpec& spec, int count, ThreadPool& pool) {
  const bool several = spec.kind == SourceSpec::Kind::name && spec.name.find(',') != std::string::npos &&
                       !graph.names.find(spec.name, graph.num_vertices());
  return several ? find_several(graph, spec.name, pool) : resolve_sources(graph, spec, count, pool);
}

std::vector<VertexId> resolve_source_set(const Graph& graph, const SourceSpec& spec, int count, ThreadPool& pool) {
  std::vector<VertexId> sources = resolve_source_list(graph, spec, count, pool);
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  return sources;
}

std::vector<std::uint64_t> draw_distinct(VertexId num_vertices, int count, std::uint64_t seed) {
  // Floyd's algorithm (Bentley, Communications of the ACM 1987): one draw for each chosen vertex.
  std::mt19937_64 random(seed);
  std::set<std::uint64_t> drawn;
  const std::uint64_t n = num_vertices;
  for (std::uint64_t last = n - std::min(n, static_cast<std::uint64_t>(count)); last < n; ++last) {
    if (!drawn.insert(draw_below(last + 1, random)).second) drawn.insert(last);
  }
  return {drawn.begin(), drawn.end()};
}

std::vector<VertexId> resolve_sources(const Graph& graph, const SourceSpec& spec, int count, ThreadPool& pool) {
  const Csr& csr = graph.out;
  const VertexId n = graph.num_vertices();
  if (n == 0) throw UsageError("the graph has no vertices, so there is none to start from");
  switch (spec.kind) {
    case SourceSpec::Kind::name:
      try {
        return {find_named(graph, spec.name)};
      } catch (const UsageError& error) {
        if (spec.origin.empty()) throw;
        raise<UsageError>("{}: {}", spec.origin, error.what());
      }
    case SourceSpec::Kind::index:
      return {find_index(graph, spec.index)};
    case SourceSpec::Kind::max_degree:
      return {max_degree_vertex(csr, pool)};
    case SourceSpec::Kind::random:
      break;
  }
  if (csr.num_edges() == 0)
    throw UsageError(
        "random sources are drawn among vertices that have out-edges, and the graph has no edges: name one by --source");
  std::mt19937_64 random(spec.seed);
  std::vector<VertexId> sources;
  while (sources.size() < static_cast<std::size_t>(count)) {
    const auto v = static_cast<VertexId>(draw_below(n, random));
    if (csr.degree(v) != 0) sources.push_back(v);
  }
  return sources;
}

}  // namespace graphrun::inline GR_IDS
