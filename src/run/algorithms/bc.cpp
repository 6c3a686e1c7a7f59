#include <fmt/format.h>

#include <algorithm>

#include "graphrun/core/bytes.hpp"
#include "graphrun/run/trials.hpp"
#include "run/algorithms/algorithm_info.hpp"
#include "run/places.hpp"

namespace graphrun::inline GR_IDS {
namespace {

class BcInfo final : public AlgorithmOf<&RunOptions::bc, BcOutput> {
 public:
  SourceSet source_set() const override {
    return [](RunOptions& options) -> std::vector<std::uint64_t>& { return options.bc.sources; };
  }
  bool needs_sources() const override { return true; }
  int usual_sources() const override { return kUsualBcSources; }
  bool needs_transpose(const RunOptions& options) const override { return options.bc.variant == BcVariant::direction_optimizing; }
  StateBytes state(const RunOptions&) const override { return {56, 58, 58}; }
  Habits habits(const RunOptions& options, const LoadEstimate& graph) const override {
    const double sources = std::max(1, options.num_sources);
    return {.passes = std::max(2.0, thin_steps(graph)) * sources,
            .touched = 1,
            .reads_per_vertex = 10 * sources,
            .reads_per_arc = 2 * sources,
            .small_steps = true,
            .searches = sources};
  }
  LinkHabits link_habits(const RunOptions& options, const LoadEstimate& graph, double) const override {
    return {.all = 2 * kWholeLists * std::max(1, options.num_sources), .linear = link_habits_of_pass(graph).linear};
  }

  Trial run(Session& session, std::span<const VertexId>, RunResult& result, Output* output) const override {
    return run_bc(session, result.options.bc, made_in(output));
  }
  bool has_properties() const override { return false; }
  verify::Verdict check(const Graph& graph, const Output& output, const RunResult& result, bool,
                        const verify::Passes&) const override {
    return verify::check_bc(graph, std::get<BcOutput>(output), result.options.bc.sources);
  }

  Json digest_json(const Digest& digest, const VertexNames& names) const override {
    const auto& d = std::get<BcDigest>(digest);
    return {{"sources", d.sources}, {"largest", d.largest}, {"sum", d.sum}, {"top", top_json(d.top, names)}};
  }
  std::string digest_text(const Digest& digest, const VertexNames& names) const override {
    const auto& d = std::get<BcDigest>(digest);
    return fmt::format("largest sum of dependencies {:.9g}, sum of scores {:.9g}{}", d.largest, d.sum, top_text(d.top, names));
  }
  Json chosen_json(const RunResult& result) const override { return {{"sources", result.options.bc.sources}}; }
  std::string chosen_text(const RunResult& result) const override {
    const auto& sources = result.options.bc.sources;
    if (sources.size() == 1) return fmt::format(", from {}", result.names.text(static_cast<VertexId>(sources[0])));
    return fmt::format(", from {} sources", grouped(sources.size()));
  }
  AnswerValues values(const Output& output, bool) const override { return {"score", &std::get<BcOutput>(output).scores}; }

  std::optional<double> input_edges(const Graph&, const Output&) const override { return std::nullopt; }
  std::string input_edges_in_words(bool) const override { return "edges examined, from all sources and both ways / time"; }
};

}  // namespace

/// Its arrays are made for each trial, as those of pagerank are.
Trial run_bc(Session& session, const BcOptions& options, BcOutput* output) {
  return trial_on(session, [&]<class Exec, class View>(PlacedOn<Exec, View>& placed) {
    BcRun<Exec, View> scores(placed.exec(), placed.view(), options);
    return timed(placed, scores, output);
  });
}

const AlgorithmInfo& bc_info() { return only_one<BcInfo>(); }

}  // namespace graphrun::inline GR_IDS
