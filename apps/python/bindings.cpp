// SPDX-License-Identifier: Apache-2.0
// Graphs, engines and answers of one width of ids: compiled for each, as Graph32, open32 and so on.
#include "bindings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include "graphrun/backend/feature_table.hpp"
#include "graphrun/core/bytes.hpp"
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

namespace graphrun::python::inline GR_IDS {
namespace {

/// A column of numbers in a NumPy array, of any of these types and with any stride.
class Numbers {
 public:
  Numbers(const py::array& array, std::string name)
      : bytes_(static_cast<const std::byte*>(array.data())), name_(std::move(name)) {
    if (array.ndim() != 1) throw UsageError(fmt::format("{} has {} dimensions, not 1", name_, array.ndim()));
    size_ = static_cast<std::size_t>(array.shape(0));
    stride_ = array.strides(0);
    if (py::isinstance<py::array_t<std::int32_t>>(array)) type_ = std::int32_t{};
    if (py::isinstance<py::array_t<std::int64_t>>(array)) type_ = std::int64_t{};
    if (py::isinstance<py::array_t<std::uint32_t>>(array)) type_ = std::uint32_t{};
    if (py::isinstance<py::array_t<std::uint64_t>>(array)) type_ = std::uint64_t{};
    if (py::isinstance<py::array_t<float>>(array)) type_ = float{};
    if (py::isinstance<py::array_t<double>>(array)) type_ = double{};
    if (std::holds_alternative<std::monostate>(type_)) throw UsageError(fmt::format("{} has a type that is not read", name_));
  }

  std::size_t size() const { return size_; }
  const std::string& name() const { return name_; }
  bool are_floats() const { return std::holds_alternative<float>(type_) || std::holds_alternative<double>(type_); }

  /// Calls body(i, value) for all, by all threads; false rejects the value. Returns the first rejected index, or kNoIndex.
  template <class Body>
  std::uint64_t for_each(ThreadPool& pool, const Body& body) const {
    return std::visit(
        [&](auto type) -> std::uint64_t {
          using T = decltype(type);
          if constexpr (std::is_same_v<T, std::monostate>) {
            return kNoIndex;
          } else {
            return first_failure(pool, 0, size_, [&](std::uint64_t i) { return body(i, at<T>(i)); });
          }
        },
        type_);
  }
  std::string text(std::uint64_t i) const {
    return std::visit(
        [&](auto type) -> std::string {
          using T = decltype(type);
          if constexpr (std::is_same_v<T, std::monostate>) {
            return "";
          } else {
            return fmt::format("{}", at<T>(i));
          }
        },
        type_);
  }

 private:
  template <class T>
  T at(std::uint64_t i) const {
    T value;
    std::memcpy(&value, bytes_ + static_cast<std::ptrdiff_t>(i) * stride_, sizeof(T));
    return value;
  }

  const std::byte* bytes_;
  std::string name_;
  std::size_t size_ = 0;
  std::ptrdiff_t stride_ = 0;
  std::variant<std::monostate, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t, float, double> type_;
};

/// Copies whole numbers, below `bound` if given. Throws WideIdsError for a number that needs 64-bit ids.
template <class T>
Column<T> copy_whole(const Numbers& from, std::optional<std::uint64_t> bound, const char* what, ThreadPool& pool) {
  auto to = Column<T>::allocate(from.size());
  const std::uint64_t bad = from.for_each(pool, [&](std::uint64_t i, auto value) {
    if constexpr (std::is_floating_point_v<decltype(value)>) {
      return false;
    } else {
      if (value < 0 || (bound && static_cast<std::uint64_t>(value) >= *bound)) return false;
      to[i] = static_cast<T>(value);
      return true;
    }
  });
  if (bad == kNoIndex) return to;
  const std::string found = fmt::format("{}[{}] is {}", from.name(), bad, from.text(bad));
  if (from.text(bad).starts_with("-") || from.are_floats()) throw UsageError(fmt::format("{}: {} from 0", found, what));
  if (bound == kNoVertex && kVertexBits == 32) throw WideIdsError(fmt::format("{}, which needs ids of 64 bits", found));
  throw UsageError(fmt::format("{}, and {} are below {}", found, what, *bound));
}

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
/// same weight.
Graph from_rows(const py::array& offsets, const py::array& neighbours, const std::optional<py::array>& weights, bool undirected,
                bool symmetric, const py::object& progress) {
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
    return arrange(std::move(graph), {.undirected = undirected && !symmetric}, pool);
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

using Answered = std::shared_ptr<RunResult>;

/// Returns levels [searches, vertices] of a batch, which holds bits: a copy.
py::array_t<std::uint32_t> levels_of(const BfsBatchOutput& output) {
  const std::size_t n = output.num_vertices();
  py::array_t<std::uint32_t> levels({output.sources.size(), n});
  std::uint32_t* to = levels.mutable_data();
  attended(py::none(), [&] {
    for (std::size_t search = 0; search < output.sources.size(); ++search) {
      check_cancelled();
      for (std::size_t v = 0; v < n; ++v) *to++ = output.level(v, search);
    }
  });
  return levels;
}

/// Returns arrays over the memory of an answer, by column name, and its sources.
py::dict arrays_in(const AnswerData& data, const Answered& answer) {
  py::dict arrays;
  arrays["sources"] = py::array_t<VertexId>(static_cast<py::ssize_t>(data.sources.size()), data.sources.data());
  for (const AnswerColumn& column : data.columns) {
    const py::str name(column.name.data(), column.name.size());
    std::visit(
        [&]<class Values>(const Values& values) {
          if constexpr (std::is_same_v<Values, const BfsBatchOutput*>) {
            arrays[name] = levels_of(*values);
          } else {
            arrays[name] = share(values.data(), values.size(), answer, true);
          }
        },
        column.values);
  }
  if (data.table.rows != 0) {
    const py::str name(data.table.name.data(), data.table.name.size());
    const auto columns = share(data.table.vertices.data(), data.table.vertices.size(), answer, true);
    arrays[name] = columns.attr("reshape")(-1, data.table.rows).attr("T");
  }
  return arrays;
}

/// Returns the arrays of each source or batch, in order.
py::list arrays_of(const Answered& answer) {
  py::list all;
  for (const AnswerData& each : answer->earlier) all.append(arrays_in(each, answer));
  all.append(arrays_in(answer->answer, answer));
  return all;
}

Engine open_engine(const Graph& graph, const Given& given) {
  EngineOptions how;
  for (const auto& [name, text] : given) {
    if (name == "backend") {
      how.backend = text;
    } else if (name == "device") {
      how.device = text;
    } else {
      how.more[name] = text;
    }
  }
  return attended(py::none(), [&] { return Engine(graph, how); });
}

/// Runs an algorithm. `vertices`: sources given by index. `keep`: bfs and sssp answer for each of several sources.
Answered run(Engine& engine, const std::string& algorithm, const Given& given, const std::vector<VertexId>& vertices, bool keep,
             const py::object& progress) {
  RunOptions what;
  set_option(what, "algo", algorithm);
  for (const auto& [name, text] : given) set_option(what, name, text);
  what.starts = vertices;
  what.keep_answers = keep;
  return attended(progress, [&] { return std::make_shared<RunResult>(engine.run(what)); });
}

using Drawn = OwnAnswer<Sampling>;

std::shared_ptr<Drawn> sample(Engine& engine, const Graph& graph, const py::array& seeds,
                              const std::vector<std::uint32_t>& fanouts, std::uint64_t seed, bool replace, bool weighted,
                              const py::object& progress) {
  const Numbers starts(seeds, "seeds");
  return attended(progress, [&] {
    ThreadPool pool(1);
    const auto column = copy_whole<VertexId>(starts, graph.num_vertices(), "vertices", pool);
    const Sampling what{{column.data(), column.data() + column.size()}, fanouts, seed, replace, weighted};
    return std::make_shared<Drawn>(engine.run(what));
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

/// Returns arrays over the memory of a sample, by name.
py::dict arrays_of_sample(const std::shared_ptr<Drawn>& drawn) {
  const auto shared = [&](const auto& ids) { return share(ids.data(), ids.size(), drawn, true); };
  using namespace py::literals;
  const Sample& all = drawn->values();
  py::list hops;
  for (const SampledHop& hop : all.hops) {
    hops.append(py::dict("sources"_a = shared(hop.sources), "targets"_a = shared(hop.targets),
                         "source_places"_a = shared(hop.source_places), "target_places"_a = shared(hop.target_places),
                         "edges"_a = shared(hop.edges)));
  }
  return py::dict("vertices"_a = shared(all.vertices), "counts"_a = all.counts, "hops"_a = hops);
}

py::dict trial_of_sample(const Drawn& drawn) {
  using namespace py::literals;
  const Trial& trial = drawn.trial();
  return py::dict("time_ms"_a = trial.elapsed_ms, "iterations"_a = trial.stats.iterations,
                  "edges_examined"_a = trial.stats.edges_examined, "bytes_moved"_a = trial.moved.bytes);
}

using Ids = py::array_t<VertexId, py::array::c_style>;
using Bytes = py::array_t<std::uint8_t, py::array::c_style>;

std::span<const VertexId> as_span(const Ids& ids) { return {ids.data(), static_cast<std::size_t>(ids.size())}; }

FeatureOptions feature_options(std::uint64_t row_bytes, int threads, const std::string& cache, const std::string& page,
                               const std::string& device, const Ids& hot, bool aligned, int multiprocessors,
                               std::uint64_t replicated, int load_bytes, const std::string& delivery) {
  FeatureOptions options{.row_bytes = row_bytes, .threads = threads, .replicated = replicated, .aligned = aligned};
  options.load_bytes = load_bytes;
  set_named("delivery", [&] { options.delivery = parse_name<RowDelivery>(delivery); });
  set_named("cache", [&] { options.cache_bytes = parse_bytes(cache); });
  set_named("page", [&] {
    options.page_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(parse_bytes(page), ~std::uint32_t{0}));
  });
  const Device on = parse_device(device);
  if (on.kind == DeviceKind::cuda) options.gpu = on.index;
  options.peers = on.others;
  options.hot.assign(hot.data(), hot.data() + hot.size());
  options.multiprocessors = multiprocessors;
  return options;
}

/// Opens a table; Python keeps the rows alive.
template <class... Options>
Held<FeatureTable> features(const Bytes& rows, const Options&... given) {
  const FeatureOptions options = feature_options(given...);
  const std::span all(reinterpret_cast<const std::byte*>(rows.data()), static_cast<std::size_t>(rows.size()));
  return Held<FeatureTable>(attended(py::none(), [&] { return open_features(all, options); }).release());
}
template <class... Options>
Held<FeatureTable> features_of_file(const std::string& path, std::uint64_t offset, std::uint64_t num_rows,
                                    const Options&... given) {
  const FeatureOptions options = feature_options(given...);
  return Held<FeatureTable>(attended(py::none(), [&] { return open_features(path, offset, num_rows, options); }).release());
}

py::dict costs_of(const Gathered& gathered) {
  using namespace py::literals;
  return py::dict("device_bytes"_a = gathered.device_bytes, "peer_bytes"_a = gathered.peer_bytes,
                  "host_bytes"_a = gathered.host_bytes, "storage_bytes"_a = gathered.storage_bytes,
                  "time_ms"_a = gathered.elapsed_ms);
}

/// Gathers into room for all rows at `address`, in memory of the host or, `on_device`, of a gathering GPU.
py::dict gather(FeatureTable& table, const Ids& ids, std::uintptr_t address, bool on_device) {
  const auto wanted = as_span(ids);
  auto* const to = reinterpret_cast<std::byte*>(address);
  return costs_of(
      attended(py::none(), [&] { return on_device ? table.gather_on_device(wanted, to) : table.gather(wanted, to); }));
}

/// Starts a gather into memory of a GPU, in the order of a stream of that GPU.
void gather_on_stream(FeatureTable& table, const Ids& ids, std::uintptr_t address, std::uintptr_t stream) {
  attended(py::none(),
           [&] { table.gather_on_stream(as_span(ids), reinterpret_cast<std::byte*>(address), reinterpret_cast<void*>(stream)); });
}

py::dict finish_on_stream(FeatureTable& table) {
  return costs_of(attended(py::none(), [&] { return table.finish_on_stream(); }));
}

}  // namespace

void bind(py::module_& to) {
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
  py::class_<Engine, Held<Engine>>(to, ("Engine" + width).c_str())
      .def(py::init(&open_engine))
      .def("run", &run)
      .def("sample", &sample);
  py::class_<Drawn, std::shared_ptr<Drawn>>(to, ("Sample" + width).c_str())
      .def("arrays", &arrays_of_sample)
      .def("trial", &trial_of_sample);
  py::class_<RunResult, Answered>(to, ("Answer" + width).c_str())
      .def("arrays", &arrays_of)
      .def_property_readonly("keeps", [](const RunResult& result) { return result.run->options.keep_answers; })
      .def("json", [](const RunResult& result) { return json_text(result); })
      .def_property_readonly("verified", [](const RunResult& result) -> std::optional<bool> {
        if (!result.run->options.verify) return std::nullopt;
        return result.verification == Verification::verified;
      });
  using Text = std::string;
  py::class_<FeatureTable, Held<FeatureTable>>(to, ("Features" + width).c_str())
      .def("gather", &gather)
      .def("gather_on_stream", &gather_on_stream)
      .def("finish_on_stream", &finish_on_stream);
  to.def(("features" + width).c_str(), &features<std::uint64_t, int, Text, Text, Text, Ids, bool, int, std::uint64_t, int, Text>);
  to.def(("features_of_file" + width).c_str(),
         &features_of_file<std::uint64_t, int, Text, Text, Text, Ids, bool, int, std::uint64_t, int, Text>);
  to.def(("open" + width).c_str(), &open_graph);
  to.def(("from_edges" + width).c_str(), &from_edges);
  to.def(("from_rows" + width).c_str(), &from_rows);
}

}  // namespace graphrun::python::inline GR_IDS
