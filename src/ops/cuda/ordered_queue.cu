// SPDX-License-Identifier: Apache-2.0

#include "graphrun/ops/cuda_ordered_queue.hpp"

namespace graphrun::inline GR_IDS {

CudaOrderedQueue::CudaOrderedQueue(CudaExecutor& exec, const Rows& rows)
    : near(exec, rows),
      next(exec, rows),
      far(exec.make_array<VertexId>(rows.num_vertices)),
      far_next(exec.make_array<VertexId>(rows.num_vertices)),
      in_far(exec.make_array<std::uint32_t>(BitmapRef::words_for(rows.num_vertices))),
      stamps(exec.make_array<std::uint32_t>(rows.num_vertices)) {
  exec.fill_words(stamps.data(), 0, stamps.size());
}

}  // namespace graphrun::inline GR_IDS
