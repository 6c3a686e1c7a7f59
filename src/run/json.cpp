// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "graphrun/run/result.hpp"
#include "run/values_json.hpp"

namespace graphrun::inline GR_IDS {
namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Returns null for an empty name.
Json name_or_null(const std::string& name) { return name.empty() ? Json(nullptr) : Json(name); }

}  // namespace

Json program_json(const Environment& environment) {
  return {{"name", "graphrun"},
          {"version", environment.version},
          {"commit", name_or_null(environment.commit)},
          {"compiler", environment.compiler},
          {"build_type", environment.build_type},
          {"optimised", environment.optimised},
          {"sanitizers", environment.sanitizers},
          {"vertex_bits", environment.vertex_bits}};
}

Json machine_json(const Environment& environment) {
  Json machine = {{"cpu", environment.cpu_model},
                  {"cores", environment.cores},
                  {"memory_bytes", environment.memory_bytes},
                  {"kernel", environment.kernel},
                  {"gpu", nullptr}};
  if (const auto& gpu = environment.cuda) {
    machine["gpu"] = {{"name", gpu->name},     {"compute_capability", gpu->compute_capability},
                      {"driver", gpu->driver}, {"runtime", gpu->runtime},
                      {"link", gpu->link},     {"memory_bytes", gpu->memory_bytes}};
  }
  return machine;
}

Json graph_json(const GraphFacts& graph) {
  return {{"name", graph.name},
          {"format", graph.format},
          {"encoding", graph.encoding},
          {"n", graph.num_vertices},
          {"m", graph.num_edges},
          {"symmetric", graph.symmetric},
          {"transpose", graph.transpose},
          {"labelled", graph.labelled},
          {"assumptions", graph.assumptions},
          {"weights", name_of(graph.weight_kind)},
          {"weight_source", name_or_null(graph.weight_source)}};
}

Json summary_json(const Summary& summary) {
  return {{"median_ms", summary.median_ms},
          {"min_ms", summary.min_ms},
          {"max_ms", summary.max_ms},
          {"harmonic_mean_gteps", or_null(summary.harmonic_mean_gteps)}};
}

namespace {

Json options_json(const RunOptions& options) {
  Json all;
  for (const RunOption& option : run_options()) {
    if (option.get) all[option.json_name()] = value_json(option.get(options));
  }
  return all;
}

/// Returns null where nothing is known.
Json phases_json(const std::vector<Phase>& phases) {
  Json all;
  for (const Phase& phase : phases) all[phase.name] = phase.elapsed_ms;
  return all;
}

Json exchange_json(const std::vector<ExchangeCounts>& counted) {
  if (counted.empty()) return nullptr;
  Json ranks = Json::array();
  for (const ExchangeCounts& rank : counted) ranks.push_back({{"bytes_from", rank.bytes_from}, {"waited_ms", rank.waited_ms}});
  return {{"meetings", counted.front().exchanges},
          {"bytes", bytes_of(counted)},
          {"waited_ms", longest_wait_ms(counted)},
          {"ranks", ranks}};
}

Json requests_json(const std::optional<LinkRequests>& counted) {
  if (!counted) return nullptr;
  Json sizes;
  for (int sectors = 1; sectors <= kLineSectors; ++sectors) {
    sizes[std::to_string(sectors * kSectorBytes)] = counted->of_size(sectors);
  }
  sizes["aligned"] = counted->begun_on_line();
  sizes["misaligned"] = counted->total() - counted->begun_on_line();
  sizes["bytes"] = counted->bytes();
  return sizes;
}

Json routed_json(const std::optional<RouteCounters>& routed) {
  if (!routed) return nullptr;
  return {{"direct_bytes", routed->direct_bytes},
          {"cached_bytes", routed->cached_bytes},
          {"in_place_bytes", routed->in_place_bytes},
          {"in_place_steps", routed->in_place_steps},
          {"splits", routed->splits},
          {"merges", routed->merges},
          {"merged_bytes", routed->merged_bytes},
          {"dirty_bytes", routed->dirty_bytes},
          {"ahead_bytes", routed->ahead_bytes},
          {"ahead_hit_bytes", routed->ahead_hit_bytes}};
}

Json read_ahead_json(const std::optional<ReadAhead>& ahead) {
  if (!ahead) return nullptr;
  return {{"hit_bytes", ahead->hit_bytes}, {"waste_bytes", ahead->waste_bytes}};
}

Json trial_json(const TrialRecord& trial, std::size_t index, bool emulated, const VertexNames& names) {
  Json row = {{"trial", index},
              {"source", or_null(trial.source)},
              {"source_label", trial.source ? name_json(names, *trial.source) : Json(nullptr)},
              {"searches", trial.source ? 1 : trial.batch},
              {"time_ms", trial.elapsed_ms},
              {"resumed", trial.resumed},
              {"iterations", trial.stats.iterations},
              {"edges_examined", trial.stats.edges_examined},
              {"input_edges", trial.input_edges},
              {"gteps", or_null(trial.gteps)},
              {"bytes_moved", or_null(trial.moved.bytes)},
              {"requests", or_null(trial.moved.requests)},
              {"bytes_evicted", or_null(trial.moved.evicted_bytes)},
              {"hot_bytes", or_null(trial.moved.hot_bytes)},
              {"moved_counted_by", trial.moved.source},
              {"amplification", or_null(trial.amplification)},
              {"link_requests", requests_json(trial.moved.link_requests)},
              {"exchange", exchange_json(trial.exchanged)},
              {"routed", routed_json(trial.moved.routed)},
              {"read_ahead", read_ahead_json(trial.moved.ahead)},
              {"edges_ms", phases_json(trial.phases)},
              {"verdict", name_of(trial.verification)},
              {"emulated", emulated}};
  if (!trial.reason.empty()) row["reason"] = trial.reason;
  return row;
}

}  // namespace

std::string options_text(const RunOptions& options) { return options_json(options).dump(); }

namespace {

/// Returns null without --top.
Json top_values_json(const RunResult& result) {
  if (result.run->options.top == 0) return nullptr;
  const TopValues top = top_of(result.answer.columns.front(), static_cast<std::size_t>(result.run->options.top));
  Json all = Json::array();
  for (const auto& [v, value] : top.rows)
    all.push_back({{"vertex", v}, {"label", name_json(result.names, v)}, {std::string(top.name), value}});
  return all;
}

/// Returns null without --path-to, or when the result is wrong.
Json path_json(const RunResult& result) {
  if (!result.path) return nullptr;
  const AnswerColumn& column = result.answer.columns.front();
  const std::string name(column.name);
  Json all = {{"to", result.path->to},
              {"to_label", name_json(result.names, result.path->to)},
              {name, column_value(column, result.path->to)},
              {"vertices", Json::array()}};
  for (const VertexId v : result.path->vertices)
    all["vertices"].push_back({{"vertex", v}, {"label", name_json(result.names, v)}, {name, column_value(column, v)}});
  return all;
}

/// Returns LDBC Graphalytics' EVPS: vertices and edges, undirected ones once, over the median time in seconds.
double evps_of(const RunResult& result) {
  constexpr double kMsInS = 1e3;
  const double edges = static_cast<double>(result.graph.num_edges) / (result.graph.symmetric ? 2 : 1);
  return (static_cast<double>(result.graph.num_vertices) + edges) / summarise(result.trials).median_ms * kMsInS;
}

const char* rate_text(const AlgorithmFacts& facts) {
  if (*facts.rate_text != '\0') return facts.rate_text;
  switch (facts.rate) {
    case Rate::reached:
      return "input edges within the traversed component (out-degrees of the reached vertices added up{}) / time";
    case Rate::graph:
      return "input edges of the graph (edges stored{}) / time";
    default:
      return "edges examined / time";
  }
}

}  // namespace

std::string json_text(const RunResult& result) {
  const AlgorithmInfo& algorithm = info_of(result.run->options);
  Json all;
  all["program"] = program_json(result.environment);
  all["machine"] = machine_json(result.environment);
  all["options"] = options_json(result.run->options);
  all["graph"] = graph_json(result.graph);
  all["algorithm"] = info_of(result.run->options).facts.name;
  all["variant"] = algorithm.variant(result.run->options);
  all["batch"] = result.run->options.batch;
  all["backend"] = name_of(result.run->options.backend.kind);
  all["device"] = to_string(result.run->device);
  all["placement"] = {{"threads", result.run->placement.threads},
                      {"ranks", ranks_of(result.run->options)},
                      {"fabric", name_or_null(result.run->placement.fabric)},
                      {"queues", result.queues ? Json(result.queues->pairs) : Json(nullptr)},
                      {"queue_depth", result.queues ? Json(result.queues->depth) : Json(nullptr)},
                      {"registers", result.kernel_needs ? Json(result.kernel_needs->registers) : Json(nullptr)},
                      {"local_bytes", result.kernel_needs ? Json(result.kernel_needs->local_bytes) : Json(nullptr)},
                      {"why_device", name_or_null(result.run->why_device)}};
  all["plan"] = result.run->plan ? plan_json(*result.run->plan) : Json(nullptr);
  all["description"] = result.description;
  all["fast_tier_bytes"] = result.fast_tier_bytes;
  all["static_tier"] = {{"bytes", result.static_tier.bytes},
                        {"holds", result.static_tier.bytes == 0 ? Json(nullptr) : Json(name_of(result.static_tier.holds))},
                        {"lists", result.static_tier.lists},
                        {"edges_a_list", result.static_tier.edges_a_list},
                        {"fill_ms", result.static_tier.fill_ms},
                        {"fill_bytes", result.static_tier.fill_bytes}};
  all["emulated"] = result.emulated;
  const BackendOptions& placed = result.run->options.backend;
  all["instrumented"] = placed.count_requests || placed.count_migrations;
  all["chosen"] = algorithm.chosen_json(result);
  all["chosen"]["why_variant"] = name_or_null(result.run->why_variant);
  all["phases_ms"] = {{"read", result.phases.read_ms},
                      {"build", result.phases.build_ms},
                      {"prepare", result.phases.prepare_ms},
                      {"place", result.phases.place_ms},
                      {"verify", result.phases.verify_ms}};
  all["teps_definition"] = result.run->options.batch
                               ? "none: a batch is reported by its time; input_edges are those of each of its searches added up"
                               : fmt::format(fmt::runtime(rate_text(algorithm.facts)), result.graph.symmetric ? kHalved : "");
  all["trials"] = Json::array();
  for (std::size_t i = 0; i < result.trials.size(); ++i)
    all["trials"].push_back(trial_json(result.trials[i], i + 1, result.emulated, result.names));
  all["summary"] = summary_json(summarise(result.trials));
  all["summary"]["evps"] = evps_of(result);
  all["verdict"] = name_of(result.verification);
  all["verified_by"] = result.run->options.verify ? Json(name_of(*result.run->options.verify)) : Json(nullptr);
  const auto as_json = [&](const Digest& digest) { return digest_json(digest, result.names); };
  all["result"] = result.digests.empty() ? Json(nullptr) : as_json(result.digests.front());
  if (result.digests.size() > 1) {
    for (const Digest& digest : result.digests) all["results"].push_back(as_json(digest));
  }
  all["top"] = top_values_json(result);
  all["path"] = path_json(result);
  // File names need not be UTF-8.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace graphrun::inline GR_IDS
