// SPDX-License-Identifier: Apache-2.0
// Times reads of a file by each route, past the page cache, through it, and mixed: the figures of SPIN (Bergman et al., USENIX
// ATC 2017) on a host. docs/performance.md names the command of each figure.
//
//   route_suite --file /disk/file --measures random,in_order,warm,occupancy,mixed,load,aerial,calibration
//   route_suite --scratch /disk --measures dirty,log
//
// One JSON object a line. Blocks are read by the engine behind bam's queues, `depth` requests at a time; the page cache is
// prepared before each line, and the routes take turns. Without --file a scratch file is made, whose bytes are checked.
#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/raise.hpp"
#include "frame.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/median.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/transport/cached_pages.hpp"
#include "graphrun/transport/route.hpp"
#include "graphrun/transport/storage.hpp"
#include "plain_io.hpp"
#include "route_suite/log_server.hpp"
#include "route_suite/replay.hpp"
#include "route_suite/requests.hpp"
#include "route_suite/subject.hpp"
#include "transport/read_timer.hpp"

namespace {

using namespace graphrun;
using namespace graphrun::bench;

constexpr const auto& kRoutes = ChoicesOf<Route>::kAll;

struct Setting {
  std::string measure;
  std::uint32_t block_bytes = 4096;
  std::uint32_t depth = 64;
  int percent_cached = 0;
  std::uint64_t stretch_bytes = 0;  ///< that are cached or dirty together; 0: as a request, a page to 1 MiB
  int percent_dirty = 0;
  std::string load = "none";  ///< beside it: "cpu", a thread for each processor; "disk", random direct reads
  std::uint32_t tile_pixels = 0;
};

struct Plan {
  std::optional<Subject> subject;
  std::vector<std::string> folders;
  std::uint64_t bytes = 0;
  int rounds = 1;
  double most_ms = 0;                 ///< that a route takes in a round
  std::vector<std::uint32_t> blocks;  ///< sizes of requests; empty for a measure's own
  std::vector<std::uint64_t> stretches;
  std::vector<int> percents;  ///< of the file that are cached

  std::vector<std::uint32_t> sizes(std::vector<std::uint32_t> own) const { return blocks.empty() ? std::move(own) : blocks; }
};

constexpr std::uint32_t kKi = 1 << 10;
constexpr std::uint32_t kMi = 1 << 20;

/// Returns the requests that are out at a time, in a bounded memory.
std::uint32_t depth_of(std::uint32_t block_bytes) {
  constexpr std::uint32_t kMostOut = 64 * kMi;
  return std::clamp(kMostOut / block_bytes, 1u, 64u);
}

/// Burns processors, or reads the disk, while it lives.
class Load {
 public:
  Load(const std::string& kind, const Subject& subject) {
    if (kind == "cpu") {
      for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
        threads_.emplace_back([](const std::stop_token& stop) {
          std::atomic<std::uint64_t> sum{0};
          while (!stop.stop_requested()) sum.fetch_add(1, std::memory_order_relaxed);
        });
    } else if (kind == "disk") {
      threads_.emplace_back([&subject](const std::stop_token& stop) {
        constexpr std::uint32_t kDepth = 32;
        const File direct = subject.first().direct(O_RDONLY);
        const std::uint64_t places = direct.bytes() / 4096;
        PlainRing ring(kDepth, 4096);
        std::uint64_t drawn = 0;
        const auto start = [&](std::uint32_t buffer) {
          ring.start(false, direct.get(), buffer, splitmix64(drawn++, 1, 0) % places * 4096);
        };
        for (std::uint32_t buffer = 0; buffer < kDepth; ++buffer) start(buffer);
        for (std::uint32_t out = kDepth; out != 0;) {
          const bool over = stop.stop_requested();
          ring.wait([&](std::uint32_t buffer) { over ? static_cast<void>(--out) : start(buffer); });
        }
      });
    }
  }

 private:
  std::vector<std::jthread> threads_;
};

/// Rates of a line, by route.
class Rates {
 public:
  void add(Route route, double rate) { rates_[route].push_back(rate); }
  double of(Route route) const { return median(rates_.at(route)); }
  /// Returns the rate of `auto` over the faster of the others; nothing for these.
  std::optional<double> over_faster(Route route) const {
    if (route != Route::automatic) return std::nullopt;
    return of(route) / std::max(of(Route::direct), of(Route::page_cache));
  }

 private:
  std::map<Route, std::vector<double>> rates_;
};

/// Calls run(route) for each route in turn; another one begins each round.
template <class Run>
void take_turns(const Plan& plan, Run&& run) {
  for (std::size_t round = 0; round < static_cast<std::size_t>(plan.rounds); ++round) {
    for (std::size_t i = 0; i < std::size(kRoutes); ++i) run(kRoutes[(round + i) % std::size(kRoutes)].value);
  }
}

/// Measures each route in turn, and prints a line for each.
void measure(Setting setting, const Plan& plan, const Requests& requests) {
  const Subject& subject = *plan.subject;
  const Pace pace{setting.depth, setting.block_bytes, plan.most_ms};
  if (setting.stretch_bytes == 0) setting.stretch_bytes = std::clamp(setting.block_bytes, 4 * kKi, kMi);
  auto memory = memory_of(pace);
  Rates rates;
  std::map<Route, RouteCounters> routed;
  std::map<Route, std::vector<double>> processor_us;  // of a request
  take_turns(plan, [&](Route route) {
    subject.cache(setting.percent_cached, setting.stretch_bytes);
    if (setting.percent_dirty != 0) subject.dirty(setting.percent_dirty, setting.stretch_bytes);
    const auto engine = open_uring_engine({subject.store()}, pace.depth, route);
    if (setting.block_bytes % engine->sector_bytes() != 0) {
      raise<UsageError>("requests of {} bytes are no sectors of {} bytes, which this disk has", setting.block_bytes,
                        engine->sector_bytes());
    }
    const Load load(setting.load, subject);
    const Replayed replayed = replay(*engine, memory, pace, requests);
    for (const auto& [request, data] : replayed.last) subject.check(request, data);
    rates.add(route, replayed.bytes_per_second);
    processor_us[route].push_back(replayed.processor_us);
    routed[route] = engine->routed();
  });
  for (const auto& [name, route] : kRoutes) {
    const RouteCounters& bytes = routed[route];
    print_json("measure", setting.measure, "route", name, "block_bytes", setting.block_bytes, "depth", setting.depth,
               "percent_cached", setting.percent_cached, "stretch_bytes", setting.stretch_bytes, "percent_dirty",
               setting.percent_dirty, "load", setting.load, "tile_pixels", setting.tile_pixels, "parts", subject.parts(),
               "rounds", plan.rounds, "bytes_per_second", static_cast<std::uint64_t>(rates.of(route)), "over_faster",
               rates.over_faster(route), "processor_us", median(processor_us[route]), "direct_bytes", bytes.direct_bytes,
               "cached_bytes", bytes.cached_bytes, "splits", bytes.splits, "merges", bytes.merges, "merged_bytes",
               bytes.merged_bytes, "dirty_bytes", bytes.dirty_bytes, "ahead_bytes", bytes.ahead_bytes);
  }
}

void measure_scattered(const Setting& setting, const Plan& plan) {
  measure(setting, plan, scattered(plan.bytes, setting.block_bytes));
}
void measure_in_order(const Setting& setting, const Plan& plan) {
  measure(setting, plan, in_order(plan.bytes, setting.block_bytes));
}

const std::vector<std::uint32_t> kAllSizes = {512, 4 * kKi, 32 * kKi, 128 * kKi, 512 * kKi, kMi, 4 * kMi, 16 * kMi};

/// Figure 4a.
void measure_random(const Plan& plan) {
  for (const std::uint32_t block : plan.sizes(kAllSizes)) measure_scattered({"random", block, depth_of(block)}, plan);
}
/// Figures 1 and 4b.
void measure_streams(const Plan& plan) {
  for (const std::uint32_t block : plan.sizes(kAllSizes)) measure_in_order({"in_order", block, 1}, plan);
}
/// Table 3.
void measure_warm(const Plan& plan) {
  for (const std::uint32_t block : plan.sizes({8 * kMi})) measure_in_order({"warm", block, 4, 100}, plan);
}
/// Figure 5.
void measure_occupancy(const Plan& plan) {
  for (const std::uint32_t block : plan.sizes({512, 4 * kKi})) {
    for (const int percent : plan.percents) measure_scattered({"occupancy", block, depth_of(block), percent}, plan);
  }
}
/// Section 4.3.1: a request finds parts of its bytes cached.
void measure_mixed(const Plan& plan) {
  for (const std::uint32_t block : plan.sizes({32 * kKi, 512 * kKi, kMi, 16 * kMi})) {
    for (const std::uint64_t stretch : plan.stretches) {
      if (stretch < block) measure_scattered({"mixed", block, depth_of(block), 50, stretch}, plan);
    }
  }
}
/// Section 4.3.3.
void measure_dirty(const Plan& plan) {
  if (!plan.subject->is_scratch()) throw UsageError("--measures dirty writes, and so takes no --file");
  for (const std::uint32_t block : plan.sizes({4 * kKi, 512 * kKi}))
    measure_scattered({"dirty", block, depth_of(block), 0, 0, 50}, plan);
}
/// Figure 4d.
void measure_load(const Plan& plan) {
  for (const std::uint32_t block : plan.sizes({512 * kKi})) {
    for (const char* load : {"none", "cpu", "disk"})
      for (const int percent : {0, 50, 100}) measure_scattered({"load", block, 8, percent, 0, 0, load}, plan);
  }
}
/// Figure 6.
void measure_aerial(const Plan& plan) {
  constexpr std::uint32_t kViews = 1000;
  const std::uint32_t sector = open_uring_engine({plan.subject->store()}, 1)->sector_bytes();
  const auto replay_tiles = [&](Layout layout, std::uint32_t tile_pixels) {
    const std::vector<Request> reads = aerial_views(plan.bytes, layout, tile_pixels, sector, kViews);
    const std::uint32_t most = std::ranges::max(reads, {}, &Request::bytes).bytes;
    measure(
        {.measure = layout == Layout::raster ? "raster" : "tiles", .block_bytes = most, .depth = 1, .tile_pixels = tile_pixels},
        plan, [&](std::uint64_t i) { return i < reads.size() ? std::optional(reads[i]) : std::nullopt; });
  };
  for (const std::uint32_t tile_pixels : {1024u}) replay_tiles(Layout::raster, tile_pixels);
  for (const std::uint32_t tile_pixels : {64u, 128u, 256u}) replay_tiles(Layout::tiles, tile_pixels);
}
/// Table 4.
void measure_log(const Plan& plan) {
  LogServer server(plan.folders.front(), plan.bytes);
  for (const bool in_real_time : {true, false}) {
    Rates rates;
    std::map<Route, LogRun> last;
    take_turns(plan, [&](Route route) {
      last[route] = in_real_time ? server.in_real_time(route) : server.offline(route);
      rates.add(route, last[route].bytes_per_second);
    });
    for (const auto& [name, route] : kRoutes) {
      print_json("measure", std::string("log"), "scenario", in_real_time ? "real time" : "offline", "route", name, "rounds",
                 plan.rounds, "bytes_per_second", static_cast<std::uint64_t>(rates.of(route)), "over_faster",
                 rates.over_faster(route), "processors", last[route].processors, "suspicious_lines", last[route].suspicious_lines,
                 "direct_bytes", last[route].routed.direct_bytes, "cached_bytes", last[route].routed.cached_bytes, "dirty_bytes",
                 last[route].routed.dirty_bytes);
    }
  }
}
/// Section 4.3.1, parameter fitting: the costs by which reads are merged, and reads of other lengths beside them.
void measure_calibration(const Plan& plan) {
  const Subject& subject = *plan.subject;
  if (subject.parts() != 1) throw UsageError("--measures calibration takes one disk");
  for (const std::uint32_t depth : {1u, 64u}) {
    subject.cache(0, kMi);
    const TransferCosts costs = calibrate_storage(subject.store(), subject.bytes(), depth);
    print_json("measure", std::string("calibration"), "depth", depth, "command_us", costs.command_us, "cutoff_pages",
               costs.cutoff_pages, "direct_page_us", costs.direct_page_us, "cached_page_us", costs.cached_page_us);
    const auto engine = open_uring_engine({subject.store()}, depth);
    ReadTimer timer(*engine, subject.store().fd, subject.bytes(), depth);
    std::vector<double> measured, modelled;
    for (std::uint32_t pages = 1; pages <= 256; pages *= 2) {
      std::vector<double> us;
      for (int round = 0; round < plan.rounds; ++round)
        us.push_back(timer.read_us(pages * static_cast<std::uint32_t>(cache_page_bytes())));
      measured.push_back(median(std::move(us)));
      modelled.push_back(costs.direct(pages));
      print_json("measure", std::string("fit"), "depth", depth, "pages", pages, "measured_us", measured.back(), "modelled_us",
                 modelled.back());
    }
    const double mean = std::reduce(measured.begin(), measured.end()) / static_cast<double>(measured.size());
    double off = 0, spread = 0;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      off += (measured[i] - modelled[i]) * (measured[i] - modelled[i]);
      spread += (measured[i] - mean) * (measured[i] - mean);
    }
    print_json("measure", std::string("determination"), "depth", depth, "r_squared", 1 - off / spread);
  }
}

const std::map<std::string, void (*)(const Plan&)> kMeasures = {{"random", measure_random}, {"in_order", measure_streams},
                                                                {"warm", measure_warm},     {"occupancy", measure_occupancy},
                                                                {"mixed", measure_mixed},   {"dirty", measure_dirty},
                                                                {"load", measure_load},     {"aerial", measure_aerial},
                                                                {"log", measure_log},       {"calibration", measure_calibration}};

std::vector<std::uint64_t> list_of_bytes(const std::string& text, const std::string& option, std::uint64_t unit,
                                         std::uint64_t most) {
  std::vector<std::uint64_t> all;
  for (const std::string& one : split_list(text, ',', option)) {
    all.push_back(parse_bytes(one));
    if (all.back() == 0 || all.back() % unit != 0 || all.back() > most) {
      raise<UsageError>("{} takes multiples of {} bytes up to {} MiB, not {}", option, unit, most >> 20, one);
    }
  }
  return all;
}

int percent_of(const std::string& text) {
  int percent = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc() || end != text.data() + text.size() || percent < 0 || percent > 100) {
    raise<UsageError>("--cached takes percentages from 0 to 100, not {}", text);
  }
  return percent;
}

void run(const cxxopts::ParseResult& given) {
  Plan plan;
  plan.folders = split_list(given["scratch"].as<std::string>(), ',', "--scratch");
  plan.bytes = parse_bytes(given["size"].as<std::string>());
  plan.rounds = given["rounds"].as<int>();
  plan.most_ms = given["seconds"].as<double>() * 1e3;
  if (plan.rounds < 1 || !(plan.most_ms > 0)) throw UsageError("--rounds and --seconds are above 0");
  if (given.count("blocks") != 0) {
    for (const std::uint64_t bytes : list_of_bytes(given["blocks"].as<std::string>(), "--blocks", 512, 16 * kMi))
      plan.blocks.push_back(static_cast<std::uint32_t>(bytes));
  }
  for (const std::string& percent : split_list(given["cached"].as<std::string>(), ',', "--cached")) {
    plan.percents.push_back(percent_of(percent));
  }
  plan.stretches = list_of_bytes(given["stretches"].as<std::string>(), "--stretches", 4 * kKi, kMi);
  const auto names = split_list(given["measures"].as<std::string>(), ',', "--measures");
  for (const std::string& name : names) {
    if (!kMeasures.contains(name)) {
      raise<UsageError>(
          "there is no measure '{}': random, in_order, warm, occupancy, mixed, dirty, load, aerial, log, calibration", name);
    }
  }
  if (given.count("file") != 0) {
    plan.subject.emplace(given["file"].as<std::string>());
    plan.bytes = std::min(plan.bytes, plan.subject->bytes());
  } else if (names != std::vector<std::string>{"log"}) {
    plan.subject.emplace(plan.folders, plan.bytes);
    plan.bytes = plan.subject->bytes();
  }
  for (const std::string& name : names) kMeasures.at(name)(plan);
}

}  // namespace

int main(int argc, char** argv) {
  cxxopts::Options parser("route_suite", "Reads of a file past the page cache, through it, and as it holds pages");
  parser.add_options()("file", "what is read; without it a scratch file is made", cxxopts::value<std::string>())(
      "scratch", "folders of the scratch file, which is striped over several", with_default("/tmp"))(
      "size", "of the scratch file, and the most that a line reads", with_default("256MiB"))(
      "rounds", "times that each route is measured; the median is printed", with_default<int>("3"))(
      "seconds", "the most that a route is measured in a round", with_default<double>("1"))(
      "blocks", "sizes of requests, 512 to 16MiB; without it each measure has its own", cxxopts::value<std::string>())(
      "cached", "of occupancy: percentages of the file in the page cache", with_default("0,25,50,75,100"))(
      "stretches", "of mixed: bytes that are cached together", with_default("4KiB,64KiB,512KiB"))(
      "measures", "random, in_order, warm, occupancy, mixed, dirty, load, aerial, log, calibration",
      with_default("random,in_order,warm,occupancy,mixed,dirty,load,aerial,log,calibration"));
  return run_program(parser, argc, argv, run);
}
