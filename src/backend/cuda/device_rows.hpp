// SPDX-License-Identifier: Apache-2.0
// The rows of a graph in device memory.
#pragma once

#include <algorithm>
#include <vector>

#include "backend/host_rows.hpp"
#include "graphrun/backend/backend.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/graph/packed_walk.hpp"
#include "graphrun/graph/rows.hpp"

namespace graphrun::cuda::inline GR_IDS {

inline constexpr EdgeId kDefaultChunkEdges = 1024;                         // 32 steps of a warp
inline constexpr EdgeId kDefaultPackedChunkEdges = packed::kStretchEdges;  // the directory has a chunk's first line

class DeviceRows : public PlacedRows<DeviceArray, DeviceArray<HubChunk>> {
 public:
  DeviceRows() = default;
  DeviceRows(const Graph& graph, const Csr& csr, const BackendOptions& options, CudaExecutor& exec, ThreadPool& pool) {
    num_vertices_ = graph.num_vertices();
    offsets_ = DeviceArray<EdgeId>(csr.offsets.size());
    exec.copy_to_device(offsets_.data(), csr.offsets.data(), csr.offsets.bytes());
    if (&csr == &graph.out && (options.needs_weights || options.records) && !graph.weight_table.empty()) {
      weight_table_ = DeviceArray<std::uint64_t>(graph.weight_table.size());
      exec.copy_to_device(weight_table_.data(), graph.weight_table.data(), graph.weight_table.bytes());
    }
    const bool is_packed = !csr.packed.empty() && !options.records;
    if (is_packed) {
      groups_ = DeviceArray<packed::Group>(csr.packed.groups.size());
      exec.copy_to_device(groups_.data(), csr.packed.groups.data(), csr.packed.groups.bytes());
      place_packed(csr);
    }
    if (options.layout == Layout::balanced)
      chunk_edges_ = choose_chunk(graph, options, is_packed ? kDefaultPackedChunkEdges : kDefaultChunkEdges);
    const RankPart part = exec.part().within(num_vertices_);
    own_.first_group = (part.first + 31) / 32;  // after the last group for an empty part
    own_.groups = (part.last + 31) / 32 - own_.first_group;
    if (options.layout != Layout::balanced) return;
    const std::vector<HubChunk> chunks = hub_chunks_of(graph, csr, chunk_edges_, pool);
    const auto before = [&](std::uint64_t v) {
      const auto place =
          std::ranges::lower_bound(chunks, v, {}, [](const HubChunk& chunk) { return std::uint64_t{chunk.vertex}; });
      return static_cast<std::uint64_t>(place - chunks.begin());
    };
    own_.first_chunk = before(part.first);
    own_.chunks = before(part.last) - own_.first_chunk;
    hub_chunks_ = DeviceArray<HubChunk>(chunks.size());
    exec.copy_to_device(hub_chunks_.data(), chunks.data(), chunks.size() * sizeof(HubChunk));
  }
};

}  // namespace graphrun::cuda::inline GR_IDS
