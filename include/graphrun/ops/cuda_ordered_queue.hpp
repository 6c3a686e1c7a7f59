// SPDX-License-Identifier: Apache-2.0
// Vertices by priority, for edge_map_ordered on the GPU: a near queue that is processed round after round, and a far pile for
// later (Davidson et al., IPDPS 2014).
#pragma once

#include <cstdint>
#include <functional>

#include "graphrun/core/types.hpp"
#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/cuda_frontier.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// The queue in kernels. A vertex is in `far` at most once (in_far), and in the near queue of a round at most once (stamps).
struct OrderedRef {
  QueueRef near;
  VertexId* far;
  Counters* pile;         ///< counts the far pile (`deferred`, `lowest`)
  std::uint32_t* in_far;  ///< bitmap
  std::uint32_t* stamps;  ///< last round a vertex entered the near queue
  std::uint32_t round;
};

}  // namespace graphrun::cuda::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// Memory of searches, empty between them: 28 bytes a vertex and 16 a piece of a cut list (32-bit ids).
class CudaOrderedQueue {
 public:
  CudaOrderedQueue(CudaExecutor& exec, const Rows& rows);

  CudaFrontier near;  ///< as CpuOrderedQueue's
  CudaFrontier next;
  std::function<void()> after_round;  ///< as CpuOrderedQueue's
  DeviceArray<VertexId> far;
  DeviceArray<VertexId> far_next;
  DeviceArray<std::uint32_t> in_far;
  DeviceArray<std::uint32_t> stamps;
  std::uint32_t round = 0;
};

}  // namespace graphrun::inline GR_IDS
