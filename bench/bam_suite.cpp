// Times what bam on the CPU is made of, over a file: random reads through the pager's cache, beside the same reads issued by
// host threads with io_uring, and by page faults of a mapping.
//
//   bam_suite --file graph.grf --threads 1,2 --depths 1,8,64,256 --seconds 2
//
// One JSON object a line. `iops` counts reads of storage; `reads_per_second` those that a thread asked for, of which a cache
// answers some. Files are read with O_DIRECT, mappings from a dropped page cache.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cxxopts.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/cache/host_pager.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/graph/column.hpp"
#include "plain_reader.hpp"

namespace {

using namespace graphrun;

struct Plan {
  std::string file;
  std::uint64_t file_bytes = 0;
  std::uint64_t cache_bytes = 0;
  double seconds = 0;
};

/// A way to read, and how.
struct Setting {
  std::string measure;
  std::string way;
  int threads = 1;
  std::uint32_t depth = 1;  ///< reads out at a time, of all threads together
  std::uint32_t line_bytes = 4096;
};

struct Counts {
  std::uint64_t reads = 0;          ///< of lines, by threads
  std::uint64_t storage_reads = 0;  ///< commands, or major faults
  std::uint64_t storage_bytes = 0;
};

void print(const Setting& setting, const Plan& plan, const Counts& counts, double seconds) {
  fmt::print(
      "{{\"measure\": \"{}\", \"way\": \"{}\", \"threads\": {}, \"depth\": {}, \"line_bytes\": {}, \"file_bytes\": {}, "
      "\"cache_bytes\": {}, \"seconds\": {:.3f}, \"reads_per_second\": {:.0f}, \"iops\": {:.0f}, "
      "\"storage_bytes_per_second\": {:.0f}, \"bytes_per_second\": {:.0f}}}\n",
      setting.measure, setting.way, setting.threads, setting.depth, setting.line_bytes, plan.file_bytes, plan.cache_bytes,
      seconds, static_cast<double>(counts.reads) / seconds, static_cast<double>(counts.storage_reads) / seconds,
      static_cast<double>(counts.storage_bytes) / seconds, static_cast<double>(counts.reads) * setting.line_bytes / seconds);
  std::fflush(stdout);
}

/// Runs worker(rank, timer) on every thread; returns the sum of what they return, and the time.
template <class Worker>
std::pair<std::uint64_t, double> run_all(ThreadPool& pool, const Worker& worker) {
  PerThread<std::uint64_t> reads(pool);
  const Timer timer;
  pool.run([&](int rank) { reads[rank] = worker(rank, timer); });
  const double seconds = timer.elapsed_ms() / 1e3;
  std::uint64_t sum = 0;
  for (auto& slot : reads) sum += slot.value;
  return {sum, seconds};
}

/// Line `i` of those that a thread reads.
std::uint64_t random_line(int rank, std::uint64_t i, std::uint64_t lines) {
  return splitmix64(static_cast<std::uint64_t>(rank), i, 0) % lines;
}

bool is_over(const Timer& timer, const Plan& plan) { return timer.elapsed_ms() > plan.seconds * 1e3; }

constexpr std::uint64_t kReadsBetweenLooks = 64;
constexpr PageId kWarmUpPages = 256;

std::unique_ptr<HostPager> open_pager(const Setting& setting, const Plan& plan, std::uint64_t cache_bytes, const File& file) {
  PagerOptions options{.page_bytes = setting.line_bytes, .cache_bytes = cache_bytes, .workers = setting.threads};
  options.queue_depth = std::max(256u, 2 * setting.depth);  // of which prefetching fills half
  std::vector<PagedColumn> columns{{0, plan.file_bytes, 0}};
  return std::make_unique<HostPager>(options, columns, [&](std::uint32_t depth) {
    return open_uring_engine({{plan.file, file.fd()}}, depth);
  });
}

void read_by_pager(const Setting& setting, const Plan& plan) {
  ThreadPool pool(setting.threads);
  const File file(plan.file, 0);
  const auto pager = open_pager(setting, plan, plan.cache_bytes, file);
  const std::uint64_t lines = plan.file_bytes / setting.line_bytes;
  const std::uint64_t ahead = std::max<std::uint64_t>(1, setting.depth / static_cast<std::uint32_t>(setting.threads));
  // Frames get their memory when they are first used, which is not what is timed.
  for (PageId page = 0; page < std::min(lines, pager->frames()); ++page) {
    if (page % kWarmUpPages == 0) pager->prefetch(page, std::min(page + kWarmUpPages, lines) - 1);
    pager->acquire(page);
    pager->release(page);
  }
  pager->reset_counters();
  const auto [reads, seconds] = run_all(pool, [&](int rank, const Timer& timer) {
    for (std::uint64_t i = 0; i + 1 < ahead; ++i) pager->prefetch(random_line(rank, i, lines));
    std::uint64_t i = 0;
    for (; i % kReadsBetweenLooks != 0 || !is_over(timer, plan); ++i) {
      pager->prefetch(random_line(rank, i + ahead - 1, lines));
      const PageId page = random_line(rank, i, lines);
      pager->acquire(page);
      pager->release(page);
    }
    return i;
  });
  const PagerCounters counters = pager->counters();
  print(setting, plan, {reads, counters.misses, counters.bytes_read}, seconds);
}

void read_by_io_uring(const Setting& setting, const Plan& plan) {
  ThreadPool pool(setting.threads);
  const File file(plan.file, O_DIRECT);
  const std::uint64_t lines = plan.file_bytes / setting.line_bytes;
  const std::uint32_t depth = std::max(1u, setting.depth / static_cast<std::uint32_t>(setting.threads));
  const auto [reads, seconds] = run_all(pool, [&](int rank, const Timer& timer) {
    PlainReader reader(file.fd(), depth, setting.line_bytes);
    std::uint64_t started = 0;
    for (; started < depth; ++started) reader.start(static_cast<std::uint32_t>(started), random_line(rank, started, lines));
    std::uint64_t out = depth;
    while (out != 0) {
      const bool over = is_over(timer, plan);
      reader.wait([&](std::uint32_t buffer) {
        if (over)
          --out;
        else
          reader.start(buffer, random_line(rank, started++, lines));
      });
    }
    return started;
  });
  print(setting, plan, {reads, reads, reads * setting.line_bytes}, seconds);
}

/// Faults of a mapping, as the kernel reads ahead by itself, or told not to.
void read_by_mapping(const Setting& setting, const Plan& plan, bool random) {
  ThreadPool pool(setting.threads);
  const auto region = Region::map_file(plan.file);
  region->drop_cached_pages();
  if (random) ::madvise(region->data(), region->bytes(), MADV_RANDOM);
  const std::uint64_t lines = plan.file_bytes / setting.line_bytes;
  PerThread<unsigned> seen(pool);
  rusage before{};
  ::getrusage(RUSAGE_SELF, &before);
  const auto [reads, seconds] = run_all(pool, [&](int rank, const Timer& timer) {
    unsigned sum = 0;
    std::uint64_t i = 0;
    for (; i % kReadsBetweenLooks != 0 || !is_over(timer, plan); ++i) {
      sum += static_cast<unsigned>(region->data()[random_line(rank, i, lines) * setting.line_bytes]);
    }
    seen[rank] = sum;
    return i;
  });
  rusage after{};
  ::getrusage(RUSAGE_SELF, &after);
  constexpr std::uint64_t kBlockBytes = 512;
  print(setting, plan,
        {reads, static_cast<std::uint64_t>(after.ru_majflt - before.ru_majflt),
         static_cast<std::uint64_t>(after.ru_inblock - before.ru_inblock) * kBlockBytes},
        seconds);
}

/// A pass over a working set of half the cache, when nothing is in the cache and when everything is.
void read_cold_and_hot(Setting setting, const Plan& plan) {
  ThreadPool pool(setting.threads);
  const File file(plan.file, 0);
  const std::uint64_t lines = std::min(plan.file_bytes, plan.cache_bytes / 2) / setting.line_bytes;
  const auto pager = open_pager(setting, plan, plan.cache_bytes, file);
  for (const char* state : {"cold", "hot"}) {
    setting.way = fmt::format("pager, {}", state);
    pager->reset_counters();
    PerThread<std::uint64_t> sums(pool);
    const auto [reads, seconds] = run_all(pool, [&](int rank, const Timer&) {
      const std::uint64_t begin = lines / static_cast<std::uint64_t>(pool.size()) * static_cast<std::uint64_t>(rank);
      const std::uint64_t end = rank + 1 == pool.size() ? lines : begin + lines / static_cast<std::uint64_t>(pool.size());
      const PageId ahead = std::max<PageId>(2, pager->pages_ahead()) / 2;
      std::uint64_t sum = 0;
      for (PageId page = begin; page < end; ++page) {
        if ((page - begin) % ahead == 0) {
          pager->prefetch(page, std::min(page + 2 * ahead, end) - 1);
          pager->send();
        }
        const auto* words = reinterpret_cast<const std::uint64_t*>(pager->acquire(page));
        for (std::uint32_t i = 0; i < setting.line_bytes / sizeof(std::uint64_t); ++i) sum += words[i];
        pager->release(page);
      }
      sums[rank] = sum;
      return end - begin;
    });
    const PagerCounters counters = pager->counters();
    print(setting, plan, {reads, counters.misses, counters.bytes_read}, seconds);
  }
}

int run(int argc, char** argv) {
  cxxopts::Options options("bam_suite", "Times random reads through the cache of bam, through io_uring and through a mapping");
  options.add_options()("file", "what is read", cxxopts::value<std::string>())(
      "measures", "iops (against depth and threads), sizes (of requests), lines (cold and hot cache)",
      cxxopts::value<std::vector<std::string>>()->default_value("iops,sizes,lines"))(
      "ways", "for iops: pager, io_uring, mmap",
      cxxopts::value<std::vector<std::string>>()->default_value("pager,io_uring,mmap"))(
      "threads", "", cxxopts::value<std::vector<int>>()->default_value("1,2"))(
      "depths", "reads out at a time", cxxopts::value<std::vector<std::uint32_t>>()->default_value("1,4,16,64,128,256,512"))(
      "cache", "(default: an eighth of the file)", cxxopts::value<std::string>())(
      "seconds", "of each row of iops and sizes", cxxopts::value<double>()->default_value("2"))("help", "");
  const auto given = options.parse(argc, argv);
  if (given.count("help") != 0) {
    fmt::print("{}\n", options.help());
    return 0;
  }
  if (given.count("file") == 0) throw UsageError("--file is missing");
  Plan plan{given["file"].as<std::string>(), 0, 0, given["seconds"].as<double>()};
  std::error_code error;
  plan.file_bytes = std::filesystem::file_size(plan.file, error);
  constexpr std::uint64_t kLeastFileBytes = 8 << 20;
  if (error) throw DataError(fmt::format("cannot examine {}: {}", plan.file, error.message()));
  if (plan.file_bytes < kLeastFileBytes) throw DataError(fmt::format("{} is smaller than 8 MiB, too small to time", plan.file));
  plan.cache_bytes = given.count("cache") != 0 ? parse_bytes(given["cache"].as<std::string>()) : plan.file_bytes / 8;

  const auto threads = given["threads"].as<std::vector<int>>();
  if (std::any_of(threads.begin(), threads.end(), [](int count) { return count < 1; })) {
    throw UsageError("--threads must be at least 1");
  }
  const int most_threads = *std::max_element(threads.begin(), threads.end());
  constexpr std::uint32_t kGoodDepth = 128;
  for (const std::string& measure : given["measures"].as<std::vector<std::string>>()) {
    if (measure == "iops") {
      for (const std::string& way : given["ways"].as<std::vector<std::string>>()) {
        for (const int count : threads) {
          if (way == "mmap") {
            read_by_mapping({measure, "mmap", count}, plan, false);
            read_by_mapping({measure, "mmap, random", count}, plan, true);
            continue;
          }
          if (way != "pager" && way != "io_uring") throw UsageError(fmt::format("there is no way '{}'", way));
          for (const std::uint32_t depth : given["depths"].as<std::vector<std::uint32_t>>()) {
            (way == "pager" ? read_by_pager : read_by_io_uring)({measure, way, count, depth}, plan);
          }
        }
      }
    } else if (measure == "sizes") {
      for (std::uint32_t line = 512; line <= 64 << 10; line *= 2) {
        read_by_pager({measure, "pager", most_threads, kGoodDepth, line}, plan);
        read_by_io_uring({measure, "io_uring", most_threads, kGoodDepth, line}, plan);
      }
    } else if (measure == "lines") {
      for (const std::uint32_t line : {512u, 4096u, 8192u})
        read_cold_and_hot({measure, "", most_threads, kGoodDepth, line}, plan);
    } else {
      throw UsageError(fmt::format("there is no measure '{}': iops, sizes, lines", measure));
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const cxxopts::exceptions::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  } catch (const graphrun::Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
