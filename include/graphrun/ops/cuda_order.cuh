// In which order the warps of a kernel take their work.
//
// A cache that holds half of the edges, and replaces first what came first, has lost each page by the time a second pass in the same
// direction comes to it. A pass in the other direction begins with the half that is there. So behind such a cache (EdgeReader::kTurns) each
// kernel that goes over much of the graph begins where the one before it ended.
#pragma once

#include <cstdint>

#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/ops/cuda_edge_reader.cuh"

namespace graphrun::cuda {

/// Which of `count` pieces of work comes as number `i`.
template <bool kTurns>
struct Order {
  __device__ std::uint64_t operator()(std::uint64_t i, std::uint64_t) const { return i; }
  Order reversed() const { return {}; }
};

template <>
struct Order<true> {
  bool backward = false;
  __device__ std::uint64_t operator()(std::uint64_t i, std::uint64_t count) const { return backward ? count - 1 - i : i; }
  Order reversed() const { return {!backward}; }
};

template <class View>
using OrderFor = Order<EdgeReader<View>::kTurns>;

/// The other direction than last time; the usual one for `few` pieces of work, which say nothing about what the cache holds.
template <class View>
OrderFor<View> next_order(CudaExecutor& exec, bool few = false) {
  if constexpr (EdgeReader<View>::kTurns) {
    return {!few && exec.turn()};
  } else {
    return {};
  }
}

}  // namespace graphrun::cuda
