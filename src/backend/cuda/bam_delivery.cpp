// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/bam_delivery.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/timer.hpp"
#include "transport/cuda/device_engines.hpp"

namespace graphrun::inline GR_IDS {
namespace {

std::vector<DeliveryWay> ways_that_work(const BackendOptions& options, std::uint32_t page_bytes, const EngineOpener& open_engine,
                                        const std::vector<StoreFile>& files) {
  std::vector<DeliveryWay> ways;
  ways.push_back({PageDelivery::landing, "warps read pages from pinned memory", Delivery::landing,
                  [&files, open_engine](std::uint32_t depth) { return open_engine(files, depth); }});
  if (options.bam_cache == BamCache::none) return ways;  // no frames
  ways.push_back({PageDelivery::copies, "pages are copied to frames in batches", Delivery::frames,
                  [&files, open_engine, page_bytes](std::uint32_t depth) {
                    return cuda::open_copying_engine(open_engine(files, depth), depth, page_bytes);
                  }});
  // cuFile keeps threads and memory, so it is opened only when it may be used.
  const bool may_be_cufile = options.delivery == PageDelivery::automatic || options.delivery == PageDelivery::cufile;
  if (may_be_cufile && options.storage == "file" && options.stripe.empty() && options.route == Route::direct &&
      cuda::why_no_cufile().empty()) {
    ways.push_back({PageDelivery::cufile, "cuFile puts pages into frames", Delivery::frames,
                    [&files](std::uint32_t depth) { return cuda::open_cufile_engine(files, depth); }});
  }
  return ways;
}

/// Returns GB/s for pages [first, first + count) of a column, all requested at once.
double rate(const DeliveryWay& way, DevicePagerOptions how, const PagedColumn& column, PageId first, PageId count,
            CudaExecutor& exec) {
  std::vector<PagedColumn> sample{{column.offset + first * how.page_bytes, count * how.page_bytes, 0}};
  how.cache_bytes = count * how.page_bytes;
  how.delivery = way.delivery;
  DevicePager pager(how, sample, exec, way.open_engine);
  double best_ms = 0;
  for (int trial = 0; trial < 2; ++trial) {
    pager.drop();
    const Timer timer;
    pager.fill();
    const double ms = timer.elapsed_ms();
    best_ms = trial == 0 ? ms : std::min(best_ms, ms);
  }
  return static_cast<double>(count * how.page_bytes) / best_ms / 1e6;
}

}  // namespace

DeliveryWay choose_delivery(const BackendOptions& options, const DevicePagerOptions& pager, const EngineOpener& open_engine,
                            const std::vector<StoreFile>& files, const std::vector<PagedColumn>& columns, CudaExecutor& exec) {
  std::vector<DeliveryWay> ways = ways_that_work(options, pager.page_bytes, open_engine, files);
  if (options.delivery != PageDelivery::automatic) {
    for (DeliveryWay& way : ways) {
      if (way.name == options.delivery) return std::move(way);
    }
    if (options.delivery == PageDelivery::copies)
      throw UsageError("--delivery copies puts pages into a cache: leave out --bam-cache none");
    const std::string missing = cuda::why_no_cufile();
    throw UnavailableError(
        missing.empty() ? "cuFile reads the graph's own file into a cache, past the page cache, and nothing else" : missing);
  }
  constexpr PageId kFewPages = 64;  // a pager's least
  constexpr PageId kManyPages = 2048;
  const PagedColumn& column =
      *std::max_element(columns.begin(), columns.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  const PageId pages = column.bytes / pager.page_bytes;
  const PageId count = std::min(pages / ways.size(), kManyPages);
  if (ways.size() == 1 || count < kFewPages) return std::move(ways.front());
  std::string found;
  std::vector<double> rates;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    found += fmt::format("{}{} ", i == 0 ? "" : ", ", name_of(ways[i].name));
    try {
      rates.push_back(rate(ways[i], pager, column, pages / ways.size() * i, count, exec));
      found += fmt::format("{:.2f} GB/s", rates.back());
    } catch (const UnavailableError& error) {
      rates.push_back(0);
      found += fmt::format("not possible ({})", error.what());
    }
  }
  const auto best = static_cast<std::size_t>(std::max_element(rates.begin(), rates.end()) - rates.begin());
  log::info(fmt::format("bam: {}, tried with {} pages: {}", ways[best].description, count, found));
  return std::move(ways[best]);
}

}  // namespace graphrun::inline GR_IDS
