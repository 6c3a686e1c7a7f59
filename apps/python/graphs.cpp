// SPDX-License-Identifier: Apache-2.0
// Graphs of one width of ids: compiled for each, as Graph32, open32 and so on.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "bindings.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/option.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graphrun.hpp"
#include "graphrun/io/convert.hpp"
#include "graphrun/io/estimate.hpp"
#include "graphrun/run/gather.hpp"
#include "graphrun/run/run.hpp"
#include "numbers.hpp"

namespace graphrun::python::inline GR_IDS {
namespace {

std::uint32_t word_of(float value) { return std::bit_cast<std::uint32_t>(value); }

/// Copied weights of one kind.
struct CopiedWeights {
  WeightKind kind = WeightKind::none;
  Column<std::uint32_t> words;       ///< u32 and f32
  Column<std::uint64_t> wide_words;  ///< u64

  EdgeList in_edges() && {
    EdgeList edges;
    edges.weight_kind = kind, edges.weights = std::move(words), edges.wide_weights = std::move(wide_words);
    return edges;
  }
  void give_to(Graph& graph, ThreadPool& pool) && {
    graph.weight_kind = kind, graph.out.weights = std::move(words);
    if (kind == WeightKind::u64) take_wide_weights(graph, std::move(wide_words), pool);
  }
};

/// Copies weights: whole numbers as u32, or u64 where one exceeds 32 bits, others as f32. Warns of the first rounded weight; one
/// too large is an error.
CopiedWeights copy_weights(const Numbers& from, ThreadPool& pool) {
  constexpr std::uint64_t kBeyondU32 = std::uint64_t{1} << 32;
  constexpr const char* kWhat = "weights that are whole numbers";
  if (!from.are_floats()) {
    const auto is_narrow = [](std::uint64_t, auto value) { return value < 0 || static_cast<std::uint64_t>(value) < kBeyondU32; };
    if (from.for_each(pool, is_narrow) == kNoIndex)
      return {WeightKind::u32, copy_whole<std::uint32_t>(from, kBeyondU32, kWhat, pool), {}};
    return {WeightKind::u64, {}, copy_whole<std::uint64_t>(from, std::nullopt, kWhat, pool)};
  }
  auto to = Column<std::uint32_t>::allocate(from.size());
  FirstIndex rounded;
  const std::uint64_t bad = from.for_each(pool, [&](std::uint64_t i, auto value) {
    const auto narrow = static_cast<float>(value);
    if (std::isinf(narrow) && !std::isinf(static_cast<double>(value))) return false;
    if (static_cast<decltype(value)>(narrow) != value && value == value) rounded.report(i);
    to[i] = word_of(narrow);
    return true;
  });
  if (bad != kNoIndex) {
    throw UsageError(fmt::format("{}[{}] is {}, and weights are 32-bit floats, from -3.4028e38 to 3.4028e38", from.name(), bad,
                                 from.text(bad)));
  }
  if (rounded.get() != kNoIndex) {
    log::warn(fmt::format("weights are 32-bit floats: {}[{}], which is {}, is the first that is rounded", from.name(),
                          rounded.get(), from.text(rounded.get())));
  }
  return {WeightKind::f32, std::move(to), {}};
}

void require_room(std::uint64_t vertices, std::uint64_t edges, bool weighted) {
  constexpr double kTimes = 3;  // raw arcs, sorted arcs, and rows
  const double arc = 2 * sizeof(VertexId) + (weighted ? sizeof(std::uint32_t) : 0);
  const double bytes = static_cast<double>(vertices) * sizeof(EdgeId) + kTimes * static_cast<double>(edges) * arc;
  constexpr double kMost = 1e18;  // limit of a count of bytes
  require_memory("a graph of these edges", static_cast<std::uint64_t>(std::min(bytes, kMost)), std::nullopt,
                 "write the edges to a file, and make a container of it by graphconv --memory SIZE");
}

VertexId checked_count(std::uint64_t vertices) {
  if (vertices > kNoVertex) throw WideIdsError(fmt::format("{} vertices need ids of 64 bits", vertices));
  return static_cast<VertexId>(vertices);
}

Graph from_edges(const py::array& sources, const py::array& targets, const std::optional<py::array>& weights,
                 std::optional<std::uint64_t> vertices, bool undirected, const py::object& progress) {
  const Numbers from(sources, "sources");
  const Numbers to(targets, "targets");
  std::optional<Numbers> weigh;
  if (weights) weigh.emplace(*weights, "weights");
  return attended(progress, [&] {
    ThreadPool pool;
    if (from.size() != to.size()) throw UsageError(fmt::format("there are {} sources and {} targets", from.size(), to.size()));
    if (weigh && weigh->size() != from.size())
      throw UsageError(fmt::format("there are {} weights of {} edges", weigh->size(), from.size()));
    require_room(vertices.value_or(0), from.size() * (undirected ? 2 : 1), weigh.has_value());
    const std::uint64_t bound = vertices ? checked_count(*vertices) : kNoVertex;
    EdgeList edges = weigh ? copy_weights(*weigh, pool).in_edges() : EdgeList{};
    edges.sources = copy_whole<VertexId>(from, bound, "vertices", pool);
    edges.targets = copy_whole<VertexId>(to, bound, "vertices", pool);
    edges.num_vertices = static_cast<VertexId>(bound);
    if (!vertices) {
      PerThread<VertexId> most(pool, 0);
      parallel_chunks(pool, from.size(), 1 << 16, [&](std::size_t begin, std::size_t end, int rank) {
        for (std::size_t i = begin; i < end; ++i) most[rank] = std::max({most[rank], edges.sources[i], edges.targets[i]});
      });
      VertexId largest = 0;
      for (const auto& slot : most) largest = std::max(largest, slot.value);
      edges.num_vertices = from.size() == 0 ? 0 : largest + 1;
      require_room(edges.num_vertices, from.size() * (undirected ? 2 : 1), weigh.has_value());
    }
    if (undirected) {
      DirectionBalance balance;
      balance.add(edges, pool);
      edges.arcs = balance.holds() ? Arcs::mirrored : Arcs::mirror;
    }
    Graph graph = build_graph(std::move(edges), {}, pool);
    if (!undirected) graph.symmetric = has_all_opposites(graph.out, pool);
    graph.name = "edges";
    return graph;
  });
}

/// Makes a graph of SciPy's rows, copied once. `symmetric`: rows that are known to have both directions of every edge, of the
/// same weight. `sorted`: makes lists ascend.
Graph from_rows(const py::array& offsets, const py::array& neighbours, const std::optional<py::array>& weights, bool undirected,
                bool symmetric, bool sorted, const py::object& progress) {
  const Numbers begin(offsets, "indptr");
  const Numbers to(neighbours, "indices");
  std::optional<Numbers> weigh;
  if (weights) weigh.emplace(*weights, "data");
  return attended(progress, [&] {
    ThreadPool pool;
    const VertexId n = checked_count(begin.size() == 0 ? 0 : begin.size() - 1);
    require_room(n, undirected ? to.size() : to.size() / 2, weigh.has_value());
    Graph graph;
    graph.name = "matrix";
    graph.out.offsets = copy_whole<EdgeId>(begin, to.size() + 1, "offsets", pool);
    graph.out.neighbours = copy_whole<VertexId>(to, n, "columns", pool);
    check_offsets(graph.out, graph.name, pool);
    if (weigh && weigh->size() != to.size())
      throw UsageError(fmt::format("there are {} values of {} entries", weigh->size(), to.size()));
    if (weigh) copy_weights(*weigh, pool).give_to(graph, pool);
    graph.symmetric = symmetric || has_all_opposites(graph.out, pool);
    return arrange(std::move(graph), {.undirected = undirected && !symmetric, .sort_lists = sorted}, pool);
  });
}

Graph open_graph(const std::string& spec, const Given& given, const py::object& progress) {
  LoadOptions how;
  for (const auto& [name, text] : given) {
    const auto& all = load_options();
    const auto option =
        std::find_if(all.begin(), all.end(), [&, &key = name](const auto& each) { return key == each.text.name; });
    if (option == all.end()) throw UsageError(fmt::format("open() takes no '{}'", name));
    option->set(how, text);
  }
  return attended(progress, [&] { return graphrun::open(spec, how); });
}

template <class T>
py::array share_column(const Column<T>& column) {
  return share(column.data(), column.size(), std::make_shared<const Column<T>>(column), false);
}

/// Returns the weights by their kind; weights are words. Decodes u64 ones.
py::object weights_of(const Graph& graph) {
  const auto& words = graph.out.weights;
  if (graph.weight_kind == WeightKind::none) return py::none();
  if (graph.weight_kind == WeightKind::u32) return share_column(words);
  if (graph.weight_kind == WeightKind::u64) {
    auto decoded_words = Column<std::uint64_t>::allocate(words.size());
    for (std::size_t e = 0; e < words.size(); ++e) decoded_words[e] = graph.whole_weight(words[e]);
    return share_column(decoded_words);
  }
  return share(reinterpret_cast<const float*>(words.data()), words.size(), std::make_shared<const Column<std::uint32_t>>(words),
               false);
}

/// Returns the first name's number where names are consecutive, an array of numbers, or a list of strings.
py::object names_of_vertices(const Graph& graph) {
  const VertexNames& names = graph.names;
  if (names.are_consecutive()) return py::int_(names.first());
  if (!names.are_strings()) return share_column(names.number_column());
  py::list all;
  for (VertexId v = 0; v < graph.num_vertices(); ++v) all.append(decoded(names.string(v)));
  return all;
}

void call_by_numbers(Graph& graph, const py::array_t<std::uint64_t, py::array::c_style>& numbers) {
  auto column = Column<std::uint64_t>::allocate(static_cast<std::size_t>(numbers.size()));
  std::copy_n(numbers.data(), column.size(), column.data());
  graph.names = VertexNames::numbers(std::move(column));
}

/// Sets string names. `all`: their texts joined, with these lengths in bytes.
void call_by_strings(Graph& graph, std::string_view all, const py::array_t<std::uint64_t, py::array::c_style>& lengths) {
  const auto n = static_cast<std::size_t>(lengths.size());
  auto offsets = Column<std::uint64_t>::allocate(n + 1);
  for (std::size_t i = 0; i < n; ++i) offsets[i + 1] = offsets[i] + lengths.data()[i];
  auto bytes = Column<char>::allocate(all.size());
  std::copy(all.begin(), all.end(), bytes.data());
  graph.names = VertexNames::strings(std::move(offsets), std::move(bytes));
}

void save(const Graph& graph, const std::string& path, const py::object& progress) {
  attended(progress, [&] {
    ThreadPool pool;
    save_graph(graph, path, pool);
    check_files_unchanged(graph);
  });
}

/// Returns the `count` vertices whose rows samples from `seeds` read most often, the most often read first.
py::array hot_rows_of(const Graph& graph, std::uint64_t count, const std::string& by, const py::array& seeds, int threads) {
  const Numbers starts(seeds, "seeds");
  std::vector<VertexId> rows = attended(py::none(), [&] {
    ThreadPool pool(threads);
    const auto column = copy_whole<VertexId>(starts, graph.num_vertices(), "vertices", pool);
    HotEdges how = {};
    set_named("by", [&] { how = parse_name<HotEdges>(by); });
    return hot_rows(graph, count, how, {column.data(), column.data() + column.size()}, pool);
  });
  return py::array(static_cast<py::ssize_t>(rows.size()), rows.data());
}

}  // namespace

void bind_graphs(py::module_& to) {
  const std::string width = std::to_string(kVertexBits);
  py::class_<Graph>(to, ("Graph" + width).c_str())
      .def_property_readonly("name", [](const Graph& graph) { return decoded(graph.name); })
      .def_readonly("symmetric", &Graph::symmetric)
      .def_readonly("assumptions", &Graph::assumptions)
      .def_property_readonly("num_vertices", &Graph::num_vertices)
      .def_property_readonly("num_edges", &Graph::num_edges)
      .def_property_readonly("weight_kind", [](const Graph& graph) { return std::string(name_of(graph.weight_kind)); })
      .def_property_readonly("offsets", [](const Graph& graph) { return share_column(graph.out.offsets); })
      .def_property_readonly("neighbours", [](const Graph& graph) { return share_column(graph.out.neighbours); })
      .def_property_readonly("weights", &weights_of)
      .def_property_readonly("names", &names_of_vertices)
      .def_property_readonly("first_name",
                             [](const Graph& graph) -> std::optional<std::uint64_t> {
                               if (!graph.names.are_consecutive()) return std::nullopt;
                               return graph.names.first();
                             })
      .def("save", &save)
      .def("hot_rows", &hot_rows_of)
      .def("call_by_numbers", &call_by_numbers)
      .def("call_by_strings", &call_by_strings);
  to.def(("open" + width).c_str(), &open_graph);
  to.def(("from_edges" + width).c_str(), &from_edges);
  to.def(("from_rows" + width).c_str(), &from_rows);
}

}  // namespace graphrun::python::inline GR_IDS
