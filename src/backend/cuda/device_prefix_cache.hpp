// SPDX-License-Identifier: Apache-2.0
// Cached prefixes (view/cached_prefixes.hpp) in a GPU's memory: the static tier of a backend that reads edges over the link.
#pragma once

#include <cstdint>

#include "graphrun/core/types.hpp"
#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/view/cached_prefixes.hpp"

namespace graphrun::cuda::inline GR_IDS {

class DevicePrefixCache {
 public:
  DevicePrefixCache() = default;
  /// Keeps as many edges of each list of `column` as `most_bytes` of device memory hold; kernels reach rows and column. Has an
  /// index of 4 bytes a vertex, unless equal room for all lists makes prefixes longer. Throws RunError without the memory.
  DevicePrefixCache(CudaExecutor& exec, const Rows& rows, const VertexId* column, std::uint32_t words_an_edge, EdgeId unit,
                    std::uint64_t most_bytes);

  /// Returns the prefixes; valid while this object lives.
  CachedPrefixes view() const;
  EdgeId lead() const { return prefixes_.lead; }
  std::uint64_t edge_bytes() const { return words_.bytes(); }
  std::uint64_t bytes() const { return words_.bytes() + starts_.bytes(); }

 private:
  CachedPrefixes prefixes_;
  DeviceArray<VertexId> words_;
  DeviceArray<std::uint32_t> starts_;
};

}  // namespace graphrun::cuda::inline GR_IDS
