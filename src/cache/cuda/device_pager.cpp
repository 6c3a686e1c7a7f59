// SPDX-License-Identifier: Apache-2.0

#include "graphrun/cache/device_pager.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <exception>
#include <span>
#include <thread>

#include "core/raise.hpp"
#include "exec/cuda/pinned_memory.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun {
namespace {

using cuda::PinnedMemory;

/// A thread that serves some of the queues. After a while without work it sleeps between looks.
class ControllerThread {
 public:
  /// Serves by `engine`, which may use the executor's device.
  ControllerThread(std::span<const QueuePair> queues, std::unique_ptr<BlockEngine> engine, const CudaExecutor& exec,
                   std::span<std::byte> landing)
      : controller_(queues, std::move(engine)) {
    controller_.use_memory(landing);
    thread_ = std::jthread([this, &exec](const std::stop_token& stop) {
      try {
        exec.make_current();
        serve(stop);
      } catch (const std::exception& error) {  // kernels miss their deadline then, and the run ends with this reason
        failure_ = error.what();
        failed_.store(true, std::memory_order_release);
      }
    });
  }

  StorageController& controller() { return controller_; }
  const StorageController& controller() const { return controller_; }
  /// Returns why it serves no more; empty while it does.
  std::string failure() const { return failed_.load(std::memory_order_acquire) ? failure_ : std::string(); }

 private:
  void serve(const std::stop_token& stop) {
    constexpr int kBusyRounds = 20'000;
    for (int idle = 0; !stop.stop_requested();) {
      idle = controller_.poll() ? 0 : idle + 1;
      if (idle > kBusyRounds) std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

  StorageController controller_;
  std::string failure_;  ///< written before failed_ is set, and never after
  std::atomic<bool> failed_{false};
  std::jthread thread_;  // last: stops before the controller goes
};

/// Fits queues to as many commands as there are frames, and landing pages of 64 MiB at most. Without commands, one unused queue.
DevicePagerOptions fit_queues(DevicePagerOptions options, std::uint64_t frames) {
  if (options.delivery == Delivery::source) options.queues = 1;
  constexpr std::uint64_t kMostLandingBytes = std::uint64_t{64} << 20;
  const std::uint64_t commands = std::min(std::bit_ceil(frames), kMostLandingBytes / options.page_bytes);
  options.queue_depth = std::bit_ceil(options.queue_depth);
  while (std::uint64_t{options.queues} * options.queue_depth > commands && options.queue_depth > 8) options.queue_depth /= 2;
  while (std::uint64_t{options.queues} * options.queue_depth > commands && options.queues > 1) options.queues /= 2;
  return options;
}

int choose_controllers(const DevicePagerOptions& options) {
  if (options.delivery == Delivery::source) return 0;
  const int threads = options.controllers > 0 ? options.controllers : static_cast<int>(std::thread::hardware_concurrency()) / 2;
  return std::clamp(threads, 1, static_cast<int>(options.queues));
}

}  // namespace

struct DevicePager::Parts {
  Parts(const DevicePagerOptions& given, CudaExecutor& executor, PageId pages, std::uint64_t frame_count, bool stay,
        bool has_fresh)
      : options(given),
        exec(executor),
        num_pages(pages),
        words(std::max<PageId>(pages, 1)),
        owners(frame_count),
        hand(1),
        resident(stay ? bitmap_words(pages) : 0),
        stored(has_fresh ? bitmap_words(pages) : 0),
        frames(frame_count << std::countr_zero(given.page_bytes)),
        own_memory(queue_memory(given.queues, given.queue_depth).own_bytes),
        shared_memory(queue_memory(given.queues, given.queue_depth).shared_bytes),
        landing(lands(given) ? std::uint64_t{given.queues} * given.queue_depth * given.page_bytes : 1),
        pairs(make_queue_pairs(given.queues, given.queue_depth, shared_memory.data(), own_memory.data())),
        device_pairs(given.queues),
        written(std::size_t{given.queues} * given.queue_depth),
        state(1) {}

  static bool lands(const DevicePagerOptions& options) { return options.delivery == Delivery::landing || !options.cached; }
  static std::size_t bitmap_words(PageId pages) { return static_cast<std::size_t>(pages / 32 + 1); }

  DevicePagerOptions options;
  CudaExecutor& exec;
  PageId num_pages;
  DeviceArray<std::uint64_t> words;
  DeviceArray<std::uint64_t> owners;
  DeviceArray<std::uint64_t> hand;
  DeviceArray<std::uint32_t> resident;
  DeviceArray<std::uint32_t> stored;
  DeviceArray<std::byte> frames;
  DeviceArray<std::byte> own_memory;
  PinnedMemory shared_memory;
  PinnedMemory landing;
  std::vector<QueuePair> pairs;
  DeviceArray<QueuePair> device_pairs;
  DeviceArray<PageIndex> written;
  DeviceArray<DevicePagerState> state;
  DevicePagerState start{};               ///< at the start
  std::uint64_t misses_before_reset = 0;  ///< and since the cache was empty
  std::vector<std::unique_ptr<ControllerThread>> controllers;
};

DevicePager::DevicePager(const DevicePagerOptions& given, std::vector<PagedColumn>& columns, CudaExecutor& exec,
                         const OpenEngine& open_engine) {
  cuda::load_page_kernels();
  if (given.cache_bytes < least_cache_bytes(given))
    raise<UsageError>("a --cache of {} is too small for pages of {} on a GPU: the smallest that is accepted is {} bytes",
                      format_bytes(given.cache_bytes), format_bytes(given.page_bytes), least_cache_bytes(given));
  if (columns.size() > DevicePagerState::kMostColumns) throw UsageError("too many columns for one cache");
  const PageId pages = lay_out_pages(columns, given.page_bytes);
  if (pages >= kNoFrame)
    raise<UsageError>("{} pages of {} are more than a GPU's cache can number: choose larger pages", pages,
                      format_bytes(given.page_bytes));
  const std::uint64_t frames = std::min<std::uint64_t>(given.cache_bytes / given.page_bytes, std::max<PageId>(pages, 1));
  const DevicePagerOptions options = fit_queues(given, frames);
  const bool stay = frames >= pages && options.cached;
  const bool has_fresh = std::any_of(columns.begin(), columns.end(), [](const PagedColumn& column) { return column.fresh; });
  parts_ = std::make_unique<Parts>(options, exec, pages, frames, stay, has_fresh);
  Parts& parts = *parts_;
  exec.fill_words(parts.own_memory.data(), 0, parts.own_memory.size() / 4);
  exec.copy_to_device(parts.device_pairs.data(), parts.pairs.data(), parts.device_pairs.bytes());

  DevicePagerState& start = parts.start;
  start = {.table = {parts.words.data(), parts.owners.data(), parts.hand.data(), static_cast<FrameId>(frames), stay},
           .resident = parts.resident.data(),
           .stored = parts.stored.data(),
           .frames = parts.frames.data(),
           .landing = parts.landing.data(),
           .written = parts.written.data(),
           .queues = parts.device_pairs.data(),
           .num_queues = options.queues,
           .doorbell_batch = std::min(options.doorbell_batch, options.queue_depth),
           .page_shift = static_cast<std::uint32_t>(std::countr_zero(options.page_bytes)),
           .num_columns = static_cast<std::uint32_t>(columns.size()),
           .delivery = options.delivery,
           .cached = options.cached,
           .coalesce = options.coalesce,
           .reuse = options.reuse,
           .deadline_ns = static_cast<std::uint64_t>(std::chrono::nanoseconds(options.deadline).count())};
  std::copy(columns.begin(), columns.end(), start.columns);
  exec.copy_to_device(parts.state.data(), &start, sizeof(start));
  exec.fill_words(parts.stored.data(), 0, parts.stored.size());
  exec.fill_words(parts.frames.data(), 0, parts.frames.size() / 4);  // a page that cannot come reads as some vertex
  drop();

  const int threads = choose_controllers(options);
  const std::span<const QueuePair> all = parts.pairs;
  for (int t = 0; t < threads; ++t) {
    const std::size_t begin = all.size() * t / threads;
    const std::size_t end = all.size() * (t + 1) / threads;
    parts.controllers.push_back(std::make_unique<ControllerThread>(
        all.subspan(begin, end - begin), open_engine(static_cast<std::uint32_t>(end - begin) * options.queue_depth), exec,
        parts.landing.span()));
  }
  if (threads != 0) parts.controllers.front()->controller().check_sectors(options.page_bytes);
}

DevicePager::~DevicePager() = default;

DevicePages DevicePager::pages() const {
  const DevicePagerState& start = parts_->start;
  return {parts_->state.data(), start.resident, start.frames, start.page_shift, all_pages_fit()};
}
std::uint64_t DevicePager::frames() const { return parts_->start.table.num_frames; }
bool DevicePager::all_pages_fit() const { return parts_->start.table.all_pages_fit; }
std::uint32_t DevicePager::page_bytes() const { return parts_->options.page_bytes; }
std::uint32_t DevicePager::queues() const { return parts_->options.queues; }
std::uint32_t DevicePager::queue_depth() const { return parts_->options.queue_depth; }
int DevicePager::controllers() const { return static_cast<int>(parts_->controllers.size()); }
const BlockEngine& DevicePager::engine() const { return parts_->controllers.front()->controller().engine(); }

void DevicePager::flush(PageId first, PageId last) {
  throw_if_failed();
  const PageId end = std::min(last, parts_->num_pages - 1) + 1;
  if (parts_->num_pages != 0 && first < end) cuda::flush_pages(parts_->exec, parts_->state.data(), first, end);
  throw_if_failed();
}

void DevicePager::fill() {
  if (!all_pages_fit())
    raise<UsageError>("a cache of {} frames cannot be filled with all {} pages: that takes --cache {}", frames(),
                      parts_->num_pages, parts_->num_pages * parts_->options.page_bytes);
  if (holds_all()) return;
  cuda::fill_pages(parts_->exec, pages(), parts_->num_pages);
  throw_if_failed();
}

bool DevicePager::holds_all() const {
  return all_pages_fit() && counters().misses + parts_->misses_before_reset == parts_->num_pages;
}

void DevicePager::drop() {
  CudaExecutor& exec = parts_->exec;
  for (const auto* array : {&parts_->words, &parts_->owners, &parts_->hand})
    exec.fill_words(array->data(), 0, array->bytes() / 4);
  exec.fill_words(parts_->resident.data(), 0, parts_->resident.size());
  exec.finish();
  reset_counters();
  parts_->misses_before_reset = 0;
}

void DevicePager::drop_cached() {
  if (!parts_->controllers.empty()) parts_->controllers.front()->controller().drop_cached();  // all have the same files
}

PagerCounters DevicePager::counters() const {
  PagerCounters sum;
  for (const auto& thread : parts_->controllers) sum += thread->controller().counters();
  if (parts_->options.delivery == Delivery::source) {
    unsigned long long copied[2];
    parts_->exec.copy_to_host(copied, &parts_->state.data()->copied, sizeof(copied));
    sum = {copied[0], copied[0] * parts_->options.page_bytes, copied[1] * parts_->options.page_bytes};
  }
  return sum;
}

void DevicePager::reset_counters() {
  parts_->misses_before_reset += counters().misses;
  for (const auto& thread : parts_->controllers) thread->controller().reset_counters();
  if (parts_->options.delivery == Delivery::source) {
    constexpr unsigned long long kNone[2] = {};
    parts_->exec.copy_to_device(&parts_->state.data()->copied, kNone, sizeof(kNone));
  }
}

void DevicePager::throw_if_failed() {
  DevicePagerState::Failure failure{};
  parts_->exec.copy_to_host(&failure, &parts_->state.data()->failure, sizeof(failure));
  using Fault = DevicePagerState::Fault;
  if (failure.fault == Fault::none) return;
  if (failure.fault == Fault::read_only)
    raise<RunError>("page {} was written to, but its file was opened for reading", failure.page);
  const auto place = fmt::format("page {} (queue {}, command {})", failure.page, failure.queue, failure.slot);
  const auto limit_ms = parts_->options.deadline.count();
  if (failure.fault == Fault::unsent)
    raise<RunError>("storage: the command for {} was not sent within {} ms: the one before it was never written", place,
                    limit_ms);
  std::string reason;  // the first that a controller has
  const bool is_late = failure.fault == Fault::deadline;
  for (const auto& thread : parts_->controllers) {
    if (reason.empty()) reason = is_late ? thread->failure() : thread->controller().last_error();
  }
  if (is_late)
    raise<RunError>("storage: {} did not arrive within {} ms{}{}", place, limit_ms, reason.empty() ? "" : ": ", reason);
  if (failure.status == DevicePagerState::kWrongIds)
    raise<RunError>("{} holds ids that are no vertices: the bytes that came are not those of the graph ({})", place,
                    engine().description());
  raise<RunError>("storage: moving {} failed ({}): {}", place, nvme::status_text(failure.status), reason);
}

}  // namespace graphrun
