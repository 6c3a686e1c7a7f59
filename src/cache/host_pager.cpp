#include "graphrun/cache/host_pager.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <thread>

#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun {
namespace {

using Clock = std::chrono::steady_clock;

/// Says when a wait has lasted too long, without asking for the time in every round.
class Deadline {
 public:
  explicit Deadline(std::chrono::milliseconds limit) : limit_(limit) {}
  bool passed() {
    constexpr unsigned kRoundsBetweenLooks = 64;
    if (++rounds_ % kRoundsBetweenLooks != 0) return false;
    const auto now = Clock::now();
    if (start_ == Clock::time_point{}) start_ = now;
    return now - start_ > limit_;
  }

 private:
  std::chrono::milliseconds limit_;
  unsigned rounds_ = 0;
  Clock::time_point start_{};
};

/// Each thread has a queue of its own as far as they go round.
std::size_t queue_of_thread(std::atomic<std::uint64_t>& next, std::size_t count) {
  static thread_local const std::uint64_t mine = next.fetch_add(1, std::memory_order_relaxed);
  return static_cast<std::size_t>(mine % count);
}

}  // namespace

std::uint64_t HostPager::least_cache_bytes(const PagerOptions& options) {
  // Every worker may hold a page, and one more must be on its way for one of them.
  return (static_cast<std::uint64_t>(options.workers) + 1) * options.page_bytes;
}

HostPager::HostPager(const PagerOptions& options, std::vector<PagedColumn>& columns,
                     const std::function<std::unique_ptr<BlockEngine>(std::uint32_t depth)>& open_engine)
    : options_(options), queues_(static_cast<std::size_t>(std::max(1, options.workers)), options.queue_depth) {
  if (options.cache_bytes < least_cache_bytes(options)) {
    throw UsageError(fmt::format("a cache of {} is too small for {} threads and pages of {}: the smallest that works is {} bytes",
                                 format_bytes(options.cache_bytes), options.workers, format_bytes(options.page_bytes),
                                 least_cache_bytes(options)));
  }
  const PageId pages = lay_out_pages(columns, options.page_bytes);
  columns_ = columns;
  const std::uint64_t frames =
      std::min<std::uint64_t>(options.cache_bytes / options.page_bytes, std::max<PageId>(pages, options.workers + 1));
  words_ = Column<std::uint64_t>::allocate(std::max<PageId>(pages, 1));
  owners_ = Column<std::uint64_t>::allocate(frames);
  frames_ = Column<std::byte>::allocate(frames * options.page_bytes);
  table_ = {words_.data(), owners_.data(), &hand_, static_cast<FrameId>(frames)};
  controller_ = std::make_unique<StorageController>(
      queues_, open_engine(static_cast<std::uint32_t>(std::min<std::size_t>(4096, queues_.size() * options.queue_depth))));
}

HostPager::~HostPager() {
  // The kernel still writes into frames that were asked for and never needed.
  Deadline deadline(options_.deadline);
  while (outstanding_.load() != 0 && !deadline.passed()) serve();
}

const std::byte* HostPager::acquire_slowly(PageId page, PageTable::Answer answer) {
  Deadline deadline(options_.deadline);
  for (;;) {
    if (answer == PageTable::Answer::claimed) {
      const FrameId frame = wait_for_frame(page);
      while (!post_read(page, frame)) serve();
    }
    serve();
    throw_if_failed();
    const PageTable::Grabbed again = table_.grab(page, 1);
    if (again.answer == PageTable::Answer::resident) return frame_data(again.frame);
    answer = again.answer;
    if (deadline.passed()) {
      fail(fmt::format("page {} (offset {}) did not arrive within {} ms; {} commands are out", page, offset_of(page),
                       options_.deadline.count(), outstanding_.load()));
      throw_if_failed();
    }
  }
}

FrameId HostPager::wait_for_frame(PageId page) {
  Deadline deadline(options_.deadline);
  for (;;) {
    const FrameId frame = table_.take_frame(2 * std::uint64_t{table_.num_frames});
    if (frame != kNoFrame) return frame;
    serve();
    if (!deadline.passed() && !failed_.load(std::memory_order_relaxed)) continue;
    table_.abandon(page, kNoFrame);
    fail(fmt::format("no frame became free for page {} within {} ms", page, options_.deadline.count()));
    throw_if_failed();
  }
}

void HostPager::prefetch_absent(PageId page) {
  // Frames that are waited for must stay obtainable, and a queue full of guesses would delay what is needed now.
  const std::uint64_t most = std::min<std::uint64_t>(queues_.size() * queues_[0].depth / 2, table_.num_frames / 4);
  if (outstanding_.load(std::memory_order_relaxed) >= most || !table_.claim_if_absent(page)) return;
  constexpr std::uint64_t kTries = 16;
  const FrameId frame = table_.take_frame(kTries);
  if (frame == kNoFrame || !post_read(page, frame)) table_.abandon(page, frame);
}

bool HostPager::post_read(PageId page, FrameId frame) {
  const QueuePair& queue = queues_[queue_of_thread(next_queue_, queues_.size())];
  QueuePair::Ticket ticket = 0;
  if (!queue.try_draw_ticket(ticket)) return false;
  outstanding_.fetch_add(1, std::memory_order_relaxed);
  const auto address = reinterpret_cast<std::uint64_t>(frame_data(frame));
  queue.write(ticket, nvme::transfer(nvme::Opcode::read, address, offset_of(page) / nvme::kBlockBytes, options_.page_bytes),
              page << 32 | frame);
  while (!queue.ring(ticket)) {
  }
  return true;
}

void HostPager::serve() {
  controller_->poll();
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    queues_[i].reap([&](std::uint32_t slot, std::uint32_t status) { settle(queues_[i], slot, status); });
  }
}

void HostPager::settle(const QueuePair& queue, std::uint32_t slot, std::uint32_t status) {
  const std::uint64_t note = queue.slots[slot].note;
  const PageId page = note >> 32;
  const auto frame = static_cast<FrameId>(note);
  queue.finish(slot);
  outstanding_.fetch_sub(1, std::memory_order_relaxed);
  if (status == 0) {
    table_.publish(page, frame, 0);
    return;
  }
  fail(fmt::format("reading page {} failed with status {:#x}: {}", page, status, controller_->last_error()));
  table_.abandon(page, frame);
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

std::uint64_t HostPager::offset_of(PageId page) const {
  const auto after = std::upper_bound(columns_.begin(), columns_.end(), page,
                                      [](PageId wanted, const PagedColumn& column) { return wanted < column.first_page; });
  const PagedColumn& column = *(after - 1);
  return column.offset + (page - column.first_page) * options_.page_bytes;
}

void HostPager::drop() {
  Deadline deadline(options_.deadline);
  while (outstanding_.load() != 0 && !deadline.passed()) serve();
  throw_if_failed();
  std::fill(words_.data(), words_.data() + words_.size(), 0);
  std::fill(owners_.data(), owners_.data() + owners_.size(), 0);
}

PagerCounters HostPager::counters() const { return {controller_->commands(), controller_->bytes_read()}; }

void HostPager::reset_counters() { controller_->reset_counters(); }

}  // namespace graphrun
