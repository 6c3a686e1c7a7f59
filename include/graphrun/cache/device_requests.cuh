// SPDX-License-Identifier: Apache-2.0
// Frames of a DevicePager for warps, and requests of single lanes for pages, by commands in queues.
//
// A warp that needs a frame and meets dirty pages sends them to storage and looks further. The warp that finds their completions
// ends the write. So write-back overlaps with reads, which BaM's paper leaves as future work.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "graphrun/cache/device_pager.hpp"
#include "graphrun/exec/cuda_warp_basics.cuh"

namespace graphrun::cuda {

__device__ inline std::uint64_t global_nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__device__ inline int first_lane(unsigned lanes) { return __ffs(static_cast<int>(lanes)) - 1; }

__device__ inline bool test_bit(const std::uint32_t* bits, PageIndex page) {
  return (sync::load_relaxed(bits[page / 32]) >> page % 32 & 1u) != 0;
}
/// Acquires and releases.
__device__ inline void set_bit(std::uint32_t* bits, PageIndex page) { sync::fetch_or(bits[page / 32], 1u << page % 32); }

__device__ inline void record_failure(DevicePagerState& pager, DevicePagerState::Fault fault, std::uint32_t status,
                                      std::uint32_t queue, std::uint32_t slot, PageId page) {
  auto* word = reinterpret_cast<unsigned*>(&pager.failure.fault);
  if (atomicCAS(word, 0u, static_cast<unsigned>(fault)) != 0) return;
  pager.failure.status = status;
  pager.failure.queue = queue;
  pager.failure.slot = slot;
  pager.failure.page = page;
}
__device__ inline bool has_failed(const DevicePagerState& pager) {
  return *const_cast<const volatile DevicePagerState::Fault*>(&pager.failure.fault) != DevicePagerState::Fault::none;
}

/// The lanes that work together: a whole warp, or one lane whose others may do something else.
template <int kLanes>
struct Lanes {
  static_assert(kLanes == 1 || kLanes == kWarp);
  __device__ static unsigned id() { return kLanes == 1 ? 0 : lane_id(); }
  __device__ static void sync() {
    if constexpr (kLanes != 1) __syncwarp();
  }
  /// Returns the value of the first lane.
  template <class T>
  __device__ static T from_first(T value) {
    if constexpr (kLanes != 1) return __shfl_sync(kAllLanes, value, 0);
    return value;
  }
};

/// Copies a page. `kFromFar`: the source is in memory that the host changes.
template <bool kFromFar, int kLanes = kWarp>
__device__ void copy_page(const std::byte* source, std::byte* target, std::uint32_t page_shift) {
  const auto* from = reinterpret_cast<const uint4*>(source);
  auto* to = reinterpret_cast<uint4*>(target);
  const unsigned vectors = (1u << page_shift) / sizeof(uint4);  // a multiple of the warp
  constexpr unsigned kInFlight = kLanes == 1 ? 16 : 4;
  for (unsigned base = Lanes<kLanes>::id(); base < vectors; base += kLanes * kInFlight) {
    uint4 piece[kInFlight];
#pragma unroll
    for (unsigned j = 0; j < kInFlight; ++j) {
      const uint4* at = from + base + j * kLanes;
      if (base + j * kLanes < vectors) piece[j] = kFromFar ? __ldcv(at) : __ldcg(at);
    }
#pragma unroll
    for (unsigned j = 0; j < kInFlight; ++j) {
      if (base + j * kLanes < vectors) __stcg(to + base + j * kLanes, piece[j]);
    }
  }
}

template <int kLanes = kWarp>
__device__ void clear_page(std::byte* target, std::uint32_t page_shift) {
  auto* to = reinterpret_cast<uint4*>(target);
  const unsigned vectors = (1u << page_shift) / sizeof(uint4);
  for (unsigned i = Lanes<kLanes>::id(); i < vectors; i += kLanes) __stcg(to + i, uint4{0, 0, 0, 0});
}

__device__ inline std::byte* frame_data(const DevicePagerState& pager, FrameId frame) {
  return pager.frames + (std::uint64_t{frame} << pager.page_shift);
}

__device__ inline const PagedColumn& column_of(const DevicePagerState& pager, PageIndex page) {
  std::uint32_t column = pager.num_columns - 1;
  while (page < pager.columns[column].first_page) --column;
  return pager.columns[column];
}

/// A page in the memory of its column, and its bytes there: less than a page at the end.
struct PlaceInSource {
  const PagedColumn& column;
  std::uint64_t offset;
  std::uint64_t bytes;

  __device__ PlaceInSource(const DevicePagerState& pager, PageIndex page)
      : column(column_of(pager, page)),
        offset((page - column.first_page) << pager.page_shift),
        bytes(min(1ull << pager.page_shift, static_cast<unsigned long long>(column.bytes - offset))) {}

  /// Copies the page, either way.
  template <bool kFromFar, int kLanes = kWarp>
  __device__ void copy(const DevicePagerState& pager, const std::byte* source, std::byte* target) const {
    if (bytes >> pager.page_shift != 0) return copy_page<kFromFar, kLanes>(source, target, pager.page_shift);
    const auto* from = reinterpret_cast<const unsigned*>(source);
    const std::uint64_t words = bytes / sizeof(unsigned);
    for (std::uint64_t i = Lanes<kLanes>::id(); i < words; i += kLanes)
      __stcg(reinterpret_cast<unsigned*>(target) + i, __ldcv(from + i));
    const auto* rest = reinterpret_cast<const unsigned char*>(source);  // of elements of 1 and 2 bytes
    for (std::uint64_t i = words * sizeof(unsigned) + Lanes<kLanes>::id(); i < bytes; i += kLanes)
      __stcg(reinterpret_cast<unsigned char*>(target) + i, __ldcv(rest + i));
  }
};

/// A queue, for warps.
class PagerQueue {
 public:
  using Ticket = QueuePair::Ticket;

  __device__ PagerQueue(DevicePagerState& pager, std::uint32_t index)
      : pager_(pager), queue_(pager.queues[index]), index_(index) {}

  __device__ std::uint32_t index() const { return index_; }
  __device__ bool try_draw_ticket(Ticket& ticket) const { return queue_.try_draw_ticket(ticket); }
  __device__ std::uint32_t slot(Ticket ticket) const { return queue_.slot_of(ticket); }
  __device__ std::uint32_t outcome(Ticket ticket) const { return queue_.outcome(ticket); }
  __device__ void finish(std::uint32_t slot) const { queue_.finish(slot); }
  __device__ std::byte* landing(std::uint32_t slot) const { return pager_.landing + (place(slot) << pager_.page_shift); }

  /// Posts a command by one lane, which sees it before the doorbell.
  __device__ void post(Ticket ticket, nvme::Opcode opcode, PageIndex page, FrameId frame) const {
    const bool lands = pager_.delivery == Delivery::landing || !pager_.cached;
    const auto address = reinterpret_cast<std::uint64_t>(lands ? landing(slot(ticket)) : frame_data(pager_, frame));
    pager_.written[place(slot(ticket))] = opcode == nvme::Opcode::write ? page : kNoPage;
    queue_.write(ticket, nvme::transfer(opcode, address, first_block(page), 1u << pager_.page_shift));
    wait_to_ring(ticket, page);
  }

  /// Takes new completions by one lane. Writes end here; the outcome of a read waits in its slot for the lane that asked.
  __device__ void reap() const {
    queue_.reap([this](std::uint32_t slot, std::uint32_t status) {
      const PageIndex page = pager_.written[place(slot)];
      if (page == kNoPage) return;
      if (status != 0) {
        record_failure(pager_, DevicePagerState::Fault::status, status, index_, slot, page);
      } else if (pager_.stored != nullptr) {
        set_bit(pager_.stored, page);
      }
      pager_.table.end_cleaning(page, status == 0);
      queue_.finish(slot);
    });
  }

 private:
  __device__ std::uint64_t place(std::uint32_t slot) const { return std::uint64_t{index_} * queue_.depth + slot; }

  /// Waits while the warp with the ticket before may not have written its command yet, and a while for a whole batch.
  __device__ void wait_to_ring(Ticket ticket, PageIndex page) const {
    if (queue_.ring(ticket, pager_.doorbell_batch)) return;
    constexpr std::uint64_t kBatchLimitNs = 20'000;
    const std::uint64_t since = global_nanoseconds();
    for (std::uint64_t waited = 0; !queue_.ring(ticket, waited < kBatchLimitNs ? pager_.doorbell_batch : 1);) {
      waited = global_nanoseconds() - since;
      if (waited <= pager_.deadline_ns) continue;
      return record_failure(pager_, DevicePagerState::Fault::unsent, 0, index_, slot(ticket), page);
    }
  }

  __device__ std::uint64_t first_block(PageIndex page) const {
    const PagedColumn& column = column_of(pager_, page);
    return (column.offset + ((page - column.first_page) << pager_.page_shift)) >> nvme::kBlockShift;
  }

  DevicePagerState& pager_;
  const QueuePair& queue_;
  std::uint32_t index_;
};

/// Sends a dirty page to storage, or copies it back to its source, unless it has references or the queue is full. A warp that
/// writes to it meanwhile makes it dirty again.
template <int kLanes = kWarp>
__device__ void write_back(DevicePagerState& pager, const PagerQueue& queue, PageIndex page) {
  using Together = Lanes<kLanes>;
  const bool copies = pager.delivery == Delivery::source;
  PagerQueue::Ticket ticket = 0;
  FrameId frame = kNoFrame;
  if (Together::id() == 0) {
    const PageTable::Cleaning cleaning = pager.table.begin_cleaning(page);
    if (cleaning.begun && (copies || queue.try_draw_ticket(ticket))) {
      frame = cleaning.frame;
    } else if (cleaning.begun) {
      pager.table.end_cleaning(page, false);
    }
  }
  frame = Together::from_first(frame);
  if (frame == kNoFrame) return;
  const std::uint32_t slot = Together::from_first(queue.slot(ticket));
  if (copies) {
    const PlaceInSource place(pager, page);
    place.template copy<false, kLanes>(pager, frame_data(pager, frame), place.column.target + place.offset);
  } else if (pager.delivery == Delivery::landing) {
    copy_page<false, kLanes>(frame_data(pager, frame), queue.landing(slot), pager.page_shift);
  }
  __threadfence_system();  // before another warp rings the doorbell, or finds the page clean and takes its frame
  Together::sync();
  if (Together::id() == 0 && copies) {
    atomicAdd(&pager.copied_back, 1ull);
    pager.table.end_cleaning(page, true);
  } else if (Together::id() == 0) {
    queue.post(ticket, nvme::Opcode::write, page, frame);
  }
  Together::sync();
}

/// A request for a page, by the first lane that wants it.
class PageRequest {
 public:
  /// waiting_for_frame: this lane loads the page, and lacks a frame or a place in the queue. at_hand: it has a frame, and needs
  /// no storage.
  enum class Stage { none, waiting_for_frame, posted, at_hand };

  __device__ PageRequest(DevicePagerState& pager, PageIndex page) : pager_(pager), page_(page) {}

  /// Makes one step towards the page. Returns its frame, with a reference, when it is here; never waits.
  __device__ FrameId advance(const PagerQueue& queue) {
    dirty_page_ = kNoPage;
    if (stage_ == Stage::none && !pager_.cached) stage_ = Stage::waiting_for_frame;  // for itself alone
    if (stage_ == Stage::none) {
      const PageTable::Grabbed grabbed = pager_.table.grab(page_, pager_.table.references());
      if (grabbed.answer == PageTable::Answer::resident) return grabbed.frame;
      if (grabbed.answer == PageTable::Answer::claimed) stage_ = Stage::waiting_for_frame;
    }
    if (stage_ == Stage::waiting_for_frame) ask(queue);
    return kNoFrame;
  }
  __device__ Stage stage() const { return stage_; }
  __device__ std::uint32_t outcome(const PagerQueue& queue) const { return queue.outcome(ticket_); }
  __device__ std::uint32_t slot(const PagerQueue& queue) const { return queue.slot(ticket_); }
  __device__ FrameId frame() const { return frame_; }
  /// Returns the dirty page that the last step met, or kNoPage.
  __device__ PageIndex dirty_page() const { return dirty_page_; }

  /// Marks the page as in its frame. The caller has a reference.
  __device__ void publish() {
    pager_.table.publish(page_, frame_, pager_.table.references());
    if (pager_.table.all_pages_fit) set_bit(pager_.resident, page_);
    stage_ = Stage::none;
  }
  __device__ void abandon() {
    if (pager_.cached) pager_.table.abandon(page_, frame_);
    stage_ = Stage::none;
  }
  /// Ends the request without a cache, once the page was used where it landed.
  __device__ void forget() { stage_ = Stage::none; }
  __device__ void mark_dirty() const {
    // No warp makes the page clean while it has references, or where nothing is evicted.
    if ((sync::load_relaxed(pager_.table.words[page_]) & page_word::kDirty) == 0) pager_.table.mark_dirty(page_);
  }
  __device__ void release() const {
    if (!pager_.table.all_pages_fit) pager_.table.release(page_, 1);
  }

 private:
  __device__ void ask(const PagerQueue& queue) {
    if (pager_.cached && frame_ == kNoFrame && !take_frame()) return;
    if (pager_.delivery == Delivery::source || is_blank()) {
      stage_ = Stage::at_hand;
      return;
    }
    if (!queue.try_draw_ticket(ticket_)) return;
    queue.post(ticket_, nvme::Opcode::read, page_, frame_);
    stage_ = Stage::posted;
  }
  __device__ bool take_frame() {
    constexpr std::uint64_t kTries = 32;
    frame_ = pager_.table.all_pages_fit
                 ? page_
                 : pager_.table.take_frame(kTries, [this](PageId page) { dirty_page_ = static_cast<PageIndex>(page); });
    return frame_ != kNoFrame;
  }
  __device__ bool is_blank() const {
    return pager_.stored != nullptr && column_of(pager_, page_).fresh && !test_bit(pager_.stored, page_);
  }

  DevicePagerState& pager_;
  PageIndex page_;
  Stage stage_ = Stage::none;
  FrameId frame_ = kNoFrame;
  PageIndex dirty_page_ = kNoPage;
  QueuePair::Ticket ticket_ = 0;
};

}  // namespace graphrun::cuda
