// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/host_edges.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backend/cuda/link_probe.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/parallel.hpp"

namespace graphrun::cuda::inline GR_IDS {
namespace {

constexpr std::size_t kProbeBytes = std::size_t{2} << 30;  // beyond the size from which kinds of host memory differ

}  // namespace

HostEdges::HostEdges(std::uint64_t edge_bytes, std::uint64_t num_vertices, CudaExecutor& exec, ThreadPool& pool)
    : exec_(exec), pool_(pool) {
  const std::size_t probe = std::clamp<std::size_t>(edge_bytes, 1 << 20, kProbeBytes);
  Column<std::byte> pages = Column<std::byte>::allocate(probe);
  parallel_chunks(pool, probe, 4 << 20, [&](std::size_t begin, std::size_t end, int) {
    std::fill(pages.data() + begin, pages.data() + end, std::byte{1});  // touched, so that reads reach memory
  });
  const auto rate = [&](const EdgeMemory& memory) { return random_read_rate(exec, memory.data(), memory.bytes()); };
  const double pinned = rate(EdgeMemory::register_host(pages.data(), probe));
  if (const std::string why = why_not_managed(edge_bytes + probe, num_vertices, true); !why.empty()) {
    description_ =
        fmt::format("pinned host memory ({:.1f} GB/s of random 128-byte reads over {}; managed memory was not tried: {})", pinned,
                    format_bytes(probe), why);
    return;
  }
  const EdgeMemory candidate = EdgeMemory::managed_copy(pages.data(), probe, pool);
  candidate.keep_on_host(exec.device());
  const double managed = rate(candidate);
  managed_ = managed > pinned * 1.1;
  description_ = fmt::format("{} ({:.1f} GB/s of random 128-byte reads over {}, against {:.1f} of {})",
                             managed_ ? "managed memory kept on the host" : "pinned host memory", managed_ ? managed : pinned,
                             format_bytes(probe), managed_ ? pinned : managed,
                             managed_ ? "pinned memory" : "managed memory kept on the host");
}

EdgeMemory HostEdges::place(const void* data, std::size_t bytes, bool must_copy) const {
  if (managed_) {
    EdgeMemory memory = EdgeMemory::managed_copy(data, bytes, pool_);
    memory.keep_on_host(exec_.device());
    return memory;
  }
  return must_copy ? EdgeMemory::pinned_copy(data, bytes, pool_) : EdgeMemory::register_host(data, bytes);
}

}  // namespace graphrun::cuda::inline GR_IDS
