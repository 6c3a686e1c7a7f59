// SPDX-License-Identifier: Apache-2.0

#include "graphrun/run/cluster_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

#include "algorithms/algorithm.hpp"
#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/names.hpp"
#include "run/memory_check.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// A key of --assume.
struct ClusterKey {
  std::string_view name;
  double Cluster::*field;
  enum Unit { whole, number, bytes, bytes_a_second, seconds } unit;
};
constexpr std::array kClusterKeys = {
    ClusterKey{"hosts", &Cluster::hosts, ClusterKey::whole},
    ClusterKey{"ranks", &Cluster::ranks, ClusterKey::whole},
    ClusterKey{"cores", &Cluster::cores, ClusterKey::whole},
    ClusterKey{"memory", &Cluster::memory_bytes, ClusterKey::bytes},
    ClusterKey{"link", &Cluster::link_bytes_s, ClusterKey::bytes_a_second},
    ClusterKey{"latency", &Cluster::latency_s, ClusterKey::seconds},
    ClusterKey{"disk", &Cluster::disk_bytes_s, ClusterKey::bytes_a_second},
    ClusterKey{"reads", &Cluster::core_reads_s, ClusterKey::number},
};

constexpr double kProgramOfARank = 8 << 20;
constexpr double kMostCached = 0.9;            // of what is left: pages, tables, and chance take the rest
constexpr double kLeastCachedBytes = 1 << 20;  // of a rank that reads a disk

/// A unit of rates or times, and its value in bytes a second or seconds.
struct Unit {
  std::string_view name;
  double value;
};
// "B/s" and "s" end others' names. Networks are named by bits, "b".
constexpr std::array kRateUnits = {
    Unit{"TiB/s", 0x1p40}, Unit{"GiB/s", 0x1p30}, Unit{"MiB/s", 0x1p20}, Unit{"KiB/s", 0x1p10}, Unit{"TB/s", 1e12},
    Unit{"GB/s", 1e9},     Unit{"MB/s", 1e6},     Unit{"KB/s", 1e3},     Unit{"kB/s", 1e3},     Unit{"Tb/s", 1e12 / 8},
    Unit{"Gb/s", 1e9 / 8}, Unit{"Mb/s", 1e6 / 8}, Unit{"B/s", 1},
};
constexpr std::array kTimeUnits = {Unit{"ns", 1e-9}, Unit{"us", 1e-6}, Unit{"ms", 1e-3}, Unit{"s", 1}};

/// Returns a value of a key; `text` is "512GiB", "50GB/s", "400Gb/s", "64" or "20us".
double parse_value(const ClusterKey& key, const std::string& text) {
  const std::string what = fmt::format("--assume {}", key.name);
  const auto scaled = [&](const auto& units, std::string_view example) {
    const auto unit = std::ranges::find_if(units, [&](const Unit& each) { return text.ends_with(each.name); });
    if (unit == units.end())
      raise<UsageError>("{}={} has no unit, or an unknown one: write for example {}={}", what, text, key.name, example);
    return unit->value * parse_real(text.substr(0, text.size() - unit->name.size()), what);
  };
  switch (key.unit) {
    case ClusterKey::whole:
      return static_cast<double>(parse_whole(text, what, 1, 1'000'000));
    case ClusterKey::bytes:
      return static_cast<double>(parse_bytes(text));
    case ClusterKey::bytes_a_second:
      return scaled(kRateUnits, "50GB/s, or in bits 400Gb/s");
    case ClusterKey::seconds:
      return scaled(kTimeUnits, "20us");
    case ClusterKey::number:
      break;
  }
  return parse_real(text, what);
}

/// Returns the names of algorithms with a model.
std::string modelled() {
  std::vector<std::string_view> names;
  for (const std::string_view name : names_of<Algorithm>()) {
    RunOptions options;
    options.algorithm = parse_name<Algorithm>(std::string(name));
    if (info_of(options).rank_traffic(options, {})) names.push_back(name);
  }
  return joined(names);
}

std::string seconds_text(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.3g} us", 1e6 * seconds)
         : seconds < 1  ? fmt::format("{:.3g} ms", 1e3 * seconds)
                        : fmt::format("{:.4g} s", seconds);
}

/// Returns at most 16 EiB, as the largest number of bytes.
std::string bytes_text(double bytes) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  return format_bytes(bytes < 0x1p64 ? static_cast<std::uint64_t>(bytes) : kMost);
}

/// Returns which hosts would fit: more of them where these divide what is too much, or larger ones. `fixed`: what a rank needs
/// however many there are. `divided`: what all ranks have together.
std::string would_fit(double fixed, double divided, const Cluster& cluster) {
  const double most = cluster.memory_bytes / cluster.ranks;
  const double gibs = std::ceil((fixed + divided / cluster.all_ranks()) * cluster.ranks / 0x1p30);
  const std::string larger = fmt::format("memory={:.0f}GiB", gibs);
  if (cluster.all_ranks() == 1) return fmt::format("{} a host would fit", larger);
  if (fixed >= most) return fmt::format("{} a host would fit, and more hosts would not", larger);
  return fmt::format("hosts={:.0f}, or {} a host, would fit", std::ceil(divided / (most - fixed) / cluster.ranks), larger);
}

/// Returns whether the run reads both directions' lists, which differ.
bool reads_both_ways(const RunOptions& options, const LoadEstimate& graph) {
  return graph.directed && info_of(options).needs_transpose(options);
}

/// Fills in what a rank holds, and which part of its edges.
void model_memory(const RunOptions& options, const LoadEstimate& graph, const Cluster& cluster, ClusterModel& model) {
  const AlgorithmInfo& info = info_of(options);
  const auto n = static_cast<double>(graph.vertices);
  const double ranks = cluster.all_ranks();
  const bool both = reads_both_ways(options, graph);
  RankBytes state = info.rank_state(options);
  if (ranks == 1) state = {0, static_cast<double>(info.state(options).run)};
  model.held = {
      {"state of all vertices", state.of_all * n, fmt::format("{:.3g} B a vertex", state.of_all)},
      {"state of its own vertices", state.of_own * n / ranks, fmt::format("{:.3g} B for each of its vertices", state.of_own)},
      {"offsets of its own lists", sizeof(EdgeId) * (both ? 2 : 1) * n / ranks, both ? "16 B, both ways" : "8 B"},
      {"program", kProgramOfARank, "without buffers of MPI"}};
  model.answer = {"answer", state.answer * n, fmt::format("on rank 0, {:.3g} B a vertex", state.answer)};
  const double edge = (both ? 2 : 1) * sizeof(VertexId) + (info.needs_weights(options) ? sizeof(std::uint32_t) : 0);
  model.edge_bytes = edge * static_cast<double>(graph.arcs) / ranks;
  const double most = cluster.memory_bytes / cluster.ranks;
  // Caches of all ranks are equal, and rank 0 collects the answer beside its own.
  const double vertices = model.bytes_a_rank();
  const double left = kMostCached * (most - vertices - model.answer.bytes);
  model.cached_share = model.edge_bytes == 0 ? 1 : std::clamp(left / model.edge_bytes, 0.0, 1.0);
  model.held.push_back({"edges of its lists", model.cached_share * model.edge_bytes,
                        model.cached_share == 1
                            ? fmt::format("all, {:.3g} B an arc: incore", edge)
                            : fmt::format("{:.3g} % of {}: bam, cache", 100 * model.cached_share, bytes_text(model.edge_bytes))});
  const double least = vertices + std::min(model.edge_bytes, kLeastCachedBytes);
  const double of_root = least + model.answer.bytes;
  if (of_root <= most) return;
  const double divided = model.held[1].bytes * ranks + model.held[2].bytes * ranks;
  model.refused = fmt::format(
      "{}, of {}: {}",
      least > most ? fmt::format("each rank takes {}, and rank 0 with the answer {}", bytes_text(least), bytes_text(of_root))
                   : fmt::format("rank 0 takes {} with the answer", bytes_text(of_root)),
      bytes_text(most), would_fit(of_root - divided / ranks, divided, cluster));
}

void model_time(const RunOptions& options, const LoadEstimate& graph, const Cluster& cluster, const RankTraffic& traffic,
                ClusterModel& model) {
  const auto n = static_cast<double>(graph.vertices), arcs = static_cast<double>(graph.arcs);
  const double ranks = cluster.all_ranks();
  const AccessPattern pattern = info_of(options).access_pattern(options, graph);
  const double reads =
      (ranks == 1 ? traffic.work_of_one : traffic.work) * (pattern.reads_per_vertex * n + pattern.reads_per_arc * arcs);
  model.terms.push_back({"computing", reads / (cluster.hosts * cluster.cores * cluster.core_reads_s),
                         fmt::format("{:.3g} reads of memory, {:.3g} a second and core", reads, cluster.core_reads_s)});
  if (ranks > 1) {
    const double published = traffic.bytes_a_vertex * n;
    const double from_hosts = published * (cluster.hosts - 1) / cluster.hosts * cluster.ranks;  // each rank receives all
    const double from_host = published / cluster.hosts * (cluster.ranks - 1) / cluster.ranks;
    const double link = cluster.hosts == 1 ? 0 : from_hosts / cluster.link_bytes_s;
    // Ranks of a host copy at the same time, one on each core.
    const double copying = from_host / cluster.memory_bytes_s * std::max(1.0, cluster.ranks / cluster.cores);
    model.terms.push_back({"exchange", link + copying,
                           fmt::format("{} published, {:.3g} B a vertex; each host receives {}", bytes_text(published),
                                       traffic.bytes_a_vertex, bytes_text(from_hosts))});
    model.terms.push_back({"merging", traffic.merged_reads * n * cluster.ranks / (cluster.cores * cluster.core_reads_s),
                           fmt::format("each rank merges what all publish, {:.3g} reads a vertex", traffic.merged_reads)});
    model.terms.push_back(
        {"latency", traffic.steps * cluster.latency_s * std::log2(ranks),
         fmt::format("{:.0f} exchanges ({}), each one round of log2 of the ranks", traffic.steps, traffic.why)});
  }
  // Edges that are kept are read once, as by the backend incore before the clock; the rest once a pass.
  if (model.cached_share == 1) return;
  const double passes = pattern.touched + std::max(0.0, pattern.passes - pattern.touched) * (1 - model.cached_share);
  const double walked = model.edge_bytes / (pattern.in_edges_alone && reads_both_ways(options, graph) ? 2 : 1);
  const double moved = walked * passes * cluster.ranks;
  model.terms.push_back(
      {"disk", moved / cluster.disk_bytes_s, fmt::format("{} a host, {:.3g} passes over its edges", bytes_text(moved), passes)});
}

}  // namespace

double ClusterModel::bytes_a_rank() const {
  return std::accumulate(held.begin(), held.end(), 0.0, [](double sum, const Bytes& part) { return sum + part.bytes; });
}

double ClusterModel::seconds() const {
  return std::accumulate(terms.begin(), terms.end(), 0.0, [](double sum, const Seconds& term) { return sum + term.seconds; });
}

Cluster parse_cluster(const std::string& text, const Machine& machine) {
  Cluster cluster;
  cluster.cores = machine.threads;
  cluster.memory_bytes = static_cast<double>(machine.memory_bytes);
  cluster.disk_bytes_s = machine.rates.storage_bytes_s;
  cluster.core_reads_s = machine.rates.memory_reads_s / machine.threads;
  cluster.memory_bytes_s = machine.rates.copied_bytes_s;
  cluster.rates_from = machine.rates_from;
  const auto names = names_in(kClusterKeys);
  std::vector<std::string_view> given;
  for (const std::string& pair : split_list(text, ',', "--assume")) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) raise<UsageError>("--assume takes KEY=VALUE, and '{}' has no '='", pair);
    const ClusterKey& key = kClusterKeys[choose_name(pair.substr(0, equals), "key of --assume", names, {})];
    if (std::ranges::find(given, key.name) != given.end()) raise<UsageError>("--assume names {} twice", key.name);
    given.push_back(key.name);
    const double value = parse_value(key, pair.substr(equals + 1));
    if (!(value > 0)) raise<UsageError>("--assume {} must be more than 0, not '{}'", key.name, pair.substr(equals + 1));
    if (std::isinf(value)) raise<UsageError>("--assume {} is too large: '{}'", key.name, pair.substr(equals + 1));
    cluster.*key.field = value;
  }
  if (cluster.hosts > 1 && cluster.link_bytes_s == 0)
    throw UsageError("--assume with several hosts needs their link: add for example link=50GB/s");
  return cluster;
}

ClusterModel model_run(const RunOptions& options, const LoadEstimate& graph, const Cluster& cluster) {
  const std::optional<RankTraffic> traffic = info_of(options).rank_traffic(options, graph);
  if (!traffic)
    raise<UsageError>("{} as asked for has no model of its ranks: algorithms with one, by their usual variants, are {}",
                      info_of(options).facts.name, modelled());
  if (cluster.all_ranks() > static_cast<double>(graph.vertices))
    raise<UsageError>("{} has fewer vertices than the {} ranks of --assume", options.graph, cluster.all_ranks());
  ClusterModel model;
  model_memory(options, graph, cluster, model);
  model_time(options, graph, cluster, *traffic, model);
  return model;
}

ClusterPlan plan_cluster(const RunOptions& options, const std::string& assumed) {
  const LoadEstimate graph = estimate_of(options);
  if (graph.vertices == 0) raise<UsageError>("{} is no graph of known size: name a generator or a container", options.graph);
  const Cluster cluster = parse_cluster(assumed, this_machine(options, {}));
  RunOptions settled = options;
  info_of(options).settle(settled, graph, DeviceKind::cpu);
  return {graph, cluster, model_run(settled, graph, cluster)};
}

std::string cluster_text(const RunOptions& options, const ClusterPlan& plan) {
  const auto& [graph, cluster, model] = plan;
  std::string text = fmt::format(
      "MODEL      {} over {}, {} vertices, {} arcs, hosts {:.0f}, ranks {:.0f} and cores {:.0f} of each: nothing was run\n",
      info_of(options).facts.name, options.graph, grouped(graph.vertices), grouped(graph.arcs), cluster.hosts, cluster.ranks,
      cluster.cores);
  const auto line = [&](const std::string& amount, const std::string& what, const std::string& why) {
    text += fmt::format("{:>20} {} ({})\n", amount, what, why);
  };
  for (const ClusterModel::Bytes& part : model.held) line(bytes_text(part.bytes), part.what, part.why);
  text +=
      fmt::format("a rank     {} of {}\n", bytes_text(model.bytes_a_rank()), bytes_text(cluster.memory_bytes / cluster.ranks));
  line(bytes_text(model.answer.bytes), "more: the answer", model.answer.why);
  for (const ClusterModel::Seconds& term : model.terms) line(seconds_text(term.seconds), term.what, term.why);
  text += fmt::format("time       {}\n", seconds_text(model.seconds()));
  if (cluster.hosts > 1) text += fmt::format("link       {:.4g} GB/s a host\n", cluster.link_bytes_s / 1e9);
  if (cluster.all_ranks() > 1) text += fmt::format("latency    {} a round\n", seconds_text(cluster.latency_s));
  text += fmt::format("rates      {}\n", cluster.rates_from);
  return text + (model.refused.empty() ? "" : fmt::format("does not fit: {}\n", model.refused));
}

std::string cluster_json(const RunOptions& options, const ClusterPlan& plan) {
  const auto& [graph, cluster, model] = plan;
  Json assumed = Json::object();
  for (const ClusterKey& key : kClusterKeys) assumed[std::string(key.name)] = cluster.*key.field;
  Json held = Json::array(), terms = Json::array();
  for (const ClusterModel::Bytes& part : model.held)
    held.push_back({{"what", part.what}, {"bytes", part.bytes}, {"why", part.why}});
  for (const ClusterModel::Seconds& term : model.terms)
    terms.push_back({{"what", term.what}, {"seconds", term.seconds}, {"why", term.why}});
  const Json all = {{"model", true},
                    {"algorithm", info_of(options).facts.name},
                    {"graph", {{"name", options.graph}, {"vertices", graph.vertices}, {"arcs", graph.arcs}}},
                    {"assumed", assumed},
                    {"held", held},
                    {"bytes_a_rank", model.bytes_a_rank()},
                    {"answer_bytes", model.answer.bytes},
                    {"edge_bytes_a_rank", model.edge_bytes},
                    {"cached_share", model.cached_share},
                    {"terms", terms},
                    {"seconds", model.seconds()},
                    {"rates_from", cluster.rates_from},
                    {"refused", model.refused.empty() ? Json(nullptr) : Json(model.refused)}};
  return all.dump(2) + "\n";
}

}  // namespace graphrun::inline GR_IDS
