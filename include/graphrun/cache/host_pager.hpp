// A software cache of pages on storage, for host threads: the page table, frames in memory, and queue pairs to a storage
// controller. What BaM keeps on a GPU, on a CPU (Qureshi et al., ASPLOS 2023).
//
// Two threads cannot hide the latency of storage by waiting for a page each, so a thread asks for pages long before it needs
// them (prefetch), and whoever waits for one page serves the queues of all meanwhile.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "graphrun/cache/page_table.hpp"
#include "graphrun/cache/paged_column.hpp"
#include "graphrun/cache/pager_counters.hpp"
#include "graphrun/graph/column.hpp"
#include "graphrun/transport/controller.hpp"
#include "graphrun/transport/queue_pairs.hpp"

namespace graphrun {

struct PagerOptions {
  std::uint32_t page_bytes = 4096;             ///< a power of two, 512 B to 64 KiB
  std::uint64_t cache_bytes = 0;               ///< for frames; rounded down to whole pages
  std::uint32_t queue_depth = 256;             ///< commands out at a time in each queue pair
  int workers = 1;                             ///< threads that may hold pages at the same time
  std::chrono::milliseconds deadline{10'000};  ///< for one page
};

/// Any thread may call any member. Failures (storage errors, deadlines) throw RunError from the call that met them and from
/// every later one.
class HostPager {
 public:
  /// The smallest cache that makes progress whatever the algorithm does.
  static std::uint64_t least_cache_bytes(const PagerOptions& options);

  /// `columns` get their first_page. Throws UsageError when the cache is too small.
  HostPager(const PagerOptions& options, std::vector<PagedColumn>& columns,
            const std::function<std::unique_ptr<BlockEngine>(std::uint32_t depth)>& open_engine);
  ~HostPager();

  std::uint32_t page_bytes() const { return options_.page_bytes; }

  /// The page's data, which stay until release(). Waits for it; the caller must hold no page.
  const std::byte* acquire(PageId page) {
    const PageTable::Grabbed grabbed = table_.grab(page, 1);
    return grabbed.answer == PageTable::Answer::resident ? frame_data(grabbed.frame) : acquire_slowly(page, grabbed.answer);
  }
  void release(PageId page) { table_.release(page, 1); }

  /// Asks for the page unless it is here or on its way. Does not wait, and does nothing when the queues or frames are busy.
  void prefetch(PageId page) {
    if (page_word::state(sync::load_relaxed(words_[page])) == page_word::State::absent) prefetch_absent(page);
  }

  /// Empties the cache. No page may be held, and nobody else may use the pager meanwhile.
  void drop();
  PagerCounters counters() const;
  void reset_counters();
  const BlockEngine& engine() const { return controller_->engine(); }
  std::uint64_t frames() const { return table_.num_frames; }

 private:
  const std::byte* acquire_slowly(PageId page, PageTable::Answer answer);
  void prefetch_absent(PageId page);
  std::byte* frame_data(FrameId frame) { return frames_.data() + std::size_t{frame} * options_.page_bytes; }
  /// Posts the read of a claimed page; false when no slot is free. The completion publishes the page.
  bool post_read(PageId page, FrameId frame);
  void serve();
  /// A frame for a claimed page, waiting until one is free.
  FrameId wait_for_frame(PageId page);
  void settle(const QueuePair& queue, std::uint32_t slot, std::uint32_t status);
  void fail(const std::string& message);
  void throw_if_failed();
  std::uint64_t offset_of(PageId page) const;

  PagerOptions options_;
  std::vector<PagedColumn> columns_;
  Column<std::uint64_t> words_;
  Column<std::uint64_t> owners_;
  Column<std::byte> frames_;
  alignas(64) std::uint64_t hand_ = 0;
  PageTable table_;
  QueuePairs queues_;
  std::unique_ptr<StorageController> controller_;
  alignas(64) std::atomic<std::uint64_t> outstanding_{0};
  std::atomic<std::uint64_t> next_queue_{0};
  std::atomic<bool> failed_{false};
  std::mutex failure_mutex_;
  std::string failure_;
};

}  // namespace graphrun
