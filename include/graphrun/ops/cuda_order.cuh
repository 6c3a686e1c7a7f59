// In which order the warps of a kernel take their work.
//
// Mostly each warp takes every so-manieth piece, and nobody need ask anybody. Behind a cache that loses pages
// (EdgeReader::kTurns) order matters. Such a cache replaces first what came first: when it holds half of the edges, it has lost
// each page by the time a second pass in the same direction comes to it, while a pass in the other direction begins with the half
// that is there. So each kernel that goes over much of the graph begins where the one before it ended, and warps draw tickets, so
// that all of them are at the same place of the graph, however many the device holds at a time.
#pragma once

#include <cstdint>

#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/exec/cuda_warp_basics.cuh"
#include "graphrun/ops/cuda_edge_reader.cuh"

namespace graphrun::cuda {

/// for (i = order.first(); i < count; i = order.next(i)) a warp works on piece order.piece(i, count); all lanes together.
template <bool kTurns>
struct Order {
  __device__ std::uint64_t first() const { return warp_id(); }
  __device__ std::uint64_t next(std::uint64_t i) const { return i + warp_count(); }
  __device__ std::uint64_t piece(std::uint64_t i, std::uint64_t) const { return i; }
};

template <>
struct Order<true> {
  unsigned long long* tickets;
  bool backward;

  __device__ std::uint64_t first() const {
    const unsigned long long ticket = lane_id() == 0 ? atomicAdd(tickets, 1ull) : 0;
    return __shfl_sync(kAllLanes, ticket, 0);
  }
  __device__ std::uint64_t next(std::uint64_t) const { return first(); }
  __device__ std::uint64_t piece(std::uint64_t i, std::uint64_t count) const { return backward ? count - 1 - i : i; }
};

template <class View>
using OrderFor = Order<EdgeReader<View>::kTurns>;

/// For the next kernel: against the direction of the one before it. Kernels that look at `few` pieces go forward, and do not
/// count: they leave the cache as it was.
template <class View>
OrderFor<View> next_order(CudaExecutor& exec, bool few = false) {
  if constexpr (EdgeReader<View>::kTurns) {
    return {exec.fresh_tickets(), !few && exec.turn()};
  } else {
    return {};
  }
}

}  // namespace graphrun::cuda
