// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/sssp/prefix.hpp"
#include "algorithms/sssp/prefix_impl.hpp"
#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/graphrun.hpp"
#include "graphrun/ops/cpu_prefixes.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "graphrun/run/trials.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Below it most lists are read whole; docs/notes/algorithms.md has the measurements.
constexpr double kLeastDegreeOfPrefixes = 16;

/// Relative error that each edge of a path adds to an f32 sum: half an ulp.
constexpr double kErrorAnEdge = 0x1p-24;

/// Throws UsageError when sums in `Distance` stopped at sssp::farthest(). f64 sums never do.
template <class Distance>
void check_distances_fit(const Graph& graph, const SsspOutput& output, const char* what_and_advice) {
  constexpr auto kFarthest = sssp::farthest<Distance>();
  const auto& distances = std::get<std::vector<Distance>>(output.distances);
  const auto too_far = std::find(distances.begin(), distances.end(), kFarthest);
  if (too_far == distances.end()) return;
  raise<UsageError>("the distance from vertex {} to vertex {} is not below {}, {}", graph.names.text(output.source),
                    graph.names.text(static_cast<VertexId>(too_far - distances.begin())), kFarthest, what_and_advice);
}

/// Searches of one session: 32-bit distances until one overflows, then 64-bit ones.
template <template <class, class, class, class> class Search, class Exec, class View>
struct KeptPaths {
  std::optional<double> delta;
  std::optional<WeightStats> weights;
  std::unique_ptr<Search<Exec, View, std::uint32_t, std::uint32_t>> narrow;
  std::unique_ptr<Search<Exec, View, std::uint32_t, std::uint64_t>> wide;
  std::unique_ptr<Search<Exec, View, float, double>> floats;
  std::unique_ptr<SsspRun<Exec, DirectView, float, float>> single;  ///< only over a DirectView
};

template <template <class, class, class, class> class Search, class Exec, class View>
class SsspTrial {
 public:
  SsspTrial(SessionOn<Exec, View>& placed, VertexId source, const SsspOptions& options, SsspOutput* output)
      : placed_(placed),
        kept_(placed.template kept<KeptPaths<Search, Exec, View>>()),
        source_(source),
        options_(options),
        output_(output) {}

  Trial run() {
    const Graph& graph = placed_.graph();
    const BackendOptions& reached = placed_.options().backend;
    if (graph.weight_kind == WeightKind::none || !(reached.needs_weights || reached.records)) {
      throw UsageError("sssp needs weights: give the graph some and open the session with BackendOptions::needs_weights");
    }
    if (!kept_.weights && options_.distances == FloatDistances::f32 && graph.weight_kind != WeightKind::f32 &&
        placed_.exec().answers())
      log::warn("--distances f32 has no effect: the weights are whole numbers");
    if (!kept_.weights) kept_.weights = placed_.backend().weight_stats();
    if (!kept_.weights) kept_.weights = graph.weight_stats;
    if (!kept_.weights) kept_.weights = measure_weights(graph);
    if (kept_.delta != options_.delta) forget();
    kept_.delta = options_.delta;
    if (graph.weight_kind == WeightKind::f32)
      return options_.distances == FloatDistances::f32 ? run_single() : run_with(kept_.floats, 64);
    if (graph.weight_kind == WeightKind::u64) {
      const Trial trial = run_with(kept_.wide, 64);
      if (output_ != nullptr && placed_.exec().answers())
        check_distances_fit<std::uint64_t>(
            graph, *output_,
            "the largest that 64-bit distances have: divide all weights by the same number, or read a text with --float-weights");
      return trial;
    }
    Trial failed;
    if (!kept_.wide && placed_.exec().checkpoint() == nullptr) {  // saved distances are of one width
      failed = run_with(kept_.narrow, 32);
      if (!kept_.narrow->overflowed()) return failed;
      log::info("a distance does not fit into 32 bits: starting again with 64-bit distances");
      kept_.narrow.reset();
    }
    Trial trial = run_with(kept_.wide, 64);
    trial.elapsed_ms += failed.elapsed_ms;  // the first attempt counts
    trial.stats.iterations += failed.stats.iterations;
    trial.stats.edges_examined += failed.stats.edges_examined;
    trial.moved += failed.moved;
    for (std::size_t i = 0; i < failed.phases.size(); ++i) trial.phases[i].elapsed_ms += failed.phases[i].elapsed_ms;
    return trial;
  }

 private:
  void forget() {
    kept_.narrow.reset();
    kept_.wide.reset();
    kept_.floats.reset();
    kept_.single.reset();
  }

  Trial run_single() {
    if constexpr (std::is_same_v<Search<Exec, View, float, double>, SsspRun<Exec, DirectView, float, double>>) {
      const Trial trial = run_with(kept_.single, 32);
      if (output_ != nullptr && placed_.exec().answers()) {
        check_distances_fit<float>(
            placed_.graph(), *output_,
            "the largest 32-bit float: leave out --distances f32, or divide all weights by the same number");
      }
      return trial;
    }
    raise<UsageError>(
        "--distances f32 runs over lists of neighbours that loads reach: incore, emogi or uvm without --count-requests, by "
        "delta-stepping or bellman-ford");
  }

  template <class SearchOf>
  Trial run_with(std::unique_ptr<SearchOf>& search, int bits) {
    if (!search) search = std::make_unique<SearchOf>(placed_.exec(), placed_.view(), options_, *kept_.weights);
    const Trial trial = placed_.timed([&] { return search->run(source_); });
    const bool overflowed = search->overflowed();  // collective
    if (!placed_.exec().answers()) return trial;
    if (output_ != nullptr && !overflowed) {
      *output_ = search->output(std::move(*output_));
      output_->delta = search->delta(), output_->distance_bits = bits;
    }
    return trial;
  }

  SessionOn<Exec, View>& placed_;
  KeptPaths<Search, Exec, View>& kept_;
  VertexId source_;
  const SsspOptions& options_;
  SsspOutput* output_;
};

/// Returns whether an arc of that weight may be the last of a shortest path to `there`.
template <class Distance>
bool is_tight(const Graph& graph, Distance here, std::uint32_t word, Distance there) {
  if constexpr (std::is_integral_v<Distance>) {
    return here <= there && there - here == graph.whole_weight(word);
  } else {
    return std::abs(double{here} + graph.weight_of(word) - double{there}) <=
           double{std::numeric_limits<Distance>::epsilon()} * double{there};
  }
}

template <class Distance>
std::vector<VertexId> search_tight_arcs(const Graph& graph, const std::vector<Distance>& distances, VertexId source,
                                        VertexId to) {
  const Csr& out = graph.out;
  require_lists(out);
  std::vector<VertexId> parents(distances.size(), kNoVertex);
  parents[source] = source;
  std::vector<VertexId> queue{source};
  for (std::size_t next = 0; next < queue.size() && parents[to] == kNoVertex; ++next) {
    const VertexId u = queue[next];
    for (EdgeId e = out.offsets[u]; e < out.offsets[u + 1]; ++e) {
      const VertexId v = out.neighbours[e];
      if (parents[v] != kNoVertex || distances[v] > distances[to]) continue;
      if (!is_tight(graph, distances[u], out.weights[e], distances[v])) continue;
      parents[v] = u;
      queue.push_back(v);
    }
  }
  return path_by_parents(parents, source, to);
}

/// Returns the vertices of a shortest path; none where `to` was not reached. Reads each list at most once.
std::vector<VertexId> path_by_tight_arcs(const Graph& graph, const SsspOutput& answer, VertexId to) {
  return std::visit(
      [&]<class Distance>(const std::vector<Distance>& distances) {
        using Limits = std::numeric_limits<Distance>;
        constexpr Distance kAbsent = Limits::has_infinity ? Limits::infinity() : Limits::max();
        return distances[to] == kAbsent ? std::vector<VertexId>{} : search_tight_arcs(graph, distances, answer.source, to);
      },
      answer.distances);
}

class SsspInfo final : public AlgorithmOf<&RunOptions::sssp> {
 public:
  SsspInfo()
      : AlgorithmOf({.name = "sssp",
                     .about = "shortest paths along out-edges",
                     .has_sources = true,
                     .needs_weights = true,
                     .saves_state = true,
                     .rate = Rate::reached}) {}
  std::vector<RunOption> options() const override {
    using Make = OptionMaker<RunOptions>;
    const auto no_buckets = [](const RunOptions& options) -> std::string {
      return orders_by_distance(options) ? "" : "bellman-ford";
    };
    return {
        {Make::positive({"Run", "delta", "D", "sssp: width of a bucket of distances (default: chosen from the weights)"},
                        GR_FIELD(sssp.delta)),
         {.when = "not bellman-ford", .unmet = no_buckets}},
        {Make::name(
            {"Run", "distances", "WIDTH",
             "sssp, float weights: f64 (default), or f32, whose relative error may be 2^-24 for each edge of a path, and which "
             "results show; over incore, emogi and uvm"},
            GR_FIELD(sssp.distances))},
    };
  }
  void check_options(const RunOptions& options) const override {
    const EdgeDelivery delivery = preset_of(options.backend.kind).delivery;
    const bool loads = options.auto_backend || delivery == EdgeDelivery::load || delivery == EdgeDelivery::fault;
    const SsspOptions& asked = options.sssp;
    if (&info_of(options) == this && asked.distances != FloatDistances::f64 &&
        (!loads || options.backend.count_requests || asked.variant == SsspVariant::prefix)) {
      throw UsageError(
          "--distances f32 goes with incore, emogi and uvm without --count-requests, and with delta-stepping or bellman-ford");
    }
    if (!(asked.delta >= 0 && std::isfinite(asked.delta)))
      raise<UsageError>("--delta must be a positive number, or 0 to have it chosen, not {}", asked.delta);
  }
  bool reads_records(const RunOptions& options) const override { return options.sssp.variant == SsspVariant::prefix; }
  bool runs_on_gpu(const RunOptions& options) const override { return kGpusRunAll || !reads_records(options); }
  StateBytes state(const RunOptions& options) const override {
    // Distances of 8 bytes; the serial oracle has sums of 16, a count of edges and a heap of two ids.
    return reads_records(options) ? StateBytes{68, 84, 100} : StateBytes{36, 44, 64};
  }
  RankBytes rank_state(const RunOptions& options) const override {
    return reads_records(options) ? AlgorithmInfo::rank_state(options)
                                  : RankBytes{sizeof(std::uint32_t) + 1.82 * sizeof(VertexId), 0, 3.0 * sizeof(std::uint32_t)};
  }
  /// Publishes a vertex with its distance one and a half times, in buckets as wide as the mean weight over the mean degree.
  std::optional<RankTraffic> rank_traffic(const RunOptions& options, const LoadEstimate& graph) const override {
    if (reads_records(options)) return std::nullopt;
    const double degree = static_cast<double>(graph.arcs) / static_cast<double>(std::max<std::uint64_t>(1, graph.vertices));
    return RankTraffic{std::max(1.0, degree) * (1 + random_levels(graph)),
                       1.5 * (sizeof(VertexId) + sizeof(std::uint32_t)),
                       20,
                       0.85,
                       0.85,
                       "buckets: the mean degree times the edges of the longest path"};
  }
  AccessPattern access_pattern(const RunOptions&, const LoadEstimate& graph) const override {
    return {std::max(6.0, low_degree_steps(graph)), 1, 6, 2.5, false, true};
  }
  LinkTraffic link_traffic(const RunOptions& options, const LoadEstimate& graph, double) const override {
    if (has_low_degree(graph)) return {.all = 5.7};
    if (!reads_records(options)) return {.all = has_long_lists(graph) ? 1.15 : 1.4};
    return has_long_lists(graph) ? LinkTraffic{.all = 0.26, .decay = 12, .least = 0.06} : LinkTraffic{.all = 0.38, .decay = 5.2};
  }

  const char* variant(const RunOptions& options) const override {
    const bool has_choice = orders_by_distance(options) || reads_records(options);
    return name_of(has_choice ? options.sssp.variant : SsspVariant::bellman_ford);
  }
  std::string settle(RunOptions& options, const LoadEstimate& graph, DeviceKind device) const override {
    SsspVariant& variant = options.sssp.variant;
    const bool is_named = variant != SsspVariant::automatic;
    if (is_named && variant != SsspVariant::delta_stepping) return {};
    variant = SsspVariant::delta_stepping;
    if (!orders_by_distance(options)) return "subgraphs have no buckets";
    if (is_named) return {};
    if (!options.checkpoint.empty()) return "prefixes save no state";
    if (options.sssp.distances == FloatDistances::f32) return "records are read with 64-bit distances";
    if (!walks_records(options)) return "records are not read from the memory of other machines";
    const bool of_file = !options.weights || options.weights->kind == WeightSource::Kind::file;
    if (!graph.records || !of_file) return "no records of these weights are stored, as graphconv --sort weight does";
    if (device == DeviceKind::cuda && !kGpusRunAll) return "a GPU reads no records of 64-bit ids";
    const double mean_degree = static_cast<double>(graph.arcs) / std::max(1.0, static_cast<double>(graph.vertices));
    if (mean_degree < kLeastDegreeOfPrefixes)
      return fmt::format("there are records, but lists of {:.1f} edges leave little out", mean_degree);
    variant = SsspVariant::prefix;
    return fmt::format("there are records, of {:.1f} edges a list", mean_degree);
  }

  Trial run(Session& session, std::span<const VertexId> sources, const RunOptions& options, AnswerData* answer) const override {
    return answering<SsspOutput>(answer, [&](auto* output) { return run_sssp(session, sources.front(), options.sssp, output); });
  }
  verify::Verdict check(const Graph& graph, const AnswerData& answer, const RunOptions& options, bool,
                        const verify::Passes& how) const override {
    const auto& paths = *answer.as<SsspOutput>();
    return options.verify == VerifyBy::serial ? verify::check_sssp(graph, paths)
                                              : verify::check_sssp_properties(graph, paths, how);
  }

  Json chosen_json(const RunResult& result) const override {
    const auto& used = *result.answer.as<SsspOutput>();
    return {
        {"delta", orders_by_distance(result.run->options) ? Json(used.delta) : Json(nullptr)},
        {"distance_bits", used.distance_bits},
        {"longest_path", result.longest_path ? Json(*result.longest_path) : Json(nullptr)},
        {"relative_error", result.longest_path ? Json(kErrorAnEdge * static_cast<double>(*result.longest_path)) : Json(nullptr)}};
  }
  std::string chosen_text(const RunResult& result) const override {
    const auto& used = *result.answer.as<SsspOutput>();
    return fmt::format("{}, {}-bit distances{}",
                       orders_by_distance(result.run->options) ? fmt::format(", delta {}", used.delta) : "", used.distance_bits,
                       error_text(result));
  }
  ShortestPath path(const Graph& graph, const AnswerData& answer, VertexId to) const override {
    return {to, path_by_tight_arcs(graph, *answer.as<SsspOutput>(), to)};
  }

 private:
  static std::string error_text(const RunResult& result) {
    if (result.answer.as<SsspOutput>()->distance_bits != 32 || result.graph.weight_kind != WeightKind::f32) return {};
    if (!result.longest_path) return " (relative error up to 2^-24 for each edge of a path; --verify counts these)";
    return fmt::format(" (relative error up to {:.3g}: {} edges of a path x 2^-24)",
                       kErrorAnEdge * static_cast<double>(*result.longest_path), grouped(*result.longest_path));
  }
};

}  // namespace

void describe(const SsspOutput& output, AnswerData& answer) {
  answer.sources = {output.source};
  std::visit([&](const auto& distances) { answer.columns = {{"distance", distances, DigestBy::reach}}; }, output.distances);
}

bool orders_by_distance(const RunOptions& options) {
  return preset_of(options.backend.kind).delivery != EdgeDelivery::gather && options.sssp.variant != SsspVariant::bellman_ford;
}

Trial run_sssp(Session& session, VertexId source, const SsspOptions& options, SsspOutput* output) {
  SsspOptions how = options;
  if (how.variant == SsspVariant::bellman_ford) how.delta = std::numeric_limits<double>::infinity();
  const auto run = [&]<class Exec, class View>(SessionOn<Exec, View>& placed) -> Trial {
    const bool records = placed.options().backend.records;
    if (how.variant != SsspVariant::automatic && records != (how.variant == SsspVariant::prefix)) {
      throw UsageError(
          "the session reaches either neighbours or records (BackendOptions::records), and this variant reads the other");
    }
    if (!records) return SsspTrial<SsspRun, Exec, View>(placed, source, how, output).run();
    if constexpr (WalkableView<View> && (kGpusRunAll || std::is_same_v<Exec, CpuExecutor>)) {
      return SsspTrial<PrefixRun, Exec, View>(placed, source, how, output).run();
    }
    raise<UsageError>("sssp by prefixes does not run over {}", session.description());
  };
  return trial_on(session, run, Reaches::either);
}

std::vector<double> SsspAnswer::values() const {
  std::vector<double> all;
  std::visit(
      [&](const auto& distances) {
        constexpr bool kWhole = std::is_integral_v<typename std::decay_t<decltype(distances)>::value_type>;
        all.reserve(distances.size());
        for (const auto distance : distances) {
          const bool unreached = kWhole && static_cast<std::uint64_t>(distance) == kUnreachedDistance;
          all.push_back(unreached ? std::numeric_limits<double>::infinity() : static_cast<double>(distance));
        }
      },
      distances());
  return all;
}

SsspAnswer Engine::run(const Sssp& what) {
  RunOptions options = request_of(Algorithm::sssp, what);
  start_at(what.source, options);
  options.sssp.delta = what.delta;
  options.sssp.distances = what.distances;
  if (!what.weights.empty()) options.weights = parse_weight_source(what.weights);
  return SsspAnswer(run(options));
}

GR_INFO_OF(sssp, SsspInfo)

template class Paths<CpuExecutor, std::uint32_t>;
template class Paths<CpuExecutor, std::uint64_t>;
template class Paths<CpuExecutor, double>;
template class Paths<CpuExecutor, float>;

#define GR_SSSP(View)                                                      \
  template class SsspRun<CpuExecutor, View, std::uint32_t, std::uint32_t>; \
  template class SsspRun<CpuExecutor, View, std::uint32_t, std::uint64_t>; \
  template class SsspRun<CpuExecutor, View, float, double>;
GR_FOR_EACH_CPU_VIEW(GR_SSSP)
#undef GR_SSSP
template class SsspRun<CpuExecutor, DirectView, float, float>;

#define GR_PREFIX(View)                                                      \
  template class PrefixRun<CpuExecutor, View, std::uint32_t, std::uint32_t>; \
  template class PrefixRun<CpuExecutor, View, std::uint32_t, std::uint64_t>; \
  template class PrefixRun<CpuExecutor, View, float, double>;
GR_FOR_EACH_CPU_VIEW_IN_PLACE(GR_PREFIX)
#undef GR_PREFIX

#if defined(GRAPHRUN_HAS_CUDA)
extern template class Paths<CudaExecutor, std::uint32_t>;
extern template class Paths<CudaExecutor, std::uint64_t>;
extern template class Paths<CudaExecutor, double>;
extern template class Paths<CudaExecutor, float>;
extern template class SsspRun<CudaExecutor, DirectView, float, float>;
#endif
#define GR_SSSP(View)                                                              \
  extern template class SsspRun<CudaExecutor, View, std::uint32_t, std::uint32_t>; \
  extern template class SsspRun<CudaExecutor, View, std::uint32_t, std::uint64_t>; \
  extern template class SsspRun<CudaExecutor, View, float, double>;
GR_FOR_EACH_CUDA_VIEW(GR_SSSP)
#undef GR_SSSP
#define GR_PREFIX(View)                                                              \
  extern template class PrefixRun<CudaExecutor, View, std::uint32_t, std::uint32_t>; \
  extern template class PrefixRun<CudaExecutor, View, std::uint32_t, std::uint64_t>; \
  extern template class PrefixRun<CudaExecutor, View, float, double>;
GR_FOR_EACH_NARROW_CUDA_VIEW_IN_PLACE(GR_PREFIX)
#undef GR_PREFIX

}  // namespace graphrun::inline GR_IDS
