// SPDX-License-Identifier: Apache-2.0
// A warp's reader of edges that counts requests over the link: as for a DirectView, after a look at each load.
#pragma once

#include <cstdint>

#include "graphrun/exec/cuda_warp_basics.cuh"
#include "graphrun/ops/cuda_edge_reader.cuh"
#include "graphrun/view/counted_view.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// Counts the loads of a warp from one column. The sector that a lane read last counts as cached in the first level, and is not
/// asked for again: a lane that traverses a list alone asks once for each sector (Min, dissertation, section 2.3.3), and a load
/// does not ask for the sector in which the one before it ended. Sectors that other warps bring into that cache are not
/// considered.
class LoadCounter {
 public:
  /// Counts a load of all 32 lanes together, before it; `address` is what a lane with `active` will read.
  __device__ void count(std::uint64_t address, bool active, RequestCounts<unsigned>& counts) {
    const std::uint64_t sector = address / kSectorBytes;
    const bool at_hand = is_at_hand(sector);  // all lanes look, whether they read or not
    const bool asks = active && !at_hand;
    if (active) last_sector_ = sector;
    const std::uint64_t line = sector / kLineSectors;
    const int place = static_cast<int>(sector % kLineSectors);
    const unsigned same_line = __match_any_sync(kAllLanes, line) & __ballot_sync(kAllLanes, asks);
    unsigned sectors = 0;
#pragma unroll
    for (int i = 0; i < kLineSectors; ++i) {
      if ((__ballot_sync(kAllLanes, asks && place == i) & same_line) != 0) sectors |= 1u << i;
    }
    const bool speaks_for_line = asks && __ffs(static_cast<int>(same_line)) - 1 == lane_id();
    counts.add_line(speaks_for_line ? sectors : 0);
  }

 private:
  __device__ bool is_at_hand(std::uint64_t sector) const {
    bool found = last_sector_ == sector;
    for (int d = 1; d < kWarp; ++d) found |= __shfl_xor_sync(kAllLanes, last_sector_, d) == sector;
    return found;
  }

  std::uint64_t last_sector_ = ~std::uint64_t{0};  // of this lane
};

template <>
class EdgeReader<CountedView> {
 public:
  static constexpr unsigned kLeastBlocks = 2;  // the counts take registers, and speed does not matter here
  static constexpr unsigned kLeastSweepBlocks = 2;
  static constexpr unsigned kLeastPassBlocks = 2;
  static constexpr bool kTurns = false;

  explicit __device__ EdgeReader(const CountedView& view) : edges_(view), view_(view) {}
  __device__ ~EdgeReader() {
    for (int i = 0; i < kLineSectors; ++i) {
      add_up(&view_.requests->aligned[i], counts_.aligned[i]);
      add_up(&view_.requests->misaligned[i], counts_.misaligned[i]);
    }
  }
  EdgeReader(const EdgeReader&) = delete;
  EdgeReader& operator=(const EdgeReader&) = delete;

  __device__ Access access() const { return edges_.access(); }
  template <class Weight>
  __device__ void reach(EdgeId begin, EdgeId end) const {
    edges_.template reach<Weight>(begin, end);
  }
  template <class Weight>
  __device__ EdgeId reach_together(EdgeId begin, EdgeId end) const {
    return edges_.template reach_together<Weight>(begin, end);
  }
  template <int kCount>
  __device__ void neighbours(const EdgeId (&e)[kCount], const bool (&active)[kCount], VertexId (&v)[kCount]) {
    count_loads(neighbour_loads_, view_.neighbours, e, active);
    edges_.neighbours(e, active, v);
  }
  template <class Weight, int kCount>
  __device__ void weights(const EdgeId (&e)[kCount], const bool (&active)[kCount], Weight (&w)[kCount]) {
    if constexpr (is_weighted<Weight>) count_loads(weight_loads_, view_.weights, e, active);
    edges_.weights(e, active, w);
  }

 private:
  template <class T, int kCount>
  __device__ void count_loads(LoadCounter& loads, const T* column, const EdgeId (&e)[kCount], const bool (&active)[kCount]) {
    const auto begin = reinterpret_cast<std::uint64_t>(column);
#pragma unroll
    for (int j = 0; j < kCount; ++j) loads.count(begin + e[j] * sizeof(T), active[j], counts_);
  }
  __device__ static void add_up(std::uint64_t* total, unsigned mine) {
    const auto sum = warp_sum(static_cast<unsigned long long>(mine));
    if (lane_id() == 0 && sum != 0) atomicAdd(reinterpret_cast<unsigned long long*>(total), sum);
  }

  EdgeReader<DirectView> edges_;
  const CountedView& view_;         // a parameter of the kernel
  RequestCounts<unsigned> counts_;  // of this lane in one kernel: far below 2^32
  LoadCounter neighbour_loads_;
  LoadCounter weight_loads_;
};

}  // namespace graphrun::cuda::inline GR_IDS
