// SPDX-License-Identifier: Apache-2.0

#include "graphrun/run/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "algorithms/algorithm.hpp"
#include "core/raise.hpp"
#include "graphrun/cache/host_pager.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/view/cached_prefixes.hpp"
#include "run/memory_check.hpp"
#include "run/values_json.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr double kThinWorking = 0.55;            // of the edges: a cache of this size keeps a page for the next step
constexpr std::uint64_t kReadAheads = 2;         // windows that the kernel reads beyond the wanted column
constexpr double kScattered = 2;                 // slowdown of a mapped file read by steps instead of in order
constexpr double kReadAheadWasted = 3;           // where the page cache is too small for scattered steps' read-ahead
constexpr std::uint64_t kFramesPerCommand = 16;  // few enough outstanding commands that pages stay until their use
constexpr double kThroughPages = 1.1;            // of a CPU's time over a mapped file: its reads go through a cache of pages
constexpr std::uint64_t kRoomForChance = 10;     // a tenth of the rest stays free
constexpr std::uint64_t kLeastLinkPages = 64;    // see docs/backends.md
constexpr std::uint64_t kWorkPerVertex = 16;     // bytes of device memory beside the state: queues
constexpr double kGpuStepSeconds = 8e-6;         // of a small frontier: the kernel that makes it reads over the link
constexpr double kGpuThinSteps = 1.4;            // of the square root of the vertices
constexpr double kPagesOfAPass = 1.15;           // of a GPU, which reads some twice

/// Returns presets that serve more than comparisons; among equals, those that read a disk come last.
std::vector<BackendKind> considered() {
  std::vector<BackendKind> kinds = presets_where(
      [](const Preset& preset) { return preset.delivery == EdgeDelivery::load || preset.delivery == EdgeDelivery::commands; });
  std::ranges::stable_partition(kinds, [](BackendKind kind) { return preset_of(kind).source != EdgeSource::storage; });
  return kinds;
}

class Planner {
 public:
  Planner(const RunOptions& options, DeviceKind device, const LoadEstimate& graph, const Machine& machine)
      : options_(options),
        device_(device),
        graph_(graph),
        machine_(machine),
        pattern_(info_of(options).access_pattern(options, graph)),
        allowed_(options.memory_bytes.value_or(machine.memory_bytes)),
        memory_(std::min(allowed_, machine.memory_bytes)) {}

  RunPlan made() {
    refuse_what_never_fits();
    std::vector<RunPlan::Choice> all;
    for (const BackendKind kind : considered()) all.push_back(choice(kind));
    const auto better = [](const RunPlan::Choice& a, const RunPlan::Choice& b) {
      if (a.refused.empty() != b.refused.empty()) return a.refused.empty();
      const double time_a = a.time_ms + a.filling_ms, time_b = b.time_ms + b.filling_ms;
      return std::tie(time_a, a.moved_bytes) < std::tie(time_b, b.moved_bytes);
    };
    std::stable_sort(all.begin(), all.end(), better);
    if (!all.front().refused.empty()) {
      std::string why;
      for (const auto& each : all) why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", name_of(each.kind), each.refused);
      raise<UnavailableError>("no backend can run {} over {}: {}", info_of(options_).facts.name, options_.graph, why);
    }
    RunPlan plan;
    plan.chosen = all.front();
    plan.others.assign(all.begin() + 1, all.end());
    plan.passes = pattern_.passes;
    plan.memory_bytes = memory_;
    plan.rates_from = machine_.rates_from;
    describe_parts(plan);
    return plan;
  }

 private:
  RunOptions with(BackendKind kind, std::optional<std::uint64_t> cache_bytes) const {
    RunOptions options = options_;
    options.backend.kind = kind;
    options.backend.cache_bytes = cache_bytes;
    options.backend = with_defaults(options.backend);
    return options;
  }
  /// Returns the bytes of edges that a run over the backend reaches.
  std::uint64_t edges(BackendKind kind) const { return reached_bytes(with(kind, std::nullopt), device_, graph_); }
  /// Returns the part of these that trials scan.
  std::uint64_t walked(BackendKind kind) const {
    return edges(kind) / (pattern_.in_edges_alone && graph_.directed && info_of(options_).needs_transpose(options_) ? 2 : 1);
  }
  std::uint64_t memory_for(BackendKind kind, std::optional<std::uint64_t> cache_bytes) const {
    return memory_needed(with(kind, cache_bytes), device_, graph_);
  }
  std::uint64_t state_on_device() const {
    return graph_.vertices * (info_of(options_).state(options_).run + sizeof(EdgeId) + kWorkPerVertex) +
           weight_table_bytes(options_, graph_);
  }
  bool on_gpu() const { return device_ == DeviceKind::cuda; }
  bool walks_packed(BackendKind kind) const {
    return graph_.unpacked_bytes != 0 && keeps_packed(with(kind, std::nullopt), device_, graph_);
  }
  /// Returns whether in-place reads can use cached prefixes in device memory for this algorithm. See docs/backends.md.
  bool reads_prefixes() const {
    const bool weights = info_of(options_).needs_weights(options_) && !reads_records(options_);
    return on_gpu() && !weights && options_.backend.hot != HotEdges::nothing;
  }
  /// Returns whether a cache of this size holds prefixes: for records whenever possible.
  bool keeps_prefix(BackendKind kind, std::uint64_t cache_bytes) const {
    return !on_gpu() && reads_records(options_) && options_.backend.hot != HotEdges::nothing && cache_bytes < edges(kind);
  }
  /// Returns whether prefixes of neighbour lists pay: on request, or when all searches together save more than the one read of
  /// all edges to fill.
  bool pays_to_keep_beginnings(const RunPlan::Choice& made) const {
    if (on_gpu() || preset_of(made.kind).delivery != EdgeDelivery::commands || reads_records(options_)) return false;
    if (options_.backend.hot == HotEdges::nothing || options_.batch) return false;
    if (*made.cache_bytes >= edges(made.kind)) return false;
    if (options_.backend.hot == HotEdges::prefix) return true;
    RunPlan::Choice keeping = made;
    keeping.caches_prefixes = true;
    return (moved(made) - moved(keeping)) * searches() > static_cast<double>(edges(made.kind));
  }
  int searches() const { return options_.trials * std::max(1, options_.num_sources); }
  /// Returns the share of a cold CPU trial's bytes that remains when prefixes take most of the cache.
  double share_beyond_prefixes(std::uint64_t cache_bytes) const {
    const double columns = graph_.directed && info_of(options_).needs_transpose(options_) ? 2 : 1;
    const double bytes_a_list = kPrefixShare * static_cast<double>(cache_bytes) / columns /
                                static_cast<double>(std::max<std::uint64_t>(1, graph_.vertices));
    const double edges_a_list = (bytes_a_list - sizeof(std::uint32_t)) / sizeof(VertexId);  // 4 bytes: its start
    if (edges_a_list < 1 || has_low_degree(graph_)) return 1;
    return info_of(options_).share_beyond_prefixes(options_, graph_, edges_a_list);
  }
  /// Returns whether all edges are in memory, not in the file, below the cache.
  bool keeps_all_behind(BackendKind kind) const {
    return preset_of(kind).source == EdgeSource::fabric && !in_memory() && !on_gpu();
  }
  /// Returns whether edges are in the process's memory with every backend.
  bool in_memory() const { return !graph_.mapped || makes_records(options_, graph_); }

  /// Throws when the vertices alone do not fit, in the best case: a container with all that is read.
  void refuse_what_never_fits() {
    const BackendKind keeps_least = presets_where(reads_in_place).front();
    LoadEstimate best = graph_;
    best.mapped = best.weighted = best.records = true;
    best.packed_bytes = best.unpacked_bytes = 0;
    best.reversed_records = graph_.directed;
    best.held_bytes = best.peak_bytes = 0;
    RunOptions options = with(keeps_least, std::nullopt);
    options.weights.reset();
    const std::uint64_t least = memory_needed(options, DeviceKind::cpu, best);
    if (least > memory_) memory_ = allowed_;  // the user takes the risk
    if (least > memory_) {
      raise<UnavailableError>("{} over {} takes {} of memory for its {} vertices alone, with every backend, and {} {}",
                              info_of(options_).facts.name, options_.graph, format_bytes(least), grouped(graph_.vertices),
                              format_bytes(memory_), options_.memory_bytes ? "are allowed" : "are free");
    }
    const std::uint64_t addresses = least + (graph_.mapped ? graph_.file_bytes : 0);
    if (machine_.address_bytes && addresses > *machine_.address_bytes) {
      raise<UnavailableError>(
          "{} needs {} of addresses{}, and {} are left: raise the limit (ulimit -v), or limit memory by a control group or "
          "ulimit -d instead",
          options_.graph, format_bytes(addresses), graph_.mapped ? ", because the container is mapped" : "",
          format_bytes(*machine_.address_bytes));
    }
    const std::uint64_t any = memory_for(keeps_least, std::nullopt);
    if (any > memory_) memory_ = allowed_;
    if (any <= memory_ || on_gpu()) return;
    const bool makes = makes_weights(options_, graph_);
    const std::string advice =
        graph_.unpacked_bytes != 0 && options_.load.check
            ? "the check unpacks its lists: after graphconv check has found it sound, --trust-file leaves the check out"
        : graph_.mapped && makes ? "weights are made in memory: store them, by graphconv --weights, and choose --weights file"
        : graph_.mapped          ? "no backend takes less"
                        : fmt::format("make a container within less by graphconv {} OUT.grf --memory SIZE, and run over that",
                                      options_.graph);
    raise<UnavailableError>("{} takes about {} of memory, and {} {}: {}", options_.graph, format_bytes(any),
                            format_bytes(memory_), options_.memory_bytes ? "are allowed" : "are free", advice);
  }

  RunPlan::Choice choice(BackendKind kind) const {
    const Preset& preset = preset_of(kind);
    RunPlan::Choice made;
    made.kind = kind;
    made.cache_bytes = options_.backend.cache_bytes;
    made.caches_prefixes = reads_in_place(preset) && reads_prefixes();
    if (made.caches_prefixes || preset.delivery == EdgeDelivery::commands) made.cache_bytes = cache_for(kind);
    made.caches_prefixes = made.caches_prefixes || pays_to_keep_beginnings(made);
    made.memory_bytes = memory_for(kind, made.cache_bytes) + (keeps_all_behind(kind) ? edges(kind) : 0);
    made.moved_bytes = static_cast<std::uint64_t>(moved(made));
    const double moving = static_cast<double>(made.moved_bytes) / rate(made);
    // Read-ahead, the kernel's or the cache's, overlaps a pass's computing; on a GPU other warps compute while some wait.
    const bool reads_ahead = reads_in_place(preset) || preset.source == EdgeSource::storage;
    const bool hidden = on_gpu() || (reads_ahead && pattern_.in_order);
    const double work = computing() * (!on_gpu() && preset.tier == EdgeTier::pages ? kThroughPages : 1);
    made.time_ms = 1000 * (hidden ? std::max(work, moving) : work + moving);
    if (!on_gpu() && made.caches_prefixes) made.filling_ms = 1000 * static_cast<double>(edges(kind)) / rate(made) / searches();
    made.refused = why_not(made);
    return made;
  }

  /// Returns the cap, or the remaining memory, at most what the edges can use.
  std::uint64_t cache_for(BackendKind kind) const {
    const std::uint64_t page = preset_of(kind).page_bytes;
    const std::uint64_t all = edges(kind) + 4 * page;
    if (options_.backend.cache_bytes) return std::min(*options_.backend.cache_bytes, std::max(all, least_cache(kind)));
    const std::uint64_t most = on_gpu() ? machine_.device_bytes : memory_;
    const std::uint64_t taken = on_gpu() ? state_on_device() : memory_for(kind, 0);
    const std::uint64_t left = most - std::min(most, taken);
    return std::min(all, left - left / kRoomForChance) / page * page;
  }
  /// Returns the options of the pager of one rank on host threads, which has an equal share of the cache.
  PagerOptions pager_of_rank(BackendKind kind, std::uint64_t cache_bytes) const {
    return {.page_bytes = static_cast<std::uint32_t>(preset_of(kind).page_bytes),
            .cache_bytes = cache_bytes / static_cast<std::uint64_t>(options_.ranks),
            .workers = std::max(1, machine_.threads / options_.ranks)};
  }
  /// Returns the least cache of all ranks of this process.
  std::uint64_t least_cache(BackendKind kind) const {
    const std::uint64_t of_one =
        on_gpu() ? kLeastLinkPages * preset_of(kind).page_bytes : HostPager::least_cache_bytes(pager_of_rank(kind, 0));
    return of_one * static_cast<std::uint64_t>(options_.ranks);
  }
  std::uint64_t kept_between_passes(const RunPlan::Choice& made) const {
    return HostPager::bytes_between_passes(pager_of_rank(made.kind, *made.cache_bytes)) *
           static_cast<std::uint64_t>(options_.ranks);
  }

  std::string why_not(const RunPlan::Choice& made) const {
    if (on_gpu() && !has_gpu_views(preset_of(made.kind))) return "a GPU does not run it with 64-bit ids";
    const auto& cap = options_.backend.cache_bytes;
    const bool keeps_all = preset_of(made.kind).tier == EdgeTier::all;
    const bool paged = preset_of(made.kind).delivery == EdgeDelivery::commands;
    const std::uint64_t edges = this->edges(made.kind);
    if (keeps_all && cap && *cap < edges) return fmt::format("--cache is below the {} of edges", format_bytes(edges));
    if (paged && cap && *cap < least_cache(made.kind))
      return fmt::format("--cache is below the {} of the least cache", format_bytes(least_cache(made.kind)));
    if (paged && made.cache_bytes < least_cache(made.kind)) return "too little memory is left for a cache";
    if (paged && in_memory() && !on_gpu()) return "the edges are in memory already";
    if (made.memory_bytes > memory_)
      return fmt::format("{} {} of memory", keeps_all_behind(made.kind) ? "keeps all edges behind its cache, and takes" : "takes",
                         format_bytes(made.memory_bytes));
    if (!on_gpu()) return "";
    const std::uint64_t fast = keeps_all ? edges : paged || made.caches_prefixes ? *made.cache_bytes : 0;
    if (state_on_device() + fast <= machine_.device_bytes) return "";
    return fmt::format("takes {} of device memory, and {} are free", format_bytes(state_on_device() + fast),
                       format_bytes(machine_.device_bytes));
  }

  /// Returns the bytes that a cold trial moves.
  double moved(const RunPlan::Choice& made) const {
    const std::uint64_t bytes = walked(made.kind);
    const auto edges = static_cast<double>(bytes);
    const Preset& preset = preset_of(made.kind);
    if (preset.tier == EdgeTier::all || (in_memory() && !on_gpu())) return 0;
    if (reads_in_place(preset)) {
      if (on_gpu()) return edges * link_share(made);
      const std::uint64_t left = memory_ - std::min(memory_, made.memory_bytes);
      const std::uint64_t wanted = bytes + graph_.vertices * sizeof(EdgeId);
      const std::uint64_t behind = graph_.file_bytes - std::min(graph_.file_bytes, wanted);
      const double besides = static_cast<double>(std::min(behind, kReadAheads * machine_.read_ahead_bytes));
      if (left >= bytes) return edges + besides;
      return edges * std::max(1.0, pattern_.passes) * (pattern_.in_order ? 1 : kReadAheadWasted) + besides;
    }
    // Frames are reused in the order of their filling: a pass evicts each page before the next pass, in the same direction, needs
    // it. Passes of gpuvm alternate direction; passes over all lists by bam keep what their read-ahead leaves.
    const bool turns = preset.source == EdgeSource::fabric || (has_low_degree(graph_) && pattern_.small_steps);
    const std::uint64_t kept = turns || *made.cache_bytes >= bytes ? *made.cache_bytes
                               : pattern_.in_order && !on_gpu()    ? kept_between_passes(made)
                                                                   : 0;
    if (!on_gpu()) return edges * again(edges, kept) * (made.caches_prefixes ? share_beyond_prefixes(*made.cache_bytes) : 1);
    return edges * std::max(kPagesOfAPass, again(edges, kept < bytes && has_long_lists(graph_) ? kept / 2 : kept));
  }
  /// Returns the share of the edges that in-place loads move over a GPU's link.
  double link_share(const RunPlan::Choice& made) const {
    const auto cache = static_cast<double>(made.caches_prefixes ? *made.cache_bytes : 0);
    const double near = std::min(1.0, cache / static_cast<double>(std::max<std::uint64_t>(1, walked(made.kind))));
    const double columns = graph_.directed && info_of(options_).needs_transpose(options_) ? 2 : 1;
    LinkTraffic access_pattern = info_of(options_).link_traffic(
        options_, graph_, cache / columns / static_cast<double>(sizeof(VertexId) * graph_.vertices));
    if (walks_packed(made.kind)) access_pattern.linear = 1;  // cached lines are whole ones
    return access_pattern.share(near);
  }
  /// Returns the passes over the edges that are moved when `kept` bytes of them stay.
  double again(double edges, std::uint64_t kept) const {
    const double working = edges * (has_low_degree(graph_) && pattern_.small_steps ? kThinWorking : 1);
    const double stays = working <= 0 ? 1 : std::min(1.0, static_cast<double>(kept) / working);
    return pattern_.touched + std::max(0.0, pattern_.passes - pattern_.touched) * (1 - stays);
  }

  /// Returns bytes a second.
  double rate(const RunPlan::Choice& made) const {
    const Rates& rates = machine_.rates;
    const Preset& preset = preset_of(made.kind);
    if (on_gpu() && preset.source != EdgeSource::storage) return machine_.link_bytes_s;
    if (reads_in_place(preset)) return rates.mapped_bytes_s / (pattern_.small_steps ? kScattered : 1);
    if (preset.source == EdgeSource::fabric) return rates.copied_bytes_s;
    const std::uint64_t out = std::max<std::uint64_t>(1, made.cache_bytes.value_or(0) / preset.page_bytes / kFramesPerCommand);
    return std::min(rates.storage_bytes_s, static_cast<double>(out * preset.page_bytes) / rates.storage_latency_s);
  }

  /// Returns the seconds of computing, wherever the edges are.
  double computing() const {
    const double reads = pattern_.reads_per_vertex * static_cast<double>(graph_.vertices) +
                         pattern_.reads_per_arc * static_cast<double>(graph_.arcs);
    if (!on_gpu()) return reads / machine_.rates.memory_reads_s;
    const bool many_steps = has_low_degree(graph_) && pattern_.small_steps;
    const double steps = many_steps ? pattern_.searches * kGpuThinSteps * std::sqrt(static_cast<double>(graph_.vertices)) : 0;
    return reads / kDeviceReadsPerSecond + steps * kGpuStepSeconds;
  }

  void describe_parts(RunPlan& plan) const {
    const char* const near = on_gpu() ? "device memory" : "memory";
    const BackendKind kind = plan.chosen.kind;
    LoadEstimate opened = graph_;
    opened.peak_bytes = 0;  // of reading, and of the check, which unpacks lists
    const std::uint64_t all = memory_needed(with(kind, plan.chosen.cache_bytes), device_, opened);
    const std::uint64_t edges = this->edges(kind);
    const Preset& preset = preset_of(kind);
    const bool keeps_all = preset.tier == EdgeTier::all;
    const bool holds_edges = in_memory() || keeps_all;
    const bool caches = preset.delivery == EdgeDelivery::commands;
    const bool caches_prefixes_of = caches && (plan.chosen.caches_prefixes || keeps_prefix(kind, *plan.chosen.cache_bytes));
    const std::uint64_t others = holds_edges ? edges : caches ? *plan.chosen.cache_bytes : 0;
    plan.parts.push_back({"vertices", near, on_gpu() ? state_on_device() : all - std::min(all, others)});
    const std::string file = in_memory() ? "memory, where they are built" : options_.graph;
    const bool on_host = preset.source == EdgeSource::fabric || (on_gpu() && preset.source == EdgeSource::graph);
    const char* const kept = caches_prefixes_of   ? "cache, most of it leading edges"
                             : caches             ? "cache"
                             : walks_packed(kind) ? "first packed lists"
                                                  : "leading edges";
    if (caches || plan.chosen.caches_prefixes) plan.parts.push_back({kept, near, *plan.chosen.cache_bytes});
    plan.parts.push_back({"edges", keeps_all ? near : on_host ? "host memory" : file, edges});
  }

  const RunOptions& options_;
  DeviceKind device_;
  const LoadEstimate& graph_;
  const Machine& machine_;
  AccessPattern pattern_;
  std::uint64_t allowed_;
  std::uint64_t memory_;  ///< limit of plans: the smaller of allowed and free memory
};

/// Returns for example "140 ms", "14 s".
std::string time_text(double ms) { return ms < 10'000 ? fmt::format("{:.3g} ms", ms) : fmt::format("{:.3g} s", ms / 1000); }

}  // namespace

RunPlan make_plan(const RunOptions& options, DeviceKind device, const LoadEstimate& graph, const Machine& machine) {
  return Planner(options, device, graph, machine).made();
}

BackendOptions planned(BackendOptions asked, const RunPlan& plan) {
  asked.kind = plan.chosen.kind;
  asked.cache_bytes = plan.chosen.cache_bytes;
  if (plan.chosen.caches_prefixes && preset_of(asked.kind).tier == EdgeTier::pages) asked.hot = HotEdges::prefix;
  return asked;
}

std::string choice_text(const RunPlan::Choice& choice) {
  const bool cached = (choice.caches_prefixes || preset_of(choice.kind).tier == EdgeTier::pages) && choice.cache_bytes;
  return cached ? fmt::format("{}, cache {}", name_of(choice.kind), format_bytes(*choice.cache_bytes)) : name_of(choice.kind);
}

std::string plan_text(const RunOptions& options, const RunPlan& plan) {
  std::string text =
      fmt::format("plan       {}, for {} over {}\n", choice_text(plan.chosen), info_of(options).facts.name, options.graph);
  for (const RunPlan::Part& part : plan.parts)
    text += fmt::format("           {:>9} of {} in {}\n", format_bytes(part.bytes), part.what, part.where);
  text +=
      fmt::format("takes      {} of memory, of {}\n", format_bytes(plan.chosen.memory_bytes), format_bytes(plan.memory_bytes));
  const auto filling = [](const RunPlan::Choice& choice) {
    return choice.filling_ms > 0 ? fmt::format(", and {} a search for filling", time_text(choice.filling_ms)) : "";
  };
  text += fmt::format("expects    {} moved in {} by a cold trial{}\n", format_bytes(plan.chosen.moved_bytes),
                      time_text(plan.chosen.time_ms), filling(plan.chosen));
  for (const RunPlan::Choice& other : plan.others) {
    text += fmt::format("{:<10} {}: {}\n", &other == &plan.others.front() ? "instead of" : "", choice_text(other),
                        !other.refused.empty() ? other.refused
                                               : fmt::format("{} in {}{}", format_bytes(other.moved_bytes),
                                                             time_text(other.time_ms), filling(other)));
  }
  return text + fmt::format("rates      {}\n", plan.rates_from);
}

Json plan_json(const RunPlan& plan) {
  const auto as_json = [](const RunPlan::Choice& choice) -> Json {
    return {
        {"backend", name_of(choice.kind)},     {"cache_bytes", choice.cache_bytes ? Json(*choice.cache_bytes) : Json(nullptr)},
        {"memory_bytes", choice.memory_bytes}, {"moved_bytes", choice.moved_bytes},
        {"time_ms", choice.time_ms},           {"filling_ms", choice.filling_ms},
        {"refused", choice.refused.empty() ? Json(nullptr) : Json(choice.refused)}};
  };
  Json all = {{"chosen", as_json(plan.chosen)}, {"others", Json::array()}, {"parts", Json::array()}};
  for (const RunPlan::Choice& other : plan.others) all["others"].push_back(as_json(other));
  for (const RunPlan::Part& part : plan.parts)
    all["parts"].push_back({{"what", part.what}, {"where", part.where}, {"bytes", part.bytes}});
  all["passes"] = plan.passes;
  all["memory_bytes"] = plan.memory_bytes;
  all["rates_from"] = plan.rates_from;
  return all;
}

}  // namespace graphrun::inline GR_IDS
