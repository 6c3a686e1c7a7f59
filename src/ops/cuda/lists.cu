// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cub/device/device_scan.cuh>

#include "graphrun/core/atomics.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/cuda_lists.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Returns the place of an id in an ascending list whose entries are ids shifted by `shift`; `size` where it is not there.
__device__ EdgeId find(const VertexId* list, EdgeId size, VertexId id, unsigned shift) {
  EdgeId low = 0;
  for (EdgeId count = size; count > 0;) {
    const EdgeId half = count / 2;
    const bool below = list[low + half] >> shift < id;
    low = below ? low + half + 1 : low;
    count = below ? count - half - 1 : half;
  }
  return low < size && list[low] >> shift == id ? low : size;
}

/// Counts common entries: a warp takes a list of `a`, and its lanes look for the entries of each other list in it.
__global__ void count_common(Lists a, Lists b, unsigned long long* total) {
  unsigned long long count = 0;
  const std::uint64_t lists = a.last - a.first;
  for (std::uint64_t i = cuda::warp_id(); i < lists; i += cuda::warp_count()) {
    const ListPlace mine = a.places[a.first + i];
    const VertexId* const list = a.entries + mine.begin;
    for (EdgeId e = 1; e < mine.end - mine.begin; ++e) {
      if (!b.has(list[e])) continue;
      const ListPlace other = b.places[list[e]];
      // Both lists share only entries below list[e], which names the other.
      for (EdgeId k = other.begin + cuda::lane_id(); k < other.end; k += cuda::kWarp)
        count += find(list, e, b.entries[k], 0) != e;
    }
  }
  count = cuda::warp_sum(count);
  if (cuda::lane_id() == 0 && count != 0) atomicAdd(total, count);
}

/// Tallies as count_common() counts.
__global__ void tally_common(Lists a, Lists b, TriangleTally tally) {
  const std::uint64_t lists = a.last - a.first;
  for (std::uint64_t i = cuda::warp_id(); i < lists; i += cuda::warp_count()) {
    const ListPlace mine = a.places[a.first + i];
    const VertexId* const list = a.entries + mine.begin;
    std::uint64_t own = 0;
    for (EdgeId e = 1; e < mine.end - mine.begin; ++e) {
      const VertexId q = tally.id(list[e]);
      if (!b.has(q)) continue;
      const ListPlace other = b.places[q];
      std::uint64_t at_q = 0;
      for (EdgeId k = other.begin + cuda::lane_id(); k < other.end; k += cuda::kWarp) {
        const VertexId entry = b.entries[k];
        const EdgeId found = find(list, e, tally.id(entry), tally.shift);
        if (found == e) continue;
        own += tally.arcs(entry);
        at_q += tally.arcs(list[found]);
        atomics::fetch_add(tally.counts[tally.id(entry)], tally.arcs(list[e]));
      }
      at_q = cuda::warp_sum(at_q);
      if (cuda::lane_id() == 0 && at_q != 0) atomics::fetch_add(tally.counts[q], at_q);
    }
    own = cuda::warp_sum(own);
    if (cuda::lane_id() == 0 && own != 0) atomics::fetch_add(tally.counts[a.first + i], own);
  }
}

void scan(void* room, std::size_t& bytes, EdgeId* values, std::size_t count, void* stream) {
  cuda::check(cub::DeviceScan::ExclusiveSum(room, bytes, values, values, count, static_cast<cudaStream_t>(stream)), "scan lists");
}

}  // namespace

/// Loads the kernels of this file.
void load_list_kernels(CudaExecutor&) { cuda::load_modules_of(reinterpret_cast<const void*>(&count_common)); }

EdgeId exclusive_sums(CudaExecutor& exec, DeviceArray<EdgeId>& array, std::size_t most) {
  const std::size_t n = std::min(array.size(), most);
  if (n == 0) return 0;
  const EdgeId last = exec.fetch(array, n - 1);
  std::size_t bytes = 0;
  scan(nullptr, bytes, array.data(), n, exec.stream());
  const auto room = exec.make_array<std::uint8_t>(bytes);
  scan(room.data(), bytes, array.data(), n, exec.stream());
  return exec.fetch(array, n - 1) + last;
}

std::uint64_t list_intersections(CudaExecutor& exec, const Lists& a, const Lists& b) {
  auto* total = static_cast<unsigned long long*>(exec.device_scratch());
  exec.fill_words(total, 0, 2);
  if (a.first < a.last) cuda::launch(exec, cuda::warps(std::uint64_t{a.last} - a.first), count_common, a, b, total);
  auto* host = static_cast<unsigned long long*>(exec.host_scratch());
  exec.copy_to_host(host, total, sizeof(*host));
  return *host;
}

void tally_triangles(CudaExecutor& exec, const Lists& a, const Lists& b, const TriangleTally& tally) {
  if (a.first < a.last) cuda::launch(exec, cuda::warps(std::uint64_t{a.last} - a.first), tally_common, a, b, tally);
}

}  // namespace graphrun::inline GR_IDS
