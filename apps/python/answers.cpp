// SPDX-License-Identifier: Apache-2.0
// Engines, answers and tables of features of one width of ids: compiled for each, as Engine32 and so on.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>

#include "bindings.hpp"
#include "graphrun/backend/feature_table.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/option.hpp"
#include "graphrun/graphrun.hpp"
#include "graphrun/run/run.hpp"
#include "numbers.hpp"

namespace graphrun::python::inline GR_IDS {
namespace {

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
  if (!data.table.name.empty()) {
    const py::str name(data.table.name.data(), data.table.name.size());
    const auto columns = share(data.table.vertices.data(), data.table.vertices.size(), answer, true);
    arrays[name] = columns.attr("reshape")(data.table.columns, data.table.rows()).attr("T");
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

void bind_answers(py::module_& to) {
  const std::string width = std::to_string(kVertexBits);
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
}

}  // namespace graphrun::python::inline GR_IDS
