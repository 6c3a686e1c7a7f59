// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "backend/cuda/gather_rows.cuh"
#include "backend/cuda/row_gatherer.hpp"
#include "backend/row_copies.hpp"
#include "graphrun/core/timer.hpp"

namespace graphrun::cuda::inline GR_IDS {
namespace {

std::vector<int> others_of(const std::vector<int>& gpus, int mine) {
  std::vector<int> others;
  std::ranges::copy_if(gpus, std::back_inserter(others), [&](int gpu) { return gpu != mine; });
  return others;
}

/// Grows memory that no running work uses.
void make_pinned_room(std::optional<PinnedMemory>& memory, std::size_t bytes) {
  if (memory && memory->span().size() >= bytes) return;
  memory.reset();  // first: there may be no room for two
  memory.emplace(bytes + bytes / 4);
}
template <class T>
void make_device_room(DeviceArray<T>& array, std::size_t count) {
  if (array.size() >= count) return;
  array = DeviceArray<T>{};
  array = DeviceArray<T>(count + count / 4);
}

}  // namespace

RowGatherer::RowGatherer(const RowSource& source, const std::vector<int>& gpus, unsigned mine)
    : source_(source), mine_(mine), exec_(gpus[mine], {}, others_of(gpus, gpus[mine]), 0) {
  load_modules_of(reinterpret_cast<const void*>(&source_kernel));
  for (Slot& slot : slots_) {
    slot.counted = DeviceArray<unsigned long long>(2);
    for (cudaEvent_t* const event : {&slot.begin, &slot.end}) check(cudaEventCreate(event), "make an event");
    check(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming | cudaEventBlockingSync), "make an event");
  }
  if (source.tiers.hot == 0) return;
  position_of_ = DeviceArray<VertexId>(source.position_of.size());
  exec_.copy_to_device(position_of_.data(), source.position_of.data(), position_of_.bytes());
  const std::uint64_t row_bytes = source.options.row_bytes;
  std::vector<std::byte> share(source.tiers.rows_on(mine) * row_bytes);
  for (std::uint64_t i = 0; i < source.tiers.rows_on(mine); ++i) {
    const std::uint64_t row = source.options.hot[source.tiers.position_of(mine, i)];
    std::memcpy(share.data() + i * row_bytes, source.rows.data() + row * row_bytes, row_bytes);
  }
  hot_ = DeviceArray<std::byte>(share.size());
  exec_.copy_to_device(hot_.data(), share.data(), share.size());
}

RowGatherer::~RowGatherer() {
  wait();
  for (Slot& slot : slots_) {
    for (const cudaEvent_t event : {slot.begin, slot.end, slot.done}) {
      if (event != nullptr) cudaEventDestroy(event);
    }
  }
}

void RowGatherer::wait() noexcept {
  cudaSetDevice(exec_.device());
  for (const Slot& slot : slots_) {
    if (slot.used) cudaEventSynchronize(slot.done);
  }
}

RowGatherer::Slot& RowGatherer::prepare(std::span<const VertexId> ids, cudaStream_t stream, bool left) {
  exec_.make_current();
  Slot& slot = slots_[left ? 1 + next_++ % kLeftRunning : 0];
  if (slot.used) check(cudaEventSynchronize(slot.done), "wait for an earlier gather");
  slot.used = false;
  slot.count = ids.size();
  slot.copied = {};
  slot.host_ms = 0;
  if (source_.delivery != RowDelivery::zero_copy || ids.empty()) return slot;
  make_pinned_room(slot.ids, ids.size_bytes());
  make_device_room(slot.device_ids, ids.size());
  std::memcpy(slot.ids->data(), ids.data(), ids.size_bytes());
  check(cudaMemcpyAsync(slot.device_ids.data(), slot.ids->data(), ids.size_bytes(), cudaMemcpyHostToDevice, stream),
        "copy ids to the GPU");
  slot.used = true;  // a failed start leaves a copy that reads slot.ids
  check(cudaEventRecord(slot.done, stream), "record an event");
  return slot;
}

void RowGatherer::start(Slot& slot, std::span<const VertexId> ids, std::byte* to, cudaStream_t stream, ThreadPool& pool) {
  exec_.make_current();
  const std::uint64_t bytes = ids.size() * source_.options.row_bytes;
  if (source_.delivery == RowDelivery::staged && bytes != 0) {
    make_pinned_room(slot.staging, bytes);
    const Timer timer;
    copy_rows(pool, source_.rows, source_.options.row_bytes, ids, slot.staging->data());
    slot.host_ms = timer.elapsed_ms();
  }
  slot.used = true;
  check(cudaMemsetAsync(slot.counted.data(), 0, slot.counted.bytes(), stream), "clear counters");
  check(cudaEventRecord(slot.begin, stream), "record an event");
  if (bytes != 0) {
    switch (source_.delivery) {
      case RowDelivery::staged:
        check(cudaMemcpyAsync(to, slot.staging->data(), bytes, cudaMemcpyHostToDevice, stream), "copy rows to the GPU");
        break;
      case RowDelivery::dma:
        copy_each_row(slot, ids, to, stream);
        break;
      default:
        launch_kernel(slot, to, stream);
    }
  }
  check(cudaEventRecord(slot.end, stream), "record an event");
  const auto number = static_cast<std::size_t>(&slot - slots_.data());
  check(cudaMemcpyAsync(counts_.data() + number * slot.counted.bytes(), slot.counted.data(), slot.counted.bytes(),
                        cudaMemcpyDeviceToHost, stream),
        "copy counters from the GPU");
  check(cudaEventRecord(slot.done, stream), "record an event");
}

Gathered RowGatherer::finish(Slot& slot) {
  exec_.make_current();
  check(cudaEventSynchronize(slot.done), "finish a gather");
  float ms = 0;
  check(cudaEventElapsedTime(&ms, slot.begin, slot.end), "time a gather");
  unsigned long long counts[2];
  const auto number = static_cast<std::size_t>(&slot - slots_.data());
  std::memcpy(counts, counts_.data() + number * sizeof(counts), sizeof(counts));
  const std::uint64_t row_bytes = source_.options.row_bytes;
  Gathered gathered = slot.copied;
  gathered.device_bytes += counts[0] * row_bytes;
  gathered.peer_bytes += counts[1] * row_bytes;
  gathered.host_bytes = slot.count * row_bytes - gathered.device_bytes - gathered.peer_bytes;
  gathered.elapsed_ms = slot.host_ms + static_cast<double>(ms);
  return gathered;
}

std::byte* RowGatherer::room(std::size_t bytes) {
  exec_.make_current();
  make_device_room(room_, bytes);
  return room_.data();
}

void RowGatherer::copy_each_row(Slot& slot, std::span<const VertexId> ids, std::byte* to, cudaStream_t stream) const {
  const std::uint64_t row_bytes = source_.options.row_bytes;
  for (const VertexId id : ids) {
    const std::byte* from = static_cast<const std::byte*>(source_.reached) + id * row_bytes;
    if (const VertexId position = source_.position(id); position != kNoVertex) {
      const RowTiers::Place place = source_.tiers.of(position, mine_);
      from = source_.hot[place.gpu] + place.row * row_bytes;
      (place.gpu == mine_ ? slot.copied.device_bytes : slot.copied.peer_bytes) += row_bytes;
    }
    check(cudaMemcpyAsync(to, from, row_bytes, cudaMemcpyDefault, stream), "copy a row to the GPU");
    to += row_bytes;
  }
}

void RowGatherer::launch_kernel(const Slot& slot, std::byte* to, cudaStream_t stream) {
  const std::uint64_t multiple = source_.options.row_bytes | reinterpret_cast<std::uintptr_t>(to);
  const auto asked = static_cast<std::uint64_t>(source_.options.load_bytes);
  if (asked != 0 && multiple % asked != 0)
    throw UsageError("loads of " + std::to_string(asked) + " bytes need room for the rows that begins at a multiple of that");
  const std::uint64_t load = asked != 0 ? asked : std::min<std::uint64_t>(multiple & (~multiple + 1), sizeof(uint4));
  if (load >= sizeof(uint4))
    launch_words<uint4>(slot, to, stream);
  else if (load >= sizeof(uint2))
    launch_words<uint2>(slot, to, stream);
  else if (load >= sizeof(std::uint32_t))
    launch_words<std::uint32_t>(slot, to, stream);
  else
    launch_words<std::uint8_t>(slot, to, stream);
}

template <class Word>
void RowGatherer::launch_words(const Slot& slot, std::byte* to, cudaStream_t stream) {
  const std::uint64_t words = source_.options.row_bytes / sizeof(Word);
  const unsigned lanes = lanes_of<Word>(words);
  GatherRows<Word> what{static_cast<const Word*>(source_.reached),
                        {},
                        source_.tiers,
                        mine_,
                        position_of_.data(),
                        words,
                        lanes,
                        source_.options.aligned,
                        slot.device_ids.data(),
                        slot.count,
                        reinterpret_cast<Word*>(to),
                        slot.counted.data()};
  std::ranges::transform(source_.hot, what.device, [](const std::byte* rows) { return reinterpret_cast<const Word*>(rows); });
  // A multiprocessor holds one block of the largest size, so the grid uses as many as it has blocks.
  const auto most = static_cast<unsigned>(source_.options.multiprocessors);
  const Grid grid = most == 0 ? Grid{grid_for(exec_, threads(slot.count * lanes)), kBlockThreads} : Grid{most, kLargestBlock};
  exec_.before_launch(reinterpret_cast<const void*>(gather_rows_kernel<Word>));
  gather_rows_kernel<Word><<<grid.blocks, grid.block_threads, 0, stream>>>(what);
  check(cudaGetLastError(), "launch a kernel");
}

}  // namespace graphrun::cuda::inline GR_IDS
