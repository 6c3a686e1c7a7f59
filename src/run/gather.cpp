#include "graphrun/run/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/raise.hpp"
#include "graphrun/cache/paged_array.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/memory.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/graph/scratch.hpp"
#include "graphrun/run/result.hpp"
#include "run/measures.hpp"
#include "run/values_json.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 36;  // so that their bytes are a number
constexpr std::uint64_t kMostRowBytes = std::uint64_t{1} << 26;
constexpr std::size_t kWordsAtATime = std::size_t{1} << 21;
constexpr std::size_t kIdsAtATime = 4096;

/// Bytes of the table are those of splitmix64(i) for i = 0, 1 and so on.
void fill_words(Column<std::uint64_t>& words, std::uint64_t first, ThreadPool& pool) {
  parallel_for(
      pool, words.size(), [&](std::size_t i) { words[i] = splitmix64(first + i); }, kIdsAtATime);
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

/// Rows in the order of the arcs that lead to them, most first; without a graph as they are.
std::vector<VertexId> hot_rows(const Graph* graph, std::uint64_t rows, double share) {
  std::vector<VertexId> all(share > 0 ? rows : 0);
  std::iota(all.begin(), all.end(), VertexId{0});
  const auto count = static_cast<std::size_t>(share * static_cast<double>(all.size()));
  if (graph != nullptr && count != 0) {
    std::vector<EdgeId> arcs(rows);
    for (const VertexId target : graph->out.neighbours.span()) ++arcs[target];
    std::stable_sort(all.begin(), all.end(), [&](VertexId a, VertexId b) { return arcs[a] > arcs[b]; });
  }
  all.resize(count);
  return all;
}

/// The table, and where its rows lie.
class RandomTable {
 public:
  RandomTable(const GatherOptions& options, std::uint64_t rows, std::vector<VertexId> hot, ThreadPool& pool)
      : options_(options.features), rows_(rows) {
    options_.hot = std::move(hot);
    const std::uint64_t bytes = rows * options_.row_bytes;
    const std::uint64_t words = (bytes + 7) / 8;
    if (!options.in_file) {
      memory_ = Column<std::uint64_t>::allocate(words);
      fill_words(memory_, 0, pool);
    } else {
      file_ = ScratchFile(temporary_folder());
      auto piece = Column<std::uint64_t>::allocate(std::min<std::uint64_t>(words, kWordsAtATime));
      for (std::uint64_t first = 0; first < words; first += piece.size()) {
        fill_words(piece, first, pool);
        file_.append(piece.data(), 8 * std::min<std::uint64_t>(piece.size(), words - first));
      }
      file_.flush();
    }
    open();
  }
  /// Nothing of a file is in the cache.
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
  const std::uint64_t copies = options.in_file ? 0 : options.features.gpu >= 0 ? 2 : 1;
  const std::uint64_t ordered = options.hot_share > 0 ? rows * (sizeof(VertexId) + sizeof(EdgeId)) : 0;
  const std::uint64_t needed =
      (copies * rows + options.gathered) * options.features.row_bytes + options.gathered * sizeof(VertexId) + ordered;
  const auto available = available_memory();
  if (available && needed > *available)
    raise<UnavailableError>("{} rows of {} bytes, {} of them gathered, take {} of memory, and {} are free", grouped(rows),
                            options.features.row_bytes, grouped(options.gathered), format_bytes(needed),
                            format_bytes(*available));
}

/// Throws UsageError for pages and a cache that cannot be, before a file is filled for them.
void check_cache(const FeatureOptions& features, int threads) {
  const std::byte row{};
  PagedArray<std::byte>::over(std::span(&row, 1),
                              {.page_bytes = features.page_bytes, .cache_bytes = features.cache_bytes, .threads = threads});
}

double median_time(const std::vector<Gathered>& trials) {
  std::vector<double> times;
  for (const Gathered& trial : trials) times.push_back(trial.elapsed_ms);
  return median(std::move(times));
}

double gathered_gb_s(const GatherOptions& options, double ms) {
  return static_cast<double>(options.gathered * options.features.row_bytes) / (ms * 1e6);
}

std::string device_name(const GatherOptions& options) {
  return options.features.gpu < 0 ? "cpu" : fmt::format("cuda:{}", options.features.gpu);
}

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
      Make::text({"Gather", "hot-share", "F", "gather on a GPU: share of the rows that are kept in device memory (default 0)"},
                 GR_FIELD(hot_share),
                 [](const std::string& typed) {
                   const double share = parse_real(typed, "--hot-share");
                   if (!(share >= 0 && share <= 1)) throw UsageError("'" + typed + "' is not from 0 to 1");
                   return share;
                 }),
      Make::whole({"Gather", "multiprocessors", "N", "gather on a GPU: how many of them work (default 0: all)"},
                  GR_FIELD(features.multiprocessors), 0, 1 << 16),
  };
  return kOptions;
}

GatherResult measure_gather(const GatherOptions& options) {
  ThreadPool pool(options.features.threads);
  if (options.in_file) check_cache(options.features, pool.size());
  Loaded loaded;
  const Graph* graph = nullptr;
  GatherResult result;
  result.rows = options.rows;
  if (!options.graph.empty()) {
    loaded = load_graph(options.graph, options.load, pool);
    graph = &loaded.graph;
    result.rows = graph->num_vertices();
    if (graph->num_edges() == 0) raise<UsageError>("{} has no arcs that lead to a row", options.graph);
  }
  if (result.rows >= kNoVertex) raise<WideIdsError>("{} rows need ids of 64 bits", result.rows);
  check_room(options, result.rows);
  RandomTable table(options, result.rows, hot_rows(graph, result.rows, options.hot_share), pool);
  result.hot_rows = table.hot();
  std::vector<VertexId> ids(options.gathered);
  auto to = Column<std::byte>::allocate(options.gathered * options.features.row_bytes);
  for (int trial = 0; trial <= options.trials; ++trial) {
    const auto draw = [&](std::size_t i) {
      const std::uint64_t word = splitmix64(static_cast<std::uint64_t>(trial), i, 0);
      ids[i] = graph == nullptr ? static_cast<VertexId>(number_below(result.rows, word))
                                : graph->out.neighbours[number_below(graph->num_edges(), word)];
    };
    parallel_for(pool, ids.size(), draw, kIdsAtATime);
    if (options.in_file && !options.warm) table.open();
    const Gathered gathered = table.rows().gather(ids, to.data());
    if (trial != 0) result.trials.push_back(gathered);
    if (options.verify) result.wrong += count_wrong(ids, to.data(), options.features.row_bytes, pool);
  }
  return result;
}

std::string gather_text(const GatherOptions& options, const GatherResult& result) {
  const std::uint64_t bytes = options.features.row_bytes;
  const double ms = median_time(result.trials);
  const Gathered& last = result.trials.back();
  std::string text =
      fmt::format("rows       {} of {} bytes, {}, {}{}\n", grouped(result.rows), bytes, format_bytes(result.rows * bytes),
                  options.in_file ? "in a file" : "in memory",
                  result.hot_rows == 0 ? "" : fmt::format("; {} of them in device memory", grouped(result.hot_rows)));
  text +=
      fmt::format("gathered   {} a trial, {}, {}\n", grouped(options.gathered), format_bytes(options.gathered * bytes),
                  options.graph.empty() ? "each row as often as others" : "as often as arcs of " + options.graph + " lead there");
  text += fmt::format("device     {}\n", device_name(options));
  text += fmt::format("time       {:.3f} ms, median of {}: {:.3f} GB/s\n", ms, result.trials.size(), gathered_gb_s(options, ms));
  text += fmt::format("last from  device memory {}, host memory {}, storage {}\n", format_bytes(last.device_bytes),
                      format_bytes(last.host_bytes), format_bytes(last.storage_bytes));
  if (options.verify)
    text += result.wrong == 0 ? "verified   yes\n" : fmt::format("verified   {} rows are wrong\n", result.wrong);
  return text;
}

std::string gather_json(const GatherOptions& options, const GatherResult& result) {
  const FeatureOptions& features = options.features;
  using Json = nlohmann::ordered_json;
  Json trials = Json::array();
  for (const Gathered& trial : result.trials) {
    trials.push_back({{"time_ms", trial.elapsed_ms},
                      {"gb_s", gathered_gb_s(options, trial.elapsed_ms)},
                      {"device_bytes", trial.device_bytes},
                      {"host_bytes", trial.host_bytes},
                      {"storage_bytes", trial.storage_bytes}});
  }
  const auto of_file = [&](std::uint64_t value) { return options.in_file ? Json(value) : Json(nullptr); };
  const Environment environment = describe_environment({});
  const Json all = {
      {"program", program_json(environment)},
      {"machine", machine_json(environment)},
      {"graph", options.graph.empty() ? Json(nullptr) : Json(options.graph)},
      {"device", device_name(options)},
      {"threads", features.threads == 0 ? Json(nullptr) : Json(features.threads)},
      {"in_file", options.in_file},
      {"cache_bytes", of_file(features.cache_bytes)},
      {"page_bytes", of_file(features.page_bytes)},
      {"aligned", features.gpu < 0 ? Json(nullptr) : Json(features.aligned)},
      {"multiprocessors", features.multiprocessors == 0 ? Json(nullptr) : Json(features.multiprocessors)},
      {"warm", options.warm},
      {"rows", result.rows},
      {"row_bytes", features.row_bytes},
      {"hot_rows", result.hot_rows},
      {"gathered_rows", options.gathered},
      {"gathered_bytes", options.gathered * features.row_bytes},
      {"median_ms", median_time(result.trials)},
      {"gb_s", gathered_gb_s(options, median_time(result.trials))},
      {"verified", options.verify ? Json(result.wrong == 0) : Json(nullptr)},
      {"trials", trials},
  };
  return all.dump(2) + "\n";
}

}  // namespace graphrun::inline GR_IDS
