// SPDX-License-Identifier: Apache-2.0

#include "bam_gpu_reads.hpp"
#include "graphrun/cache/device_pager.cuh"
#include "graphrun/core/random.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/ops/cuda_launch.cuh"

namespace graphrun {
namespace {

template <bool kEvicts>
__global__ void __launch_bounds__(cuda::kBlockThreads, 4)
    read_pages(DevicePages pages, PageReads what, unsigned long long* wrong) {
  constexpr int kInFlight = 4;
  const std::uint64_t words = (1u << pages.page_shift) / 4;
  cuda::HeldPage held, none;
  unsigned long long errors = 0;
  for (std::uint64_t i = cuda::warp_id(); i < what.reads; i += cuda::warp_count()) {
    const std::uint64_t page = what.random ? splitmix64(what.seed, i, 0) % what.column_pages : i % what.column_pages;
    if constexpr (!kEvicts) cuda::bring_in_elements<std::uint32_t>(pages, 0, page * words, (page + 1) * words);
    for (std::uint64_t w = cuda::lane_id(); w - cuda::lane_id() < words; w += 32 * kInFlight) {
      std::uint64_t index[kInFlight];
      bool wants[kInFlight];
      std::uint32_t value[kInFlight];
#pragma unroll
      for (int j = 0; j < kInFlight; ++j) {
        index[j] = page * words + w + j * 32;
        wants[j] = w + j * 32 < words;
      }
      if constexpr (kEvicts) {
        cuda::load_elements<std::uint32_t>(pages, held, none, 0, index, wants, value);
      } else {
        cuda::read_resident_elements(pages, 0, index, wants, value);
      }
#pragma unroll
      for (int j = 0; j < kInFlight; ++j) errors += wants[j] && value[j] != bam_word(index[j]);
    }
  }
  cuda::drop_page(pages, held);
  errors = cuda::warp_sum(errors);
  if (cuda::lane_id() == 0 && errors != 0) atomicAdd(wrong, errors);
}

}  // namespace

std::pair<double, std::uint64_t> time_page_reads(CudaExecutor& exec, const DevicePager& pager, const PageReads& what) {
  const DevicePages pages = pager.pages();
  DeviceArray<unsigned long long> wrong(1);
  exec.fill_words(wrong.data(), 0, 2);
  exec.synchronize();
  const Timer timer;
  cuda::launch(exec, cuda::warps(what.reads), pages.all_pages_fit ? read_pages<false> : read_pages<true>, pages, what,
               wrong.data());
  exec.synchronize();
  return {timer.elapsed_ms(), exec.fetch(wrong, 0)};
}

}  // namespace graphrun
