// SPDX-License-Identifier: Apache-2.0

#include "graphrun/cache/device_pager.cuh"
#include "graphrun/exec/cuda_check.hpp"

namespace graphrun::cuda {
namespace {

/// Calls step() until done(), and looks for completions in between; returns false when the pager has failed.
template <class Done, class Step>
__device__ bool repeat_until(DevicePagerState& pager, PageIndex page, const Done& done, const Step& step) {
  std::uint64_t since = 0;
  for (auto round = static_cast<std::uint32_t>(warp_id()); !done(); ++round) {
    step();
    if (lane_id() == 0) PagerQueue(pager, round % pager.num_queues).reap();
    __syncwarp();
    const std::uint64_t now = global_nanoseconds();
    if (since == 0) since = now;
    if (lane_id() == 0 && now - since > pager.deadline_ns)
      record_failure(pager, DevicePagerState::Fault::deadline, 0, round % pager.num_queues, 0, page);
    if (__any_sync(kAllLanes, has_failed(pager))) return false;
    __nanosleep(200);
  }
  return true;
}

/// Sends dirty pages: every warp sends its share of the pages before it waits for the first.
__global__ void __launch_bounds__(256, 4) flush_kernel(DevicePagerState* state, PageId first, PageId end) {
  DevicePagerState& pager = *state;
  const PagerQueue queue(pager, static_cast<std::uint32_t>(warp_id() % pager.num_queues));
  // One lane looks for all: the word may change while they do.
  const auto word = [&](PageId page) { return __shfl_sync(kAllLanes, sync::load_acquire(pager.table.words[page]), 0); };
  for (PageId page = first + warp_id(); page < end; page += warp_count()) {
    const auto index = static_cast<PageIndex>(page);
    const bool sent = repeat_until(
        pager, index, [&] { return (word(page) & page_word::kDirty) == 0; }, [&] { write_back(pager, queue, index); });
    if (!sent) return;
  }
  for (PageId page = first + warp_id(); page < end; page += warp_count()) {
    const bool there = repeat_until(
        pager, static_cast<PageIndex>(page),
        [&] { return page_word::references(word(page)) == 0 && (word(page) & page_word::kDirty) == 0; },
        [&] { write_back(pager, queue, static_cast<PageIndex>(page)); });
    if (!there) return;
  }
}

/// Brings in a page for each lane.
__global__ void __launch_bounds__(256, 4) fill_kernel(DevicePages view, PageId pages) {
  for (PageId base = warp_id() * kWarp; base < pages; base += warp_count() * kWarp) {
    const PageId page = base + lane_id();
    const bool missing = page < pages && !is_resident(view, static_cast<PageIndex>(page));
    if (__any_sync(kAllLanes, missing) && !bring_in_page(view.pager, missing ? static_cast<PageIndex>(page) : kNoPage)) return;
  }
}

unsigned all_blocks(const CudaExecutor& exec) { return static_cast<unsigned>(exec.multiprocessors()) * 4; }

}  // namespace

void load_page_kernels() { load_modules_of(reinterpret_cast<const void*>(&flush_kernel)); }

void flush_pages(CudaExecutor& exec, DevicePagerState* pager, PageId first, PageId end) {
  flush_kernel<<<all_blocks(exec), 256, 0, static_cast<cudaStream_t>(exec.stream())>>>(pager, first, end);
  check(cudaGetLastError(), "launch a kernel");
  exec.finish();
}

void fill_pages(CudaExecutor& exec, const DevicePages& view, PageId pages) {
  fill_kernel<<<all_blocks(exec), 256, 0, static_cast<cudaStream_t>(exec.stream())>>>(view, pages);
  check(cudaGetLastError(), "launch a kernel");
  exec.finish();
}

}  // namespace graphrun::cuda
