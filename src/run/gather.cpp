// SPDX-License-Identifier: Apache-2.0

#include "graphrun/run/gather.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>

#include "core/raise.hpp"
#include "graphrun/cache/paged_array.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/memory.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/graph/row_scores.hpp"
#include "graphrun/graph/scratch.hpp"
#include "graphrun/graphrun.hpp"
#include "graphrun/run/describe_graph.hpp"
#include "graphrun/run/plan.hpp"
#include "graphrun/run/run.hpp"
#include "run/values_json.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 36;  // so that their bytes fit 64 bits
constexpr std::uint64_t kMostRowBytes = std::uint64_t{1} << 26;
constexpr std::size_t kIdsAtATime = 4096;
constexpr std::size_t kSeeds = 1024;  // of a batch

/// Fills the table with splitmix64(i) for i = 0, 1, ...
void fill_words(Column<std::uint64_t>& words, ThreadPool& pool) {
  parallel_for(
      pool, words.size(), [&](std::size_t i) { words[i] = splitmix64(i); }, kIdsAtATime);
}
std::byte byte_at(std::uint64_t place) { return static_cast<std::byte>(splitmix64(place / 8) >> (8 * (place % 8))); }

std::uint64_t count_wrong(std::span<const VertexId> ids, const std::byte* gathered, std::uint64_t row_bytes, ThreadPool& pool) {
  const auto is_wrong = [&](std::size_t i) {
    std::uint64_t k = 0;
    while (k < row_bytes && gathered[i * row_bytes + k] == byte_at(ids[i] * row_bytes + k)) ++k;
    return k < row_bytes ? 1 : 0;
  };
  return parallel_sum<std::uint64_t>(pool, ids.size(), is_wrong, kIdsAtATime);
}

/// Returns the start vertices of searches, distinct; empty: any vertex.
std::vector<VertexId> choose_starts(const Graph& graph, const GatherOptions& options, ThreadPool& pool) {
  if (!options.source && options.num_sources == 0) return {};
  const SourceSpec random{.kind = SourceSpec::Kind::random};
  return resolve_source_set(graph, options.source.value_or(random), std::max(1, options.num_sources), pool);
}

/// Returns a score for each row; hot rows have high ones.
std::vector<std::uint64_t> row_scores(const Graph& graph, HotEdges hot, const std::vector<VertexId>& starts, ThreadPool& pool) {
  if (!keeps_rows(hot))
    raise<UsageError>("rows are hot by --hot degree, pagerank, weighted or personalised, not {}", name_of(hot));
  if (hot == HotEdges::degree) return arc_counts(graph.out);
  if (hot == HotEdges::pagerank) return walk_scores(graph.out, WalkStart::anywhere, {}, pool);
  if (starts.empty())
    raise<UsageError>("--hot {} goes by where searches begin, and this run begins nowhere: choose --hot pagerank", name_of(hot));
  return walk_scores(graph.out, hot == HotEdges::weighted ? WalkStart::weighted : WalkStart::personalised, starts, pool);
}

/// Returns the hottest rows first, ties by ascending id; without a graph the first rows.
std::vector<VertexId> hot_rows_of(const Graph* graph, std::uint64_t rows, const GatherOptions& options,
                                  const std::vector<VertexId>& starts, ThreadPool& pool) {
  const auto count = static_cast<std::uint64_t>(options.hot_share * static_cast<double>(rows));
  if (graph != nullptr && count != 0) return hot_rows(*graph, count, options.hot, starts, pool);
  std::vector<VertexId> first(count);
  std::iota(first.begin(), first.end(), VertexId{0});
  return first;
}

/// The rows that trials gather.
class Draws {
 public:
  Draws(const GatherOptions& options, const Graph* graph, std::uint64_t rows, std::vector<VertexId> starts, ThreadPool& pool)
      : options_(options), graph_(graph), rows_(rows), starts_(std::move(starts)), pool_(pool) {
    if (options.fanouts.empty()) return;
    if (graph == nullptr) throw UsageError("batches are drawn from a graph: name one, or leave out the fanouts");
    const BackendKind nearest = presets_where([](const Preset& preset) { return preset.tier == EdgeTier::all; }).front();
    engine_.emplace(*graph, EngineOptions{.backend = name_of(nearest), .device = "cpu", .threads = pool.size()});
  }

  void draw(std::uint64_t trial, std::vector<VertexId>& ids) {
    if (engine_) return draw_batches(trial, ids);
    const auto draw = [&](std::size_t i) {
      const std::uint64_t word = splitmix64(trial, i, 0);
      ids[i] = graph_ == nullptr ? static_cast<VertexId>(number_below(rows_, word))
                                 : graph_->out.neighbours[number_below(graph_->num_edges(), word)];
    };
    parallel_for(pool_, ids.size(), draw, kIdsAtATime);
  }

 private:
  /// Draws batches, and fills the rest with a part of the last one.
  void draw_batches(std::uint64_t trial, std::vector<VertexId>& ids) {
    std::size_t drawn = 0;
    for (std::uint64_t batch = 0; drawn < ids.size(); ++batch) {
      Sampling what{.fanouts = options_.fanouts, .seed = splitmix64(trial, batch, 1)};
      for (std::size_t i = 0; i < kSeeds; ++i) {
        const std::uint64_t word = splitmix64(what.seed, i, 2);
        what.starts.push_back(starts_.empty() ? static_cast<VertexId>(number_below(rows_, word))
                                              : starts_[number_below(starts_.size(), word)]);
      }
      const auto sample = engine_->run(what);
      const std::vector<VertexId>& vertices = sample.values().vertices;
      const std::size_t some = std::min(vertices.size(), ids.size() - drawn);
      std::copy_n(vertices.begin(), some, ids.begin() + static_cast<std::ptrdiff_t>(drawn));
      drawn += some;
    }
  }

  const GatherOptions& options_;
  const Graph* graph_;
  std::uint64_t rows_;
  std::vector<VertexId> starts_;
  ThreadPool& pool_;
  std::optional<Engine> engine_;  ///< draws batches
};

/// The table and its place.
class RandomTable {
 public:
  RandomTable(const GatherOptions& options, std::uint64_t rows, std::vector<VertexId> hot,
              std::optional<std::uint64_t> dma_row_bytes, ThreadPool& pool)
      : options_(options.features), rows_(rows) {
    options_.dma_row_bytes = dma_row_bytes.value_or(options_.dma_row_bytes);
    options_.hot = std::move(hot);
    options_.replicated = static_cast<std::uint64_t>(options.replicated_share * static_cast<double>(rows));
    const std::uint64_t bytes = rows * options_.row_bytes;
    const std::uint64_t words = (bytes + 7) / 8;
    if (!options.in_file) {
      memory_ = Column<std::uint64_t>::allocate(words);
      fill_words(memory_, pool);
    } else {
      file_ = ScratchFile(temporary_folder());
      file_.reserve(8 * words);
      auto mapped = file_.map<std::uint64_t>();
      fill_words(mapped, pool);
      file_.flush();
    }
    open();
  }
  /// Opens the table with none of a file in the cache.
  void open() {
    table_.reset();
    if (file_.is_open())
      table_ = open_features(fmt::format("/proc/self/fd/{}", file_.descriptor()), 0, rows_, options_);
    else
      table_ = open_features(std::as_bytes(memory_.span()).first(rows_ * options_.row_bytes), options_);
  }
  FeatureTable& rows() { return *table_; }
  std::uint64_t hot() const { return options_.hot.size(); }

 private:
  FeatureOptions options_;
  std::uint64_t rows_;
  Column<std::uint64_t> memory_;
  ScratchFile file_;
  std::unique_ptr<FeatureTable> table_;
};

void check_room(const GatherOptions& options, std::uint64_t rows) {
  const double copies = options.in_file ? options.hot_share : options.features.gpu >= 0 ? 2 : 1;
  const std::uint64_t ordered = options.hot_share > 0 ? rows * (sizeof(VertexId) + 3 * sizeof(std::uint64_t)) : 0;
  const auto kept = static_cast<std::uint64_t>(copies * static_cast<double>(rows));
  const std::uint64_t needed =
      (kept + options.gathered) * options.features.row_bytes + options.gathered * sizeof(VertexId) + ordered;
  const auto available = available_memory();
  if (available && needed > *available)
    raise<UnavailableError>("{} rows of {} bytes, {} of them gathered, take {} of memory, and {} are free", grouped(rows),
                            options.features.row_bytes, grouped(options.gathered), format_bytes(needed),
                            format_bytes(*available));
}

double parse_share(const std::string& typed, const char* option) {
  const double share = parse_real(typed, option);
  if (!(share >= 0 && share <= 1)) throw UsageError("'" + typed + "' is not from 0 to 1");
  return share;
}

/// Returns the largest row that the plan reads by loads of this GPU.
std::uint64_t planned_dma_row_bytes(int gpu) {
  Machine machine;
  if (const double link = cuda_facts(gpu).link_bytes_s; link > 0) machine.link_bytes_s = link;
  if (const double setup = dma_setup_seconds(gpu); setup > 0) machine.dma_setup_s = setup;
  return dma_row_bytes(machine);
}

/// Throws UsageError for impossible pages and caches, before a file is filled for them.
void check_cache(const FeatureOptions& features, int threads) {
  const std::byte row{};
  PagedArray<std::byte>::over(std::span(&row, 1),
                              {.page_bytes = features.page_bytes, .cache_bytes = features.cache_bytes, .threads = threads});
}

Summary summary_of(const std::vector<Gathered>& trials) {
  std::vector<TrialRecord> records(trials.size());
  for (std::size_t i = 0; i < trials.size(); ++i) records[i].elapsed_ms = trials[i].elapsed_ms;
  return summarise(records);
}

std::uint64_t gathered_bytes(const GatherOptions& options) { return options.gathered * options.features.row_bytes; }

double gathered_gb_s(const GatherOptions& options, double ms) {
  return static_cast<double>(gathered_bytes(options)) / (ms * 1e6);
}

std::string fanouts_text(const GatherOptions& options) { return fmt::format("{}", fmt::join(options.fanouts, ",")); }

/// Returns how rows are drawn.
std::string drawn_text(const GatherOptions& options) {
  if (!options.fanouts.empty()) return fmt::format("of batches of {} by fanouts {}", options.graph, fanouts_text(options));
  return options.graph.empty() ? "each row as often as others" : "as often as arcs of " + options.graph + " lead there";
}

Device device_of(const FeatureOptions& options) {
  return options.gpu < 0 ? Device{} : Device{DeviceKind::cuda, options.gpu, options.peers};
}

std::string device_name(const GatherOptions& options) { return to_string(device_of(options.features)); }

}  // namespace

const std::vector<Option<GatherOptions>>& gather_options() {
  using Make = OptionMaker<GatherOptions>;
  static const std::vector<Option<GatherOptions>> kOptions = {
      Make::whole({"Gather", "rows", "N", "gather without a graph: rows of features that there are (default 1048576)"},
                  GR_FIELD(rows), 1, kMostRows),
      Make::text({"Gather", "row-bytes", "SIZE", "gather: bytes of a row (default 1KiB)"}, GR_FIELD(features.row_bytes),
                 [](const std::string& typed) {
                   const std::uint64_t bytes = parse_bytes(typed);
                   if (bytes < 1 || bytes > kMostRowBytes) throw UsageError("'" + typed + "' is not from 1 byte to 64MiB");
                   return bytes;
                 }),
      Make::whole({"Gather", "gathered", "N", "gather: rows that a trial gathers (default 262144)"}, GR_FIELD(gathered), 1,
                  kMostRows),
      {{"Gather", "fanouts", "N,...",
        "gather of a graph: rows are those of batches for training, with so many edges drawn at a vertex in each hop from 1024 "
        "--sources on (default: rows that arcs lead to)"},
       [](GatherOptions& options, const std::string& typed) {
         set_named("fanouts", [&] {
           options.fanouts.clear();
           for (const std::string& one : split_list(typed, ',', "--fanouts"))
             options.fanouts.push_back(static_cast<std::uint32_t>(parse_whole(one, "--fanouts", 1, kMostFanout)));
         });
       },
       [](const GatherOptions& options) { return value_of(fanouts_text(options)); }},
      Make::text({"Gather", "hot-share", "F",
                  "gather on a GPU, or from a file: share of the rows that are kept in device memory, or in host memory (default "
                  "0); of a graph the first by --hot degree (default: to which most arcs lead), pagerank, weighted or "
                  "personalised"},
                 GR_FIELD(hot_share), [](const std::string& typed) { return parse_share(typed, "--hot-share"); }),
      Make::text(
          {"Gather", "replicated-share", "F",
           "gather on several GPUs: share of the rows, of the hot ones, that all GPUs keep; they share the others (default 0)"},
          GR_FIELD(replicated_share), [](const std::string& typed) { return parse_share(typed, "--replicated-share"); }),
      Make::name(
          {"Gather", "row-delivery", "NAME",
           "gather of rows in memory: zero-copy, a GPU's loads; staged, host threads gather into a buffer that one DMA copies; "
           "dma, a DMA for each row; auto (default): dma for rows that take longer over the link than a DMA's setup"},
          GR_FIELD(features.delivery)),
      Make::whole({"Gather", "load-bytes", "N", "gather on a GPU: bytes of a lane's load, 4, 8 or 16 (default 0: the widest)"},
                  GR_FIELD(features.load_bytes), 0, 16),
      Make::whole({"Gather", "multiprocessors", "N", "gather on a GPU: how many of them work (default 0: all)"},
                  GR_FIELD(features.multiprocessors), 0, 1 << 16),
  };
  return kOptions;
}

std::vector<VertexId> hot_rows(const Graph& graph, std::uint64_t count, HotEdges by, const std::vector<VertexId>& starts,
                               ThreadPool& pool) {
  std::vector<VertexId> rows = by_descending(row_scores(graph, by, starts, pool));
  rows.resize(std::min<std::uint64_t>(count, rows.size()));
  return rows;
}

GatherResult measure_gather(const GatherOptions& options) {
  ThreadPool pool(options.features.threads);
  if (options.in_file) check_cache(options.features, pool.size());
  Loaded loaded;
  const Graph* graph = nullptr;
  GatherResult result;
  result.rows = options.rows;
  std::vector<VertexId> starts;
  if (!options.graph.empty()) {
    loaded = load_graph(options.graph, options.load, pool);
    graph = &loaded.graph;
    result.rows = graph->num_vertices();
    if (graph->num_edges() == 0) raise<UsageError>("{} has no arcs that lead to a row", options.graph);
    result.phases = {.read_ms = loaded.times.read_ms, .build_ms = loaded.times.build_ms};
    result.graph = {.name = graph->name,
                    .format = loaded.format,
                    .encoding = loaded.unpacked ? "unpacked" : "raw",
                    .num_vertices = graph->num_vertices(),
                    .num_edges = graph->num_edges(),
                    .symmetric = graph->symmetric,
                    .transpose = transpose_of(*graph),
                    .labelled = !graph->names.are_indices(),
                    .assumptions = graph->assumptions,
                    .weight_source = ""};
    starts = choose_starts(*graph, options, pool);
  }
  if (result.rows >= kNoVertex) raise<WideIdsError>("{} rows need ids of 64 bits", result.rows);
  check_room(options, result.rows);
  const bool plans = options.features.gpu >= 0 && options.features.delivery == RowDelivery::automatic;
  if (plans) result.dma_row_bytes = planned_dma_row_bytes(options.features.gpu);
  RandomTable table(options, result.rows, hot_rows_of(graph, result.rows, options, starts, pool), result.dma_row_bytes, pool);
  Draws draws(options, graph, result.rows, std::move(starts), pool);
  result.hot_rows = table.hot();
  result.delivery = table.rows().delivery();
  std::vector<VertexId> ids(options.gathered);
  auto to = Column<std::byte>::allocate(options.gathered * options.features.row_bytes);
  for (int trial = 0; trial <= options.trials; ++trial) {
    draws.draw(static_cast<std::uint64_t>(trial), ids);
    if (options.in_file && !options.warm) table.open();
    const Gathered gathered = table.rows().gather(ids, to.data());
    if (trial != 0) result.trials.push_back(gathered);
    if (options.verify) result.wrong += count_wrong(ids, to.data(), options.features.row_bytes, pool);
  }
  return result;
}

std::string gather_text(const GatherOptions& options, const GatherResult& result) {
  const std::uint64_t bytes = options.features.row_bytes;
  const double ms = summary_of(result.trials).median_ms;
  const Gathered& last = result.trials.back();
  std::string text = fmt::format("rows       {} of {} bytes, {}, {}{}\n", grouped(result.rows), bytes,
                                 format_bytes(result.rows * bytes), options.in_file ? "in a file" : "in memory",
                                 result.hot_rows == 0 ? ""
                                                      : fmt::format("; {} of them in {} memory", grouped(result.hot_rows),
                                                                    options.in_file ? "host" : "device"));
  text += fmt::format("gathered   {} a trial, {}, {}\n", grouped(options.gathered), format_bytes(gathered_bytes(options)),
                      drawn_text(options));
  text += fmt::format("device     {}\n", device_name(options));
  if (!options.in_file)
    text += fmt::format("delivery   {}{}\n", name_of(result.delivery),
                        result.dma_row_bytes ? fmt::format(", by DMA above {}", format_bytes(*result.dma_row_bytes)) : "");
  text += fmt::format("time       {:.3f} ms, median of {}: {:.3f} GB/s\n", ms, result.trials.size(), gathered_gb_s(options, ms));
  const std::string peers =
      options.features.peers.empty() ? "" : fmt::format("that of other GPUs {}, ", format_bytes(last.peer_bytes));
  text += fmt::format("last from  device memory {}, {}host memory {}, storage {}\n", format_bytes(last.device_bytes), peers,
                      format_bytes(last.host_bytes), format_bytes(last.storage_bytes));
  if (options.verify)
    text += result.wrong == 0 ? "verified   yes\n" : fmt::format("verified   {} rows are wrong\n", result.wrong);
  return text;
}

std::string gather_json(const GatherOptions& options, const GatherResult& result) {
  const FeatureOptions& features = options.features;
  using Json = nlohmann::ordered_json;
  const auto where = [](bool holds, const auto& value) { return holds ? Json(value) : Json(nullptr); };
  const bool on_gpu = features.gpu >= 0;
  Json asked = {{"graph", where(!options.graph.empty(), options.graph)},
                {"threads", features.threads},
                {"cache_bytes", where(options.in_file, features.cache_bytes)},
                {"page_bytes", where(options.in_file, features.page_bytes)},
                {"access", where(on_gpu, features.aligned ? name_of(Access::aligned) : name_of(Access::naive))},
                {"hot", name_of(options.hot)},
                {"source", options.source ? Json(to_string(*options.source)) : Json(nullptr)},
                {"sources", where(options.num_sources != 0, options.num_sources)},
                {"warm", options.warm},
                {"verify", where(options.verify, "bytes")}};
  for (const Option<GatherOptions>& option : gather_options()) asked[option.json_name()] = value_json(option.get(options));
  const char* verdict = name_of(!options.verify     ? Verification::unverified
                                : result.wrong == 0 ? Verification::verified
                                                    : Verification::wrong);
  Json trials = Json::array();
  for (const Gathered& trial : result.trials) {
    const std::uint64_t moved = options.in_file ? trial.storage_bytes : trial.host_bytes;
    trials.push_back({{"trial", trials.size() + 1},
                      {"source", nullptr},
                      {"time_ms", trial.elapsed_ms},
                      {"input_edges", 0},
                      {"gteps", nullptr},
                      {"bytes_moved", moved},
                      {"requests", nullptr},
                      {"amplification", static_cast<double>(moved) / static_cast<double>(gathered_bytes(options))},
                      {"gb_s", gathered_gb_s(options, trial.elapsed_ms)},
                      {"device_bytes", trial.device_bytes},
                      {"peer_bytes", trial.peer_bytes},
                      {"host_bytes", trial.host_bytes},
                      {"storage_bytes", trial.storage_bytes},
                      {"verdict", verdict}});
    if (result.wrong != 0) trials.back()["reason"] = fmt::format("{} rows of all trials are wrong", result.wrong);
  }
  const Summary summary = summary_of(result.trials);
  const Environment environment = describe_environment(device_of(features));
  const Json all = {
      {"program", program_json(environment)},
      {"machine", machine_json(environment)},
      {"options", asked},
      {"graph", result.graph ? graph_json(*result.graph) : Json(nullptr)},
      {"algorithm", "gather"},
      {"backend", name_of(options.backend)},
      {"device", device_name(options)},
      {"emulated", !on_gpu && features.delivery != RowDelivery::automatic},
      {"chosen",
       {{"delivery", where(!options.in_file, name_of(result.delivery))},
        {"dma_row_bytes", result.dma_row_bytes ? Json(*result.dma_row_bytes) : Json(nullptr)}}},
      {"phases_ms", {{"read", result.phases.read_ms}, {"build", result.phases.build_ms}}},
      {"rows", result.rows},
      {"hot_rows", result.hot_rows},
      {"gathered_bytes", gathered_bytes(options)},
      {"gb_s", gathered_gb_s(options, summary.median_ms)},
      {"trials", trials},
      {"summary", summary_json(summary)},
      {"verdict", verdict},
      {"result", nullptr},
  };
  // File names need not be UTF-8.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace graphrun::inline GR_IDS
