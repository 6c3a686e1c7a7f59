// SPDX-License-Identifier: Apache-2.0
// Times reads of a file by each route, past the page cache, through it, and mixed: the figures of SPIN (Bergman et al., USENIX
// ATC 2017) on a host. docs/performance.md names the command of each figure.
//
//   route_suite --file /disk/file --measures random,in_order,warm,occupancy,load
//
// One JSON object a line. Blocks are read by the engine behind bam's queues, `depth` at a time; the page cache is prepared before
// each line, and the routes take turns. Without --file a scratch file is made.
#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
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
#include "graphrun/graph/scratch.hpp"
#include "graphrun/transport/cached_pages.hpp"
#include "graphrun/transport/route.hpp"
#include "graphrun/transport/storage.hpp"
#include "plain_io.hpp"

namespace {

using namespace graphrun;
using namespace graphrun::bench;

/// A file with a chosen part in the page cache.
struct Subject {
  Subject(std::string its_name, File its_file) : name(std::move(its_name)), file(std::move(its_file)), bytes(file.bytes()) {
    ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_RANDOM);
  }

  /// Caches `percent` of 100 stretches, by a draw for each.
  void cache(int percent, std::uint64_t stretch) const {
    ::fdatasync(file.get());
    ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
    std::vector<char> to(stretch);
    for (std::uint64_t at = 0; percent != 0 && at < bytes; at += stretch) {
      if (splitmix64(at, 0, 0) % 100 >= static_cast<std::uint64_t>(percent)) continue;
      if (::pread(file.get(), to.data(), stretch, static_cast<off_t>(at)) < 0) throw DataError("cannot read " + name);
    }
  }

  std::string name;
  File file;
  std::uint64_t bytes;
};

struct Setting {
  std::string measure;
  std::uint32_t block_bytes = 4096;
  std::uint32_t depth = 64;
  bool in_order = false;
  int percent_cached = 0;
  std::string load = "none";  ///< beside it: "cpu", a thread for each processor; "disk", random direct reads
};

struct Plan {
  std::optional<Subject> subject;
  std::uint64_t most_bytes = 0;  ///< that a line reads
  int rounds = 1;
};

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
        const File direct = subject.file.direct(O_RDONLY);
        PlainRing ring(kDepth, 4096);
        std::uint64_t drawn = 0;
        const auto start = [&](std::uint32_t buffer) {
          ring.start(false, direct.get(), buffer, splitmix64(drawn++, 1, 0) % (subject.bytes / 4096) * 4096);
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

/// Measures each route in turn.
void measure(const Setting& setting, const Plan& plan) {
  constexpr std::uint64_t kStretch = 1 << 20;
  constexpr std::uint64_t kStride = 2'654'435'761;  // a prime: scattered, and no place twice, which a page cache would gain by
  constexpr double kMostMs = 15'000;
  const Subject& first = *plan.subject;
  const std::uint64_t blocks = std::max<std::uint64_t>(1, std::min(first.bytes, plan.most_bytes) / setting.block_bytes);
  const TimedReads reads{setting.block_bytes, setting.depth, blocks, kMostMs};
  const auto place = [&, places = first.bytes / setting.block_bytes](std::uint64_t i) {
    return (setting.in_order ? i : i * kStride % places) * setting.block_bytes;
  };
  auto memory = Column<std::byte>::allocate(std::size_t{setting.depth} * setting.block_bytes);
  std::memset(memory.data(), 0, memory.size());
  std::map<Route, std::vector<double>> rates;
  std::map<Route, RouteCounters> routed;
  constexpr const auto& kRoutes = ChoicesOf<Route>::kAll;
  for (std::size_t round = 0; round < static_cast<std::size_t>(plan.rounds); ++round) {
    for (std::size_t i = 0; i < std::size(kRoutes); ++i) {
      const Route route = kRoutes[(round + i) % std::size(kRoutes)].value;  // another one begins each round
      first.cache(setting.percent_cached, std::min<std::uint64_t>(kStretch, std::max<std::uint64_t>(setting.block_bytes, 4096)));
      const auto engine = open_uring_engine({{first.name, first.file.get()}}, setting.depth, route);
      const Load load(setting.load, first);
      rates[route].push_back(setting.block_bytes * reads_per_second(*engine, memory, reads, place));
      routed[route] = engine->routed();
    }
  }
  for (const auto& [name, route] : kRoutes) {
    print_json("measure", setting.measure, "route", name, "block_bytes", setting.block_bytes, "depth", setting.depth,
               "percent_cached", setting.percent_cached, "load", setting.load, "bytes_per_second",
               static_cast<std::uint64_t>(median(rates[route])), "direct_bytes", routed[route].direct_bytes, "cached_bytes",
               routed[route].cached_bytes, "splits", routed[route].splits, "merges", routed[route].merges);
  }
}

/// Measures figure 4a, and 1 and 4b in order with one read at a time.
void measure_sizes(const Plan& plan, bool in_order) {
  for (std::uint32_t block = 4096; block <= kMostCommandBytes; block *= 4) {
    measure({in_order ? "in_order" : "random", block, in_order ? 1u : 64u, in_order}, plan);
  }
}

void run(const cxxopts::ParseResult& given) {
  Plan plan{std::nullopt, parse_bytes(given["size"].as<std::string>()), given["rounds"].as<int>()};
  if (given.count("file") != 0) {
    const auto name = given["file"].as<std::string>();
    plan.subject.emplace(name, File(name, O_RDONLY));
  } else {
    ScratchFile scratch(given["scratch"].as<std::string>());
    std::vector<std::uint64_t> words(std::size_t{1} << 17);
    for (std::uint64_t& word : words) word = splitmix64(static_cast<std::uint64_t>(&word - words.data()));
    while (scratch.size() < plan.most_bytes) scratch.append(words.data(), words.size() * sizeof(std::uint64_t));
    scratch.flush();
    plan.subject.emplace("a scratch file", File(scratch.descriptor(), O_RDONLY));
  }
  const std::map<std::string, void (*)(const Plan&)> measures = {
      {"random", [](const Plan& all) { measure_sizes(all, false); }},
      {"in_order", [](const Plan& all) { measure_sizes(all, true); }},
      {"warm",
       [](const Plan& all) {
         measure({"warm", kMostCommandBytes, 8, true, 100}, all);
       }},
      {"occupancy",
       [](const Plan& all) {
         for (int percent = 0; percent <= 100; percent += 25) measure({"occupancy", 4096, 64, false, percent}, all);
       }},
      {"load", [](const Plan& all) {
         for (const char* load : {"none", "cpu", "disk"})
           for (const int percent : {0, 50, 100}) measure({"load", 512 << 10, 8, false, percent, load}, all);
       }}};
  for (const std::string& name : split_list(given["measures"].as<std::string>(), ',', "--measures")) {
    const auto known = measures.find(name);
    if (known == measures.end()) raise<UsageError>("there is no measure '{}': random, in_order, warm, occupancy, load", name);
    known->second(plan);
  }
}

}  // namespace

int main(int argc, char** argv) {
  cxxopts::Options parser("route_suite", "Reads of a file past the page cache, through it, and as it holds pages");
  parser.add_options()("file", "what is read; without it a scratch file is made", cxxopts::value<std::string>())(
      "scratch", "folder of the scratch file", with_default("/tmp"))(
      "size", "of the scratch file, and the most that a line reads", with_default("256MiB"))(
      "rounds", "times that each route is measured; the median is printed", with_default<int>("3"))(
      "measures", "random, in_order, warm, occupancy, load", with_default("random,in_order,warm,occupancy,load"));
  return run_program(parser, argc, argv, run);
}
