// SPDX-License-Identifier: Apache-2.0
// The memories from which a GPU reads arrays of the host: managed memory behind the driver's model, GPUVM's pages behind network
// cards, and zero-copy. Each counts what its link moves, and turns counts into time by the constants of a machine.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "uvm/driver.hpp"

namespace graphrun::bench::uvm {

/// A machine of a paper. Rates are in GB/s.
struct Machine {
  const char* name;
  double link_gb_s;    ///< of large copies by cudaMemcpy
  unsigned tags;       ///< reads that the link has outstanding at most
  double memory_gb_s;  ///< of the GPU's own memory
  unsigned resident_warps;
  unsigned cache_kib;  ///< L1 of all multiprocessors and L2
  unsigned edge_bytes;
  double memory_share;  ///< device memory for edges, of the bytes of the edges
  /// Host time of a batch of faults (interrupt, fault buffer, replay), and of each block in it (page tables, copy engine).
  double batch_us, block_us;
  const char* source;
};
/// Throws UsageError for a name that is not in the table.
const Machine& machine_named(const std::string& name);

/// Constants that all machines share.
inline constexpr double kLaunchUs = 5;                 ///< a step's kernel
inline constexpr double kRoundTripUs = 1.6;            ///< of a read (section 2.3.3: 1.0 to 1.6)
inline constexpr unsigned kHeaderBytes = 18;           ///< of a completion (section 2.3.3)
inline constexpr unsigned kRequestBytes = 128;         ///< the largest read of a warp
inline constexpr unsigned kSectorBytes = 32;           ///< the smallest
inline constexpr double kPageUs = 23;                  ///< of a page through a network card (GPUVM, section 3.2)
inline constexpr double kNicGbS[] = {6.5, 12};         ///< one card, two (GPUVM, figure 8)
inline constexpr std::uint64_t kGpuvmPage = 8192;      ///< bytes (GPUVM, figure 9)
inline constexpr std::uint64_t kGpuvmPages = 84 * 64;  ///< in flight: queues times depth (GPUVM, section 5.2)

struct Totals {
  double ms = 0;
  std::uint64_t bytes_in = 0;   ///< over the link to the GPU
  std::uint64_t bytes_out = 0;  ///< back
  std::uint64_t requests = 0;   ///< reads of the link: copies of basic blocks, pages, reads of warps
  std::uint64_t faults = 0;
  std::uint64_t batches = 0;
};

class Memory {
 public:
  virtual ~Memory() = default;
  /// Adds an array; returns its address. `written`: kernels write all of it.
  virtual std::uint64_t add(std::uint64_t bytes, bool written) = 0;
  /// Returns the alignment of what is resident: a load must lie within one unit.
  virtual std::uint64_t unit_bytes() const = 0;
  /// Returns whether a load is served. If not, the warp waits until after serve(), and asks again.
  virtual bool load(std::uint64_t address, std::uint64_t bytes) = 0;
  /// Brings in some of what warps wait for. All warps wait.
  virtual void serve() {}
  /// Ends a kernel that also moved `compute_bytes` in the GPU's own memory.
  virtual void end_step(double compute_bytes) = 0;
  /// Makes the memory cold, without counting it.
  virtual void drop() {}
  /// Returns whether instructions of a list are aligned to lines.
  virtual bool aligns() const { return false; }
  virtual Totals totals() const = 0;
};

/// Managed memory. `advised`: read-mostly.
std::unique_ptr<Memory> managed_memory(const Machine& machine, const DriverOptions& options, bool advised);

/// GPUVM's cache of pages of 8 KiB, filled by one or two network cards, evicted first in, first out.
std::unique_ptr<Memory> paged_memory(const Machine& machine, std::uint64_t cache_bytes, unsigned cards);

enum class Access { naive, merged, aligned };
/// Host memory that warps read in place (EMOGI).
std::unique_ptr<Memory> zero_copy(const Machine& machine, Access access);

}  // namespace graphrun::bench::uvm
