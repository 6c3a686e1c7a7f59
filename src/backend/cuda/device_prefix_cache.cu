// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <limits>

#include "backend/cuda/device_prefix_cache.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/ops/cuda_operators.cuh"

namespace graphrun::cuda::inline GR_IDS {
namespace {

struct PrefixLength {
  Rows rows;
  CachedPrefixes prefixes;

  __device__ std::uint64_t operator()(std::size_t v) const {
    if (!rows.owns(v)) return 0;  // another GPU's list
    return prefixes.end_of(rows.offsets[v], rows.offsets[v + 1]) - rows.offsets[v];
  }
};

/// Stores prefix lengths, before the scan.
struct StorePrefixLength {
  PrefixLength length;
  std::uint32_t* starts;
  __device__ void operator()(std::size_t v) const { starts[v + 1] = static_cast<std::uint32_t>(length(v)); }
};

/// Copies prefixes, eight lanes each: the sectors of four lists are requested at once.
__global__ void copy_prefixes(PrefixLength length, const VertexId* column, VertexId* words) {
  constexpr unsigned kTeam = 8;
  const std::uint64_t first = (blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x) / kTeam;
  const std::uint64_t teams = std::uint64_t{gridDim.x} * blockDim.x / kTeam;
  const std::uint32_t words_an_edge = length.prefixes.words_an_edge;
  for (std::uint64_t v = first; v < length.rows.num_vertices; v += teams) {
    const VertexId* const from = column + length.rows.offsets[v] * words_an_edge;
    VertexId* const to = words + length.prefixes.start(static_cast<VertexId>(v)) * words_an_edge;
    const std::uint64_t count = length(v) * words_an_edge;
    for (std::uint64_t i = threadIdx.x % kTeam; i < count; i += kTeam) to[i] = from[i];
  }
}

void sum_up(CudaExecutor& exec, const DeviceArray<std::uint32_t>& array) {
  const auto scan = [&](void* room, std::size_t& bytes) {
    check(cub::DeviceScan::InclusiveSum(room, bytes, array.data(), array.data(), array.size(),
                                        static_cast<cudaStream_t>(exec.stream())),
          "find where cached prefixes begin");
  };
  std::size_t bytes = 0;
  scan(nullptr, bytes);
  const DeviceArray<std::uint8_t> room(bytes);
  scan(room.data(), bytes);
  exec.finish();
}

}  // namespace

DevicePrefixCache::DevicePrefixCache(CudaExecutor& exec, const Rows& rows, const VertexId* column, std::uint32_t words_an_edge,
                                     EdgeId unit, std::uint64_t most_bytes) {
  const std::size_t n = rows.num_vertices;
  const std::uint64_t edge_bytes = words_an_edge * sizeof(VertexId);
  const std::uint64_t index_bytes = (std::uint64_t{n} + 1) * sizeof(std::uint32_t);
  prefixes_.words_an_edge = words_an_edge;
  prefixes_.unit = unit;
  if (n == 0) return;
  const auto edges_in = [&](const CachedPrefixes& prefixes) {
    return vertex_sum_here<std::uint64_t>(exec, n, PrefixLength{rows, prefixes});
  };
  const std::uint64_t indexed = most_bytes < index_bytes ? 0 : (most_bytes - index_bytes) / edge_bytes;
  prefixes_.lead = longest_lead(prefixes_, std::min<std::uint64_t>(indexed, std::numeric_limits<std::uint32_t>::max()), edges_in);
  const bool alone = rows.own_vertices() == n;
  const EdgeId same = unit != 1 || !alone ? 0 : std::min(most_bytes / (n * edge_bytes), kLongestPrefix);
  const bool has_index = prefixes_.lead > same;
  prefixes_.lead = std::max(prefixes_.lead, same);
  if (prefixes_.lead == 0) return;
  std::uint64_t edges = n * same;
  if (has_index) {
    starts_ = DeviceArray<std::uint32_t>(n + 1);
    exec.fill_words(starts_.data(), 0, 1);
    vertex_map(exec, n, StorePrefixLength{{rows, prefixes_}, starts_.data()});
    sum_up(exec, starts_);
    edges = exec.fetch(starts_, n);
  }
  words_ = DeviceArray<VertexId>(edges * words_an_edge);
  launch(exec, warps(n), copy_prefixes, PrefixLength{rows, view()}, column, words_.data());
  exec.finish();
}

CachedPrefixes DevicePrefixCache::view() const {
  CachedPrefixes prefixes = prefixes_;
  prefixes.words = words_.data();
  prefixes.starts = starts_.data();
  return prefixes;
}

}  // namespace graphrun::cuda::inline GR_IDS
