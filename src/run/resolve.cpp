// SPDX-License-Identifier: Apache-2.0

#include "graphrun/run/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "backend/fabric_edges.hpp"
#include "core/raise.hpp"
#include "graphrun/core/build.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/option.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/run/result.hpp"
#include "graphrun/run/run.hpp"
#include "run/graph_sample.hpp"
#include "run/memory_check.hpp"

namespace graphrun::inline GR_IDS {
namespace {

bool leaves_device_open(const RunOptions& options) { return canonical_device(options.device) == "auto"; }

/// Replaces the GPU that "auto" chose by the CPU, because of `why`.
void leave_gpu(ResolvedRun& run, std::string why) {
  log::info(fmt::format("device auto: using the CPU instead: {}", why));
  run.device = {};
  run.why_device = std::move(why);
}

/// Replaces a GPU that cannot run the request with these ids. Throws UsageError where the request named it.
void check_gpu_runs(ResolvedRun& run, bool is_open, bool packed) {
  if (run.device.kind != DeviceKind::cuda) return;
  std::string why = why_only_on_cpu(run.options, packed);
  if (why.empty()) return;
  if (!is_open) throw UsageError(why);
  leave_gpu(run, std::move(why));
}

/// Calls decide(run). Repeats it for the CPU where no backend has room on the GPU that "auto" chose, and that GPU lacks backends
/// with these ids.
template <class Decide>
void decide_within_device(ResolvedRun& run, const Decide& decide) {
  if (kGpusRunAll || run.device.kind != DeviceKind::cuda || !leaves_device_open(run.options)) return decide(run);
  ResolvedRun on_gpu = run;
  try {
    decide(on_gpu);
  } catch (const UnavailableError& error) {
    leave_gpu(run, error.what());
    return decide(run);
  }
  run = std::move(on_gpu);
}

/// Sets a rank for each named GPU; each of several processes of a host takes the next GPU.
void choose_device(ResolvedRun& run) {
  RunOptions& options = run.options;
  const bool is_open = leaves_device_open(options);
  // Named, because check_same() compares it.
  if (is_open && options.processes != nullptr) options.device = why_no_cuda(0).empty() ? "cuda:all" : "cpu";
  check_options(options);
  run.device = parse_device(options.device);
  check_gpu_runs(run, is_open, false);
  if (!run.why_device.empty() && options.processes != nullptr) options.device = to_string(run.device);
  check_gpus(run.device, options.ranks);
  check_countable(run.device, options.backend);
  if (options.processes == nullptr) {
    if (run.device.gpus() > 1) options.ranks = run.device.gpus();
    return;
  }
  run.device = of_process(run.device, options.processes->place());
  if (options.graph == "-") throw UsageError("standard input can be read by one process: give several the name of a file");
  RunOptions shared = options;
  shared.verify.reset();  // rank 0 checks
  shared.graph.clear();   // hosts may name files differently
  check_same(*options.processes, std::string(build().version), "version");
  check_same(*options.processes, options_text(shared), "set of options");
}

/// Chooses the variant, and the parts of the graph that the run reads.
void choose_variant(ResolvedRun& run, const LoadEstimate& graph, bool reads_in_edges) {
  RunOptions& options = run.options;
  const AlgorithmInfo& algorithm = info_of(options);
  run.why_variant = algorithm.settle(options, graph, run.device.kind);
  if (!run.why_variant.empty()) log::info(fmt::format("{}: {}", run.text(), run.why_variant));
  if (options.verify == VerifyBy::properties && !algorithm.has_properties(options)) {
    log::info(fmt::format("{} has no check that costs less than its serial oracle: one thread computes the answer anew",
                          algorithm.facts.name));
    options.verify = VerifyBy::serial;
  }
  BackendOptions& backend = options.backend;
  backend.check_stripe = options.load.check;
  backend.records = algorithm.reads_records(options);
  backend.needs_transpose |= reads_in_edges && algorithm.needs_transpose(options);
  backend.needs_weights |= algorithm.needs_weights(options) && !backend.records;
}

/// Broadcasts rank 0's verification: its memory counts in the plans of all processes, which must be equal.
RunOptions verified_as_root(RunOptions options) {
  if (options.processes == nullptr) return options;
  constexpr int kNot = -1;
  const int own = options.verify ? static_cast<int>(*options.verify) : kNot;
  const int of_root = gather_values(*options.processes, own).front();
  options.verify = of_root == kNot ? std::nullopt : std::optional(static_cast<VerifyBy>(of_root));
  return options;
}

/// Chooses the backend, where a plan is requested, and its defaults.
void choose_backend(ResolvedRun& run, const LoadEstimate& graph, const RunOptions& asked) {
  BackendOptions& backend = run.options.backend;
  if (run.options.auto_backend) {
    run.plan = plan_run(graph, verified_as_root(asked), run.device);
    backend = planned(backend, *run.plan);
  }
  backend = with_defaults(backend);
  if (preset_of(backend.kind).source == EdgeSource::fabric)
    run.placement.fabric = fabric_in_use(backend.fabric, run.device.kind == DeviceKind::cuda);
}

/// Does the same for a loaded graph. `placed`: the run of the open session; null: none is open.
void choose_over(const Graph& graph, ResolvedRun& run, const ResolvedRun* placed) {
  BackendOptions& backend = run.options.backend;
  LoadEstimate known = what_is_known_of(graph);
  choose_variant(run, known, !graph.symmetric);
  if (placed != nullptr) {
    const BackendOptions& there = placed->options.backend;
    run.stays = backend.needs_transpose == there.needs_transpose && backend.needs_weights == there.needs_weights &&
                backend.records == there.records && to_string(run.device) == to_string(placed->device);
  }
  if (run.stays) {
    backend = placed->options.backend;
    run.plan = placed->plan;
    run.placement = placed->placement;
    return;
  }
  RunOptions asked = run.options;
  if (asked.auto_backend) {
    const Column<EdgeId>& offsets = graph.out.offsets;
    known.lengths = sample_lengths(known.vertices, known.arcs, [&](std::uint64_t v) { return offsets[v + 1] - offsets[v]; });
    asked.graph = graph.name;
    asked.weights.reset();  // the graph has weights and records
    if (backend.records) known.mapped = graph.out.records.in_mapped_file();
  }
  choose_backend(run, known, asked);
}

/// Chooses the parts of the graph's file to read.
void choose_loading(ResolvedRun& run, const LoadEstimate& graph) {
  const RunOptions& options = run.options;
  const bool reads_edges = options.backend.fabric.remote.empty();  // otherwise servers have them
  run.load = options.load;
  run.load.check = options.load.check && reads_edges;
  run.load.need_transpose = info_of(options).needs_transpose(options) && reads_edges;
  run.load.keep_packed = keeps_packed(options, run.device.kind, graph);
  run.load.weights = weight_use(options);
}

/// Sorts sources and drops those named twice. Their shares follow them; sources without a share are dropped.
void make_distinct(std::vector<VertexId>& sources, RunOptions& options) {
  const auto of_run = info_of(options).facts.source_shares;
  if (of_run == nullptr || of_run(options).empty()) {
    std::ranges::sort(sources);
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
    return;
  }
  std::vector<double>& shares = of_run(options);
  if (shares.size() != sources.size())
    raise<UsageError>("--shares has {} numbers, and there are {} sources", shares.size(), sources.size());
  std::map<VertexId, double> shares_of;
  for (std::size_t i = 0; i < sources.size(); ++i) shares_of[sources[i]] += shares[i];
  std::erase_if(shares_of, [](const auto& each) { return each.second == 0; });
  if (shares_of.empty()) throw UsageError("--shares has no number above 0");
  sources.clear(), shares.clear();
  for (const auto& [source, share] : shares_of) sources.push_back(source), shares.push_back(share);
}

/// Completes the options of sources. Returns the sources with their own runs.
std::vector<VertexId> choose_sources(const Graph& graph, RunOptions& options, ThreadPool& pool) {
  const AlgorithmInfo& algorithm = info_of(options);
  const auto set = algorithm.facts.source_set;
  for (const VertexId start : options.starts) require_vertex(start, graph);
  if (!options.starts.empty() && (algorithm.facts.has_sources || set != nullptr)) {
    if (set != nullptr) {
      make_distinct(options.starts, options);
      set(options).assign(options.starts.begin(), options.starts.end());
    }
    options.num_sources = static_cast<int>(options.starts.size());
    return set == nullptr ? options.starts : std::vector<VertexId>{};
  }
  if (options.num_sources == 0) options.num_sources = algorithm.usual_sources(options);
  if (options.num_sources == 0) {  // all of them
    options.num_sources = static_cast<int>(std::min<std::uint64_t>(graph.num_vertices(), std::numeric_limits<int>::max()));
    return {};
  }
  if (!options.source && algorithm.facts.needs_sources && graph.num_vertices() != 0) {
    options.source = SourceSpec{};
    if (options.num_sources > 1 || set != nullptr) options.source->kind = SourceSpec::Kind::random;
  }
  if (algorithm.facts.has_sources)
    return resolve_sources(graph, options.source.value_or(SourceSpec{}), options.num_sources, pool);
  if (set == nullptr || !options.source) return {};
  const bool all_alike = graph.num_edges() == 0;  // otherwise vertices without out-edges are left out
  if (options.source->kind == SourceSpec::Kind::random && (all_alike || algorithm.draws_distinct(options))) {
    set(options) = draw_distinct(graph.num_vertices(), options.num_sources, options.source->seed);
    return {};
  }
  std::vector<VertexId> several = resolve_source_list(graph, *options.source, options.num_sources, pool);
  make_distinct(several, options);
  set(options).assign(several.begin(), several.end());
  return {};
}

}  // namespace

std::string ResolvedRun::text() const {
  const AlgorithmInfo& algorithm = info_of(options);
  const std::string variant = algorithm.variant(options);
  return variant.empty() ? algorithm.facts.name : fmt::format("{} by {}", algorithm.facts.name, variant);
}

std::string why_only_on_cpu(const RunOptions& request, bool packed) {
  if (kGpusRunAll) return {};
  const AlgorithmInfo& algorithm = info_of(request);
  const char* const name = algorithm.facts.name;
  if (!algorithm.runs_on_gpu({})) return only_on_cpu(name);
  if (!algorithm.runs_on_gpu(request))
    return only_on_cpu(request.batch ? fmt::format("batches of {}", name)
                                     : fmt::format("{} by {}", name, algorithm.variant(request)));
  if (!request.auto_backend && !has_gpu_views(preset_of(request.backend.kind)))
    return only_on_cpu(fmt::format("{} over {}", name, name_of(request.backend.kind)));
  return packed ? only_on_cpu(fmt::format("{} over packed lists", name)) : "";
}

ResolvedRun resolve(RunOptions request) {
  ResolvedRun run;
  run.options = std::move(request);
  choose_device(run);  // first: a missing GPU should be reported before a long load
  const LoadEstimate known = estimate_of(run.options, run.options.auto_backend);
  if (run.options.auto_backend && known.vertices == 0 && known.arcs == 0 && known.peak_bytes == 0) {
    ThreadPool pool(1);
    load_graph(run.options.graph, run.options.load, pool);  // throws when the file is damaged; otherwise it is empty
  }
  decide_within_device(run, [&](ResolvedRun& decided) {
    choose_variant(decided, known, true);
    choose_backend(decided, known, decided.options);
    if (!decided.plan) check_memory(decided.options, decided.device, known);
  });
  choose_loading(run, known);
  return run;
}

ResolvedRun resolve(RunOptions request, const Graph& graph, const Device& device, const ResolvedRun* placed, bool is_placed) {
  ResolvedRun run;
  run.options = std::move(request);
  run.device = device;
  BackendOptions& backend = run.options.backend;
  if (placed != nullptr) {  // its coverage stays
    backend.needs_transpose = placed->options.backend.needs_transpose;
    backend.needs_weights = placed->options.backend.needs_weights;
  }
  check_options(run.options);
  check_gpu_runs(run, leaves_device_open(run.options), is_packed(graph));
  decide_within_device(run, [&](ResolvedRun& decided) { choose_over(graph, decided, is_placed ? placed : nullptr); });
  return with_sources(std::move(run), graph);
}

ResolvedRun with_sources(ResolvedRun run, const Graph& graph) {
  RunOptions& options = run.options;
  const AlgorithmInfo& algorithm = info_of(options);
  if (algorithm.facts.needs_undirected && !graph.symmetric) {
    raise<UsageError>("{} needs an undirected graph, and {} is directed: load it with --undirected, which takes arcs as edges",
                      algorithm.facts.name, graph.name);
  }
  const bool one_rank = run.device.kind == DeviceKind::cpu && options.ranks == 1 && options.processes == nullptr;
  run.placement.threads = ThreadPool::size_for(one_rank ? threads_over(graph, options.threads) : options.threads);
  const bool looks = algorithm.facts.has_sources || algorithm.facts.source_set != nullptr;
  ThreadPool pool(looks ? threads_over(graph, options.threads) : 1);  // a sample takes less time than starting threads
  if (options.processes != nullptr) {
    check_same(
        *options.processes,
        fmt::format("{} {} {} {} {} {:x}", graph.num_vertices(), graph.num_edges(), graph.symmetric, name_of(graph.weight_kind),
                    algorithm.variant(options), sample_of(graph, !options.backend.fabric.remote.empty())),
        "graph");
    check_same(*options.processes, name_of(options.backend.kind), "plan (--backend names one)");
  }
  run.sources = choose_sources(graph, options, pool);
  if (options.path_to) {
    set_named("path-to", [&] { run.path_to = resolve_sources(graph, *options.path_to, 1, pool).front(); });
  }
  return run;
}

}  // namespace graphrun::inline GR_IDS
