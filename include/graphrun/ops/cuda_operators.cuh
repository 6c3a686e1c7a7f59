// SPDX-License-Identifier: Apache-2.0
// The operators on a GPU, for views that its loads can reach. Contract: operators.hpp. Their kernels are in cuda_steps.cuh and
// cuda_passes.cuh.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cub/block/block_reduce.cuh>
#include <utility>

#include "graphrun/core/atomics.hpp"
#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/cuda_frontier.hpp"
#include "graphrun/ops/cuda_gather.cuh"
#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/cuda_order.cuh"
#include "graphrun/ops/cuda_passes.cuh"
#include "graphrun/ops/cuda_rank_sums.cuh"
#include "graphrun/ops/cuda_ranks.cuh"
#include "graphrun/ops/cuda_steps.cuh"
#include "graphrun/ops/cuda_warp.cuh"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::cuda::inline GR_IDS {

template <class F>
__global__ void map_kernel(std::size_t n, F f) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += std::size_t{gridDim.x} * blockDim.x) f(i);
}

template <class T>
__device__ void add_to(T* total, T value) {
  if constexpr (sizeof(T) == 8 && !std::is_floating_point_v<T>) {
    atomicAdd(reinterpret_cast<unsigned long long*>(total), static_cast<unsigned long long>(value));
  } else {
    atomicAdd(total, value);
  }
}

template <int N>
__device__ void add_to(Sums<N>* total, const Sums<N>& value) {
  for (int i = 0; i < N; ++i) atomicAdd(&total->of[i], value.of[i]);
}

template <class T, class F>
__global__ void __launch_bounds__(kBlockThreads) sum_kernel(std::size_t n, F f, T* total) {
  constexpr int kAtOnce = 4;  // loads that a thread waits for together
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  T sum{};
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += kAtOnce * stride) {
    T parts[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) parts[k] = i + k * stride < n ? f(i + k * stride) : T{};
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) sum += parts[k];
  }
  using Reduce = cub::BlockReduce<T, kBlockThreads>;
  __shared__ typename Reduce::TempStorage room;
  sum = Reduce(room).Reduce(sum, [](T a, const T& b) { return a += b; });
  if (threadIdx.x == 0) add_to(total, sum);
}

template <class F>
__global__ void frontier_map_kernel(const QueueItem* items, std::uint64_t count, F f) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    if (items[i].piece == 0) f(items[i].vertex);
  }
}

template <class T>
struct Fill {
  T* data;
  T value;
  __device__ void operator()(std::size_t i) const { data[i] = value; }
};

template <class F>
struct OfMembers {
  BitmapRef members;
  F f;
  __device__ void operator()(std::size_t v) const {
    if (members.test(static_cast<VertexId>(v))) f(static_cast<VertexId>(v));
  }
};

/// Returns whether a view is an array once it is whole, and then read as one.
template <class View>
concept MayBecomeArray = requires(const View& edges) {
  edges.as_array();
};

inline std::uint64_t items_worth_sorting(const CudaFrontier& frontier) {
  return std::max<std::uint64_t>(4096, frontier.words() / 8);
}

/// Returns whether sorting pays: edges are remote, and a pass over a bitmap is short beside so many items.
template <class View>
bool worth_sorting(const View& edges, const CudaFrontier& frontier) {
  return edges.is_far() && frontier.items() >= items_worth_sorting(frontier);
}

/// Returns the most vertices of a small frontier.
template <class View>
std::uint64_t small_items(const View& edges, const CudaFrontier& frontier) {
  return edges.is_far() ? std::min(kSmallItems, items_worth_sorting(frontier) - 1) : kSmallItems;
}

}  // namespace graphrun::cuda::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class F>
void vertex_map(CudaExecutor& exec, std::size_t n, F f, std::size_t = 0) {
  if (n != 0) cuda::launch(exec, cuda::threads(n), cuda::map_kernel<F>, n, f);
}

/// Does vertex_sum() by this GPU, while others may do something else.
template <class T, class F>
T vertex_sum_here(CudaExecutor& exec, std::size_t n, F f) {
  auto* total = static_cast<T*>(exec.device_scratch());
  exec.fill_words(total, 0, sizeof(T) / 4);
  if (n != 0) cuda::launch(exec, cuda::threads(n), cuda::sum_kernel<T, F>, n, f, total);
  T* host = static_cast<T*>(exec.host_scratch());
  exec.copy_to_host(host, total, sizeof(T));
  return *host;
}

template <class T, class F>
T vertex_sum(CudaExecutor& exec, std::size_t n, F f) {
  return ranks::broadcast_from_root(exec, vertex_sum_here<T>(exec, n, f));
}

template <class T>
void fill(CudaExecutor& exec, DeviceArray<T>& array, T value) {
  vertex_map(exec, array.size(), cuda::Fill<T>{array.data(), value});
}

template <class F>
void frontier_map(CudaExecutor& exec, CudaFrontier& frontier, F f) {
  if (!exec.part().is_single_rank()) {  // the queue has this GPU's members alone
    const std::size_t n = frontier.rows().num_vertices;
    return vertex_map(exec, n, cuda::OfMembers<F>{frontier.bitmap(exec), f});
  }
  const cuda::QueueItem* items = frontier.queue(exec);
  if (frontier.items() != 0)
    cuda::launch(exec, cuda::threads(frontier.items()), cuda::frontier_map_kernel<F>, items, frontier.items(), f);
}

template <WalkableView View>
DirectionCosts direction_costs(const CudaExecutor& exec, const View& edges) {
  // Several GPUs choose alike: edges cached for a part of the graph do not count.
  const bool alone = exec.part().is_single_rank();
  if constexpr (cuda::MayBecomeArray<View>) {
    if (alone && edges.is_array()) return direction_costs(exec, edges.as_array());
  }
  // Over a link, a pulling vertex costs a request, unless its cached prefix has the answer; in device memory, about a sector.
  const double request = alone && cached_prefixes_of(edges).lead != 0 ? 4 : 16;
  const double add = ranks::add_cost(exec);
  return edges.is_far() ? DirectionCosts{.push_edge = 1, .pull_edge = 1, .pull_vertex = request, .add = add}
                        : DirectionCosts{.push_edge = 1, .pull_edge = 0.5, .pull_vertex = 1, .add = add};
}

template <class View>
bool pushes_alone(const CudaExecutor&, const View&, const CudaFrontier&) {
  return false;
}

/// Makes some steps of edge_map_push by one kernel, from a frontier that is a queue.
template <class View, class F>
EdgeMapStats push_on(CudaExecutor& exec, const Rows& rows, const View& edges, CudaFrontier& frontier, std::uint64_t small, F f,
                     CudaFrontier& next) {
  auto* done = static_cast<cuda::PushedOn*>(exec.device_scratch());
  exec.fill_words(done, 0, sizeof(*done) / 4);
  cuda::launch_together(exec, cuda::push_on_kernel<View, F>, rows, edges, frontier.spare_queue(), next.spare_queue(),
                        frontier.items(), frontier.edges(), small, f, done);
  const EdgeId first_edges = frontier.edges();
  auto* host = static_cast<cuda::PushedOn*>(exec.host_scratch());
  exec.copy_to_host(host, done, sizeof(*done));
  if (host->steps % 2 == 0) std::swap(frontier, next);
  next.set_counts(host->last);
  return {first_edges + host->passed_edges, host->steps, host->passed, host->passed_edges};
}

template <WalkableView View, class F>
requires PlainPush<F> EdgeMapStats edge_map_push(CudaExecutor& exec, const Rows& rows, const View& edges, CudaFrontier& frontier,
                                                 F f, CudaFrontier& next) {
  if (!exec.part().is_single_rank()) frontier.queue(exec);  // counts items
  if constexpr (cuda::MayBecomeArray<View>) {
    constexpr std::uint64_t kFewItems = 4096;  // for which asking costs more than it may gain
    if (frontier.items() >= kFewItems && edges.is_array()) return edge_map_push(exec, rows, edges.as_array(), frontier, f, next);
  }
  if constexpr (Declares<F, can::GoOn> && !Declares<F, can::Prepare> && cuda::supports_persistent_kernel<View>) {
    const std::uint64_t small = cuda::small_items(edges, frontier);
    if (exec.part().is_single_rank() && cuda::is_small(small, frontier.size(), frontier.edges())) {
      frontier.queue(exec);  // counts items
      if (frontier.items() <= small) return push_on(exec, rows, edges, frontier, small, f, next);
    }
  }
  prepare_members(exec, frontier, f);
  const bool many = cuda::worth_sorting(edges, frontier);
  if (many && exec.part().is_single_rank())
    frontier.sort_queue(exec);  // of several GPUs each made its queue of a bitmap, in order
  const cuda::QueueItem* items = frontier.queue(exec);
  const cuda::Groups groups = cuda::groups_of(exec, frontier.items());
  const auto order = cuda::next_order<View>(exec, !many);
  const cuda::QueueRef queue = next.start_queue(exec);
  if (groups.count != 0) {
    cuda::launch(exec, cuda::warps(groups), cuda::push_kernel<View, F>, rows, edges, items, groups, order, f, queue);
  }
  next.take_counts(exec);
  return exchange_after_push(exec, {frontier.own_edges(), 1}, f, next);
}

template <WalkableView View, class F>
EdgeMapStats edge_map_pull(CudaExecutor& exec, const Rows& rows, const View& edges, const Rows& out, F f, CudaFrontier& next) {
  if constexpr (cuda::MayBecomeArray<View>) {
    if (edges.is_array()) return edge_map_pull(exec, rows, edges.as_array(), out, f, next);
  }
  const BitmapRef bits = next.start_bitmap(exec);
  const cuda::QueueRef rest = next.spare_queue();  // free while `next` is a bitmap
  const bool is_near = cuda::pulls_near(edges, f);
  if constexpr (std::is_same_v<View, DirectView>) {
    const cuda::Groups words = cuda::groups_of(exec, rows.own.groups);
    if (is_near)
      cuda::launch(exec, cuda::warps(words), cuda::pull_near_kernel<F>, rows, edges, out, words, f, bits, next.counters(), rest);
  }
  if (!is_near) {
    cuda::launch(exec, cuda::warps(rows.own.groups), cuda::pull_kernel<View, F>, rows, edges, out, cuda::next_order<View>(exec),
                 f, bits, next.counters(), rest);
  }
  if (rows.own.chunks != 0) {
    cuda::launch(exec, cuda::warps(rows.own.chunks), cuda::pull_rest_kernel<View, F>, rows, edges, out,
                 cuda::next_order<View>(exec, true), f, bits, next.counters(), rest);
  }
  return exchange_after_pull(exec, {next.take_counts(exec).examined, 1}, f, next);
}

template <WalkableView View, class F>
EdgeMapStats edge_map_all(CudaExecutor& exec, const Rows& rows, const View& edges, EdgeId skip, F f) {
  if constexpr (cuda::MayBecomeArray<View>) {
    if (edges.is_array()) return edge_map_all(exec, rows, edges.as_array(), skip, f);
  }
  unsigned long long* const total = cuda::new_count(exec);
  cuda::launch(exec, cuda::warps(rows.own.tasks()), cuda::all_kernel<View, F>, rows, edges, cuda::next_order<View>(exec), skip, f,
               total);
  return share_changes(exec, rows, {cuda::counted_at(exec, total), 1}, f);
}

template <WalkableView View, class F>
EdgeMapStats edge_gather_bits(CudaExecutor& exec, const Rows& rows, const View& edges, F f) {
  if constexpr (cuda::MayBecomeArray<View>) {
    if (edges.is_array()) return edge_gather_bits(exec, rows, edges.as_array(), f);
  }
  unsigned long long* const total = cuda::new_count(exec);
  cuda::launch(exec, cuda::warps(rows.own.groups), cuda::gather_bits_kernel<View, F>, rows, edges, cuda::next_order<View>(exec),
               f, total);
  if (rows.own.chunks != 0) {
    cuda::launch(exec, cuda::warps(rows.own.chunks), cuda::gather_rest_kernel<View, F>, rows, edges,
                 cuda::next_order<View>(exec, true), f, total);
  }
  return share_changes(exec, rows, {cuda::counted_at(exec, total), 1}, f);
}

template <WalkableView View, class F>
EdgeMapStats edge_map_leading(CudaExecutor& exec, const Rows& rows, const View& edges, EdgeId count, F f) {
  if constexpr (cuda::MayBecomeArray<View>) {
    if (edges.is_array()) return edge_map_leading(exec, rows, edges.as_array(), count, f);
  }
  unsigned long long* const total = cuda::new_count(exec);
  cuda::launch(exec, cuda::warps(rows.own.groups), cuda::leading_kernel<View, F>, rows, edges, cuda::next_order<View>(exec),
               count, f, total);
  return share_changes(exec, rows, {cuda::counted_at(exec, total), 1}, f);
}

template <WalkableView View, class F>
double edge_reduce_pull(CudaExecutor& exec, const Rows& rows, const View& edges, F f) {
  if constexpr (cuda::MayBecomeArray<View>) {
    if (edges.is_array()) return edge_reduce_pull(exec, rows, edges.as_array(), f);
  }
  auto* total = static_cast<double*>(exec.device_scratch());
  exec.fill_words(total, 0, 2);
  const cuda::PieceSums pieces{exec.piece_sums(rows.num_hub_chunks), exec.piece_counts(rows.num_hub_chunks)};
  cuda::launch(exec, cuda::warps(rows.own.tasks()), cuda::reduce_kernel<View, F>, rows, edges, cuda::in_order<View>(exec), f,
               pieces, total);
  auto* host = static_cast<double*>(exec.host_scratch());
  exec.copy_to_host(host, total, sizeof(double));
  return exchange_after_reduce(exec, *host, rows.num_vertices, f);
}

}  // namespace graphrun::inline GR_IDS
