// Lines through the pager's cache, beside the same issued by host threads with io_uring, and by page faults of mappings (Qureshi
// et al., ASPLOS 2023, figures 4 to 6).
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

#include "bam_plan.hpp"
#include "frame.hpp"
#include "graphrun/cache/host_pager.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/core/timer.hpp"

namespace graphrun::bench {
namespace {

constexpr std::uint64_t kLinesBetweenLooks = 64;  // at the clock

struct Counts {
  std::uint64_t lines = 0;           ///< that threads asked for
  std::uint64_t storage_reads = 0;   ///< commands, or major faults
  std::uint64_t storage_writes = 0;  ///< commands
  std::uint64_t storage_bytes = 0;
};

void print(const Setting& setting, const Plan& plan, const Counts& counts, double seconds) {
  const auto rate = [&](std::uint64_t count) { return static_cast<std::uint64_t>(static_cast<double>(count) / seconds); };
  print_json("measure", setting.measure, "way", setting.way, "threads", setting.threads, "depth", setting.depth, "devices",
             setting.devices, "line_bytes", setting.line_bytes, "cache_bytes", plan.cache_bytes, "seconds", seconds,
             "lines_per_second", rate(counts.lines), "iops", rate(counts.storage_reads), "write_iops",
             rate(counts.storage_writes), "storage_bytes_per_second", rate(counts.storage_bytes), "bytes_per_second",
             rate(counts.lines * setting.line_bytes));
}

/// Runs worker(rank, timer) on every thread; returns the sum of what they return, and the time in seconds.
template <class Worker>
std::pair<std::uint64_t, double> run_all(ThreadPool& pool, const Worker& worker) {
  std::atomic<std::uint64_t> lines{0};
  const Timer timer;
  pool.run([&](int rank) { lines += worker(rank, timer); });
  return {lines, timer.elapsed_ms() / 1e3};
}

bool is_over(const Timer& timer, const Plan& plan) { return timer.elapsed_ms() > plan.seconds * 1e3; }

/// Lines of the first devices of a plan: the i-th of a thread is on device(i), line(i).
class Lines {
 public:
  Lines(const Setting& setting, const Plan& plan) : devices_(setting.devices), in_order_(setting.in_order) {
    for (std::size_t i = 0; i < devices_; ++i) lines_.push_back(plan.devices[i].bytes / setting.line_bytes);
  }
  std::size_t device(std::uint64_t i) const { return static_cast<std::size_t>(i % devices_); }
  std::uint64_t line(int rank, std::uint64_t i) {
    const std::uint64_t number =
        in_order_ ? next_.fetch_add(1, std::memory_order_relaxed) : splitmix64(static_cast<std::uint64_t>(rank), i, 0);
    return number % lines_[device(i)];
  }

 private:
  std::size_t devices_;
  bool in_order_;
  std::atomic<std::uint64_t> next_{0};
  std::vector<std::uint64_t> lines_;
};

/// A pager over the devices, whose pages of device i begin at the i-th column's first.
struct PagedDevices {
  PagedDevices(const Setting& setting, const Plan& plan) {
    PagerOptions options{.page_bytes = setting.line_bytes, .cache_bytes = plan.cache_bytes, .workers = setting.threads};
    options.queue_depth = std::max(256u, 2 * setting.depth);  // of which prefetching fills half
    std::vector<StoreFile> files;
    for (std::size_t i = 0; i < setting.devices; ++i) {
      const Device& device = plan.devices[i];
      files.push_back({device.name, device.file.fd(), setting.writes});
      columns.push_back({i * kFileStride, device.bytes / setting.line_bytes * setting.line_bytes, 0});
    }
    pager = std::make_unique<HostPager>(options, columns, [&](std::uint32_t depth) { return open_uring_engine(files, depth); });
  }
  PageId page(Lines& lines, int rank, std::uint64_t i) const { return columns[lines.device(i)].first_page + lines.line(rank, i); }
  /// Frames get their memory when they are first used, which is not what is timed.
  void touch_frames() const {
    constexpr PageId kPagesAhead = 256;
    const PageId pages = columns.back().first_page + columns.back().bytes / pager->page_bytes();
    for (PageId page = 0; page < std::min<PageId>(pages, pager->frames()); ++page) {
      if (page % kPagesAhead == 0) pager->prefetch(page, std::min(page + kPagesAhead, pages) - 1);
      pager->acquire(page);
      pager->release(page);
    }
    pager->reset_counters();
  }

  std::vector<PagedColumn> columns;
  std::unique_ptr<HostPager> pager;
};

}  // namespace

void move_by_pager(const Setting& setting, const Plan& plan) {
  ThreadPool pool(setting.threads);
  const PagedDevices devices(setting, plan);
  HostPager& pager = *devices.pager;
  Lines lines(setting, plan);
  const std::uint64_t ahead = setting.own_depth();
  devices.touch_frames();
  const auto [moved, seconds] = run_all(pool, [&](int rank, const Timer& timer) {
    for (std::uint64_t i = 0; i + 1 < ahead; ++i) pager.prefetch(devices.page(lines, rank, i));
    std::uint64_t i = 0;
    for (; i % kLinesBetweenLooks != 0 || !is_over(timer, plan); ++i) {
      pager.prefetch(devices.page(lines, rank, i + ahead - 1));
      const PageId page = devices.page(lines, rank, i);
      if (setting.writes) {
        std::memcpy(pager.acquire_to_write(page), &i, sizeof(i));
        pager.release_written(page);
      } else {
        pager.acquire(page);
        pager.release(page);
      }
    }
    return i;
  });
  const PagerCounters counters = pager.counters();
  const std::uint64_t writes = counters.bytes_written / setting.line_bytes;
  print(setting, plan, {moved, counters.misses, writes, counters.bytes_read + counters.bytes_written}, seconds);
}

/// Each thread keeps its share of transfers out until the time is over, and then waits for the last.
void move_by_io_uring(const Setting& setting, const Plan& plan) {
  ThreadPool pool(setting.threads);
  std::vector<File> files;
  for (std::size_t i = 0; i < setting.devices; ++i) {
    files.push_back(plan.devices[i].file.direct(setting.writes ? O_WRONLY : O_RDONLY));
  }
  Lines lines(setting, plan);
  const std::uint32_t depth = setting.own_depth();
  const auto [moved, seconds] = run_all(pool, [&](int rank, const Timer& timer) {
    PlainRing ring(depth, setting.line_bytes);
    std::uint64_t started = 0;
    const auto start = [&](std::uint32_t buffer) {
      const int fd = files[lines.device(started)].fd();
      ring.start(setting.writes, fd, buffer, lines.line(rank, started) * setting.line_bytes);
      ++started;
    };
    for (std::uint32_t buffer = 0; buffer < depth; ++buffer) start(buffer);
    for (std::uint64_t out = depth; out != 0;) {
      const bool over = is_over(timer, plan);
      ring.wait([&](std::uint32_t buffer) { over ? static_cast<void>(--out) : start(buffer); });
    }
    return started;
  });
  const std::uint64_t writes = setting.writes ? moved : 0;
  print(setting, plan, {moved, moved - writes, writes, moved * setting.line_bytes}, seconds);
}

/// Faults of mappings, as the kernel reads ahead by itself, or told not to.
void read_by_mapping(const Setting& setting, const Plan& plan, bool random) {
  ThreadPool pool(setting.threads);
  std::vector<std::shared_ptr<Region>> regions;
  for (std::size_t i = 0; i < setting.devices; ++i) {
    regions.push_back(Region::map_file(fmt::format("/proc/self/fd/{}", plan.devices[i].file.fd())));
    regions.back()->drop_cached_pages();
    if (random) ::madvise(regions.back()->data(), regions.back()->bytes(), MADV_RANDOM);
  }
  Lines lines(setting, plan);
  std::atomic<unsigned> seen{0};
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  const auto [read, seconds] = run_all(pool, [&](int rank, const Timer& timer) {
    unsigned sum = 0;
    std::uint64_t i = 0;
    for (; i % kLinesBetweenLooks != 0 || !is_over(timer, plan); ++i) {
      sum += static_cast<unsigned>(regions[lines.device(i)]->data()[lines.line(rank, i) * setting.line_bytes]);
    }
    seen += sum;
    return i;
  });
  ::getrusage(RUSAGE_SELF, &after);
  constexpr std::uint64_t kBlockBytes = 512;
  const auto faults = static_cast<std::uint64_t>(after.ru_majflt - before.ru_majflt);
  print(setting, plan, {read, faults, 0, static_cast<std::uint64_t>(after.ru_inblock - before.ru_inblock) * kBlockBytes},
        seconds);
}

void read_cold_and_hot(const Setting& asked, const Plan& plan) {
  ThreadPool pool(asked.threads);
  const std::uint64_t lines = std::min(plan.devices.front().bytes, plan.cache_bytes / 2) / asked.line_bytes;
  const PagedDevices devices(asked, plan);
  HostPager& pager = *devices.pager;
  for (const char* state : {"cold", "hot"}) {
    Setting setting = asked;
    setting.way = fmt::format("pager, {}", state);
    pager.reset_counters();
    std::atomic<std::uint64_t> sums{0};
    const auto [read, seconds] = run_all(pool, [&](int rank, const Timer&) {
      const std::uint64_t share = lines / static_cast<std::uint64_t>(pool.size());
      const std::uint64_t begin = share * static_cast<std::uint64_t>(rank);
      const std::uint64_t end = rank + 1 == pool.size() ? lines : begin + share;
      const PageId ahead = std::max<PageId>(2, pager.pages_ahead()) / 2;
      std::uint64_t sum = 0;
      for (PageId page = begin; page < end; ++page) {
        if ((page - begin) % ahead == 0) {
          pager.prefetch(page, std::min(page + 2 * ahead, end) - 1);
          pager.send();
        }
        const auto* words = reinterpret_cast<const std::uint64_t*>(pager.acquire(page));
        for (std::uint32_t i = 0; i < setting.line_bytes / sizeof(std::uint64_t); ++i) sum += words[i];
        pager.release(page);
      }
      sums += sum;
      return end - begin;
    });
    const PagerCounters counters = pager.counters();
    print(setting, plan, {read, counters.misses, 0, counters.bytes_read}, seconds);
  }
}

}  // namespace graphrun::bench
