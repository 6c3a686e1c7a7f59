// SPDX-License-Identifier: Apache-2.0
// Packed lists for GPU threads: lines in host memory, the first also in device memory, with an index there. Decoder:
// ops/cuda_packed_reader.cuh.
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
  Traffic* read = nullptr;                      ///< device counters of loaded line bytes
  unsigned long long* damaged = nullptr;        ///< smallest vertex with a damaged list; kNoVertex: none
  static constexpr Traffic* traffic = nullptr;  ///< null: scans do not know the bytes of a list

  bool is_far() const { return true; }
};

}  // namespace graphrun::inline GR_IDS
