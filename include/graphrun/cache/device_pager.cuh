// SPDX-License-Identifier: Apache-2.0
// Access of a warp to elements of pages of a DevicePager. All 32 lanes call together.
//
// Where pages are evicted, a warp keeps a page with a reference, and reads past the first-level caches, which do not know that a
// frame has changed. Where there is a frame for every page, page p stays in frame p once its bit is set: a warp looks at the bits
// of its pages first, and then reads as if the whole column were in memory. Bits and frames in first-level caches may be old
// there, but never wrong. Missing pages come on the slow path (device_fetch.cuh).
#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cstdint>

#include "graphrun/cache/device_fetch.cuh"
#include "graphrun/cache/device_pager.hpp"
#include "graphrun/exec/cuda_warp_basics.cuh"

namespace graphrun::cuda {

/// A page that a warp keeps between accesses where pages are evicted, with a reference; the same in all lanes.
struct HeldPage {
  PageIndex page = kNoPage;
  FrameId frame = kNoFrame;
};

__device__ inline void drop_page(const DevicePages& pages, HeldPage& held) {
  if (held.page == kNoPage) return;
  if (lane_id() == 0) pages.pager->table.release(held.page, 1);
  held = {};
}

/// Place of element `index` of a column of words of type T.
template <class T>
struct ElementPlace {
  static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  PageIndex page;
  std::uint32_t offset;  ///< bytes from the page's start

  __device__ ElementPlace(const DevicePages& pages, PageIndex first_page, std::uint64_t index) {
    constexpr unsigned kShift = std::countr_zero(sizeof(T));
    page = first_page + static_cast<PageIndex>(index >> (pages.page_shift - kShift));
    offset = static_cast<std::uint32_t>(index << kShift) & ((1u << pages.page_shift) - 1);
  }
};

/// Loads the element from the second-level cache, where all multiprocessors see the same.
template <class T>
__device__ T read_frame(const DevicePages& pages, FrameId frame, std::uint32_t offset) {
  return __ldcg(reinterpret_cast<const T*>(pages.frames + (std::uint64_t{frame} << pages.page_shift) + offset));
}

/// Returns the element of an access as a word.
template <class T>
__device__ T word_of(const ElementAccess& access) {
  if constexpr (sizeof(T) == 16)
    return T{access.bits, access.high_bits};
  else
    return static_cast<T>(access.bits);
}

/// Returns whether a page is in its frame, for good, where nothing is evicted.
__device__ inline bool is_resident(const DevicePages& pages, PageIndex page) {
  const unsigned bit = 1u << page % 32;
  if ((pages.resident[page / 32] & bit) != 0) return true;
  return (sync::load_relaxed(pages.resident[page / 32]) & bit) != 0;
}

/// Brings in the page that a lane wants, or kNoPage, for good. Returns false for the whole warp once the pager has failed.
static __device__ __noinline__ bool bring_in_page(DevicePagerState* pager, PageIndex page) {
  ElementAccess access{page, 0, 4, page != kNoPage, false, 0, 0};
  fetch_elements(*pager, access, false);
  return !has_failed(*pager);
}

/// Brings in the pages of elements [begin, end) of each lane, where pages are not evicted, for read_resident_elements(). Once the
/// pager has failed some may be missing: they read as zeros or old bytes.
template <class T>
__device__ void bring_in_elements(const DevicePages& pages, PageIndex first_page, std::uint64_t begin, std::uint64_t end) {
  PageIndex page = ElementPlace<T>(pages, first_page, begin).page;
  const PageIndex end_page = begin < end ? ElementPlace<T>(pages, first_page, end - 1).page + 1 : page;
  for (;;) {
    while (page < end_page && is_resident(pages, page)) ++page;
    if (!__any_sync(kAllLanes, page < end_page)) return;
    if (!bring_in_page(pages.pager, page < end_page ? page : kNoPage)) return;
  }
}

/// Reads elements `index` of a column of words that begins at `first_page`, for lanes with `wants`; 0 for the others. After
/// bring_in_elements(). No warp writes to them meanwhile.
template <class T, int kCount>
__device__ void read_resident_elements(const DevicePages& pages, PageIndex first_page, const std::uint64_t (&index)[kCount],
                                       const bool (&wants)[kCount], T (&value)[kCount]) {
  // Where a GPU holds a stretch of a column, the first page may lie before page 0.
  const std::int64_t first = static_cast<std::int32_t>(first_page);
  const T* column = reinterpret_cast<const T*>(pages.frames + (first << pages.page_shift));
#pragma unroll
  for (int j = 0; j < kCount; ++j) value[j] = wants[j] ? column[index[j]] : T{};  // on their way together
}

/// Arguments of load_elements() for the slow path, on the stack, so that they take no registers of the fast one.
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
    if (__all_sync(kAllLanes, !load.wants[j] || place.page == load.held.page)) {
      if (load.wants[j]) load.value[j] = read_frame<T>(pages, load.held.frame, place.offset);
      continue;
    }
    drop_page(pages, load.held);
    drop_page(pages, load.other);
    ElementAccess access{place.page, place.offset, sizeof(T), load.wants[j], false, 0, 0};
    const FrameId kept = fetch_elements(*pages.pager, access, true);
    if (load.wants[j]) load.value[j] = word_of<T>(access);
    if (kept == kNoFrame) continue;
    load.held = {__shfl_sync(kAllLanes, place.page, first_lane(__ballot_sync(kAllLanes, load.wants[j]))), kept};
  }
}

/// Reads elements `index` of a column of words that begins at `first_page`, for lanes with `wants`; 0 for the others. Pages may
/// be evicted: `held` is the kept page of this column, `other` of another one; both are released before any waiting.
template <class T, int kCount>
__device__ void load_elements(const DevicePages& pages, HeldPage& held, HeldPage& other, PageIndex first_page,
                              const std::uint64_t (&index)[kCount], const bool (&wants)[kCount], T (&value)[kCount]) {
  unsigned waits = 0;  // a bit for each of the elements
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    const ElementPlace<T> place(pages, first_page, index[j]);
    const bool here = wants[j] && place.page == held.page;
    value[j] = here ? read_frame<T>(pages, held.frame, place.offset) : T{};
    waits |= static_cast<unsigned>(wants[j] && !here) << j;
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
  held = load.held;
  other = load.other;
}

}  // namespace graphrun::cuda
