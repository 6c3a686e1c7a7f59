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

/// Steps until done(), taking completions in between. Returns false, and records a failure, after the pager's deadline.
template <class Done>
__device__ bool wait_for(DevicePagerState& pager, const QueuePair& queue, std::uint32_t index, const Done& done) {
  std::uint64_t since = 0;
  while (!done()) {
    queue.reap([](std::uint32_t, std::uint32_t) {});
    const std::uint64_t now = cuda::global_nanoseconds();
    if (since == 0) since = now;
    if (now - since > pager.deadline_ns) cuda::record_failure(pager, DevicePagerState::Fault::deadline, 0, index, 0, 0);
    if (cuda::has_failed(pager)) return false;
    __nanosleep(100);
  }
  return true;
}

__global__ void __launch_bounds__(cuda::kBlockThreads)
    post_commands(DevicePagerState* state, PageCommands what, unsigned long long* wrong) {
  DevicePagerState& pager = *state;
  const std::uint64_t thread = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (thread >= what.threads) return;
  const auto index = static_cast<std::uint32_t>(thread % pager.num_queues);
  const QueuePair queue = pager.queues[index];
  const std::uint32_t words = (1u << pager.page_shift) / 4;
  unsigned long long errors = 0;
  for (std::uint64_t i = thread; i < what.commands; i += what.threads) {
    const std::uint64_t page = splitmix64(what.seed, i, 0) % what.column_pages;
    QueuePair::Ticket ticket = 0;
    if (!wait_for(pager, queue, index, [&] { return queue.try_draw_ticket(ticket); })) return;
    const std::uint32_t slot = queue.slot_of(ticket);
    std::byte* const landing = pager.landing + ((std::uint64_t{index} * queue.depth + slot) << pager.page_shift);
    auto* const data = reinterpret_cast<volatile unsigned*>(landing);
    if (what.writes) {
      auto* const vectors = reinterpret_cast<uint4*>(landing);
      for (std::uint32_t w = 0; w < words; w += 4) {
        const std::uint64_t first = page * words + w;
        __stcg(vectors + w / 4, uint4{bam_word(first), bam_word(first + 1), bam_word(first + 2), bam_word(first + 3)});
      }
      __threadfence_system();  // before any thread rings the doorbell
    }
    queue.write(ticket, nvme::transfer(
                            what.writes ? nvme::Opcode::write : nvme::Opcode::read, reinterpret_cast<std::uint64_t>(landing),
                            (pager.columns[0].offset + (page << pager.page_shift)) >> nvme::kBlockShift, 1u << pager.page_shift));
    if (!wait_for(pager, queue, index, [&] { return queue.ring(ticket); })) return;
    if (!wait_for(pager, queue, index, [&] { return queue.outcome(ticket) != QueuePair::kPending; })) return;
    const std::uint32_t status = queue.outcome(ticket) - QueuePair::kDone;
    if (status != 0) {
      cuda::record_failure(pager, DevicePagerState::Fault::status, status, index, slot, static_cast<PageIndex>(page));
    } else if (!what.writes) {
      errors += data[0] != bam_word(page * words) || data[words - 1] != bam_word((page + 1) * words - 1);
    }
    queue.finish(slot);
  }
  if (errors != 0) atomicAdd(wrong, errors);
}

}  // namespace

std::pair<double, std::uint64_t> time_page_commands(CudaExecutor& exec, const DevicePager& pager, const PageCommands& what) {
  DeviceArray<unsigned long long> wrong(1);
  exec.fill_words(wrong.data(), 0, 2);
  exec.synchronize();
  const auto blocks = static_cast<unsigned>((what.threads + cuda::kBlockThreads - 1) / cuda::kBlockThreads);
  const Timer timer;
  cuda::launch(exec, cuda::Grid{blocks, cuda::kBlockThreads}, post_commands, pager.pages().pager, what, wrong.data());
  exec.synchronize();
  return {timer.elapsed_ms(), exec.fetch(wrong, 0)};
}

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
