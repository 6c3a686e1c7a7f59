// SPDX-License-Identifier: Apache-2.0
// The slow path of a warp to pages of a DevicePager: claims them, asks storage, waits, brings them into frames, and sends dirty
// pages back. All 32 lanes call together; each may want another page.
//
// A warp never waits while it relies on a frame: so caches of a few pages work. Lanes that want the same page ask for it once,
// through their first lane (coalescing). A warp whose lanes all wanted the same page keeps it (reuse). Both are BaM's (Qureshi et
// al., ASPLOS 2023, section 3.4).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "graphrun/cache/device_pager.hpp"
#include "graphrun/cache/device_requests.cuh"
#include "graphrun/exec/cuda_warp_basics.cuh"

namespace graphrun::cuda {

/// An access of a lane to an element: a read, or, in the whole warp, a write.
struct ElementAccess {
  PageIndex page;
  std::uint32_t offset;  ///< bytes from the page's start
  std::uint32_t bytes;   ///< a power of two, at most 16
  bool wants;
  bool writes;
  std::uint64_t bits;       ///< the element
  std::uint64_t high_bits;  ///< of one of 16 bytes
};

/// Moves an element of `Word` between a page and the access.
template <class Word>
__device__ void move_word(std::byte* page, ElementAccess& access, bool landed) {
  auto* const word = reinterpret_cast<Word*>(page + access.offset);
  if constexpr (sizeof(Word) == 16) {
    if (access.writes) return __stcg(word, Word{access.bits, access.high_bits});
    const Word value = landed ? __ldcv(word) : __ldcg(word);
    access.bits = value.x;
    access.high_bits = value.y;
  } else {
    if (access.writes) return __stcg(word, static_cast<Word>(access.bits));
    access.bits = landed ? __ldcv(word) : __ldcg(word);
  }
}

/// Reads the element from a page, or writes it there. `landed`: the page is in memory that the host changes.
__device__ inline void move_element(std::byte* page, ElementAccess& access, bool landed = false) {
  if (access.bytes == 4) return move_word<unsigned>(page, access, landed);
  if (access.bytes == 8) return move_word<unsigned long long>(page, access, landed);
  if (access.bytes == 16) return move_word<ulonglong2>(page, access, landed);
  if (access.bytes == 2) return move_word<unsigned short>(page, access, landed);
  move_word<unsigned char>(page, access, landed);
}

/// A warp on the slow path.
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

  /// Serves all lanes. Returns the frame of the page that is kept, with a reference, or kNoFrame. Reads zeros once the pager has
  /// failed.
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
      if (waits_ && now - waits_since > pager_.deadline_ns)
        record_failure(pager_, DevicePagerState::Fault::deadline, 0, queue_.index(), is_posted() ? request_.slot(queue_) : 0,
                       access_.page);
      if (__any_sync(kAllLanes, has_failed(pager_))) {
        access_.bits = access_.high_bits = 0;
        return kNoFrame;
      }
      __nanosleep(200);
    }
    return kept_;
  }

 private:
  __device__ bool is_posted() const { return request_.stage() == PageRequest::Stage::posted; }

  /// Returns the lanes that want the same page as this one.
  __device__ unsigned lanes_of_page() const {
    if (!pager_.coalesce) return waits_ ? 1u << lane_ : 0u;
    const unsigned same = __match_any_sync(kAllLanes, waits_ ? access_.page : kNoPage);
    return waits_ ? same : 0u;
  }

  __device__ void send_dirty_pages() {
    for (unsigned lanes = __ballot_sync(kAllLanes, request_.dirty_page() != kNoPage); lanes != 0; lanes &= lanes - 1)
      write_back(pager_, queue_, __shfl_sync(kAllLanes, request_.dirty_page(), first_lane(lanes)));
  }

  /// Reaps queues, also others when the warp lacks a frame: a page on its way to storage may have been sent by a warp that is
  /// gone.
  __device__ void reap(std::uint32_t round) {
    const unsigned lacks = __ballot_sync(kAllLanes, request_.stage() == PageRequest::Stage::waiting_for_frame);
    if (lacks != 0 && lane_ == first_lane(lacks)) PagerQueue(pager_, (queue_.index() + round) % pager_.num_queues).reap();
    const unsigned posted = __ballot_sync(kAllLanes, is_posted());
    if (posted != 0 && lane_ == first_lane(posted)) queue_.reap();
    __syncwarp();
  }

  /// Brings pages that have come into their frames, with all lanes.
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
    move_element(queue_.landing(slot), access_, true);
    served_ = true;
  }

  /// Fills a frame without storage: with a copy of the page's source, or zeros.
  __device__ void fill_frame(PageIndex page, FrameId frame) {
    if (pager_.delivery != Delivery::source) return clear_page(frame_data(pager_, frame), pager_.page_shift);
    const PlaceInSource place(pager_, page);
    place.copy<true>(pager_, place.column.source + place.offset, frame_data(pager_, frame));
    if (lane_ == 0) atomicAdd(&pager_.copied, 1ull);
  }

  /// Returns whether ids are below their limit: an unchecked store may hold any.
  __device__ bool are_ids_sound(PageIndex page, FrameId frame) const {
    const PlaceInSource place(pager_, page);
    const std::uint64_t limit = place.column.id_limit;
    if (limit == 0) return true;
    const std::byte* ids = frame_data(pager_, frame);
    return place.column.id_bytes == sizeof(unsigned long long) ? are_below<unsigned long long>(ids, place.bytes, limit)
                                                               : are_below<unsigned>(ids, place.bytes, limit);
  }

  template <class Id>
  __device__ bool are_below(const std::byte* memory, std::uint64_t bytes, std::uint64_t limit) const {
    const auto* ids = reinterpret_cast<const Id*>(memory);
    bool sound = true;
    for (std::uint64_t i = lane_; i < bytes / sizeof(Id); i += kWarp) sound &= __ldcg(ids + i) < limit;
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

  /// Serves the lanes whose page is here.
  __device__ void use() {
    const FrameId frame = __shfl_sync(kAllLanes, here_, waits_ ? leader_ : 0);
    if (waits_ && frame != kNoFrame) {
      move_element(frame_data(pager_, frame), access_);
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

/// Serves accesses of a warp on the slow path.
static __device__ __noinline__ FrameId fetch_elements(DevicePagerState& pager, ElementAccess& access, bool may_keep) {
  return WarpFetch(pager, access, may_keep).run();
}

/// Serves the access of one lane, whatever the others of its warp do. It copies pages alone, so that it takes longer than a warp.
/// Reads zeros once the pager has failed. The pager has a cache.
static __device__ __noinline__ void fetch_alone(DevicePagerState& pager, ElementAccess& access) {
  const PagerQueue queue(pager, static_cast<std::uint32_t>(warp_id() % pager.num_queues));
  PageRequest request(pager, access.page);
  const std::uint64_t since = global_nanoseconds();
  for (std::uint32_t round = 0;; ++round) {
    FrameId frame = request.advance(queue);
    if (request.dirty_page() != kNoPage) write_back<1>(pager, queue, request.dirty_page());
    if (request.stage() == PageRequest::Stage::waiting_for_frame)
      PagerQueue(pager, (queue.index() + round) % pager.num_queues).reap();
    const bool is_posted = request.stage() == PageRequest::Stage::posted;
    if (is_posted) queue.reap();
    const std::uint32_t outcome = is_posted ? request.outcome(queue) : QueuePair::kPending;
    if (outcome != QueuePair::kPending) {
      const std::uint32_t slot = request.slot(queue);
      const std::uint32_t status = outcome - QueuePair::kDone;
      if (status == 0 && pager.delivery == Delivery::landing)
        copy_page<true, 1>(queue.landing(slot), frame_data(pager, request.frame()), pager.page_shift);
      queue.finish(slot);
      if (status != 0) {
        record_failure(pager, DevicePagerState::Fault::status, status, queue.index(), slot, access.page);
        request.abandon();
      }
    } else if (request.stage() == PageRequest::Stage::at_hand) {
      std::byte* const data = frame_data(pager, request.frame());
      if (pager.delivery == Delivery::source) {
        const PlaceInSource place(pager, access.page);
        place.copy<true, 1>(pager, place.column.source + place.offset, data);
        atomicAdd(&pager.copied, 1ull);
      } else {
        clear_page<1>(data, pager.page_shift);
      }
    }
    const bool has_come = request.stage() == PageRequest::Stage::at_hand ||
                          (outcome != QueuePair::kPending && request.stage() == PageRequest::Stage::posted);
    if (has_come) {
      __threadfence();  // the page before it is published
      request.publish();
      frame = request.frame();
    }
    if (frame != kNoFrame) {
      move_element(frame_data(pager, frame), access);
      if (access.writes) request.mark_dirty();
      return request.release();
    }
    if (global_nanoseconds() - since > pager.deadline_ns)
      record_failure(pager, DevicePagerState::Fault::deadline, 0, queue.index(), is_posted ? request.slot(queue) : 0,
                     access.page);
    if (has_failed(pager)) {
      access.bits = access.high_bits = 0;
      return;
    }
    __nanosleep(200);
  }
}

}  // namespace graphrun::cuda
