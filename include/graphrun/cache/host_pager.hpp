// SPDX-License-Identifier: Apache-2.0
// A software cache of pages on storage for host threads, as BaM's on a GPU (Qureshi et al., ASPLOS 2023): the page table, frames
// in memory, and queue pairs to a storage controller.
//
// A few waiting threads do not hide the latency of storage. So threads ask for pages ahead (prefetch), and a thread that waits
// for a page serves all queues. One command fills consecutive frames with consecutive absent pages, which gives several times the
// bandwidth.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/cache/page_table.hpp"
#include "graphrun/cache/paged_column.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/transport/cached_pages.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun {

struct PagerOptions {
  std::uint32_t page_bytes = 4096;             ///< a power of two, 512 B to 1 MiB
  std::uint64_t cache_bytes = 0;               ///< for frames; rounded down to whole pages
  std::uint32_t queues = 0;                    ///< queue pairs; 0 for one a worker
  std::uint32_t queue_depth = 256;             ///< commands out at a time in each queue pair
  std::uint32_t doorbell_batch = 1;            ///< commands for which a doorbell is rung once, a power of two
  int workers = 1;                             ///< threads that may hold pages at the same time
  std::uint32_t most_pages_ahead = 2048;       ///< that a worker asks for ahead
  std::chrono::milliseconds deadline{10'000};  ///< for one page
};

/// A cache for host threads. Any thread may call any member. Failures (storage errors, deadlines) throw RunError from then on.
class HostPager {
 public:
  /// Returns the smallest cache that makes progress with every algorithm.
  static std::uint64_t least_cache_bytes(const PagerOptions& options);

  using OpenStorage = std::function<std::unique_ptr<Storage>(std::size_t queues, std::uint32_t queue_depth)>;

  /// Sets first_page of `columns`. Throws UsageError when the cache is too small.
  HostPager(const PagerOptions& options, std::vector<PagedColumn>& columns, const OpenStorage& open_storage);
  /// Does the same with a storage that a controller in this process serves.
  HostPager(const PagerOptions& options, std::vector<PagedColumn>& columns, const OpenEngine& open_engine);
  ~HostPager();

  std::uint32_t page_bytes() const { return options_.page_bytes; }

  /// Returns the page's data, which stay until release(). May wait; the caller must hold no page.
  const std::byte* acquire(PageId page) {
    return acquire(page, [] {});
  }
  /// Does the same for a caller that holds other pages, which before_waiting() must release.
  template <class BeforeWaiting>
  const std::byte* acquire(PageId page, const BeforeWaiting& before_waiting) {
    if (const std::byte* data = kept_data(page)) return data;
    const PageTable::Grabbed grabbed = table_.grab(page, table_.references());
    if (grabbed.answer == PageTable::Answer::resident) return used_data(page, grabbed.frame);
    before_waiting();
    return acquire_slowly(page, grabbed.answer);
  }
  void release(PageId page) {
    if (!all_pages_fit()) table_.release(page, 1);
  }

  /// Acquires for writing, until release_written(). Written pages go to storage with flush(), and when a thread that looks for a
  /// frame meets them. The store must allow writing. Callers order accesses to the same element.
  std::byte* acquire_to_write(PageId page) { return const_cast<std::byte*>(acquire(page)); }
  /// Acquires a page that is not read, because the caller writes every byte. Until then it holds another page's bytes.
  std::byte* acquire_to_overwrite(PageId page);
  void release_written(PageId page) {
    table_.mark_dirty(page);
    release(page);
  }
  /// Begins to send a written page to storage now, unless it has references or queues are full: for pages that are written once.
  void send_back(PageId page);
  /// Writes the dirty pages of [first, last] to storage, or all of them. No page may be held.
  void flush(PageId first, PageId last);
  void flush() { flush(0, kLastPage); }

  /// Asks for absent pages of [first, last], as many as queues and frames allow; never waits. Commands may stay in the queues
  /// until send(), or until a thread waits for a page. `ahead`: a pass in order or a scan of a list comes to them next; counted.
  void prefetch(PageId first, PageId last, bool ahead = false) {
    for (PageId page = first; page <= last; ++page) {
      if (page_word::state(sync::load_relaxed(words_[page])) == page_word::State::absent)
        page = prefetch_absent(page, last, ahead);
    }
  }
  void prefetch(PageId page) { prefetch(page, page); }
  void send();

  /// Returns how many pages one worker may ask for ahead without evicting its earlier ones; 0 where a load reaches the store.
  PageId pages_ahead() const { return pages_ahead_; }

  /// Begins a pass in order over all lists, or a frontier's. Frames are reused in the order of their filling: a second
  /// pass in the same direction would lose each page before it comes to it. Returns whether the pass goes backward: every other
  /// one, where threads copy missing pages into too few frames; the first pass after drop() goes forward. Where pages come by
  /// commands, missing pages would then lie in fragments: PageRank over bam with half of the edges cached took 1.7 times as long.
  /// There a pass over all lists, after one that replaced every page, reuses only the frames of its read-ahead: other pages stay.
  /// One thread may ask, between steps.
  bool begin_pass(bool of_all_lists);
  /// Returns the bytes of the cache that stay from pass to pass in order where pages come by commands.
  static std::uint64_t bytes_between_passes(const PagerOptions& options);

  /// Returns whether there is a frame for every page: then data stay until drop(), also after release().
  bool all_pages_fit() const { return table_.all_pages_fit; }
  /// The resident pages of a column, consecutive in memory, for views that check residency themselves.
  struct Kept {
    const std::uint64_t* words = nullptr;  ///< of the page table; null unless there is a frame for every page
    const std::byte* data = nullptr;
    const std::uint64_t* absent = nullptr;  ///< how many pages are not here yet

    /// Returns whether all pages of the column are here.
    bool has_all() const { return absent != nullptr && sync::load_acquire(*absent) == 0; }

    /// Returns whether all of pages [first, last] are here, counted from the column's first. Not where one was read ahead and is
    /// used for the first time: acquire() counts that.
    bool has(PageId first, PageId last) const {
      for (PageId page = first; page <= last; ++page) {
        if (!page_word::is_settled(sync::load_acquire(words[page]))) return false;
      }
      return true;
    }
  };
  Kept kept(PageId first_page) const {
    if (!all_pages_fit()) return {};
    return {words_.data() + first_page, frames_.data + first_page * options_.page_bytes,
            &absent_[column_index(first_page)].pages};
  }
  /// Returns the page's data when it is here to stay, as Kept::has(); otherwise null.
  const std::byte* kept_data(PageId page) {
    const bool kept = all_pages_fit() && page_word::is_settled(sync::load_acquire(words_[page]));
    return kept ? frame_data(static_cast<FrameId>(page)) : nullptr;
  }
  /// Counts all pages of a column, which are here to stay, as used by a step.
  void count_array_step(PageId first_page);

  /// A column in the page cache, for views that check residency themselves: cached pages are read there and need no frame.
  struct InPlace {
    const CachedPages* pages = nullptr;  ///< null where reads do not come from there
    std::uint64_t offset = 0;            ///< of the column in its file

    /// Returns the column; null where has() was never true.
    const std::byte* data() const { return pages == nullptr ? nullptr : pages->data() + offset; }
    /// Returns whether bytes [begin, end) of the column, at least one, were in the page cache and are to be read there. A page
    /// that left it meanwhile is still right, only slow.
    bool has(std::uint64_t begin, std::uint64_t end) const {
      return pages != nullptr && pages->touches_cheaply() && pages->has_all(offset + begin, offset + end);
    }
  };
  InPlace in_place(PageId first_page) const {
    const Placed& placed = placed_[column_index(first_page)];
    return {placed.pages, placed.offset};
  }
  /// Returns whether the page cache holds all of the column. Looks again where that was long ago. Between steps only.
  bool is_all_in_place(PageId first_page);
  void count_in_place_step() { in_place_steps_.fetch_add(1, std::memory_order_relaxed); }
  void count_in_place(std::uint64_t bytes) { in_place_bytes_.fetch_add(bytes, std::memory_order_relaxed); }

  /// Brings in every page. Throws UsageError when there is no frame for each.
  void fill();
  /// Brings in the missing pages of a column with all threads, when they are at most 1 in `least_share` and a load reaches the
  /// store. No other thread may use the pager meanwhile.
  void fill_gaps(PageId first_page, std::uint64_t least_share, ThreadPool& pool);
  /// Empties the cache, after a flush(). No page may be held, and no other thread may use the pager meanwhile.
  void drop();
  /// Drops the files from the page cache, where reads may come from there. Under the same conditions.
  void drop_cached();
  PagerCounters counters() const;
  /// Begins another run, with all frames in use. Not while threads use the pager.
  void reset_counters();
  const Storage& storage() const { return *storage_; }
  std::uint64_t frames() const { return owners_.size(); }

 private:
  static PageId pages_ahead_of(const PagerOptions& options, std::uint64_t frames);
  /// Returns the frames that passes in order need to read ahead.
  static std::uint64_t ring_of(const PagerOptions& options, std::uint64_t frames);

  /// Lets the clock reuse the first `count` frames alone; the pages in other frames stay. Not while threads use the pager.
  void reuse_frames(std::uint64_t count);
  const std::byte* acquire_slowly(PageId page, PageTable::Answer answer);
  /// Asks for absent pages from `first` on with one command, or as few as frames allow; returns the last page it looked at.
  PageId prefetch_absent(PageId first, PageId last, bool ahead);
  std::byte* frame_data(FrameId frame) { return frames_.data + std::size_t{frame} * options_.page_bytes; }
  std::byte* used_data(PageId page, FrameId frame) {
    if ((sync::load_relaxed(words_[page]) & page_word::kAhead) != 0) count_hit(page);
    return frame_data(frame);
  }
  /// Counts a page that was read ahead, unless another thread does.
  void count_hit(PageId page);
  /// Copies a claimed page out of a store that is memory.
  const std::byte* copy_page(PageId page, FrameId frame);
  /// Copies a dirty page back into it, unless the page has references.
  void copy_back(PageId page);
  /// Returns the bytes of a page in its column: less than a page at the end.
  std::uint64_t bytes_in_store(PageId page) const;
  /// Returns this thread's place of `count`.
  std::size_t place_of_thread(std::size_t count);
  PagerCounters& counters_of_thread();
  /// Posts the read of claimed pages into consecutive frames; false when no slot is free. The completion publishes the pages.
  bool post_read(PageId page, FrameId frame, std::uint32_t pages, bool ahead) {
    return post({nvme::Opcode::read, page, frame, pages, ahead});
  }
  struct Request;
  bool post(const Request& request);
  /// Waits until a written command is before the doorbell, for other submitters, never for storage. Past the deadline it fails
  /// the pager, and leaves the command to the next thread that rings.
  void wait_to_ring(std::size_t queue, QueuePair::Ticket ticket);
  /// Takes a frame for the claimed page: its own, where there is a frame for every page.
  FrameId take_frame(PageId page, std::uint64_t tries) {
    if (all_pages_fit()) return static_cast<FrameId>(page);
    return table_.take_frame(tries, [this](PageId dirty) { clean(dirty); });
  }
  /// Sends a dirty page to storage, or copies it there, unless the queues are full or the page has references.
  void clean(PageId page);
  /// Moves commands to storage and publishes what has come; false when there was nothing to do. Under serving_.
  bool serve();
  void serve_or_sleep();
  /// Serves the queues until done(). Past the deadline, or once the pager has failed, fails with give_up()'s sentence and throws.
  template <class Done, class GiveUp>
  void wait_until(const Done& done, const GiveUp& give_up);
  /// Takes a frame for a claimed page, and waits until one is free.
  FrameId wait_for_frame(PageId page);
  /// Posts the read of a claimed page, waiting until its queue has a place.
  void wait_to_post(PageId page, FrameId frame);
  /// Fails when the page that has come holds what its column must not.
  bool is_sound(PageId page, FrameId frame);
  void settle(std::size_t queue, std::uint32_t slot, std::uint32_t status);
  void finish_outstanding();
  void forget_pages();
  void fail(const std::string& message);
  void throw_if_failed();
  /// Marks the page as in the frame. The caller, which loaded it, gets `references`.
  void publish(PageId page, FrameId frame, std::uint64_t references, bool ahead = false);
  /// Returns how many of `most` absent pages from `first` on go past the page cache with one command; 0 where the first is to be
  /// read in place: then `in_place` is how many are.
  std::uint32_t pages_past_cache(PageId first, std::uint32_t most, std::uint32_t& in_place);
  PageId pages_of(const PagedColumn& column) const { return (column.bytes + options_.page_bytes - 1) / options_.page_bytes; }
  std::size_t column_index(PageId page) const;
  const PagedColumn& column_of(PageId page) const { return columns_[column_index(page)]; }
  std::uint64_t offset_of(PageId page) const;

  /// The pages of a command, which follow each other, as do their frames.
  struct Request {
    nvme::Opcode opcode;
    PageId page;
    FrameId frame;
    std::uint32_t pages;
    bool ahead;
  };
  struct alignas(64) QueueState {
    std::vector<Request> requests;  ///< of each slot's command
    PagerCounters counters;         ///< since the last reset; changes under the queue's head lock, but for hits
  };

  /// Place of a column in the page cache.
  struct Placed {
    CachedPages* pages = nullptr;  ///< null where reads do not come from there
    std::uint64_t offset = 0;
    CachedPages::Clock::time_point next_look = {};
    bool is_all = false;  ///< it was there when it was looked at
  };

  struct alignas(64) Absent {
    std::uint64_t pages = 0;
    bool all_used = false;  ///< count_array_step() has counted the column
  };

  PagerOptions options_;
  std::vector<PagedColumn> columns_;
  std::vector<Absent> absent_;  ///< of each column; counted where there is a frame for every page
  std::vector<Placed> placed_;  ///< of each column
  Column<std::uint64_t> words_;
  Column<std::uint64_t> owners_;
  alignas(64) std::uint64_t hand_ = 0;
  PageTable table_;
  std::unique_ptr<Storage> storage_;
  std::span<const QueuePair> queues_;
  nvme::Namespace name_space_;
  Frames frames_;
  std::vector<QueueState> states_;  ///< one a queue, or a worker where there are no queues
  PageId pages_ahead_ = 0;
  bool goes_backward_ = false;  ///< the next pass: see begin_pass()
  std::uint64_t hand_at_pass_ = 0;
  std::uint64_t most_commands_ahead_ = 0;
  std::uint64_t most_frames_ahead_ = 0;
  std::mutex serving_;       ///< held by the thread that serves the queues; other threads that wait for a page wait for that
  std::mutex frames_mutex_;  ///< held while a prefetch takes several frames, so that they follow each other
  alignas(64) std::atomic<std::uint64_t> outstanding_{0};  ///< commands
  std::atomic<std::uint64_t> frames_out_{0};               ///< frames that those fill
  std::atomic<std::uint32_t> unsent_{0};                   ///< commands since the last serve()
  std::atomic<std::uint64_t> next_place_{0};
  std::atomic<std::uint64_t> in_place_steps_{0}, in_place_bytes_{0}, splits_{0}, dirty_bytes_{0};
  std::atomic<bool> failed_{false};
  std::mutex failure_mutex_;
  std::string failure_;
};

}  // namespace graphrun
