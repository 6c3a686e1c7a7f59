// Lines one after another: through the pager from storage and from its cache (Qureshi et al., ASPLOS 2023, figure 6), and issued
// by host threads, which is the most that passes over all edges can reach.
#include <fcntl.h>

#include <algorithm>
#include <atomic>

#include "bam_plan.hpp"
#include "graphrun/cache/host_pager.hpp"

namespace graphrun::bench {

void read_in_order(const Setting& setting, const Plan& plan) {
  ThreadPool pool(setting.threads);
  const Device& device = plan.devices.front();
  const File file = device.file.direct(O_RDONLY);
  const std::uint64_t lines = device.bytes / setting.line_bytes;
  const std::uint32_t depth = std::max(1u, setting.depth / static_cast<std::uint32_t>(setting.threads));
  std::atomic<std::uint64_t> next{0};
  const auto [read, seconds] = run_all(pool, [&](int, const Timer& timer) {
    PlainRing ring(depth, setting.line_bytes);
    return keep_busy(ring, depth, timer, plan, [&](std::uint32_t buffer) {
      ring.read(file.fd(), buffer, next.fetch_add(1, std::memory_order_relaxed) % lines * setting.line_bytes);
    });
  });
  print(setting, plan, {read, read, 0, read * setting.line_bytes}, seconds);
}

void read_cold_and_hot(const Setting& asked, const Plan& plan) {
  ThreadPool pool(asked.threads);
  const Device& device = plan.devices.front();
  const std::uint64_t lines = std::min(device.bytes, plan.cache_bytes / 2) / asked.line_bytes;
  const PagerOptions options{.page_bytes = asked.line_bytes, .cache_bytes = plan.cache_bytes, .workers = asked.threads};
  std::vector<PagedColumn> columns{{0, device.bytes, 0}};
  HostPager pager(options, columns, [&](std::uint32_t depth) {
    return open_uring_engine({{device.name, device.file.fd()}}, depth);
  });
  for (const char* state : {"cold", "hot"}) {
    Setting setting = asked;
    setting.way = fmt::format("pager, {}", state);
    pager.reset_counters();
    PerThread<std::uint64_t> sums(pool);
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
      sums[rank] = sum;
      return end - begin;
    });
    const PagerCounters counters = pager.counters();
    print(setting, plan, {read, counters.misses, 0, counters.bytes_read}, seconds);
  }
}

}  // namespace graphrun::bench
