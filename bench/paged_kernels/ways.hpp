// The ways of reaching arrays that paged_kernels compares, on each processor.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "problem.hpp"

namespace graphrun::bench {

struct WayPlan {
  std::uint32_t page_bytes = 8192;
  std::uint64_t cache_bytes = 0;  ///< of near memory, for all arrays together
  std::uint32_t queues = 84;
  std::uint32_t queue_depth = 64;
  int copy_threads = 16;  ///< of the host, that copy chunks
  std::string directory;  ///< where files are made that have no names
};

struct WayKind {
  std::string name;
  bool has_pages = false;   ///< or chunks: page_bytes means something
  bool has_queues = false;  ///< queues and queue_depth do
  bool has_cache = false;   ///< cache_bytes does, and what moves is counted
  bool holds_all = false;   ///< it takes as much near memory as the arrays have
};

/// incore: all in memory. memory: paged arrays over memory. mmap: mapped files.
const std::vector<WayKind>& cpu_ways();
std::unique_ptr<Way> open_cpu_way(const WayKind& kind, Problem& problem, const WayPlan& plan, ThreadPool& pool);

/// sm, proxy: paged arrays over host memory, whose pages are copied by warps, or by host threads. uvm, uvm-read-mostly,
/// uvm-prefetch: managed memory that the driver pages, without advice, with it, or brought to the device ahead of the kernels.
/// bulk: whole arrays are copied before the kernels. chunks: so they are, by several host threads, a chunk at a time.
const std::vector<WayKind>& gpu_ways();
/// Throws UnavailableError where there is no such thing, and where the device has no room.
std::unique_ptr<Way> open_gpu_way(const WayKind& kind, Problem& problem, const WayPlan& plan, ThreadPool& pool);

}  // namespace graphrun::bench
