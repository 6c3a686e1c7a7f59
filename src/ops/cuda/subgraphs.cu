// SPDX-License-Identifier: Apache-2.0

#include <cuda_runtime.h>

#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <string>

#include "exec/cuda/streams.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/ops/cuda_subgraphs.hpp"
#include "graphrun/ops/cuda_subway.cuh"
#include "graphrun/ops/gather.hpp"

namespace graphrun::cuda::inline GR_IDS {
namespace {

cudaStream_t as_stream(void* stream) { return static_cast<cudaStream_t>(stream); }
cudaEvent_t as_event(void* event) { return static_cast<cudaEvent_t>(event); }

void scan(void* room, std::size_t& bytes, PlanTile* tiles, std::uint64_t count, void* stream) {
  const cudaError_t status =
      cub::DeviceScan::ExclusiveScan(room, bytes, tiles, tiles, AddTiles{}, PlanTile{0, 0}, count + 1, as_stream(stream));
  check(status, "scan a plan");
}

std::size_t scan_room(std::uint64_t most_tiles) {
  std::size_t bytes = 0;
  scan(nullptr, bytes, nullptr, most_tiles, nullptr);
  return bytes;
}

}  // namespace

void* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, std::max<std::size_t>(bytes, 1)), ("pin " + format_bytes(bytes) + " of host memory").c_str());
  return memory;
}
void free_pinned(void* pointer) noexcept {
  if (pointer != nullptr) cudaFreeHost(pointer);
}

Event::Event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "create an event");
  event_ = event;
}
Event::~Event() { cudaEventDestroy(as_event(event_)); }
void Event::record(void* stream) { check(cudaEventRecord(as_event(event_), as_stream(stream)), "record an event"); }
void Event::let_wait(void* stream) const { check(cudaStreamWaitEvent(as_stream(stream), as_event(event_), 0), "order streams"); }
void Event::wait() const { check(cudaEventSynchronize(as_event(event_)), "wait for a copy to the GPU"); }

}  // namespace graphrun::cuda::inline GR_IDS

namespace graphrun::inline GR_IDS {

CudaSubgraphs::CudaSubgraphs(CudaExecutor& exec, const SubgraphOptions& options)
    : exec_(exec),
      options_(options),
      pool_(options.threads),
      half_(half_of(options.capacity)),
      vertices_(options.most_rows),
      sources_(options.most_rows),
      places_(options.most_rows + 1),
      tiles_(cuda::plan_tiles(options.most_rows + options.num_vertices) + 1),
      scan_room_(cuda::scan_room(tiles_.size())),
      host_sources_(options.most_rows),
      host_places_(options.most_rows + 1),
      neighbours_(options.capacity),
      weights_(options.weighted ? options.capacity : 0),
      round_(1),
      sum_(1) {
  cuda::load_modules_of(reinterpret_cast<const void*>(&cuda::source_kernel));
  const std::size_t words = options.asynchronous ? BitmapRef::words_for(options.num_vertices) : 0;
  for (auto* bits : {&loaded_, &rounds_[0], &rounds_[1]}) *bits = DeviceArray<std::uint32_t>(words);
  exec.fill_words(round_.data(), 0, sizeof(RoundCounts) / 4);
  exec.fill_words(sum_.data(), 0, sizeof(double) / 4);
  copies_ = cuda::take_stream();  // last: what throws before it loses none
}

CudaSubgraphs::~CudaSubgraphs() {
  cuda::give_back_stream(exec_.device(), cuda::as_stream(copies_));  // what it reads goes next
}

cuda::PlanRef CudaSubgraphs::start_plan() {
  kept_ = nullptr;
  return {vertices_.data(), sources_.data(), places_.data(), tiles_.data()};
}

void CudaSubgraphs::scan_tiles(std::uint64_t count) {
  std::size_t bytes = scan_room_.size();
  cuda::scan(scan_room_.data(), bytes, tiles_.data(), count, exec_.stream());
}

void CudaSubgraphs::end_plan(std::uint64_t tiles, const void* key, double elapsed_ms) {
  const Timer bringing;
  cuda::PlanTile end{};
  exec_.copy_to_host(&end, tiles_.data() + tiles, sizeof(end));
  rows_ = end.rows;
  if (rows_ > options_.most_rows) throw RunError("a plan has more rows than its graph: this is a bug in graphrun");
  exec_.copy_to_host(host_sources_.data(), sources_.data(), rows_ * sizeof(EdgeId));
  if (rows_ != 0) exec_.copy_to_host(host_places_.data(), places_.data(), (rows_ + 1) * sizeof(EdgeId));
  kept_ = key;
  counters_.find_ms += elapsed_ms + bringing.elapsed_ms();
}

template <class T>
void CudaSubgraphs::copy(EdgeId begin, EdgeId end, const T* from, T* to) {
  constexpr EdgeId kStageEdges = kStageBytes / sizeof(T);
  for (EdgeId stop; begin < end; begin = stop) {
    stop = std::min(end, begin + kStageEdges);
    Stage& stage = stages_[next_stage_];
    next_stage_ = (next_stage_ + 1) % kStages;
    const Timer waiting;
    stage.copied.wait();
    counters_.copy_ms += waiting.elapsed_ms();
    const Timer gathering;
    T* gathered = reinterpret_cast<T*>(stage.memory.data());
    gather(pool_, plan(), begin, stop, from, gathered);
    counters_.gather_ms += gathering.elapsed_ms();
    const std::size_t bytes = (stop - begin) * sizeof(T);
    cuda::check(cudaMemcpyAsync(to, gathered, bytes, cudaMemcpyHostToDevice, cuda::as_stream(copies_)), "copy edges to the GPU");
    stage.copied.record(copies_);
    ++counters_.copies;
    counters_.bytes += bytes;
    to += stop - begin;
  }
}

Subgraph CudaSubgraphs::load(const HostEdges& edges, bool weighted, std::uint64_t first, std::uint64_t last) {
  const EdgeId begin = host_places_.data()[first];
  const EdgeId end = host_places_.data()[last];
  used_both_ = end - begin > half_;
  used_half_ = used_both_ ? 0 : 1 - used_half_;
  computed_[used_half_].let_wait(copies_);
  if (used_both_) computed_[1].let_wait(copies_);
  const EdgeId start = used_half_ * half_;
  copy(begin, end, edges.neighbours, neighbours_.data() + start);
  if (weighted) copy(begin, end, edges.weights, weights_.data() + start);
  copied_.record(copies_);
  copied_.let_wait(exec_.stream());
  ++counters_.subgraphs;
  Subgraph made;
  made.rows = {vertices_.data() + first, sources_.data() + first, places_.data() + first, begin, last - first};
  made.edges.neighbours = neighbours_.data() + start;
  if (weighted) made.edges.weights = weights_.data() + start;
  made.num_edges = end - begin;
  return made;
}

void CudaSubgraphs::release() {
  computed_[used_half_].record(exec_.stream());
  if (used_both_) computed_[1].record(exec_.stream());
}

RoundCounts CudaSubgraphs::take_counts() {
  auto* counts = static_cast<RoundCounts*>(exec_.host_scratch());
  exec_.copy_to_host(counts, round_.data(), sizeof(RoundCounts));
  exec_.fill_words(round_.data(), 0, sizeof(RoundCounts) / 4);
  return *counts;
}

double CudaSubgraphs::take_sum() {
  auto* sum = static_cast<double*>(exec_.host_scratch());
  exec_.copy_to_host(sum, sum_.data(), sizeof(double));
  exec_.fill_words(sum_.data(), 0, sizeof(double) / 4);
  return *sum;
}

void plan_frontier(CudaExecutor& exec, CudaSubgraphs& maker, const Rows& rows, CudaFrontier& frontier) {
  if (frontier.size() >= rows.num_vertices / 64) {
    cuda::make_plan(exec, maker, cuda::lists(rows, subway::Members{frontier.bitmap(exec)}));
  } else {
    const cuda::QueueItem* items = frontier.queue(exec);
    cuda::make_plan(exec, maker, cuda::QueueItems{rows, items, frontier.items()});
  }
}

void plan_everything(CudaExecutor& exec, CudaSubgraphs& maker, const Rows& rows) {
  if (maker.keeps(rows.offsets)) return;
  cuda::make_plan(exec, maker, cuda::EverythingInOrder{rows, cuda::num_own_items(rows)}, rows.offsets);
}

}  // namespace graphrun::inline GR_IDS
