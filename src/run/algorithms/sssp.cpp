#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "graphrun/algo/prefix.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/run/trials.hpp"
#include "run/algorithms/algorithm_info.hpp"
#include "run/places.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr const char* kBellmanFord = "bellman-ford";  // of subway, without a choice

/// Smallest, largest and mean of up to a million evenly spaced weights of graph.out (all of them when there are fewer).
WeightStats weight_stats(const Graph& graph) {
  constexpr std::size_t kSample = 1 << 20;
  const Csr& csr = graph.out;
  if (csr.num_edges() == 0) return {};
  const auto word = [&](EdgeId e) {
    std::uint32_t room[packed::kDecodeRoom];
    const packed::WeightCode& code = csr.packed.weight_code;
    return code.is_packed() ? *unpack_weights(code, e, 1, room, InMemory{csr.packed.weights.data()}).words : csr.weights[e];
  };
  const std::size_t stride = std::max<std::size_t>(1, csr.num_edges() / kSample);
  WeightStats stats{std::numeric_limits<double>::infinity(), 0, 0};
  std::size_t count = 0;
  for (std::size_t i = 0; i < csr.num_edges(); i += stride, ++count) {
    const double weight =
        graph.weight_kind == WeightKind::f32 ? static_cast<double>(std::bit_cast<float>(word(i))) : static_cast<double>(word(i));
    stats.smallest = std::min(stats.smallest, weight);
    stats.largest = std::max(stats.largest, weight);
    stats.mean += weight;
  }
  stats.mean /= static_cast<double>(count);
  return stats;
}

/// Throws UsageError when a vertex is so far that sums of f32 weights stopped at the largest float: see SsspRun.
void check_distances_fit(const Graph& graph, const SsspOutput& output) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  const auto& distances = std::get<std::vector<float>>(output.distances);
  const auto too_far = std::find(distances.begin(), distances.end(), kLargest);
  if (too_far == distances.end()) return;
  throw UsageError(fmt::format(
      "the distance from vertex {} to vertex {} is not below the largest 32-bit float, {}: divide all weights by the same number",
      graph.names.text(output.source), graph.names.text(static_cast<VertexId>(too_far - distances.begin())), kLargest));
}

/// Searches of one session: 32-bit distances until one did not fit, then 64-bit ones.
template <template <class, class, class, class> class Search, class Exec, class View>
struct KeptPaths {
  std::optional<double> delta;
  std::optional<WeightStats> weights;
  std::unique_ptr<Search<Exec, View, std::uint32_t, std::uint32_t>> narrow;
  std::unique_ptr<Search<Exec, View, std::uint32_t, std::uint64_t>> wide;
  std::unique_ptr<Search<Exec, View, float, float>> floats;
};

template <template <class, class, class, class> class Search, class Exec, class View>
class SsspTrial {
 public:
  SsspTrial(PlacedOn<Exec, View>& placed, VertexId source, const SsspOptions& options, SsspOutput* output, SsspChoice* used)
      : placed_(placed),
        kept_(placed.template kept<KeptPaths<Search, Exec, View>>()),
        source_(source),
        options_(options),
        output_(output),
        used_(used) {}

  Trial run() {
    const Graph& graph = placed_.graph();
    const BackendOptions& reached = placed_.options().backend;
    if (graph.weight_kind == WeightKind::none || !(reached.needs_weights || reached.records)) {
      throw UsageError("sssp needs weights: give the graph some and open the session with BackendOptions::needs_weights");
    }
    if (!kept_.weights) kept_.weights = placed_.backend().weight_stats();
    if (!kept_.weights) kept_.weights = weight_stats(graph);
    if (kept_.delta != options_.delta) kept_.narrow.reset(), kept_.wide.reset(), kept_.floats.reset();
    kept_.delta = options_.delta;
    if (graph.weight_kind == WeightKind::f32) {
      const Trial trial = run_with(kept_.floats, 32);
      if (output_ != nullptr) check_distances_fit(graph, *output_);
      return trial;
    }
    Trial failed;
    if (!kept_.wide) {
      failed = run_with(kept_.narrow, 32);
      if (!kept_.narrow->overflowed()) return failed;
      log::info("a distance does not fit into 32 bits: starting again with 64-bit distances");
      kept_.narrow.reset();
    }
    Trial trial = run_with(kept_.wide, 64);
    trial.elapsed_ms += failed.elapsed_ms;  // the first attempt is part of the price
    trial.stats.iterations += failed.stats.iterations;
    trial.stats.edges_examined += failed.stats.edges_examined;
    trial.moved += failed.moved;
    for (std::size_t i = 0; i < failed.phases.size(); ++i) trial.phases[i].elapsed_ms += failed.phases[i].elapsed_ms;
    return trial;
  }

 private:
  template <class SearchOf>
  Trial run_with(std::unique_ptr<SearchOf>& search, int bits) {
    if (!search) search = std::make_unique<SearchOf>(placed_.exec(), placed_.view(), options_, *kept_.weights);
    const Trial trial = placed_.timed([&] { return search->run(source_); });
    if (used_ != nullptr) *used_ = {search->delta(), bits};
    if (output_ != nullptr && !search->overflowed()) *output_ = search->output();
    return trial;
  }

  PlacedOn<Exec, View>& placed_;
  KeptPaths<Search, Exec, View>& kept_;
  VertexId source_;
  const SsspOptions& options_;
  SsspOutput* output_;
  SsspChoice* used_;
};

class SsspInfo final : public AlgorithmInfo {
 public:
  bool has_sources() const override { return true; }
  bool needs_weights() const override { return true; }
  StateBytes state(const RunOptions& options) const override { return reads_records(options) ? kPrefixState : kSsspState; }

  std::vector<std::string_view> variants() const override { return names_of<SsspVariant>(); }
  void set_variant(RunOptions& options, const std::string& name) const override {
    options.sssp.variant = parse_name<SsspVariant>(name);
  }
  const char* variant(const RunOptions& options) const override {
    return orders_by_distance(options) ? name_of(options.sssp.variant) : kBellmanFord;
  }

  Trial run(Session& session, std::span<const VertexId> sources, RunResult& result, Output* output) const override {
    return run_sssp(session, sources.front(), result.options.sssp, output == nullptr ? nullptr : &output->emplace<SsspOutput>(),
                    &result.sssp);
  }
  verify::Verdict check(const Graph& graph, const Output& output, const RunResult& result, bool,
                        const verify::Passes& how) const override {
    const auto& answer = std::get<SsspOutput>(output);
    return result.options.verify == VerifyBy::serial ? verify::check_sssp(graph, answer)
                                                     : verify::check_sssp_properties(graph, answer, how);
  }

  Digest digest(const Output& output) const override { return graphrun::digest(std::get<SsspOutput>(output)); }
  Json digest_json(const Digest& digest, const VertexNames& names) const override {
    const auto& d = std::get<SsspDigest>(digest);
    return {{"source", d.source},
            {"source_label", name_json(names, d.source)},
            {"reached", d.reached},
            {"max_distance", d.max_distance},
            {"sum_distances", d.sum_distances},
            {"checksum", std::to_string(d.checksum)}};
  }
  std::string digest_text(const Digest& digest, const VertexNames& names) const override {
    const auto& d = std::get<SsspDigest>(digest);
    return fmt::format("source {}, reached {}, largest distance {}, sum of distances {}, checksum {}", names.text(d.source),
                       grouped(d.reached), d.max_distance, d.sum_distances, d.checksum);
  }
  Json chosen_json(const RunResult& result) const override {
    return {{"delta", orders_by_distance(result.options) ? Json(result.sssp.delta) : Json(nullptr)},
            {"distance_bits", result.sssp.distance_bits}};
  }
  std::string chosen_text(const RunResult& result) const override {
    return fmt::format("{}, {}-bit distances",
                       orders_by_distance(result.options) ? fmt::format(", delta {}", result.sssp.delta) : "",
                       result.sssp.distance_bits);
  }
  AnswerValues values(const Output& output, bool) const override {
    return std::visit(
        [](const auto& distances) {
          return AnswerValues{"distance", &distances};
        },
        std::get<SsspOutput>(output).distances);
  }

  std::optional<double> input_edges(const Graph& graph, const Output& output) const override {
    const Distances& distances = std::get<SsspOutput>(output).distances;
    if (const auto* floats = std::get_if<std::vector<float>>(&distances)) return edges_of_reached(graph, *floats, HUGE_VALF);
    return edges_of_reached(graph, std::get<std::vector<std::uint64_t>>(distances), kUnreachedDistance);
  }
  std::string input_edges_in_words(bool symmetric) const override { return edges_of_reached_in_words(symmetric); }
};

}  // namespace

Trial run_sssp(Session& session, VertexId source, const SsspOptions& options, SsspOutput* output, SsspChoice* used) {
  const bool by_records = options.variant == SsspVariant::prefix;
  const auto run = [&]<class Exec, class View>(PlacedOn<Exec, View>& placed) -> Trial {
    if (!by_records) return SsspTrial<SsspRun, Exec, View>(placed, source, options, output, used).run();
    if constexpr (std::is_same_v<Exec, CpuExecutor> && WalkableView<View>) {
      return SsspTrial<PrefixRun, Exec, View>(placed, source, options, output, used).run();
    }
    throw UsageError(fmt::format("variant prefix of sssp does not run over {}", session.description()));
  };
  return trial_on(session, run, by_records);
}

const AlgorithmInfo& sssp_info() {
  static const SsspInfo kInfo;
  return kInfo;
}

}  // namespace graphrun::inline GR_IDS
