// SPDX-License-Identifier: Apache-2.0

#include "graphrun/run/run.hpp"

#include <fmt/format.h>

#include <utility>

#include "algorithms/algorithm.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/io/generate.hpp"
#include "run/engine_parts.hpp"
#include "run/memory_check.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr double kWorthTellingMs = 1000;

/// Assigns the requested weights; returns their origin. `by_records`: the graph's records were checked before these weights were
/// made.
std::string give_weights(Graph& graph, const std::optional<WeightSource>& asked, bool by_records, const char* algorithm,
                         ThreadPool& pool) {
  const WeightSource source = asked.value_or(usual_weights(graph.weight_kind));
  if (!asked) tell_missing_weights(graph, algorithm);
  if (source.kind != WeightSource::Kind::file && !graph.out.packed.empty()) {
    graph.out.packed.weight_code = {};
    graph.out.packed.weights = {};
  }
  assign_weights(graph, source, pool);
  if (!by_records || !graph.has_records()) check_weights_nonnegative(graph, pool);
  return to_string(source);
}

/// Checks an unchecked container for what would keep algorithms from ending, or fault on a GPU. Placing reads offsets anyway.
/// Guarded arrays catch bad ids (Column::allocate_guarded) on a CPU; a GPU and the verifiers have none, but read all edges,
/// except bam on a GPU.
void check_unchecked(const Graph& graph, const RunOptions& options, const Device& device, ThreadPool& pool) {
  const bool ids = reads_lists_after(options) ||
                   (device.kind == DeviceKind::cuda && preset_of(options.backend.kind).source != EdgeSource::storage);
  const auto check = [&](const Csr& csr, const char* which) {
    const std::string where = fmt::format("{} ({})", options.graph, which);
    ids&& options.backend.fabric.remote.empty() ? check_csr(csr, where, pool) : check_offsets(csr, where, pool);
  };
  check(graph.out, "out");
  if (ids && options.backend.fabric.remote.empty()) check_weight_table(graph, options.graph, pool);
  if (graph.in) check(*graph.in, "in");
  check_hub_table(graph, options.graph);
}

/// Loads the graph for the run.
Loaded load(const ResolvedRun& run, PhaseTimes& phases, std::string& weight_source) {
  const RunOptions& options = run.options;
  const bool reads_weights = info_of(options).needs_weights(options);
  ThreadPool pool(options.threads);
  log::debug(fmt::format("reading {}", options.graph));
  Loaded loaded = load_graph(options.graph, run.load, pool);
  Graph& graph = loaded.graph;
  if (loaded.times.read_ms + loaded.times.build_ms > kWorthTellingMs) {
    log::info(fmt::format("read {} in {:.1f} s, built rows in {:.1f} s", graph.name, loaded.times.read_ms / 1000,
                          loaded.times.build_ms / 1000));
  }
  phases.read_ms = loaded.times.read_ms;
  phases.build_ms = loaded.times.build_ms;
  const Timer preparing;
  const bool kept_packed = is_packed(graph);
  const bool by_records = options.backend.records;
  const bool makes_weights =
      reads_weights && options.weights.value_or(usual_weights(graph.weight_kind)).kind != WeightSource::Kind::file;
  const bool makes_records = by_records && (makes_weights || !graph.has_records());
  if (kept_packed && (reads_lists_after(options) || makes_weights || makes_records)) unpack_lists(graph, options.graph, pool);
  if (!run.load.check) check_unchecked(graph, options, run.device, pool);
  if (reads_weights) weight_source = give_weights(graph, options.weights, by_records, info_of(options).facts.name, pool);
  if (by_records && !graph.has_records()) {
    const Timer sorting;
    add_records(graph, pool);
    log::info(fmt::format("put lists into the order of their weights in {:.1f} s", sorting.elapsed_ms() / 1000));
  }
  if (!reads_lists_after(options))
    keep_lists(graph, kept_packed);  // the run does not need the pages of checks, weights and records
  phases.prepare_ms = preparing.elapsed_ms();
  return loaded;
}

}  // namespace

void check_files_unchanged(const Graph& graph) {
  const auto check_column = [](const auto& column) {
    if (column.in_mapped_file()) column.region()->file().check_unchanged();
  };
  const auto check = [&](const Csr& csr) {
    check_column(csr.offsets), check_column(csr.neighbours), check_column(csr.weights), check_column(csr.packed.lines);
  };
  check(graph.out);
  check_column(graph.weight_table);
  if (graph.in) check(*graph.in);
}

WeightSource usual_weights(WeightKind of_file) {
  WeightSource source;
  source.kind = of_file == WeightKind::none ? WeightSource::Kind::unit : WeightSource::Kind::file;
  return source;
}

void tell_missing_weights(const Graph& graph, const char* algorithm) {
  if (graph.weight_kind != WeightKind::none) return;
  // A file's user may expect its weights.
  (is_generator(graph.name) ? log::info : log::warn)(
      fmt::format("the graph has no weights: {} takes 1 for each edge; choose others with --weights, such as random", algorithm));
}

RunResult run(ResolvedRun run, const std::string& output) {
  PhaseTimes phases;
  std::string weight_source;
  Loaded loaded = load(run, phases, weight_source);
  if (!output.empty()) check_output_names(output, loaded.graph.names, loaded.graph.num_vertices());
  const Timer preparing;
  run = with_sources(std::move(run), loaded.graph);
  phases.prepare_ms += preparing.elapsed_ms();
  RunResult result = Engine::Parts(std::move(loaded.graph)).run(std::move(run), phases);
  result.graph.format = std::move(loaded.format);
  if (loaded.unpacked) result.graph.encoding = "unpacked";
  if (loaded.made_transpose) result.graph.transpose = "made";
  result.graph.weight_source = std::move(weight_source);
  return result;
}

}  // namespace graphrun::inline GR_IDS
