// The slow way of a warp to pages of a DevicePager: claiming them, asking storage for them, waiting, bringing them into frames,
// and sending pages that were written to back to storage. All 32 lanes call together; each may want another page.
//
// A warp never waits while it relies on a frame, so whoever relies on one gets on: that is why caches of a few pages work. Lanes
// that want the same page ask for it once, through their first lane (coalescing), and a warp whose lanes all wanted the same
// page keeps it for what comes next (reuse); both are BaM's (Qureshi et al., ASPLOS 2023, section 3.4).
//
// Whoever needs a frame and meets pages that were written to sends them on their way and looks further; whoever finds their
// completions ends it. So writing back overlaps with reading, which the paper leaves as future work.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "graphrun/cache/device_pager.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/exec/cuda_warp_basics.cuh"

namespace graphrun::cuda {

/// What a lane wants of an element: to read it, or, in the whole warp, to write it.
struct ElementAccess {
  PageIndex page;
  std::uint32_t offset;  ///< bytes from the page's start
  std::uint32_t bytes;   ///< 4 or 8
  bool wants;
  bool writes;
  std::uint64_t bits;  ///< the element
};

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

/// Copies a page with the whole warp. `kFromFar`: the source is in memory that the host changes.
template <bool kFromFar>
__device__ void copy_page(const std::byte* source, std::byte* target, std::uint32_t page_shift) {
  const auto* from = reinterpret_cast<const uint4*>(source);
  auto* to = reinterpret_cast<uint4*>(target);
  const unsigned vectors = (1u << page_shift) / sizeof(uint4);  // a multiple of the warp
  constexpr unsigned kInFlight = 4;
  for (unsigned base = lane_id(); base < vectors; base += kWarp * kInFlight) {
    uint4 piece[kInFlight];
#pragma unroll
    for (unsigned j = 0; j < kInFlight; ++j) {
      const uint4* at = from + base + j * kWarp;
      if (base + j * kWarp < vectors) piece[j] = kFromFar ? __ldcv(at) : __ldcg(at);
    }
#pragma unroll
    for (unsigned j = 0; j < kInFlight; ++j) {
      if (base + j * kWarp < vectors) __stcg(to + base + j * kWarp, piece[j]);
    }
  }
}

/// The same for what is left of a column on its last page, either way.
__device__ inline void copy_end(const std::byte* source, std::byte* target, std::uint64_t bytes) {
  const auto* from = reinterpret_cast<const unsigned*>(source);
  for (std::uint64_t i = lane_id(); i < bytes / sizeof(unsigned); i += kWarp) {
    __stcg(reinterpret_cast<unsigned*>(target) + i, __ldcv(from + i));
  }
}

__device__ inline void clear_page(std::byte* target, std::uint32_t page_shift) {
  auto* to = reinterpret_cast<uint4*>(target);
  const unsigned vectors = (1u << page_shift) / sizeof(uint4);
  for (unsigned i = lane_id(); i < vectors; i += kWarp) __stcg(to + i, uint4{0, 0, 0, 0});
}

__device__ inline std::byte* frame_data(const DevicePagerState& pager, FrameId frame) {
  return pager.frames + (std::uint64_t{frame} << pager.page_shift);
}

__device__ inline const DevicePagerState::Column& column_of(const DevicePagerState& pager, PageIndex page) {
  std::uint32_t column = pager.num_columns - 1;
  while (page < pager.columns[column].first_page) --column;
  return pager.columns[column];
}

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
    while (!queue_.ring(ticket)) {
    }
  }

  /// One lane takes what has come. Reads are seen by who asked; writes end here.
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

  __device__ std::uint64_t first_block(PageIndex page) const {
    const DevicePagerState::Column& column = column_of(pager_, page);
    return column.first_block + ((page - column.first_page) << pager_.page_shift) / nvme::kBlockBytes;
  }

  DevicePagerState& pager_;
  const QueuePair& queue_;
  std::uint32_t index_;
};

/// Where a page lies in the memory that its column is in, and how much of it: less than a page at the end.
struct PlaceInSource {
  std::uint64_t offset;
  std::uint64_t bytes;

  __device__ PlaceInSource(const DevicePagerState& pager, const DevicePagerState::Column& column, PageIndex page)
      : offset((page - column.first_page) << pager.page_shift),
        bytes(min(1ull << pager.page_shift, static_cast<unsigned long long>(column.bytes - offset))) {}
  __device__ bool is_whole(const DevicePagerState& pager) const { return bytes >> pager.page_shift != 0; }
};

/// Copies a page that was written to back to where it came from, with the whole warp, unless somebody uses it. Who writes to it
/// meanwhile makes it dirty again.
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

/// Sends a page that was written to on its way to storage, with the whole warp, unless somebody uses it or the queue is full.
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
  /// waiting_for_frame: nobody else loads the page. at_hand: it has a frame, and no storage need be asked for it.
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
    // While a reference is held, or nothing is evicted, nobody makes it clean.
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

/// A warp on the slow way.
class WarpFetch {
 public:
  __device__ WarpFetch(DevicePagerState& pager, ElementAccess& access, bool may_keep)
      : pager_(pager),
        access_(access),
        lane_(lane_id()),
        queue_(pager, static_cast<std::uint32_t>(warp_id() % pager.num_queues)),
        request_(pager, access.page),
        waits_(access.wants) {
    all_ = __ballot_sync(kAllLanes, waits_);
    const unsigned together = lanes_of_page();
    keeps_ = may_keep && pager.reuse && pager.cached && __all_sync(kAllLanes, !waits_ || together == all_);
  }

  /// Until all lanes have what they want. Returns the frame of the page that is kept, with a reference, or kNoFrame. Zeros are
  /// read once the pager has failed.
  __device__ FrameId run() {
    std::uint64_t waits_since = 0;
    for (std::uint32_t round = 0; __any_sync(kAllLanes, waits_); ++round) {
      leader_ = first_lane(lanes_of_page());
      here_ = kNoFrame;
      served_ = false;
      if (waits_ && lane_ == leader_) here_ = request_.advance(queue_);
      __syncwarp();
      send_dirty_pages();
      reap(round);
      bring_in();
      use();
      if (__any_sync(kAllLanes, served_)) {
        waits_since = 0;
        continue;
      }
      const std::uint64_t now = global_nanoseconds();
      if (waits_since == 0) waits_since = now;
      if (waits_ && now - waits_since > pager_.deadline_ns) {
        record_failure(pager_, DevicePagerState::Fault::deadline, 0, queue_.index(), is_posted() ? request_.slot(queue_) : 0,
                       access_.page);
      }
      if (__any_sync(kAllLanes, has_failed(pager_))) {
        access_.bits = 0;
        return kNoFrame;
      }
      __nanosleep(200);
    }
    return kept_;
  }

 private:
  __device__ bool is_posted() const { return request_.stage() == PageRequest::Stage::posted; }

  /// Lanes that want the same page as this one.
  __device__ unsigned lanes_of_page() const {
    if (!pager_.coalesce) return waits_ ? 1u << lane_ : 0u;
    const unsigned same = __match_any_sync(kAllLanes, waits_ ? access_.page : kNoPage);
    return waits_ ? same : 0u;
  }

  __device__ void send_dirty_pages() {
    for (unsigned lanes = __ballot_sync(kAllLanes, request_.dirty_page() != kNoPage); lanes != 0; lanes &= lanes - 1) {
      write_back(pager_, queue_, __shfl_sync(kAllLanes, request_.dirty_page(), first_lane(lanes)));
    }
  }

  /// Who lacks a frame looks into other queues too: a page that is on its way to storage may have been sent by a warp that is
  /// gone.
  __device__ void reap(std::uint32_t round) {
    const unsigned lacks = __ballot_sync(kAllLanes, request_.stage() == PageRequest::Stage::waiting_for_frame);
    if (lacks != 0 && lane_ == first_lane(lacks)) PagerQueue(pager_, (queue_.index() + round) % pager_.num_queues).reap();
    const unsigned posted = __ballot_sync(kAllLanes, is_posted());
    if (posted != 0 && lane_ == first_lane(posted)) queue_.reap();
    __syncwarp();
  }

  /// Pages that have come go into their frames, with all lanes.
  __device__ void bring_in() {
    const bool at_hand = request_.stage() == PageRequest::Stage::at_hand;
    const std::uint32_t outcome = is_posted() ? request_.outcome(queue_) : QueuePair::kPending;
    __syncwarp();  // the landing pages of what is done may be read by all lanes now
    for (unsigned done = __ballot_sync(kAllLanes, at_hand || outcome != QueuePair::kPending); done != 0; done &= done - 1) {
      const int owner = first_lane(done);
      const bool is_at_hand = __shfl_sync(kAllLanes, at_hand, owner);
      std::uint32_t status = is_at_hand ? 0 : __shfl_sync(kAllLanes, outcome, owner) - QueuePair::kDone;
      const std::uint32_t slot = __shfl_sync(kAllLanes, request_.slot(queue_), owner);
      const FrameId frame = __shfl_sync(kAllLanes, request_.frame(), owner);
      if (is_at_hand) {
        fill_frame(__shfl_sync(kAllLanes, access_.page, owner), frame);
      } else if (status == 0 && !pager_.cached) {
        if (waits_ && leader_ == owner) read_landed(slot);
      } else if (status == 0 && pager_.delivery == Delivery::landing) {
        copy_page<true>(queue_.landing(slot), frame_data(pager_, frame), pager_.page_shift);
        __syncwarp();
        if (!are_ids_sound(__shfl_sync(kAllLanes, access_.page, owner), frame)) status = DevicePagerState::kWrongIds;
      }
      __syncwarp();
      if (lane_ == owner) settle(is_at_hand, status, slot);
    }
    __syncwarp();
  }

  __device__ void read_landed(std::uint32_t slot) {
    const std::byte* at = queue_.landing(slot) + access_.offset;
    access_.bits = access_.bytes == 4 ? __ldcv(reinterpret_cast<const unsigned*>(at))
                                      : __ldcv(reinterpret_cast<const unsigned long long*>(at));
    served_ = true;
  }

  /// A page that needs no storage: a copy of its source, or zeros.
  __device__ void fill_frame(PageIndex page, FrameId frame) {
    if (pager_.delivery != Delivery::source) return clear_page(frame_data(pager_, frame), pager_.page_shift);
    const DevicePagerState::Column& column = column_of(pager_, page);
    const PlaceInSource place(pager_, column, page);
    if (place.is_whole(pager_)) {
      copy_page<true>(column.source + place.offset, frame_data(pager_, frame), pager_.page_shift);
    } else {
      copy_end(column.source + place.offset, frame_data(pager_, frame), place.bytes);
    }
    if (lane_ == 0) atomicAdd(&pager_.copied, 1ull);
  }

  /// What nobody checked before may hold anything.
  __device__ bool are_ids_sound(PageIndex page, FrameId frame) const {
    const DevicePagerState::Column& column = column_of(pager_, page);
    if (column.id_limit == 0) return true;
    const std::uint64_t bytes = PlaceInSource(pager_, column, page).bytes;
    const auto* ids = reinterpret_cast<const VertexId*>(frame_data(pager_, frame));
    bool sound = true;
    for (std::uint64_t i = lane_; i < bytes / sizeof(VertexId); i += kWarp) sound &= __ldcg(ids + i) < column.id_limit;
    return __all_sync(kAllLanes, sound);
  }

  __device__ void settle(bool is_at_hand, std::uint32_t status, std::uint32_t slot) {
    if (!is_at_hand) queue_.finish(slot);
    if (status != 0) {
      record_failure(pager_, DevicePagerState::Fault::status, status, queue_.index(), slot, access_.page);
      request_.abandon();
    } else if (pager_.cached) {
      request_.publish();
      here_ = request_.frame();
    } else {
      request_.forget();
    }
  }

  /// Lanes whose page is here do what they want with it.
  __device__ void use() {
    const FrameId frame = __shfl_sync(kAllLanes, here_, waits_ ? leader_ : 0);
    if (waits_ && frame != kNoFrame) {
      std::byte* at = frame_data(pager_, frame) + access_.offset;
      auto* word = reinterpret_cast<unsigned*>(at);
      auto* words = reinterpret_cast<unsigned long long*>(at);
      if (access_.writes) {
        access_.bytes == 4 ? __stcg(word, static_cast<unsigned>(access_.bits)) : __stcg(words, access_.bits);
      } else {
        access_.bits = access_.bytes == 4 ? __ldcg(word) : __ldcg(words);
      }
      served_ = true;
    }
    waits_ = waits_ && !served_;
    __syncwarp();
    if (here_ != kNoFrame) {
      if (access_.writes) request_.mark_dirty();
      if (!keeps_) request_.release();
    }
    if (keeps_ && __any_sync(kAllLanes, served_)) kept_ = __shfl_sync(kAllLanes, here_, first_lane(all_));
  }

  DevicePagerState& pager_;
  ElementAccess& access_;
  int lane_;
  PagerQueue queue_;
  PageRequest request_;
  bool waits_;
  unsigned all_ = 0;    ///< lanes that wanted anything
  bool keeps_ = false;  ///< all of them wanted the same page
  int leader_ = 0;      ///< of this lane's page
  FrameId here_ = kNoFrame;
  bool served_ = false;
  FrameId kept_ = kNoFrame;
};

/// What the lanes want of elements, the slow way.
static __device__ __noinline__ FrameId fetch_elements(DevicePagerState& pager, ElementAccess& access, bool may_keep) {
  return WarpFetch(pager, access, may_keep).run();
}

}  // namespace graphrun::cuda
