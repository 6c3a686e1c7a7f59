// SPDX-License-Identifier: Apache-2.0
// The kernel that gathers rows of features (Min, dissertation, listings 3.2 and 4.1).
#pragma once

#include <cstdint>

#include "graphrun/backend/feature_table.hpp"
#include "graphrun/backend/row_tiers.hpp"
#include "graphrun/ops/cuda_launch.cuh"

namespace graphrun::cuda::inline GR_IDS {

inline constexpr unsigned kLargestBlock = 1024;  // threads
inline constexpr int kRowLoads = 4;              // of a lane before it stores

template <class Word>
inline constexpr std::uint64_t kLineWords = 128 / sizeof(Word);

/// `Word` is what a lane loads at a time: 1, 4, 8 or 16 bytes.
template <class Word>
struct GatherRows {
  const Word* host;
  const Word* device[1 + FeatureOptions::kMostPeers];  ///< hot rows in the memory of each GPU
  RowTiers tiers;
  unsigned mine;                ///< the index of the gathering GPU
  const VertexId* position_of;  ///< of each row among the hot ones, kNoVertex for others; null: rows 0 to tiers.hot - 1 are hot
  std::uint64_t words;          ///< of a row
  unsigned lanes;               ///< that read a row; a power of two up to a warp
  bool aligned;
  const VertexId* ids;
  std::uint64_t count;
  Word* to;
  unsigned long long* hot;  ///< counts rows from this GPU, and from others
};

/// Returns how many lanes read a row: a line's worth of words, more for longer rows until each lane has few loads. Wider words
/// thus let a warp read several rows at once.
template <class Word>
unsigned lanes_of(std::uint64_t words) {
  unsigned lanes = 1;
  const auto fills = [&] { return lanes >= words || (lanes >= kLineWords<Word> && lanes * kRowLoads >= words); };
  while (lanes < kWarp && !fills()) lanes *= 2;
  return lanes;
}

/// Lanes read consecutive words, several at a time, so that a warp's request is a 128-byte line. A request at an unaligned row
/// start would span two lines. So lanes begin at the row's first boundary and read its first words last.
template <class Word>
__global__ void __launch_bounds__(kLargestBlock) gather_rows_kernel(GatherRows<Word> what) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const unsigned lane = static_cast<unsigned>(thread) % what.lanes;
  const bool shifts = what.aligned && what.words > kLineWords<Word> && what.words % kLineWords<Word> != 0;
  unsigned long long here = 0;
  unsigned long long at_peers = 0;
  for (std::uint64_t i = thread / what.lanes; i < what.count; i += std::uint64_t{gridDim.x} * blockDim.x / what.lanes) {
    const std::uint64_t id = what.ids[i];
    const std::uint64_t position = what.position_of == nullptr ? id : what.position_of[id];
    const bool is_hot = position < what.tiers.hot;
    const RowTiers::Place place = is_hot ? what.tiers.of(position, what.mine) : RowTiers::Place{what.mine, 0};
    const Word* const from = is_hot ? what.device[place.gpu] + place.row * what.words : what.host + id * what.words;
    const std::uint64_t past = id * what.words % kLineWords<Word>;
    const std::uint64_t shift = shifts && !is_hot && past != 0 ? kLineWords<Word> - past : 0;
    for (std::uint64_t k = lane; k < what.words; k += std::uint64_t{what.lanes} * kRowLoads) {
      Word words[kRowLoads];
      std::uint64_t at[kRowLoads];
#pragma unroll
      for (int j = 0; j < kRowLoads; ++j) {
        const std::uint64_t word = k + j * what.lanes;
        at[j] = word + shift >= what.words ? word + shift - what.words : word + shift;
        if (word < what.words) words[j] = from[at[j]];
      }
#pragma unroll
      for (int j = 0; j < kRowLoads; ++j) {
        if (k + j * what.lanes < what.words) what.to[i * what.words + at[j]] = words[j];
      }
    }
    if (is_hot && lane == 0) ++(place.gpu == what.mine ? here : at_peers);
  }
  if (here != 0) atomicAdd(what.hot, here);
  if (at_peers != 0) atomicAdd(what.hot + 1, at_peers);
}

}  // namespace graphrun::cuda::inline GR_IDS
