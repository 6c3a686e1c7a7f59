// How a warp reads pages of a DevicePager. All 32 lanes call together; each may want another page.
//
// A warp never waits while it relies on a frame, so whoever relies on one gets on: that is why caches of a few pages work. Lanes
// that want the same page ask for it once, through their first lane (coalescing), and a warp whose lanes all wanted the same
// page keeps it for what comes next (reuse); both are BaM's (Qureshi et al., ASPLOS 2023, section 3.4).
//
// Frames are read past the first-level caches, which do not know that a frame has changed: contents reached the second level
// before the page's word said so, and each read depends on that word.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "graphrun/cache/device_pager.hpp"
#include "graphrun/exec/cuda_warp_basics.cuh"

namespace graphrun::cuda {

/// Pages as kernels count them: registers are what they are short of.
using PageIndex = std::uint32_t;
inline constexpr PageIndex kNoPage = ~PageIndex{0};

/// What is kept from one access to the next: by the warp, with a reference, the same in all lanes; or by each lane for itself
/// when pages stay anyway.
struct HeldPage {
  PageIndex page = kNoPage;
  FrameId frame = kNoFrame;
};

/// What all accesses need, close at hand.
struct DevicePages {
  DevicePagerState* pager = nullptr;
  const std::uint64_t* words = nullptr;
  const std::byte* frames = nullptr;
  std::uint32_t page_shift = 12;
  bool evicts = true;
};

struct Fetched {
  std::uint64_t bits;  ///< the element, of 4 or 8 bytes
  FrameId kept;        ///< the page's frame, still with a reference, or kNoFrame
};

__device__ inline std::uint64_t global_nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// What the first lane of those that want a page does about it.
class PageRequest {
 public:
  enum class Stage { none, claimed, posted };

  __device__ PageRequest(DevicePagerState& pager, PageIndex page) : pager_(pager), page_(page) {}

  /// One step towards the page. Returns its frame, with a reference, when it is here; never waits.
  __device__ FrameId advance(const QueuePair& queue, std::uint32_t queue_index) {
    if (stage_ == Stage::none && !pager_.cached) stage_ = Stage::claimed;  // for itself alone
    if (stage_ == Stage::none) {
      const PageTable::Grabbed grabbed = pager_.table.grab(page_, references());
      if (grabbed.answer == PageTable::Answer::resident) return grabbed.frame;
      if (grabbed.answer == PageTable::Answer::claimed) stage_ = Stage::claimed;
    }
    if (stage_ == Stage::claimed) post(queue, queue_index);
    return kNoFrame;
  }
  __device__ bool is_posted() const { return stage_ == Stage::posted; }
  __device__ std::uint32_t outcome(const QueuePair& queue) const { return queue.outcome(ticket_); }
  __device__ std::uint32_t slot(const QueuePair& queue) const { return queue.slot_of(ticket_); }
  __device__ FrameId frame() const { return frame_; }

  /// The page is in its frame. The caller has a reference.
  __device__ void publish() {
    pager_.table.publish(page_, frame_, references());
    stage_ = Stage::none;
  }
  __device__ void abandon() {
    if (pager_.cached) pager_.table.abandon(page_, frame_);
    stage_ = Stage::none;
  }
  /// Without a cache: the page was used where it landed.
  __device__ void forget() { stage_ = Stage::none; }
  __device__ void release() const {
    if (pager_.evicts) pager_.table.release(page_, 1);
  }

 private:
  __device__ std::uint64_t references() const { return pager_.evicts ? 1 : 0; }

  __device__ void post(const QueuePair& queue, std::uint32_t queue_index) {
    constexpr std::uint64_t kTries = 32;
    if (frame_ == kNoFrame && pager_.cached) frame_ = pager_.table.take_frame(kTries);
    if ((frame_ == kNoFrame && pager_.cached) || !queue.try_draw_ticket(ticket_)) return;
    const std::uint64_t landing_page = std::uint64_t{queue_index} * queue.depth + queue.slot_of(ticket_);
    const auto address = reinterpret_cast<std::uint64_t>(pager_.landing + (landing_page << pager_.page_shift));
    queue.write(ticket_, nvme::transfer(nvme::Opcode::read, address, first_block(), 1u << pager_.page_shift), 0);
    while (!queue.ring(ticket_)) {
    }
    stage_ = Stage::posted;
  }
  __device__ std::uint64_t first_block() const {
    std::uint32_t column = pager_.num_columns - 1;
    while (page_ < pager_.columns[column].first_page) --column;
    return pager_.columns[column].first_block +
           ((PageId{page_} - pager_.columns[column].first_page) << pager_.page_shift) / nvme::kBlockBytes;
  }

  DevicePagerState& pager_;
  PageIndex page_;
  Stage stage_ = Stage::none;
  FrameId frame_ = kNoFrame;
  QueuePair::Ticket ticket_ = 0;
};

/// Copies a landing page into a frame with the whole warp. Landing pages are read anew each time: the host changes them.
__device__ inline void copy_landing_page(const DevicePagerState& pager, std::uint64_t landing_page, FrameId frame) {
  const auto* from = reinterpret_cast<const uint4*>(pager.landing + (landing_page << pager.page_shift));
  auto* to = reinterpret_cast<uint4*>(pager.frames + (std::uint64_t{frame} << pager.page_shift));
  const unsigned vectors = (1u << pager.page_shift) / sizeof(uint4);  // a multiple of the warp
  constexpr unsigned kInFlight = 4;
  for (unsigned base = lane_id(); base < vectors; base += kWarp * kInFlight) {
    uint4 piece[kInFlight];
#pragma unroll
    for (unsigned j = 0; j < kInFlight; ++j) {
      if (base + j * kWarp < vectors) piece[j] = __ldcv(from + base + j * kWarp);
    }
#pragma unroll
    for (unsigned j = 0; j < kInFlight; ++j) {
      if (base + j * kWarp < vectors) __stcg(to + base + j * kWarp, piece[j]);
    }
  }
}

__device__ inline std::uint64_t read_landed_element(const DevicePagerState& pager, std::uint64_t landing_page,
                                                    std::uint32_t offset, std::uint32_t bytes) {
  const std::byte* at = pager.landing + (landing_page << pager.page_shift) + offset;
  return bytes == 4 ? __ldcv(reinterpret_cast<const unsigned*>(at)) : __ldcv(reinterpret_cast<const unsigned long long*>(at));
}

__device__ inline void record_failure(DevicePagerState& pager, DevicePagerState::Fault fault, std::uint32_t status,
                                      std::uint32_t queue, std::uint32_t slot, PageId page) {
  auto* word = reinterpret_cast<unsigned*>(&pager.failure.fault);
  if (atomicCAS(word, 0u, static_cast<unsigned>(fault)) != 0) return;
  pager.failure.status = status;
  pager.failure.queue = queue;
  pager.failure.slot = slot;
  pager.failure.page = page;
}

/// Lanes that want the same page as this one.
__device__ inline unsigned same_page_lanes(const DevicePagerState& pager, PageIndex page, bool wants) {
  if (!pager.coalesce) return wants ? 1u << lane_id() : 0u;
  const unsigned same = __match_any_sync(kAllLanes, wants ? page : kNoPage);
  return wants ? same : 0u;
}

/// The slow way to the elements at `offset` of their pages, for lanes with `wants`: asks for pages, brings them in, waits. Zeros
/// once the pager has failed.
static __device__ __noinline__ Fetched fetch_elements(DevicePagerState& pager, PageIndex page, std::uint32_t offset,
                                                      std::uint32_t bytes, bool wants) {
  const int lane = lane_id();
  const auto queue_index = static_cast<std::uint32_t>(warp_id() % pager.num_queues);
  const QueuePair& queue = pager.queues[queue_index];
  const unsigned all = __ballot_sync(kAllLanes, wants);
  const unsigned wanted_together = same_page_lanes(pager, page, wants);
  const bool keeps = pager.reuse && pager.cached && __all_sync(kAllLanes, !wants || wanted_together == all);
  Fetched fetched{0, kNoFrame};
  PageRequest request(pager, page);
  std::uint64_t waits_since = 0;
  for (bool waits = wants; __any_sync(kAllLanes, waits);) {
    const unsigned same = same_page_lanes(pager, page, waits);
    const int leader = __ffs(static_cast<int>(same)) - 1;
    FrameId here = kNoFrame;
    bool served = false;
    if (waits && lane == leader) here = request.advance(queue, queue_index);
    __syncwarp();

    const unsigned posted = __ballot_sync(kAllLanes, request.is_posted());
    if (posted != 0 && lane == __ffs(static_cast<int>(posted)) - 1) queue.reap([](std::uint32_t, std::uint32_t) {});
    __syncwarp();
    const std::uint32_t outcome = request.is_posted() ? request.outcome(queue) : QueuePair::kPending;
    __syncwarp();  // the landing pages of what is done may be read by all lanes now
    for (unsigned done = __ballot_sync(kAllLanes, outcome != QueuePair::kPending); done != 0; done &= done - 1) {
      const int owner = __ffs(static_cast<int>(done)) - 1;
      const std::uint32_t status = __shfl_sync(kAllLanes, outcome, owner) - QueuePair::kDone;
      const std::uint32_t slot = __shfl_sync(kAllLanes, request.slot(queue), owner);
      const FrameId frame = __shfl_sync(kAllLanes, request.frame(), owner);
      const std::uint64_t landing_page = std::uint64_t{queue_index} * queue.depth + slot;
      if (status == 0 && pager.cached) copy_landing_page(pager, landing_page, frame);
      if (status == 0 && !pager.cached && waits && leader == owner) {
        fetched.bits = read_landed_element(pager, landing_page, offset, bytes);
        served = true;
      }
      __syncwarp();
      if (lane != owner) continue;
      queue.finish(slot);
      if (status != 0) {
        record_failure(pager, DevicePagerState::Fault::status, status, queue_index, slot, page);
        request.abandon();
      } else if (pager.cached) {
        request.publish();
        here = frame;
      } else {
        request.forget();
      }
    }
    __syncwarp();

    const FrameId frame = __shfl_sync(kAllLanes, here, waits ? leader : 0);
    if (waits && frame != kNoFrame) {
      const std::byte* at = pager.frames + (std::uint64_t{frame} << pager.page_shift) + offset;
      fetched.bits =
          bytes == 4 ? __ldcg(reinterpret_cast<const unsigned*>(at)) : __ldcg(reinterpret_cast<const unsigned long long*>(at));
      served = true;
    }
    waits = waits && !served;
    __syncwarp();
    if (here != kNoFrame && !keeps) request.release();
    if (keeps && __any_sync(kAllLanes, served)) fetched.kept = __shfl_sync(kAllLanes, here, __ffs(static_cast<int>(all)) - 1);

    if (__any_sync(kAllLanes, served)) {
      waits_since = 0;
      continue;
    }
    const std::uint64_t now = global_nanoseconds();
    if (waits_since == 0) waits_since = now;
    if (waits && now - waits_since > pager.deadline_ns) {
      record_failure(pager, DevicePagerState::Fault::deadline, 0, queue_index, request.is_posted() ? request.slot(queue) : 0,
                     page);
    }
    if (__any_sync(kAllLanes,
                   *const_cast<volatile DevicePagerState::Fault*>(&pager.failure.fault) != DevicePagerState::Fault::none)) {
      return {0, kNoFrame};
    }
    __nanosleep(200);
  }
  return fetched;
}

template <class T>
__device__ T read_frame(const DevicePages& pages, FrameId frame, std::uint32_t offset) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  const std::byte* at = pages.frames + (std::uint64_t{frame} << pages.page_shift) + offset;
  if constexpr (sizeof(T) == 4) {
    return static_cast<T>(__ldcg(reinterpret_cast<const unsigned*>(at)));
  } else {
    return static_cast<T>(__ldcg(reinterpret_cast<const unsigned long long*>(at)));
  }
}

__device__ inline void drop_page(const DevicePages& pages, HeldPage& held) {
  if (held.page == kNoPage) return;
  if (pages.evicts && lane_id() == 0) pages.pager->table.release(held.page, 1);
  held = {};
}

/// Where element `index` of a column of words of type T is.
template <class T>
struct ElementPlace {
  PageIndex page;
  std::uint32_t offset;  ///< bytes from the page's start

  __device__ ElementPlace(const DevicePages& pages, PageIndex first_page, std::uint64_t index) {
    constexpr unsigned kShift = sizeof(T) == 4 ? 2 : 3;
    page = first_page + static_cast<PageIndex>(index >> (pages.page_shift - kShift));
    offset = static_cast<std::uint32_t>(index << kShift) & ((1u << pages.page_shift) - 1);
  }
};

/// What load_elements() leaves to the slow way, on the stack, so that the fast way's registers need not make room for it.
template <class T, int kCount>
struct SlowLoad {
  HeldPage held;
  HeldPage other;
  std::uint64_t index[kCount];
  bool wants[kCount];
  T value[kCount];
};

template <class T, int kCount>
__device__ __noinline__ void load_slowly(const DevicePages pages, PageIndex first_page, SlowLoad<T, kCount>& load) {
  for (int j = 0; j < kCount; ++j) {
    if (!__any_sync(kAllLanes, load.wants[j])) continue;
    const ElementPlace<T> place(pages, first_page, load.index[j]);
    if (pages.evicts) {
      if (__all_sync(kAllLanes, !load.wants[j] || place.page == load.held.page)) {
        if (load.wants[j]) load.value[j] = read_frame<T>(pages, load.held.frame, place.offset);
        continue;
      }
      drop_page(pages, load.held);
      drop_page(pages, load.other);
    }
    const Fetched fetched = fetch_elements(*pages.pager, place.page, place.offset, sizeof(T), load.wants[j]);
    if (load.wants[j]) load.value[j] = static_cast<T>(fetched.bits);
    if (fetched.kept == kNoFrame) continue;
    const int any_owner = __ffs(static_cast<int>(__ballot_sync(kAllLanes, load.wants[j]))) - 1;
    load.held = {__shfl_sync(kAllLanes, place.page, any_owner), fetched.kept};
  }
}

/// Elements `index` of a column of unsigned words that begins at `first_page`, for lanes with `wants`; 0 for the others.
/// `held` is what is kept of this column, `other` of another one, which is let go before any waiting.
template <class T, int kCount>
__device__ void load_elements(const DevicePages& pages, HeldPage& held, HeldPage& other, PageIndex first_page,
                              const std::uint64_t (&index)[kCount], const bool (&wants)[kCount], T (&value)[kCount]) {
  unsigned waits = 0;  // a bit for each of the elements
  if (pages.evicts) {
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      const ElementPlace<T> place(pages, first_page, index[j]);
      const bool here = wants[j] && place.page == held.page;
      value[j] = here ? read_frame<T>(pages, held.frame, place.offset) : T{};
      waits |= static_cast<unsigned>(wants[j] && !here) << j;
    }
  } else {
    // A page stays once it is there, so each lane remembers the one it used last.
    std::uint64_t word[kCount];
#pragma unroll
    for (int j = 0; j < kCount; ++j) {  // all are on their way before the first is used
      const ElementPlace<T> place(pages, first_page, index[j]);
      if (wants[j] && place.page != held.page) word[j] = sync::load_relaxed(pages.words[place.page]);
    }
    const HeldPage before = held;
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      const ElementPlace<T> place(pages, first_page, index[j]);
      const bool known = place.page == before.page;
      const bool here = wants[j] && (known || page_word::state(word[j]) == page_word::State::resident);
      const FrameId frame = known ? before.frame : page_word::frame(word[j]);
      if (here) held = {place.page, frame};
      value[j] = here ? read_frame<T>(pages, frame, place.offset) : T{};
      waits |= static_cast<unsigned>(wants[j] && !here) << j;
    }
  }
  if (!__any_sync(kAllLanes, waits != 0)) return;
  SlowLoad<T, kCount> load;
  load.held = held;
  load.other = other;
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    load.index[j] = index[j];
    load.wants[j] = (waits >> j & 1u) != 0;
    load.value[j] = value[j];
  }
  load_slowly(pages, first_page, load);
#pragma unroll
  for (int j = 0; j < kCount; ++j) value[j] = load.value[j];
  if (!pages.evicts) return;
  held = load.held;
  other = load.other;
}

}  // namespace graphrun::cuda
