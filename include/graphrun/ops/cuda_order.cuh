// SPDX-License-Identifier: Apache-2.0
// The order in which the warps of a kernel take their work.
//
// In most kernels warp w of n takes the pieces w, w + n, w + 2 n and so on, without a counter that warps share. In some kernels
// warps draw tickets instead, so that all of them are at the same place of the graph, however many the device holds at a time:
//
// - Sweeps that use new values at once. On a Kronecker graph of scale 25 PageRank takes 8 sweeps in order and 23 without.
// - Kernels that read through a cache that loses pages (EdgeReader::kTurns). The cache replaces its oldest pages first. When it
//   holds half of the edges, it has lost each page by the time a second pass in the same direction comes to it. A pass in the
//   other direction begins with the half that is in the cache. So each such kernel that goes over much of the graph begins
//   where the one before it ended.
#pragma once

#include <cstdint>
#include <type_traits>

#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/exec/cuda_warp_basics.cuh"
#include "graphrun/ops/cuda_edge_reader.cuh"

namespace graphrun::cuda::inline GR_IDS {

/// Strides: for (i = order.first(); i < count; i = order.next(i)) a warp does piece order.piece(i, count), all lanes together.
struct Strided {
  __device__ std::uint64_t first() const { return warp_id(); }
  __device__ std::uint64_t next(std::uint64_t i) const { return i + warp_count(); }
  __device__ std::uint64_t piece(std::uint64_t i, std::uint64_t) const { return i; }
};

/// The same by tickets.
struct InOrder {
  unsigned long long* tickets;
  bool backward;

  __device__ std::uint64_t first() const {
    const unsigned long long ticket = lane_id() == 0 ? atomicAdd(tickets, 1ull) : 0;
    return __shfl_sync(kAllLanes, ticket, 0);
  }
  __device__ std::uint64_t next(std::uint64_t) const { return first(); }
  __device__ std::uint64_t piece(std::uint64_t i, std::uint64_t count) const { return backward ? count - 1 - i : i; }
};

/// Returns the order of the next kernel, against the direction of the one before it where passes turn.
template <class View>
InOrder in_order(CudaExecutor& exec) {
  return {exec.fresh_tickets(), EdgeReader<View>::kTurns && exec.turn()};
}

template <class View>
using OrderFor = std::conditional_t<EdgeReader<View>::kTurns, InOrder, Strided>;

/// Does the same for kernels that look at `few` pieces: these go forward and are no passes, since the cache stays as it was.
template <class View>
OrderFor<View> next_order(CudaExecutor& exec, bool few = false) {
  if constexpr (!EdgeReader<View>::kTurns) {
    return {};
  } else if (few) {
    return {exec.fresh_tickets(), false};
  } else {
    return in_order<View>(exec);
  }
}

}  // namespace graphrun::cuda::inline GR_IDS
