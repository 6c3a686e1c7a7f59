// Packed lists for the threads of a GPU: lines in host memory, the first of them in device memory as well, and an index there.
// Decoding: ops/cuda_packed_reader.cuh.
#pragma once

#include <cstdint>

#include "graphrun/core/types.hpp"
#include "graphrun/graph/packed_walk.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::inline GR_IDS {

/// Trivially copyable; passed to kernels by value.
struct DevicePackedView {
  PackedLists lists;                ///< without weights
  const std::byte* near = nullptr;  ///< the first lines, in device memory
  std::uint64_t cached_bytes = 0;   ///< whole requests of 128 bytes
  VertexId num_vertices = 0;
  Traffic* read = nullptr;                      ///< device counters: what readers loaded of lines
  unsigned long long* damaged = nullptr;        ///< of the vertices whose lists are, the smallest; kNoVertex: none is
  static constexpr Traffic* traffic = nullptr;  ///< scans do not know how many bytes a list has

  bool is_far() const { return true; }
};

}  // namespace graphrun::inline GR_IDS
