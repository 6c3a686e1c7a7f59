// Random lines through the pager's cache, beside the same issued by host threads with io_uring, and by page faults of mappings
// (Qureshi et al., ASPLOS 2023, figures 4 and 5).
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "bam_plan.hpp"
#include "graphrun/cache/host_pager.hpp"

namespace graphrun::bench {
namespace {

/// A pager over the devices, whose pages of device i begin at firsts[i].
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
  PageId page(const RandomLines& lines, int rank, std::uint64_t i) const {
    return columns[lines.device(i)].first_page + lines.line(rank, i);
  }
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

/// Uses a page, or changes a word of it.
void touch(HostPager& pager, PageId page, bool writes, std::uint64_t word) {
  if (!writes) {
    pager.acquire(page);
    pager.release(page);
    return;
  }
  std::memcpy(pager.acquire_to_write(page), &word, sizeof(word));
  pager.release_written(page);
}

}  // namespace

void move_by_pager(const Setting& setting, const Plan& plan) {
  ThreadPool pool(setting.threads);
  const PagedDevices devices(setting, plan);
  HostPager& pager = *devices.pager;
  const RandomLines lines(setting, plan);
  const std::uint64_t ahead = std::max<std::uint64_t>(1, setting.depth / static_cast<std::uint32_t>(setting.threads));
  devices.touch_frames();
  const auto [moved, seconds] = run_all(pool, [&](int rank, const Timer& timer) {
    for (std::uint64_t i = 0; i + 1 < ahead; ++i) pager.prefetch(devices.page(lines, rank, i));
    std::uint64_t i = 0;
    for (; i % kLinesBetweenLooks != 0 || !is_over(timer, plan); ++i) {
      pager.prefetch(devices.page(lines, rank, i + ahead - 1));
      touch(pager, devices.page(lines, rank, i), setting.writes, i);
    }
    return i;
  });
  const PagerCounters counters = pager.counters();
  print(setting, plan,
        {moved, counters.misses, counters.bytes_written / setting.line_bytes, counters.bytes_read + counters.bytes_written},
        seconds);
}

void move_by_io_uring(const Setting& setting, const Plan& plan) {
  ThreadPool pool(setting.threads);
  std::vector<File> files;
  for (std::size_t i = 0; i < setting.devices; ++i) {
    files.push_back(plan.devices[i].file.direct(setting.writes ? O_WRONLY : O_RDONLY));
  }
  const RandomLines lines(setting, plan);
  const std::uint32_t depth = std::max(1u, setting.depth / static_cast<std::uint32_t>(setting.threads));
  const auto [moved, seconds] = run_all(pool, [&](int rank, const Timer& timer) {
    PlainRing ring(depth, setting.line_bytes);
    const auto start = [&, i = std::uint64_t{0}](std::uint32_t buffer) mutable {
      const int fd = files[lines.device(i)].fd();
      const std::uint64_t offset = lines.line(rank, i++) * setting.line_bytes;
      if (setting.writes) {
        ring.write(fd, buffer, offset);
      } else {
        ring.read(fd, buffer, offset);
      }
    };
    return keep_busy(ring, depth, timer, plan, start);
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
  const RandomLines lines(setting, plan);
  PerThread<unsigned> seen(pool);
  rusage before{};
  ::getrusage(RUSAGE_SELF, &before);
  const auto [read, seconds] = run_all(pool, [&](int rank, const Timer& timer) {
    unsigned sum = 0;
    std::uint64_t i = 0;
    for (; i % kLinesBetweenLooks != 0 || !is_over(timer, plan); ++i) {
      sum += static_cast<unsigned>(regions[lines.device(i)]->data()[lines.line(rank, i) * setting.line_bytes]);
    }
    seen[rank] = sum;
    return i;
  });
  rusage after{};
  ::getrusage(RUSAGE_SELF, &after);
  constexpr std::uint64_t kBlockBytes = 512;
  print(setting, plan,
        {read, static_cast<std::uint64_t>(after.ru_majflt - before.ru_majflt), 0,
         static_cast<std::uint64_t>(after.ru_inblock - before.ru_inblock) * kBlockBytes},
        seconds);
}

}  // namespace graphrun::bench
