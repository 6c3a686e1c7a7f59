// SPDX-License-Identifier: Apache-2.0
// Pages that are read, written, and come or go all at once. Their commands: host_pager_commands.cpp.
#include "graphrun/cache/host_pager.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>

#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/parallel.hpp"

namespace graphrun {
namespace {

constexpr std::uint32_t kMostCommandPages = kMostCommandBytes / 512;
constexpr std::uint64_t kRingPerPageAhead = 4;               // frames: pages stay until their use
constexpr std::chrono::milliseconds kBetweenLooks{100};      // at the page cache
constexpr int kTimesBetweenLooks = 50;                       // as long as a look, so that looks take a fiftieth of the time
constexpr std::chrono::milliseconds kLeastForAThread{1000};  // to get its core back, however little time storage has

std::uint64_t workers_of(const PagerOptions& options) { return static_cast<std::uint64_t>(std::max(1, options.workers)); }

/// A limit of a wait, which does not read the clock in every round.
class Deadline {
 public:
  explicit Deadline(std::chrono::milliseconds limit) : limit_(limit) {}
  bool passed() {
    constexpr unsigned kRoundsBetweenLooks = 64;
    if (++rounds_ % kRoundsBetweenLooks != 0) return false;
    const auto now = std::chrono::steady_clock::now();
    if (start_ == std::chrono::steady_clock::time_point{}) start_ = now;
    return now - start_ > limit_;
  }

 private:
  std::chrono::milliseconds limit_;
  unsigned rounds_ = 0;
  std::chrono::steady_clock::time_point start_{};
};

}  // namespace

std::uint64_t HostPager::least_cache_bytes(const PagerOptions& options) {
  // Every worker may hold a page, and one more must be on its way for one of them.
  return (static_cast<std::uint64_t>(options.workers) + 1) * options.page_bytes;
}

PageId HostPager::pages_ahead_of(const PagerOptions& options, std::uint64_t frames) {
  return std::clamp<PageId>(frames / (kRingPerPageAhead * workers_of(options)), 1, options.most_pages_ahead);
}

std::uint64_t HostPager::ring_of(const PagerOptions& options, std::uint64_t frames) {
  return std::min(frames, kRingPerPageAhead * workers_of(options) * pages_ahead_of(options, frames));
}

std::uint64_t HostPager::bytes_between_passes(const PagerOptions& options) {
  const std::uint64_t frames = options.cache_bytes / options.page_bytes;
  return (frames - ring_of(options, frames)) * options.page_bytes;
}

HostPager::HostPager(const PagerOptions& options, std::vector<PagedColumn>& columns, const OpenEngine& open_engine)
    : HostPager(options, columns, [&](std::size_t queues, std::uint32_t queue_depth) {
        return make_software_storage(queues, queue_depth, open_engine);
      }) {}

HostPager::HostPager(const PagerOptions& options, std::vector<PagedColumn>& columns, const OpenStorage& open_storage)
    : options_(options) {
  if (options.cache_bytes < least_cache_bytes(options))
    raise<UsageError>("a --cache of {} is too small for {} {} and pages of {}: the smallest that works is {} bytes",
                      format_bytes(options.cache_bytes), options.workers, options.workers == 1 ? "thread" : "threads",
                      format_bytes(options.page_bytes), least_cache_bytes(options));
  const PageId pages = lay_out_pages(columns, options.page_bytes);
  columns_ = columns;
  absent_.resize(columns.size());
  const std::uint64_t frames =
      std::min<std::uint64_t>(options.cache_bytes / options.page_bytes, std::max<PageId>(pages, options.workers + 1));
  words_ = Column<std::uint64_t>::allocate(std::max<PageId>(pages, 1));
  owners_ = Column<std::uint64_t>::allocate(frames);
  const std::size_t workers = workers_of(options);
  storage_ = open_storage(options.queues != 0 ? options.queues : workers, options.queue_depth);
  queues_ = storage_->queues();
  name_space_ = storage_->name_space();
  frames_ = storage_->make_frames(frames, options.page_bytes);
  for (const PagedColumn& column : columns_) {
    placed_.push_back({storage_->cached_pages(column.offset / kFileStride), column.offset % kFileStride});
  }
  for (const QueuePair& queue : queues_) states_.push_back({std::vector<Request>(queue.depth), {}});
  table_ = {words_.data(), owners_.data(), &hand_, static_cast<FrameId>(frames), frames >= pages};
  forget_pages();
  if (queues_.empty()) {
    states_.resize(workers);
    return;
  }
  // Queues full of guesses would delay pages that are needed now.
  most_commands_ahead_ = queues_.size() * queues_[0].depth / 2;
  pages_ahead_ = pages_ahead_of(options, frames);
}

HostPager::~HostPager() { finish_outstanding(); }

void HostPager::finish_outstanding() {
  // The kernel still writes into frames of prefetched pages that nobody needed.
  Deadline deadline(options_.deadline);
  while (outstanding_.load() != 0 && !deadline.passed()) serve_or_sleep();
}

void HostPager::reuse_frames(std::uint64_t count) {
  table_.num_frames = static_cast<FrameId>(count);
  most_frames_ahead_ = count / 4;  // some frames must stay obtainable
}

bool HostPager::begin_pass(bool of_all_lists) {
  if (all_pages_fit()) return false;
  if (queues_.empty()) return std::exchange(goes_backward_, !goes_backward_);
  const std::uint64_t hand = sync::load_relaxed(hand_);
  const bool replaced_all = hand - std::exchange(hand_at_pass_, hand) >= frames();
  if (!of_all_lists) reuse_frames(frames());
  if (of_all_lists && replaced_all) reuse_frames(ring_of(options_, frames()));
  return false;
}

const std::byte* HostPager::acquire_slowly(PageId page, PageTable::Answer answer) {
  Deadline deadline(options_.deadline);
  for (;;) {
    if (answer == PageTable::Answer::claimed) {
      const FrameId frame = wait_for_frame(page);
      if (queues_.empty()) return copy_page(page, frame);
      wait_to_post(page, frame);
    }
    serve_or_sleep();
    throw_if_failed();
    const PageTable::Grabbed again = table_.grab(page, table_.references());
    if (again.answer == PageTable::Answer::resident) return used_data(page, again.frame);
    answer = again.answer;
    if (deadline.passed()) {
      fail(fmt::format("page {} (offset {}) did not arrive within {} ms; {} commands are out", page, offset_of(page),
                       options_.deadline.count(), outstanding_.load()));
      throw_if_failed();
    }
  }
}

const std::byte* HostPager::copy_page(PageId page, FrameId frame) {
  const std::uint64_t bytes = bytes_in_store(page);
  std::memcpy(frame_data(frame), storage_->in_memory(offset_of(page)), bytes);
  PagerCounters& counters = counters_of_thread();
  sync::fetch_add_relaxed(counters.misses, std::uint64_t{1});
  sync::fetch_add_relaxed(counters.bytes_read, bytes);
  publish(page, frame, table_.references());
  return frame_data(frame);
}

std::size_t HostPager::place_of_thread(std::size_t count) {
  static thread_local const std::uint64_t mine = next_place_.fetch_add(1, std::memory_order_relaxed);
  return static_cast<std::size_t>(mine % count);
}

PagerCounters& HostPager::counters_of_thread() { return states_[place_of_thread(states_.size())].counters; }

template <class Done, class GiveUp>
void HostPager::wait_until(const Done& done, const GiveUp& give_up) {
  Deadline deadline(options_.deadline);
  while (!done()) {
    serve_or_sleep();
    if (!deadline.passed() && !failed_.load(std::memory_order_relaxed)) continue;
    fail(give_up());
    throw_if_failed();
  }
}

FrameId HostPager::wait_for_frame(PageId page) {
  FrameId frame = kNoFrame;
  wait_until([&] { return (frame = take_frame(page, 2 * std::uint64_t{table_.num_frames})) != kNoFrame; },
             [&] {
               table_.abandon(page, kNoFrame);
               return fmt::format("no frame became free for page {} within {} ms", page, options_.deadline.count());
             });
  return frame;
}

void HostPager::wait_to_post(PageId page, FrameId frame) {
  wait_until([&] { return post_read(page, frame, 1, false); },
             [&] {
               table_.abandon(page, frame);
               return fmt::format("no place in a queue became free for page {} within {} ms", page, options_.deadline.count());
             });
}

void HostPager::wait_to_ring(std::size_t queue, QueuePair::Ticket ticket) {
  const auto limit = std::max(options_.deadline, kLeastForAThread);
  Deadline deadline(limit);
  constexpr int kBatchTries = 64;  // then the doorbell is rung for less than a batch
  const std::uint32_t batch = std::min(options_.doorbell_batch, queues_[queue].depth);
  for (int tries = 0; !queues_[queue].ring(ticket, tries < kBatchTries ? batch : 1); ++tries) {
    if (deadline.passed())
      return fail(fmt::format("a command of queue {} was not sent within {} ms: the one before it was never written", queue,
                              limit.count()));
    std::this_thread::yield();  // the thread with the ticket before, or the one at the doorbell, may have lost its core
  }
}

PageId HostPager::prefetch_absent(PageId first, PageId last, bool ahead) {
  if (queues_.empty()) return last;
  const std::uint64_t out = frames_out_.load(std::memory_order_relaxed);
  if (out >= most_frames_ahead_ || outstanding_.load(std::memory_order_relaxed) >= most_commands_ahead_) return last;
  const PagedColumn& column = column_of(first);  // the next column in the cache need not follow it in the store
  const auto most = static_cast<std::uint32_t>(
      std::min<std::uint64_t>({last - first + 1, column.first_page + pages_of(column) - first,
                               std::max<std::uint32_t>(1, kMostCommandBytes / options_.page_bytes), most_frames_ahead_ - out}));
  std::uint32_t in_place = 0;
  const std::uint32_t wanted = pages_past_cache(first, most, in_place);
  if (wanted == 0) return first + in_place - 1;
  std::uint32_t claimed = 0;
  while (claimed < wanted && table_.claim_if_absent(first + claimed)) ++claimed;
  if (claimed == 0) return first;

  std::array<FrameId, kMostCommandPages> frames;
  std::uint32_t taken = 0;
  {
    constexpr std::uint64_t kTries = 16;
    const std::lock_guard lock(frames_mutex_);
    while (taken < claimed && (frames[taken] = take_frame(first + taken, kTries)) != kNoFrame) ++taken;
  }
  for (std::uint32_t i = taken; i < claimed; ++i) table_.abandon(first + i, kNoFrame);
  for (std::uint32_t begin = 0, end = 0; begin < taken; begin = end) {
    const std::uint32_t most_in_a_row = frames_.most_in_a_row(frames[begin]);
    for (end = begin + 1; end < taken && end - begin < most_in_a_row && frames[end] == frames[end - 1] + 1;) ++end;
    if (post_read(first + begin, frames[begin], end - begin, ahead)) continue;
    for (std::uint32_t i = begin; i < end; ++i) table_.abandon(first + i, frames[i]);
  }
  return first + claimed - 1;
}

bool HostPager::is_all_in_place(PageId first_page) {
  const std::size_t index = column_index(first_page);
  Placed& placed = placed_[index];
  if (placed.pages == nullptr) return false;
  const auto before = CachedPages::Clock::now();
  if (before < placed.next_look) return placed.is_all;
  const std::uint64_t end = placed.offset + columns_[index].bytes;
  if (placed.offset == end) return false;
  dirty_bytes_.fetch_add(placed.pages->look(placed.offset, end, kBetweenLooks), std::memory_order_relaxed);
  placed.is_all = placed.pages->has_all(placed.offset, end);
  const auto now = CachedPages::Clock::now();
  placed.next_look = now + std::max<CachedPages::Clock::duration>(kBetweenLooks, (now - before) * kTimesBetweenLooks);
  return placed.is_all;
}

std::uint32_t HostPager::pages_past_cache(PageId first, std::uint32_t most, std::uint32_t& in_place) {
  const std::size_t index = column_index(first);
  const Placed& placed = placed_[index];
  const PagedColumn& column = columns_[index];
  if (placed.pages == nullptr || !placed.pages->touches_cheaply()) return most;
  const std::uint64_t begin = placed.offset + (first - column.first_page) * options_.page_bytes;
  const std::uint64_t end = std::min(begin + std::uint64_t{most} * options_.page_bytes, placed.offset + column.bytes);
  if (placed.pages->has_none(begin, end)) return most;
  if (placed.pages->has_all(begin, end)) {
    in_place = most;
    return 0;
  }
  // Counts whole pages of this cache: a page that the page cache holds in part goes past it.
  static thread_local std::vector<RouteRun> runs;
  placed.pages->route(begin, end, options_.page_bytes, runs);
  if (runs.size() > 1) splits_.fetch_add(1, std::memory_order_relaxed);
  if (runs.front().cached) {
    in_place = runs.front().pages;
    return 0;
  }
  return runs.front().pages;
}

std::byte* HostPager::acquire_to_overwrite(PageId page) {
  if (const std::byte* data = kept_data(page)) return const_cast<std::byte*>(data);
  const PageTable::Grabbed grabbed = table_.grab(page, table_.references());
  if (grabbed.answer == PageTable::Answer::resident) return used_data(page, grabbed.frame);
  if (grabbed.answer == PageTable::Answer::loading) return const_cast<std::byte*>(acquire_slowly(page, grabbed.answer));
  const FrameId frame = wait_for_frame(page);
  publish(page, frame, table_.references());
  return frame_data(frame);
}

void HostPager::clean(PageId page) {
  if (queues_.empty()) return copy_back(page);
  const PageTable::Cleaning cleaning = table_.begin_cleaning(page);
  if (cleaning.begun && !post({nvme::Opcode::write, page, cleaning.frame, 1, false})) table_.end_cleaning(page, false);
}

void HostPager::copy_back(PageId page) {
  const PageTable::Cleaning cleaning = table_.begin_lone_cleaning(page);
  if (!cleaning.begun) return;
  const std::uint64_t bytes = bytes_in_store(page);
  std::memcpy(storage_->writable_memory(offset_of(page)), frame_data(cleaning.frame), bytes);
  sync::fetch_add_relaxed(counters_of_thread().bytes_written, bytes);
  table_.publish(page, cleaning.frame, 0);
}

void HostPager::send_back(PageId page) {
  constexpr std::uint32_t kCommandsOfASystemCall = 8;
  clean(page);
  if (unsent_.load(std::memory_order_relaxed) >= kCommandsOfASystemCall) send();
}

void HostPager::flush(PageId first, PageId last) {
  for (FrameId frame = 0; frame < owners_.size(); ++frame) {
    const std::uint64_t owner = sync::load_acquire(owners_[frame]);
    if (owner < PageTable::kFirstOwner) continue;
    const PageId page = owner - PageTable::kFirstOwner;
    if (page < first || page > last) continue;
    wait_until(
        [&] {
          clean(page);
          return (sync::load_acquire(words_[page]) & page_word::kDirty) == 0;
        },
        [&] { return fmt::format("page {} could not be written within {} ms", page, options_.deadline.count()); });
  }
  finish_outstanding();
  if (const auto out = outstanding_.load(); out != 0) {
    fail(fmt::format("{} commands of threads that gave up are out still after {} ms", out, options_.deadline.count()));
  }
  throw_if_failed();
}

void HostPager::fill() {
  PageId pages = 0;
  for (const PagedColumn& column : columns_) pages += pages_of(column);
  if (frames() < pages)
    raise<UsageError>("a cache of {} frames cannot be filled with all {} pages: that takes --cache {}", frames(), pages,
                      pages * frames_.bytes);
  const PageId ahead = std::max<PageId>(1, pages_ahead_ / 2);
  for (PageId page = 0; page < pages; ++page) {
    if (page % ahead == 0) {
      prefetch(page, std::min(page + 2 * ahead, pages) - 1);
      send();
    }
    acquire(page);
    release(page);
  }
}

void HostPager::fill_gaps(PageId first_page, std::uint64_t least_share, ThreadPool& pool) {
  if (!all_pages_fit() || !queues_.empty()) return;
  const std::size_t index = column_index(first_page);
  const PageId pages = pages_of(columns_[index]);
  if (sync::load_relaxed(absent_[index].pages) * least_share > pages) return;
  constexpr std::size_t kPagesOfAPiece = 16;
  parallel_for(
      pool, pages, [&](std::size_t i) { acquire(first_page + i); }, kPagesOfAPiece);
}

void HostPager::drop() {
  flush();
  forget_pages();
}

void HostPager::drop_cached() {
  storage_->drop_cached();
  for (Placed& placed : placed_) placed.next_look = {};
}

void HostPager::forget_pages() {
  for (std::size_t i = 0; i < columns_.size(); ++i) absent_[i] = {pages_of(columns_[i])};
  std::fill(words_.data(), words_.data() + words_.size(), 0);
  std::fill(owners_.data(), owners_.data() + owners_.size(), 0);
  goes_backward_ = false;
  hand_at_pass_ = hand_;
  reuse_frames(owners_.size());
}

void HostPager::fail(const std::string& message) {
  const std::lock_guard lock(failure_mutex_);
  if (failure_.empty()) failure_ = message;
  failed_.store(true, std::memory_order_release);
}

void HostPager::throw_if_failed() {
  if (!failed_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(failure_mutex_);
  throw RunError("storage: " + failure_);
}

void HostPager::count_hit(PageId page) {
  if (table_.end_ahead(page)) sync::fetch_add_relaxed(counters_of_thread().ahead_hits, std::uint64_t{options_.page_bytes});
}

void HostPager::count_array_step(PageId first_page) {
  const std::size_t index = column_index(first_page);
  if (std::exchange(absent_[index].all_used, true)) return;
  for (PageId page = first_page; page < first_page + pages_of(columns_[index]); ++page) count_hit(page);
}

void HostPager::publish(PageId page, FrameId frame, std::uint64_t references, bool ahead) {
  table_.publish(page, frame, references, ahead ? page_word::kAhead : 0);
  if (all_pages_fit()) sync::fetch_sub(absent_[column_index(page)].pages, std::uint64_t{1});  // pairs with has_all()
}

std::size_t HostPager::column_index(PageId page) const {
  const auto after = std::upper_bound(columns_.begin(), columns_.end(), page,
                                      [](PageId wanted, const PagedColumn& column) { return wanted < column.first_page; });
  return static_cast<std::size_t>(after - columns_.begin()) - 1;
}

std::uint64_t HostPager::offset_of(PageId page) const {
  const PagedColumn& column = column_of(page);
  return column.offset + (page - column.first_page) * options_.page_bytes;
}

std::uint64_t HostPager::bytes_in_store(PageId page) const {
  const PagedColumn& column = column_of(page);
  return std::min<std::uint64_t>(options_.page_bytes, column.bytes - (page - column.first_page) * options_.page_bytes);
}

PagerCounters HostPager::counters() const {
  PagerCounters sum;
  for (const QueueState& state : states_) {
    for (const auto field : PagerCounters::kFields) sum.*field += sync::load_relaxed(state.counters.*field);
  }
  sum.routed = storage_->routed();
  sum.routed +=
      {.in_place_bytes = in_place_bytes_, .in_place_steps = in_place_steps_, .splits = splits_, .dirty_bytes = dirty_bytes_};
  return sum;
}

void HostPager::reset_counters() {
  // Pages that were not used by now were read in vain, also if they are used later.
  for (FrameId frame = 0; frame < owners_.size() && pages_ahead_ != 0; ++frame) {
    const std::uint64_t owner = sync::load_acquire(owners_[frame]);
    if (owner >= PageTable::kFirstOwner) table_.end_ahead(owner - PageTable::kFirstOwner);
  }
  for (QueueState& state : states_) state.counters = {};
  if (!all_pages_fit()) reuse_frames(frames());  // of another algorithm, whose steps may be no passes
  hand_at_pass_ = hand_;
  storage_->reset_routed();
  in_place_bytes_ = in_place_steps_ = splits_ = dirty_bytes_ = 0;
}

}  // namespace graphrun
