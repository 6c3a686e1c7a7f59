// SPDX-License-Identifier: Apache-2.0
// Operators over work items that an algorithm listed, on a GPU. Contract: operators.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/cuda_lists.hpp"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_order.cuh"
#include "graphrun/ops/cuda_rank_sums.cuh"
#include "graphrun/ops/cuda_subway.cuh"
#include "graphrun/ops/cuda_warp.cuh"

namespace graphrun::cuda::inline GR_IDS {

/// Items `first` and on of a list, each named by its number.
struct ListedItems {
  const WorkItem* items;
  std::uint64_t first;
  std::uint64_t count;
  __device__ WorkItem item(std::uint64_t i) const {
    const WorkItem listed = items[first + i];
    return {static_cast<VertexId>(first + i), listed.begin, listed.end};
  }
  /// Returns the place in the graph of edge 0 of item i.
  __device__ EdgeId first_edge(std::uint64_t i) const { return items[first + i].begin; }
};

/// The listed items of a subgraph.
struct LoadedItems {
  SubgraphRows rows;
  std::uint64_t count;
  __device__ WorkItem item(std::uint64_t i) const { return rows.item(i); }
  __device__ EdgeId first_edge(std::uint64_t i) const { return rows.sources[i]; }
};

/// Returns the smallest neighbour of an ascending item that is not below `sought`, by a search of each lane; kNoVertex without
/// one. All lanes call it together.
template <class View>
__device__ VertexId seek(EdgeReader<View>& edges, WorkItem item, VertexId sought, Tally& tally) {
  VertexId found = kNoVertex;
  while (__any_sync(kAllLanes, item.begin < item.end)) {
    const bool looks = item.begin < item.end;
    const EdgeId middle = looks ? item.begin + (item.end - item.begin) / 2 : 0;
    edges.template reach<NoWeight>(middle, looks ? middle + 1 : middle);
    const VertexId v = read_neighbour(edges, middle, looks);
    tally.template add_list<NoWeight>(Access::naive, middle, looks ? middle + 1 : middle);
    if (!looks) continue;
    if (v < sought) {
      item.begin = middle + 1;
    } else {
      item.end = middle;
      found = v;
    }
  }
  return found;
}

template <class View, class Items, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastBlocks)
    picked_kernel(Items items, View view, OrderFor<View> order, F f) {
  EdgeReader<View> edges(view);
  Tally tally;
  const std::uint64_t groups = (items.count + kWarp - 1) / kWarp;
  for (std::uint64_t i = order.first(); i < groups; i = order.next(i)) {
    const std::uint64_t at = order.piece(i, groups) * kWarp + lane_id();
    const bool active = at < items.count;
    const WorkItem item = active ? items.item(at) : WorkItem{0, 0, 0};
    if constexpr (Declares<F, can::Seek>) {
      const VertexId v = seek(edges, item, active ? f.sought(item.vertex) : 0, tally);
      if (active) f(item.vertex, v);
    } else {
      edges.template reach<NoWeight>(item.begin, item.end);
      const VertexId v = read_neighbour(edges, item.begin, active);
      if (active) f(item.vertex, v);
      tally.template add_list<NoWeight>(Access::naive, item.begin, item.end);
    }
  }
  tally.flush(view.traffic);
}

/// Visits an item with a warp: its lanes look at weights, and those that do not skip an edge take turns.
template <class View, class Items, class F>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastBlocks)
    serial_kernel(Items items, View view, OrderFor<View> order, F f) {
  using Weight = typename F::Weight;
  constexpr EdgeId kLineWeights = 128 / sizeof(Weight);
  EdgeReader<View> edges(view);
  Tally tally;
  const Access access = edges.access() == Access::naive ? Access::merged : edges.access();
  for (std::uint64_t i = order.first(); i < items.count; i = order.next(i)) {
    const std::uint64_t at = order.piece(i, items.count);
    const WorkItem item = items.item(at);
    const EdgeId offset = items.first_edge(at) - item.begin;
    const EdgeId start = access == Access::aligned ? item.begin / kLineWeights * kLineWeights : item.begin;
    for (EdgeId base = start, reached = start; base < item.end; base = reached) {
      reached = edges.template reach_together<Weight>(base, item.end);
      for (; base < reached; base += kWarp * kInFlight) {
        EdgeId e[kInFlight];
        bool active[kInFlight];
        Weight w[kInFlight];
#pragma unroll
        for (int j = 0; j < kInFlight; ++j) {
          e[j] = base + j * kWarp + lane_id();
          active[j] = e[j] >= item.begin && e[j] < reached;
        }
        edges.weights(e, active, w);
#pragma unroll
        for (int j = 0; j < kInFlight; ++j) {
          const EdgeId in_graph = e[j] + offset;
          const bool wants = active[j] && !f.skips(item.vertex, in_graph, w[j]);
          for (unsigned turns = __ballot_sync(kAllLanes, wants); turns != 0; turns &= turns - 1) {
            if (lane_id() == __ffs(static_cast<int>(turns)) - 1) f(item.vertex, in_graph, w[j]);
            __syncwarp();
          }
        }
      }
    }
    if (lane_id() == 0) tally.add_weights(access, item.begin, item.end);
  }
  tally.flush(view.traffic);
}

/// Calls body(items, view) once, or for each subgraph of some of the items.
template <WalkableView View, class Body>
void for_all_listed(CudaExecutor&, const Rows&, const View& edges, bool, const WorkItem* items, std::size_t n, const Body& body) {
  if constexpr (MayBecomeArray<View>) {
    if (edges.is_array()) return body(ListedItems{items, 0, n}, edges.as_array());
  }
  if (n != 0) body(ListedItems{items, 0, n}, edges);
}

template <class Body>
void for_all_listed(CudaExecutor& exec, const Rows& rows, const CudaSubwayView& edges, bool weighted, const WorkItem* items,
                    std::size_t n, const Body& body) {
  CudaSubgraphs& maker = *edges.subgraphs;
  const std::size_t room = std::max<std::size_t>(1, rows.num_vertices);  // rows that a plan has at least
  for (std::size_t first = 0; first < n; first += room) {
    make_plan(exec, maker, ListedItems{items, first, std::min(room, n - first)});
    subway::for_each_subgraph(maker, edges.edges, weighted, maker.pass_room(), [&](const Subgraph& part) {
      body(LoadedItems{part.rows, part.rows.count}, part.edges);
    });
  }
}

}  // namespace graphrun::cuda::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class View, class F>
void edge_map_picked_here(CudaExecutor& exec, const Rows& rows, const View& edges, const WorkItem* items, std::size_t n, F f) {
  cuda::for_all_listed(exec, rows, edges, false, items, n, [&]<class Items, class From>(const Items& listed, const From& from) {
    cuda::launch(exec, cuda::threads(listed.count), cuda::picked_kernel<From, Items, F>, listed, from,
                 cuda::next_order<From>(exec, true), f);
  });
}

template <class View, class F>
void edge_map_serial(CudaExecutor& exec, const Rows& rows, const View& edges, const WorkItem* items, std::size_t n, F f) {
  ranks::require_one_after_another(exec);
  cuda::for_all_listed(exec, rows, edges, true, items, n, [&]<class Items, class From>(const Items& listed, const From& from) {
    cuda::launch(exec, cuda::warps(listed.count), cuda::serial_kernel<From, Items, F>, listed, from,
                 cuda::next_order<From>(exec, true), f);
  });
}

}  // namespace graphrun::inline GR_IDS
