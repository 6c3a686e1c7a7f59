// The rows of a graph in device memory: offsets, and the pieces of cut lists. Backends differ in where edges are, not in this.
#pragma once

#include <algorithm>
#include <vector>

#include "graphrun/backend/backend.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/graph/packed_walk.hpp"
#include "graphrun/graph/rows.hpp"

namespace graphrun::cuda::inline GR_IDS {

inline constexpr EdgeId kDefaultChunkEdges = 1024;                         // 32 steps of a warp
inline constexpr EdgeId kDefaultPackedChunkEdges = packed::kStretchEdges;  // whose first line the directory has

class DeviceRows {
 public:
  DeviceRows() = default;
  DeviceRows(const Graph& graph, const Csr& csr, const BackendOptions& options, CudaExecutor& exec, ThreadPool& pool)
      : num_vertices_(graph.num_vertices()), offsets_(csr.offsets.size()) {
    exec.copy_to_device(offsets_.data(), csr.offsets.data(), csr.offsets.bytes());
    if (&csr == &graph.out && (options.needs_weights || options.records) && !graph.weight_table.empty()) {
      weight_table_ = DeviceArray<std::uint64_t>(graph.weight_table.size());
      exec.copy_to_device(weight_table_.data(), graph.weight_table.data(), graph.weight_table.bytes());
    }
    const bool is_packed = !csr.packed.empty() && !options.records;
    if (is_packed) {
      groups_ = DeviceArray<packed::Group>(csr.packed.groups.size());
      exec.copy_to_device(groups_.data(), csr.packed.groups.data(), csr.packed.groups.bytes());
      packed_ = packed_lists(csr);
      packed_.groups = groups_.data();
      packed_.offsets = offsets_.data();
    }
    if (options.layout == Layout::balanced)
      chunk_edges_ = choose_chunk(graph, options, is_packed ? kDefaultPackedChunkEdges : kDefaultChunkEdges);
    const RankPart part = exec.part().within(num_vertices_);
    own_.first_group = (part.first + 31) / 32;  // behind the last group for an empty part
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

  Rows rows() const {
    return {.offsets = offsets_.data(),
            .num_vertices = num_vertices_,
            .chunk_edges = chunk_edges_,
            .hub_chunks = hub_chunks_.data(),
            .num_hub_chunks = hub_chunks_.size(),
            .own = own_};
  }

  /// Where a load of the device finds the packed lines and weights.
  void place_lines(const std::byte* lines, const std::byte* weights) {
    packed_.lines = lines;
    packed_.weights = weights;
  }
  /// Null unless it has been placed: for graph.out of runs that reach u64 weights.
  const std::uint64_t* weight_table() const { return weight_table_.data(); }
  /// Null when lists are not packed. Itself in host memory.
  const PackedLists* packed() const { return groups_.size() == 0 ? nullptr : &packed_; }

 private:
  EdgeId chunk_edges_ = kUncut;
  VertexId num_vertices_ = 0;
  DeviceArray<EdgeId> offsets_;
  DeviceArray<std::uint64_t> weight_table_;
  DeviceArray<packed::Group> groups_;
  PackedLists packed_;
  DeviceArray<HubChunk> hub_chunks_;
  OwnRows own_;
};

}  // namespace graphrun::cuda::inline GR_IDS
