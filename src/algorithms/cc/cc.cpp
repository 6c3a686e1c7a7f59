#include <fmt/format.h>

#include <algorithm>

#include "algorithms/algorithm.hpp"
#include "algorithms/cc/cc_impl.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/graphrun.hpp"
#include "graphrun/ops/cpu_views.hpp"
#include "graphrun/run/trials.hpp"
#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {
namespace {

class CcInfo final : public AlgorithmOf<&RunOptions::cc, CcOutput> {
 public:
  CcInfo() : AlgorithmOf({.name = "cc", .rate = kRateOfGraph}) {}
  bool needs_transpose(const RunOptions& options) const override { return options.cc.variant == CcVariant::afforest; }
  /// By samples it reads little more than the beginnings of lists, which are found sooner where these are plain.
  bool gpus_decode(const RunOptions& options) const override { return options.cc.variant == CcVariant::hooking; }
  StateBytes state(const RunOptions&) const override { return {21, 22, 22}; }
  AccessPattern access_pattern(const RunOptions&, const LoadEstimate&) const override { return {1, 0.95, 1.5, 0.02, true}; }
  LinkTraffic link_traffic(const RunOptions& options, const LoadEstimate& graph, double first) const override {
    constexpr double kSectorEdges = 32.0 / sizeof(VertexId);
    if (options.cc.variant != CcVariant::afforest) return link_traffic_of_pass(graph);
    if (first >= 3) return {.all = 0};  // both samples and where beginnings end
    const double mean = static_cast<double>(graph.arcs) / static_cast<double>(std::max<std::uint64_t>(1, graph.vertices));
    const double sampled = graph.lengths.first_edges > 0 ? graph.lengths.first_edges : std::min(mean, kSectorEdges);
    return {.all = mean > 0 ? 0.95 * sampled / mean : 0};
  }
  double share_beyond_prefixes(const RunOptions& options, const LoadEstimate&, double edges_a_list) const override {
    return options.cc.variant == CcVariant::afforest && edges_a_list >= 2 ? 0 : 1;  // both samples
  }

  Trial run(Session& session, std::span<const VertexId>, RunResult& result, Output* output) const override {
    return run_cc(session, result.run->options.cc, made_in(output));
  }
  verify::Verdict check(const Graph& graph, const Output& output, const RunResult& result, bool,
                        const verify::Passes& how) const override {
    const auto& answer = std::get<CcOutput>(output);
    return result.run->options.verify == VerifyBy::serial ? verify::check_cc(graph, answer)
                                                          : verify::check_cc_properties(graph, answer, how);
  }

  Json digest_json(const Digest& digest, const VertexNames&) const override {
    const auto& d = std::get<CcDigest>(digest);
    Json sizes = Json::array();
    for (const auto& [size, count] : d.sizes) sizes.push_back({{"size", size}, {"components", count}});
    return {{"components", d.components}, {"largest", d.largest}, {"sizes", sizes}};
  }
  std::string digest_text(const Digest& digest, const VertexNames&) const override {
    const auto& d = std::get<CcDigest>(digest);
    return fmt::format("components {}, largest {} vertices", grouped(d.components), grouped(d.largest));
  }
  AnswerValues values(const Output& output, bool) const override {
    return {"component", &std::get<CcOutput>(output).labels, true};
  }
  TopValues top(const Output& output, std::size_t k) const override {
    TopValues top{"size", {}, "component"};
    for (const auto& [label, size] : largest_of(component_sizes(std::get<CcOutput>(output)), k, std::optional<std::uint64_t>(0)))
      top.rows.emplace_back(label, size);
    return top;
  }

  std::optional<double> input_edges(const Graph& graph, const Output&) const override { return edges_of_graph(graph); }
};

}  // namespace

Trial run_cc(Session& session, const CcOptions& options, CcOutput* output) {
  return trial_on<PackedPlacements>(session, [&]<class Exec, class View>(SessionOn<Exec, View>& placed) {
    return timed(placed, kept_run<CcRun<Exec, View>>(placed, options), output);
  });
}

ComponentsAnswer Engine::run(const ConnectedComponents& what) { return ComponentsAnswer(run(request_of(Algorithm::cc, what))); }

const AlgorithmInfo& cc_info() {
  static const CcInfo kInfo;
  return kInfo;
}

#define GR_CC(View) template class CcRun<CpuExecutor, View>;
GR_FOR_EACH_CPU_VIEW(GR_CC)
#undef GR_CC
#define GR_CC(View) extern template class CcRun<CudaExecutor, View>;
GR_FOR_EACH_CUDA_VIEW(GR_CC)
#undef GR_CC
#if defined(GRAPHRUN_HAS_CUDA)
extern template class CcRun<CudaExecutor, DevicePackedView>;
#endif

}  // namespace graphrun::inline GR_IDS
