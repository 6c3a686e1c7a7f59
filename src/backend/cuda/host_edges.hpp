// SPDX-License-Identifier: Apache-2.0
// Edges in host memory that kernels read over the link. Above a gigabyte, random reads of pinned memory can be eight times slower
// than of managed memory kept on the host, so both are measured.
#pragma once

#include <cstdint>
#include <string>

#include "backend/cuda/edge_memory.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/exec/cuda_executor.hpp"

namespace graphrun::cuda::inline GR_IDS {

class HostEdges {
 public:
  /// Measures both kinds for `edge_bytes` beside the state of `num_vertices`.
  HostEdges(std::uint64_t edge_bytes, std::uint64_t num_vertices, CudaExecutor& exec, ThreadPool& pool);

  /// Puts the column where the device reaches it. Pins its memory in place where possible, not with several GPUs, whose ranges of
  /// a column share a page of memory.
  template <class T>
  EdgeMemory place(const Column<T>& column) const {
    return place(column.data(), column.bytes(), column.in_mapped_file() || column.empty() || !exec_.part().is_single_rank());
  }
  /// Does the same for memory that the device must not reach: always a copy.
  EdgeMemory place_copy(const void* data, std::size_t bytes) const { return place(data, bytes, true); }
  /// Returns the kind of memory and the measurements.
  const std::string& description() const { return description_; }

 private:
  EdgeMemory place(const void* data, std::size_t bytes, bool must_copy) const;

  CudaExecutor& exec_;
  ThreadPool& pool_;
  bool managed_ = false;
  std::string description_;
};

}  // namespace graphrun::cuda::inline GR_IDS
