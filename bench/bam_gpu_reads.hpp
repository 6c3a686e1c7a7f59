// SPDX-License-Identifier: Apache-2.0
// The kernel of bam_gpu, apart from the program because nvcc does not take its headers.
#pragma once

#include <cstdint>
#include <utility>

#include "graphrun/cache/device_pager.hpp"
#include "graphrun/core/macros.hpp"
#include "graphrun/exec/cuda_executor.hpp"

namespace graphrun {

/// Returns word `index` of the column that bam_gpu reads.
GR_HD constexpr std::uint32_t bam_word(std::uint64_t index) { return static_cast<std::uint32_t>(index * 2654435761u + 12345u); }

/// The reads of one pass over the pager's first column.
struct PageReads {
  std::uint64_t column_pages;
  std::uint64_t reads;  ///< whole pages, a warp each
  bool random;          ///< else ascending
  std::uint64_t seed;
};
/// Returns the milliseconds, and the number of wrong words.
std::pair<double, std::uint64_t> time_page_reads(CudaExecutor& exec, const DevicePager& pager, const PageReads& what);

}  // namespace graphrun
