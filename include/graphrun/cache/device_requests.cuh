// What one lane does about a page: a command in a queue, and the steps from wanting a page to having it. And what a warp does
// about pages that were written to.
//
// A warp that needs a frame and meets pages that were written to sends them to storage and looks further. The warp that finds
// their completions ends the write. So writing back overlaps with reading, which BaM's paper leaves as future work.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "graphrun/cache/device_frames.cuh"
#include "graphrun/cache/device_pager.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/exec/cuda_warp_basics.cuh"

namespace graphrun::cuda {

/// One of the queues, as a warp uses it.
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

  /// One lane posts a command, and sees it before the doorbell.
  __device__ void post(Ticket ticket, nvme::Opcode opcode, PageIndex page, FrameId frame) const {
    const bool lands = pager_.delivery == Delivery::landing || !pager_.cached;
    const auto address = reinterpret_cast<std::uint64_t>(lands ? landing(slot(ticket)) : frame_data(pager_, frame));
    pager_.written[place(slot(ticket))] = opcode == nvme::Opcode::write ? page : kNoPage;
    queue_.write(ticket, nvme::transfer(opcode, address, first_block(page), 1u << pager_.page_shift));
    wait_to_ring(ticket, page);
  }

  /// One lane takes new completions. Writes end here; the outcome of a read waits in its slot for the lane that asked.
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

  /// The warp with the ticket before may not have written its command yet.
  __device__ void wait_to_ring(Ticket ticket, PageIndex page) const {
    if (queue_.ring(ticket)) return;
    const std::uint64_t since = global_nanoseconds();
    while (!queue_.ring(ticket)) {
      if (global_nanoseconds() - since <= pager_.deadline_ns) continue;
      return record_failure(pager_, DevicePagerState::Fault::unsent, 0, index_, slot(ticket), page);
    }
  }

  __device__ std::uint64_t first_block(PageIndex page) const {
    const DevicePagerState::Column& column = column_of(pager_, page);
    return column.first_block + ((page - column.first_page) << pager_.page_shift) / nvme::kBlockBytes;
  }

  DevicePagerState& pager_;
  const QueuePair& queue_;
  std::uint32_t index_;
};

/// Copies a page that was written to back to where it came from, with the whole warp, unless the page has references. A warp
/// that writes to it meanwhile makes it dirty again.
__device__ inline void copy_back(DevicePagerState& pager, PageIndex page) {
  FrameId frame = kNoFrame;
  if (lane_id() == 0) {
    const PageTable::Cleaning cleaning = pager.table.begin_cleaning(page);
    if (cleaning.begun) frame = cleaning.frame;
  }
  frame = __shfl_sync(kAllLanes, frame, 0);
  if (frame == kNoFrame) return;
  const DevicePagerState::Column& column = column_of(pager, page);
  const PlaceInSource place(pager, column, page);
  if (place.is_whole(pager)) {
    copy_page<false>(frame_data(pager, frame), column.target + place.offset, pager.page_shift);
  } else {
    copy_end(frame_data(pager, frame), column.target + place.offset, place.bytes);
  }
  __threadfence_system();  // before others find the page clean, take its frame, and read it anew
  __syncwarp();
  if (lane_id() == 0) {
    atomicAdd(&pager.copied_back, 1ull);
    pager.table.end_cleaning(page, true);
  }
  __syncwarp();
}

/// Sends a page that was written to on its way to storage, with the whole warp, unless it has references or the queue is full.
__device__ inline void write_back(DevicePagerState& pager, const PagerQueue& queue, PageIndex page) {
  if (pager.delivery == Delivery::source) return copy_back(pager, page);
  PagerQueue::Ticket ticket = 0;
  FrameId frame = kNoFrame;
  if (lane_id() == 0) {
    const PageTable::Cleaning cleaning = pager.table.begin_cleaning(page);
    if (cleaning.begun) {
      if (queue.try_draw_ticket(ticket)) {
        frame = cleaning.frame;
      } else {
        pager.table.end_cleaning(page, false);
      }
    }
  }
  frame = __shfl_sync(kAllLanes, frame, 0);
  if (frame == kNoFrame) return;
  const std::uint32_t slot = __shfl_sync(kAllLanes, queue.slot(ticket), 0);
  if (pager.delivery == Delivery::landing) copy_page<false>(frame_data(pager, frame), queue.landing(slot), pager.page_shift);
  __threadfence_system();  // before the doorbell that another warp may ring
  __syncwarp();
  if (lane_id() == 0) queue.post(ticket, nvme::Opcode::write, page, frame);
  __syncwarp();
}

/// What the first lane of those that want a page does about it.
class PageRequest {
 public:
  /// waiting_for_frame: this lane loads the page, and lacks a frame or a place in the queue. at_hand: the page has a frame, and
  /// no storage need be asked for it.
  enum class Stage { none, waiting_for_frame, posted, at_hand };

  __device__ PageRequest(DevicePagerState& pager, PageIndex page) : pager_(pager), page_(page) {}

  /// One step towards the page. Returns its frame, with a reference, when it is here; never waits.
  __device__ FrameId advance(const PagerQueue& queue) {
    dirty_page_ = kNoPage;
    if (stage_ == Stage::none && !pager_.cached) stage_ = Stage::waiting_for_frame;  // for itself alone
    if (stage_ == Stage::none) {
      const PageTable::Grabbed grabbed = pager_.table.grab(page_, references());
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
  /// A page that was in the way of the last step because it was written to, or kNoPage.
  __device__ PageIndex dirty_page() const { return dirty_page_; }

  /// The page is in its frame. The caller has a reference.
  __device__ void publish() {
    pager_.table.publish(page_, frame_, references());
    if (!pager_.evicts) set_bit(pager_.resident, page_);
    stage_ = Stage::none;
  }
  __device__ void abandon() {
    if (pager_.cached) pager_.table.abandon(page_, frame_);
    stage_ = Stage::none;
  }
  /// Without a cache: the page was used where it landed.
  __device__ void forget() { stage_ = Stage::none; }
  __device__ void mark_dirty() const {
    // No warp makes the page clean while it has references, or where nothing is evicted.
    if ((sync::load_relaxed(pager_.table.words[page_]) & page_word::kDirty) == 0) pager_.table.mark_dirty(page_);
  }
  __device__ void release() const {
    if (pager_.evicts) pager_.table.release(page_, 1);
  }

 private:
  __device__ std::uint64_t references() const { return pager_.evicts ? 1 : 0; }

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
    frame_ = !pager_.evicts
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
