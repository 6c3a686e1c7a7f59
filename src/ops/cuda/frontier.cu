#include <algorithm>
#include <vector>

#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/ops/cuda_frontier.hpp"
#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/cuda_ranks.cuh"
#include "graphrun/ops/cuda_warp.cuh"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::inline GR_IDS {
namespace {

__global__ void queue_from_bitmap(BitmapRef bitmap, Rows rows, cuda::QueueRef queue) {
  EdgeId edges = 0;
  for (std::uint64_t i = cuda::warp_id(); i < rows.own.groups; i += cuda::warp_count()) {
    const std::uint64_t w = rows.own.first_group + i;
    const std::uint32_t word = bitmap.words[w];
    if (word == 0) continue;
    const auto v = static_cast<VertexId>(w * 32 + cuda::lane_id());
    edges += cuda::append_vertex(queue, rows, (word >> cuda::lane_id()) & 1u, v);
  }
  edges = cuda::warp_sum(edges);
  if (cuda::lane_id() == 0 && edges != 0) atomicAdd(&queue.counters->edges, static_cast<unsigned long long>(edges));
}

__global__ void bitmap_from_queue(const cuda::QueueItem* items, std::uint64_t count, BitmapRef bitmap) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < count; i += stride) {
    const VertexId v = items[i].vertex;
    if (items[i].piece == 0) atomicOr(&bitmap.words[v / 32], 1u << (v % 32));
  }
}

__global__ void count_bitmap(BitmapRef bitmap, std::size_t words, Rows rows, cuda::Counters* counters) {
  unsigned long long vertices = 0, edges = 0;
  for (std::uint64_t w = cuda::warp_id(); w < words; w += cuda::warp_count()) {
    const std::uint32_t word = bitmap.words[w];
    if ((word >> cuda::lane_id() & 1u) == 0) continue;
    ++vertices;
    edges += rows.degree(static_cast<VertexId>(w * 32 + cuda::lane_id()));
  }
  vertices = cuda::warp_sum(vertices);
  edges = cuda::warp_sum(edges);
  if (cuda::lane_id() != 0 || vertices == 0) return;
  atomicAdd(&counters->vertices, vertices);
  atomicAdd(&counters->edges, edges);
}

__global__ void queue_of_all(Rows rows, cuda::QueueRef queue) {
  const std::uint64_t groups = (rows.num_vertices + 31) / 32;
  for (std::uint64_t w = cuda::warp_id(); w < groups; w += cuda::warp_count()) {
    const std::uint64_t v = w * 32 + cuda::lane_id();
    cuda::append_vertex(queue, rows, v < rows.num_vertices, static_cast<VertexId>(v));
  }
}

__global__ void queue_from_list(const VertexId* list, std::uint64_t count, Rows rows, cuda::QueueRef queue) {
  unsigned long long joined = 0, edges = 0;
  for (std::uint64_t base = cuda::warp_id() * cuda::kWarp; base < count; base += cuda::warp_count() * cuda::kWarp) {
    const std::uint64_t i = base + cuda::lane_id();
    joined += i < count;
    edges += cuda::append_vertex(queue, rows, i < count, i < count ? list[i] : 0);
  }
  joined = cuda::warp_sum(joined);
  edges = cuda::warp_sum(edges);
  if (cuda::lane_id() != 0 || joined == 0) return;
  atomicAdd(&queue.counters->vertices, joined);
  atomicAdd(&queue.counters->edges, edges);
}

__global__ void list_from_queue(const cuda::QueueItem* items, std::uint64_t size, VertexId* to, cuda::Counters* counters) {
  for (std::uint64_t base = cuda::warp_id() * cuda::kWarp; base < size; base += cuda::warp_count() * cuda::kWarp) {
    const std::uint64_t i = base + cuda::lane_id();
    const bool begins = i < size && items[i].piece == 0;
    const unsigned all = __ballot_sync(cuda::kAllLanes, begins);
    unsigned long long place = 0;
    if (cuda::lane_id() == 0) place = atomicAdd(&counters->examined, static_cast<unsigned long long>(__popc(all)));
    place = __shfl_sync(cuda::kAllLanes, place, 0);
    if (begins) to[place + __popc(all & ((1u << cuda::lane_id()) - 1))] = items[i].vertex;
  }
}

}  // namespace

CudaFrontier::CudaFrontier(CudaExecutor& exec, const Rows& rows, std::uint64_t spare_items)
    : rows_(rows),
      queue_(exec.make_array<cuda::QueueItem>(
          std::max<std::size_t>(std::size_t{rows.num_vertices} + rows.num_hub_chunks, spare_items))),
      words_(exec.make_array<std::uint32_t>(BitmapRef::words_for(rows.num_vertices))),
      counters_(exec.make_array<cuda::Counters>(1)) {}

void CudaFrontier::clear() {
  items_ = 0;
  vertices_ = 0;
  edges_ = 0;
  own_edges_ = 0;
  has_queue_ = true;
  has_bitmap_ = false;
}

void CudaFrontier::insert(CudaExecutor& exec, VertexId v) {
  if (!exec.part().alone()) {
    bitmap(exec);
    std::uint32_t word = 0;
    exec.copy_to_host(&word, words_.data() + v / 32, sizeof(word));
    word |= 1u << (v % 32);
    exec.copy_to_device(words_.data() + v / 32, &word, sizeof(word));
  }
  EdgeId ends[2];
  exec.copy_to_host(ends, rows_.offsets + v, sizeof(ends));
  const EdgeId degree = ends[1] - ends[0];
  ++vertices_;
  edges_ += degree;
  if (!exec.part().alone()) {
    has_queue_ = false;
    return;
  }
  own_edges_ += degree;
  std::vector<cuda::QueueItem> pieces(rows_.pieces(degree));
  for (std::size_t k = 0; k < pieces.size(); ++k) pieces[k] = {v, static_cast<VertexId>(k)};
  exec.copy_to_device(queue_.data() + items_, pieces.data(), pieces.size() * sizeof(cuda::QueueItem));
  items_ += pieces.size();
  has_bitmap_ = false;
}

void CudaFrontier::insert_all(CudaExecutor& exec) {
  if (!exec.part().alone()) ranks::refuse_ranks();
  const cuda::QueueRef queue = start_queue(exec);
  cuda::launch(exec, cuda::warps(std::uint64_t{rows_.num_vertices} / 32 + 1), queue_of_all, rows_, queue);
  take_counts(exec);
  vertices_ = rows_.num_vertices;
  EdgeId last = 0;
  exec.copy_to_host(&last, rows_.offsets + rows_.num_vertices, sizeof(last));
  edges_ = own_edges_ = last;
}

void CudaFrontier::assign(CudaExecutor& exec, const VertexId* list, std::size_t count, EdgeId) {
  if (!exec.part().alone()) ranks::refuse_ranks();
  const cuda::QueueRef queue = start_queue(exec);
  if (count != 0) cuda::launch(exec, cuda::warps(count / 32 + 1), queue_from_list, list, std::uint64_t{count}, rows_, queue);
  take_counts(exec);
}

void CudaFrontier::copy_to(CudaExecutor& exec, VertexId* to) {
  const cuda::QueueItem* items = queue(exec);
  exec.fill_words(counters_.data(), 0, sizeof(cuda::Counters) / 4);
  if (items_ != 0) cuda::launch(exec, cuda::warps(items_ / 32 + 1), list_from_queue, items, items_, to, counters_.data());
}

BitmapRef CudaFrontier::bitmap(CudaExecutor& exec) {
  const BitmapRef bits{words_.data()};
  if (!has_bitmap_) {
    exec.fill_words(words_.data(), 0, words_.size());
    if (items_ != 0) cuda::launch(exec, cuda::threads(items_), bitmap_from_queue, queue_.data(), items_, bits);
    has_bitmap_ = true;
  }
  return bits;
}

const cuda::QueueItem* CudaFrontier::queue(CudaExecutor& exec) {
  if (!has_queue_) {
    const std::size_t vertices = vertices_;
    const EdgeId edges = edges_;
    const cuda::QueueRef queue = start_queue(exec);
    cuda::launch(exec, cuda::warps(rows_.own.groups), queue_from_bitmap, BitmapRef{words_.data()}, rows_, queue);
    take_counts(exec);
    vertices_ = vertices;
    edges_ = edges;
    has_bitmap_ = true;
  }
  return queue_.data();
}

void CudaFrontier::sort_queue(CudaExecutor& exec) {
  bitmap(exec);
  has_queue_ = false;
  queue(exec);
}

cuda::QueueRef CudaFrontier::start_queue(CudaExecutor& exec, const cuda::Counters& start) {
  clear();
  exec.set_counters(counters_.data(), &start, sizeof(start));
  return {queue_.data(), queue_.size(), counters_.data()};
}

BitmapRef CudaFrontier::start_bitmap(CudaExecutor& exec, const cuda::Counters& start) {
  clear();
  has_queue_ = false;
  has_bitmap_ = true;
  exec.set_counters(counters_.data(), &start, sizeof(start));
  return {words_.data()};
}

BitmapRef CudaFrontier::start_empty_bitmap(CudaExecutor& exec) {
  exec.fill_words(words_.data(), 0, words_.size());
  return start_bitmap(exec);
}

void CudaFrontier::count_members(CudaExecutor& exec) {
  cuda::launch(exec, cuda::warps(words_.size()), count_bitmap, BitmapRef{words_.data()}, words_.size(), rows_, counters_.data());
  take_counts(exec);
}

cuda::Counters CudaFrontier::take_counts(CudaExecutor& exec) {
  auto* host = static_cast<cuda::Counters*>(exec.host_scratch());
  exec.copy_to_host(host, counters_.data(), sizeof(cuda::Counters));
  check_and_count(*host);
  return *host;
}

void CudaFrontier::set_counts(const cuda::Counters& counts) {
  clear();
  check_and_count(counts);
}

BitmapRef CudaFrontier::start_union(CudaExecutor& exec) {
  const BitmapRef bits = bitmap(exec);
  has_queue_ = false;
  const cuda::Counters start{.vertices = vertices_, .edges = edges_};
  exec.set_counters(counters_.data(), &start, sizeof(start));
  return bits;
}

void CudaFrontier::set_counts(std::uint64_t vertices, EdgeId edges) {
  vertices_ = vertices;
  edges_ = edges;
}

void CudaFrontier::check_and_count(const cuda::Counters& counts) {
  if (counts.fault != 0) {
    throw RunError(
        "a work queue on the GPU was too short for its frontier: a functor of edge_map_push returned true more than once for a "
        "vertex, or this is a bug in graphrun");
  }
  items_ = counts.items;
  vertices_ = counts.vertices;
  edges_ = own_edges_ = counts.edges;
}

}  // namespace graphrun::inline GR_IDS

namespace graphrun::cuda::inline GR_IDS {
namespace {

__global__ void list_from_bitmap(BitmapRef bitmap, std::uint64_t words, VertexId* to, std::uint64_t room,
                                 unsigned long long* count) {
  for (std::uint64_t w = warp_id(); w < words; w += warp_count()) {
    const std::uint32_t word = bitmap.words[w];
    if (word == 0) continue;
    unsigned long long place = 0;
    if (lane_id() == 0) place = atomicAdd(count, static_cast<unsigned long long>(__popc(word)));
    place = __shfl_sync(kAllLanes, place, 0) + __popc(word & ((1u << lane_id()) - 1));
    if ((word >> lane_id() & 1u) != 0 && place < room) to[place] = static_cast<VertexId>(w * 32 + lane_id());
  }
}

}  // namespace

std::uint64_t list_members(CudaExecutor& exec, BitmapRef members, std::uint64_t words, VertexId* list, std::uint64_t room) {
  unsigned long long* const count = new_count(exec);
  if (words != 0) launch(exec, warps(words), list_from_bitmap, members, words, list, room, count);
  return counted_at(exec, count);
}

}  // namespace graphrun::cuda::inline GR_IDS
