// Frames of a DevicePager as a warp handles them: copying pages into them and out of them, and what goes wrong meanwhile.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "graphrun/cache/device_pager.hpp"
#include "graphrun/core/types.hpp"
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

/// Where a page lies in the memory that its column is in, and how much of it: less than a page at the end.
struct PlaceInSource {
  std::uint64_t offset;
  std::uint64_t bytes;

  __device__ PlaceInSource(const DevicePagerState& pager, const DevicePagerState::Column& column, PageIndex page)
      : offset((page - column.first_page) << pager.page_shift),
        bytes(min(1ull << pager.page_shift, static_cast<unsigned long long>(column.bytes - offset))) {}
  __device__ bool is_whole(const DevicePagerState& pager) const { return bytes >> pager.page_shift != 0; }
};

}  // namespace graphrun::cuda
