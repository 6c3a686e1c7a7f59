// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cub/block/block_scan.cuh>
#include <vector>

#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/ops/cuda_frontier.hpp"
#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/cuda_ranks.cuh"
#include "graphrun/ops/cuda_warp.cuh"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Reserves room for `mine` entries of each thread of a block, one thread's after the other's: one atomic a block, since one a
/// warp takes ten times as long as the memory. All threads of a block call it together.
__device__ unsigned long long block_places(unsigned mine, unsigned long long* count) {
  using Scan = cub::BlockScan<unsigned, cuda::kBlockThreads>;
  __shared__ typename Scan::TempStorage room;
  __shared__ unsigned long long first;
  unsigned before = 0, all = 0;
  Scan(room).ExclusiveSum(mine, before, all);
  if (threadIdx.x == 0 && all != 0) first = atomicAdd(count, static_cast<unsigned long long>(all));
  __syncthreads();
  const unsigned long long place = first + before;
  __syncthreads();
  return place;
}

/// Calls write(v, place) for each member among `words`, whose item 0 is word `first`. A warp takes a group of words, and each of
/// these with all its lanes. A member takes entries(v) places. A list of members takes 0.2 to 0.97 of the time of
/// cub::DeviceSelect over all vertices (H100, 2^16 to 2^26 of them, 1/2 to 1/2048 members): that reads no words of 32.
template <class Entries, class Write>
__device__ void collect_members(BitmapRef members, std::uint64_t first, cuda::Groups words, unsigned long long* total,
                                const Entries& entries, const Write& write) {
  constexpr unsigned kWarps = cuda::kBlockThreads / cuda::kWarp;
  const int lane = cuda::lane_id();
  const unsigned below = (1u << lane) - 1;
  for (std::uint64_t block = std::uint64_t{blockIdx.x} * kWarps; block < words.size();
       block += std::uint64_t{gridDim.x} * kWarps) {
    const std::uint64_t group = block + threadIdx.x / cuda::kWarp;
    const std::uint64_t mine = words.item(group);
    const std::uint32_t word = mine < words.count ? members.words[first + mine] : 0;
    const std::uint64_t vertices = (first + group * words.each) * 32 + lane;  // this lane's of the group's first word
    const unsigned busy = __ballot_sync(cuda::kAllLanes, word != 0);
    unsigned wanted = entries.one_each() ? __popc(word) : 0;
    for (unsigned left = entries.one_each() ? 0 : busy; left != 0; left &= left - 1) {
      const int k = __ffs(static_cast<int>(left)) - 1;
      const bool joins = __shfl_sync(cuda::kAllLanes, word, k) >> lane & 1u;
      const auto v = static_cast<VertexId>(vertices + k * 32);
      const unsigned of_word = __reduce_add_sync(cuda::kAllLanes, joins ? entries(v) : 0);
      if (lane == k) wanted = of_word;
    }
    const unsigned long long place = block_places(wanted, total);
    for (unsigned left = busy; left != 0; left &= left - 1) {
      const int k = __ffs(static_cast<int>(left)) - 1;
      const std::uint32_t bits = __shfl_sync(cuda::kAllLanes, word, k);
      const unsigned long long begin = __shfl_sync(cuda::kAllLanes, place, k);
      const bool joins = bits >> lane & 1u;
      const auto v = static_cast<VertexId>(vertices + k * 32);
      unsigned before = __popc(bits & below);
      if (!entries.one_each()) {
        const unsigned own = joins ? entries(v) : 0;
        before = cuda::warp_inclusive_scan(own) - own;
      }
      if (joins) write(v, begin + before);
    }
  }
}

struct OneEach {
  static constexpr __device__ bool one_each() { return true; }
  __device__ unsigned operator()(VertexId) const { return 1; }
};

struct PiecesEach {
  Rows rows;
  __device__ bool one_each() const { return rows.num_hub_chunks == 0; }
  __device__ unsigned operator()(VertexId v) const { return static_cast<unsigned>(rows.pieces(rows.degree(v))); }
};

/// Writes the pieces of v's list from `place` on. Returns its degree.
__device__ EdgeId write_pieces(const cuda::QueueRef& queue, const Rows& rows, VertexId v, unsigned long long place) {
  const EdgeId degree = rows.degree(v);
  const auto pieces = static_cast<unsigned>(rows.pieces(degree));
  if (place + pieces > queue.capacity) {
    atomicExch(&queue.counters->fault, 1u);
    return degree;
  }
  for (unsigned k = 0; k < pieces; ++k) queue.items[place + k] = {v, k};
  return degree;
}

__device__ void count_edges(const cuda::QueueRef& queue, EdgeId edges) {
  edges = cuda::warp_sum(edges);
  if (cuda::lane_id() == 0 && edges != 0) atomicAdd(&queue.counters->edges, static_cast<unsigned long long>(edges));
}

__global__ void __launch_bounds__(cuda::kBlockThreads)
    queue_from_bitmap(BitmapRef bitmap, Rows rows, cuda::Groups words, cuda::QueueRef queue) {
  EdgeId edges = 0;
  collect_members(bitmap, rows.own.first_group, words, &queue.counters->items, PiecesEach{rows},
                  [&](VertexId v, unsigned long long place) { edges += write_pieces(queue, rows, v, place); });
  count_edges(queue, edges);
}

__global__ void bitmap_from_queue(const cuda::QueueItem* items, std::uint64_t count, BitmapRef bitmap) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < count; i += stride) {
    const VertexId v = items[i].vertex;
    if (items[i].piece == 0) atomicOr(&bitmap.words[v / 32], 1u << (v % 32));
  }
}

__global__ void bitmap_from_list(const VertexId* list, std::uint64_t count, BitmapRef bitmap) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < count; i += stride)
    atomicOr(&bitmap.words[list[i] / 32], 1u << (list[i] % 32));
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

/// Inserts the vertices of a list, or with none the first `count`.
__global__ void __launch_bounds__(cuda::kBlockThreads)
    queue_from_list(const VertexId* list, std::uint64_t count, Rows rows, cuda::QueueRef queue) {
  EdgeId edges = 0;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t tile = std::uint64_t{blockIdx.x} * blockDim.x; tile < count; tile += stride) {
    const std::uint64_t i = tile + threadIdx.x;
    const VertexId v = i >= count ? 0 : list != nullptr ? list[i] : static_cast<VertexId>(i);
    const unsigned long long place = block_places(i < count ? PiecesEach{rows}(v) : 0, &queue.counters->items);
    if (i < count) edges += write_pieces(queue, rows, v, place);
  }
  count_edges(queue, edges);
}

/// In 0.8 to 0.92 of the time of cub::DeviceSelect (H100, 27 to 33 M items).
__global__ void __launch_bounds__(cuda::kBlockThreads)
    list_from_queue(const cuda::QueueItem* items, std::uint64_t size, VertexId* to, cuda::Counters* counters) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t tile = std::uint64_t{blockIdx.x} * blockDim.x; tile < size; tile += stride) {
    const std::uint64_t i = tile + threadIdx.x;
    const bool begins = i < size && items[i].piece == 0;
    const unsigned long long place = block_places(begins, &counters->examined);
    if (begins) to[place] = items[i].vertex;
  }
}

__global__ void __launch_bounds__(cuda::kBlockThreads)
    list_from_bitmap(BitmapRef bitmap, cuda::Groups words, VertexId* to, std::uint64_t room, unsigned long long* count) {
  collect_members(bitmap, 0, words, count, OneEach{}, [&](VertexId v, unsigned long long place) {
    if (place < room) to[place] = v;
  });
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
  if (!exec.part().is_single_rank()) {
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
  if (!exec.part().is_single_rank()) {
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
  const std::uint64_t n = rows_.num_vertices;
  if (!exec.part().is_single_rank()) {
    start_bitmap(exec);
    exec.fill_words(words_.data(), ~0u, n / 32);
    const std::uint32_t rest = (1u << n % 32) - 1;
    if (rest != 0) exec.set_counters(words_.data() + n / 32, &rest, sizeof(rest));
    return count_members(exec);
  }
  const cuda::QueueRef queue = start_queue(exec);
  if (n != 0) cuda::launch(exec, cuda::threads(n), queue_from_list, nullptr, n, rows_, queue);
  take_counts(exec);
  vertices_ = n;
}

void CudaFrontier::assign(CudaExecutor& exec, const VertexId* list, std::size_t count, EdgeId edges) {
  if (!exec.part().is_single_rank()) {
    const BitmapRef members = start_empty_bitmap(exec);
    if (count != 0) cuda::launch(exec, cuda::threads(count), bitmap_from_list, list, std::uint64_t{count}, members);
    return set_counts(count, edges);
  }
  const cuda::QueueRef queue = start_queue(exec);
  if (count != 0) cuda::launch(exec, cuda::threads(count), queue_from_list, list, std::uint64_t{count}, rows_, queue);
  take_counts(exec);
  vertices_ = count;
}

void CudaFrontier::copy_to(CudaExecutor& exec, VertexId* to) {
  if (!exec.part().is_single_rank()) {
    cuda::list_members(exec, bitmap(exec), words_.size(), to, vertices_);
    return;
  }
  const cuda::QueueItem* items = queue(exec);
  exec.fill_words(counters_.data(), 0, sizeof(cuda::Counters) / 4);
  if (items_ != 0) cuda::launch(exec, cuda::threads(items_), list_from_queue, items, items_, to, counters_.data());
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
    const cuda::Groups words = cuda::groups_of(exec, rows_.own.groups);
    cuda::launch(exec, cuda::warps(words), queue_from_bitmap, BitmapRef{words_.data()}, rows_, words, queue);
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

std::uint64_t list_members(CudaExecutor& exec, BitmapRef members, std::uint64_t words, VertexId* list, std::uint64_t room) {
  unsigned long long* const count = new_count(exec);
  const Groups groups = groups_of(exec, words);
  if (words != 0) launch(exec, warps(groups), list_from_bitmap, members, groups, list, room, count);
  return counted_at(exec, count);
}

}  // namespace graphrun::cuda::inline GR_IDS

namespace graphrun::cuda::inline GR_IDS {

void load_frontier_kernels() { load_modules_of(reinterpret_cast<const void*>(&source_kernel)); }

}  // namespace graphrun::cuda::inline GR_IDS
