// SPDX-License-Identifier: Apache-2.0
// A software cache of pages on storage, for the threads of a GPU (Qureshi et al., ASPLOS 2023): page table and frames in device
// memory, queue pairs with commands and completions in pinned host memory, and host threads that serve them.
//
// A page goes from storage into the landing page of its queue slot, in pinned memory, and from there a warp copies it over the
// link into its frame; or the engine puts it into the frame itself. The warps' side: device_pager.cuh and device_fetch.cuh.
// Compiles without CUDA.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "graphrun/cache/page_table.hpp"
#include "graphrun/cache/paged_column.hpp"
#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun {

/// How pages get into frames.
enum class Delivery : std::uint32_t {
  landing,  ///< commands name pinned host memory, and warps copy
  frames,   ///< commands name frames, and the engine copies
  source,   ///< no commands: warps copy from memory that they reach (PagedColumn::source), and back to it
};

struct DevicePagerOptions {
  Delivery delivery = Delivery::landing;
  std::uint32_t page_bytes = 4096;  ///< a power of two, 512 B to 1 MiB
  std::uint64_t cache_bytes = 0;    ///< of device memory for frames; rounded down to whole pages
  std::uint32_t queues = 128;
  std::uint32_t queue_depth = 64;              ///< commands out at a time in each queue pair; a power of two
  std::uint32_t doorbell_batch = 1;            ///< commands for which a doorbell is rung once, a power of two
  int controllers = 0;                         ///< host threads that serve the queues; 0 for half of all
  bool coalesce = true;                        ///< lanes of a warp that want the same page ask for it once
  bool reuse = true;                           ///< a warp keeps the page it used last
  bool cached = true;                          ///< false: pages are fetched anew for every use, and stay nowhere
  std::chrono::milliseconds deadline{10'000};  ///< for one page
};

/// Kernels number pages by 32 bits, which saves registers.
using PageIndex = std::uint32_t;
inline constexpr PageIndex kNoPage = ~PageIndex{0};

/// The kernels' side of a DevicePager, in device memory.
struct DevicePagerState {
  static constexpr std::uint32_t kMostColumns = 4;
  static constexpr std::uint32_t kWrongIds = ~std::uint32_t{0};  ///< a status of our own
  enum class Fault : std::uint32_t { none, status, deadline, read_only, unsent };
  struct Failure {
    Fault fault;
    std::uint32_t status;
    std::uint32_t queue;
    std::uint32_t slot;
    PageId page;
  };

  PageTable table;
  std::uint32_t* resident;  ///< where all pages fit: a bit for each page that is in its frame
  std::uint32_t* stored;    ///< a bit for each page of a fresh column that storage has
  std::byte* frames;
  std::byte* landing;  ///< a page for each slot of each queue, in pinned host memory
  PageIndex* written;  ///< for each slot of each queue, the page that its command writes, or kNoPage
  const QueuePair* queues;
  std::uint32_t num_queues;
  std::uint32_t doorbell_batch;
  std::uint32_t page_shift;
  std::uint32_t num_columns;
  Delivery delivery;
  bool cached;
  bool coalesce;
  bool reuse;
  std::uint64_t deadline_ns;
  unsigned long long copied = 0;       ///< pages, from sources
  unsigned long long copied_back = 0;  ///< and to them
  PagedColumn columns[kMostColumns] = {};
  Failure failure = {};  ///< of the first that failed
};

/// The part that every access needs, passed to kernels by value.
struct DevicePages {
  DevicePagerState* pager = nullptr;
  const std::uint32_t* resident = nullptr;
  std::byte* frames = nullptr;
  std::uint32_t page_shift = 12;
  bool all_pages_fit = false;  ///< as in PageTable
};

/// Owner of the cache. Kernels use pages() while no member runs.
class DevicePager {
 public:
  using OpenEngine = graphrun::OpenEngine;

  /// Returns the smallest useful cache. One page would do; with fewer than these, warps mostly wait for each other.
  static std::uint64_t least_cache_bytes(const DevicePagerOptions& options) { return std::uint64_t{64} * options.page_bytes; }

  /// Sets first_page of `columns`. Calls `open_engine` once for each controller; there are none with Delivery::source. Throws
  /// UsageError when the cache is too small, RunError when there is too little memory.
  DevicePager(const DevicePagerOptions& options, std::vector<PagedColumn>& columns, CudaExecutor& exec,
              const OpenEngine& open_engine);
  ~DevicePager();

  DevicePages pages() const;
  bool all_pages_fit() const;  ///< there is a frame for every page
  std::uint64_t frames() const;
  std::uint32_t page_bytes() const;
  std::uint32_t queues() const;       ///< that are used: with the depth, no more commands than there are frames
  std::uint32_t queue_depth() const;  ///< of each
  int controllers() const;
  const BlockEngine& engine() const;  ///< of the first controller

  /// Writes the dirty pages of [first, last] to storage, or all of them. Throws RunError.
  void flush(PageId first, PageId last);
  void flush() { flush(0, kLastPage); }
  /// Brings in every page. Waits for the device. Throws UsageError when there is no frame for each, RunError.
  void fill();
  /// Returns whether every page is in its frame, for kernels launched from now on: then the frames are an array of all pages.
  bool holds_all() const;
  /// Empties the cache without a flush, and resets the counters. Waits for the device.
  void drop();
  /// Drops the files from the page cache, where reads may come from there. Between kernels.
  void drop_cached();
  PagerCounters counters() const;
  void reset_counters();
  /// Throws RunError when a page could not be read since the cache was made.
  void throw_if_failed();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

namespace cuda {

void load_page_kernels();  ///< loads the kernels of flush_pages() and fill_pages(), which wait for host threads

/// Writes the dirty pages of [first, end) to storage, and waits, unless the pager has failed. Nothing else may use the pager
/// meanwhile.
void flush_pages(CudaExecutor& exec, DevicePagerState* pager, PageId first, PageId end);

/// Brings every page into its frame, where there is one for each.
void fill_pages(CudaExecutor& exec, const DevicePages& view, PageId pages);

}  // namespace cuda

}  // namespace graphrun
