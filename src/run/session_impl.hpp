// Session over one executor and one family of views. Searches and components are made on first use and kept while their
// options stay the same, so that trials share their memory; PageRank is made anew for each trial.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/run/placed.hpp"
#include "run/weight_stats.hpp"

namespace graphrun::inline GR_IDS {

/// Throws UsageError when a vertex is so far that sums of f32 weights stopped at the largest float: see SsspRun.
void check_distances_fit(const Graph& graph, const SsspOutput& output);

template <class Exec, class View>
class SessionOf final : public PlacedOn<Exec, View> {
 public:
  using SsspChoice = Session::SsspChoice;

  SessionOf(std::unique_ptr<Exec> exec, std::unique_ptr<BackendOf<View>> backend, const Graph& graph,
            const SessionOptions& options, std::string executor)
      : PlacedOn<Exec, View>(std::move(exec), std::move(backend), options, std::move(executor)), graph_(graph) {}

  Trial bfs(VertexId source, const BfsOptions& options, BfsOutput* output) override {
    exec_->make_current();
    if (!bfs_ || bfs_options_.variant != options.variant)
      bfs_ = std::make_unique<BfsRun<Exec, View>>(*exec_, backend_->view(), options);
    bfs_options_ = options;
    const Trial trial = timed([&] { return bfs_->run(source); });
    if (output != nullptr) *output = bfs_->output();
    return trial;
  }

  Trial sssp(VertexId source, const SsspOptions& options, SsspOutput* output, SsspChoice* used) override {
    exec_->make_current();
    if (graph_.weight_kind == WeightKind::none || !options_.backend.needs_weights) {
      throw UsageError("sssp needs weights: give the graph some and open the session with BackendOptions::needs_weights");
    }
    if (!weight_stats_) weight_stats_ = backend_->weight_stats();
    if (!weight_stats_) weight_stats_ = weight_stats(graph_);
    if (sssp_options_ && sssp_options_->delta != options.delta) sssp32_.reset(), sssp64_.reset(), sssp_float_.reset();
    sssp_options_ = options;
    if (graph_.weight_kind == WeightKind::f32) {
      const Trial trial = sssp_with(sssp_float_, source, output, used, 32);
      if (output != nullptr) check_distances_fit(graph_, *output);
      return trial;
    }
    Trial failed;
    if (!sssp64_) {
      failed = sssp_with(sssp32_, source, output, used, 32);
      if (!sssp32_->overflowed()) return failed;
      log::info("a distance does not fit into 32 bits: starting again with 64-bit distances");
      sssp32_.reset();
    }
    Trial trial = sssp_with(sssp64_, source, output, used, 64);
    trial.elapsed_ms += failed.elapsed_ms;  // the first attempt is part of the price
    trial.stats.iterations += failed.stats.iterations;
    trial.stats.edges_examined += failed.stats.edges_examined;
    trial.moved += failed.moved;
    for (std::size_t i = 0; i < failed.phases.size(); ++i) trial.phases[i].elapsed_ms += failed.phases[i].elapsed_ms;
    return trial;
  }

  Trial cc(const CcOptions& options, CcOutput* output) override {
    exec_->make_current();
    if (cc_options_.variant != options.variant) cc_.reset();
    if (!cc_) cc_ = std::make_unique<CcRun<Exec, View>>(*exec_, backend_->view(), options);
    cc_options_ = options;
    const Trial trial = timed([&] { return cc_->run(); });
    if (output != nullptr) *output = cc_->output();
    return trial;
  }

  Trial pagerank(const PagerankOptions& options, PagerankOutput* output, int* used_bits) override {
    exec_->make_current();
    const bool single = is_single_precision(options);
    if (used_bits != nullptr) *used_bits = single ? 32 : 64;
    return single ? pagerank_with(pagerank_float_, options, output) : pagerank_with(pagerank_double_, options, output);
  }

 private:
  using PlacedOn<Exec, View>::backend_;
  using PlacedOn<Exec, View>::exec_;
  using PlacedOn<Exec, View>::options_;
  using PlacedOn<Exec, View>::timed;

  template <class Algo>
  Trial sssp_with(std::unique_ptr<Algo>& algo, VertexId source, SsspOutput* output, SsspChoice* used, int bits) {
    if (!algo) algo = std::make_unique<Algo>(*exec_, backend_->view(), *sssp_options_, *weight_stats_);
    const Trial trial = timed([&] { return algo->run(source); });
    if (used != nullptr) *used = {algo->delta(), bits};
    if (output != nullptr && !algo->overflowed()) *output = algo->output();
    return trial;
  }

  template <class Algo>
  Trial pagerank_with(std::unique_ptr<Algo>& algo, const PagerankOptions& options, PagerankOutput* output) {
    algo.reset();  // before the next one asks for memory
    algo = std::make_unique<Algo>(*exec_, backend_->view(), options);
    Trial trial = timed([&] { return algo->run(); });
    trial.converged = algo->converged();
    if (output != nullptr) *output = algo->output();
    return trial;
  }

  const Graph& graph_;
  std::optional<WeightStats> weight_stats_;
  BfsOptions bfs_options_;
  CcOptions cc_options_;
  std::optional<SsspOptions> sssp_options_;
  std::unique_ptr<BfsRun<Exec, View>> bfs_;
  std::unique_ptr<CcRun<Exec, View>> cc_;
  std::unique_ptr<SsspRun<Exec, View, std::uint32_t, std::uint32_t>> sssp32_;
  std::unique_ptr<SsspRun<Exec, View, std::uint32_t, std::uint64_t>> sssp64_;
  std::unique_ptr<SsspRun<Exec, View, float, float>> sssp_float_;
  std::unique_ptr<PagerankRun<Exec, View, float>> pagerank_float_;
  std::unique_ptr<PagerankRun<Exec, View, double>> pagerank_double_;
};

}  // namespace graphrun::inline GR_IDS
