// SPDX-License-Identifier: Apache-2.0
// The kernels of bam_gpu, apart from the program because nvcc does not take its headers.
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

/// Commands of threads through the queue pairs alone, without a cache: figure 4 of BaM's paper. Pages stay where they land.
struct PageCommands {
  std::uint64_t column_pages;
  std::uint64_t commands;
  std::uint64_t threads;  ///< each has one command out at a time
  bool writes;            ///< else threads read
  std::uint64_t seed;
};
/// Returns the milliseconds, and the number of pages with a wrong first or last word. Throws RunError when a command fails or
/// takes longer than the pager's deadline. The pager lands pages.
std::pair<double, std::uint64_t> time_page_commands(CudaExecutor& exec, const DevicePager& pager, const PageCommands& what);

}  // namespace graphrun
