// SPDX-License-Identifier: Apache-2.0
// The choice of --backend auto, and its expected cost (docs/storage.md). A plan is made before the graph is read, from facts of
// its file, free memory, and the measured rates of memory and disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphrun/backend/backend.hpp"
#include "graphrun/io/estimate.hpp"
#include "graphrun/run/options.hpp"

namespace graphrun {

/// Rates of memory, files and disk for all threads together. `graphrun calibrate` measures them.
struct Rates {
  double memory_reads_s;     ///< reads of single bytes of up to 128 MiB of memory, at random
  double copied_bytes_s;     ///< random pages of 8 KiB copied out of the page cache
  double mapped_bytes_s;     ///< a mapped file outside the page cache, read in order
  double storage_bytes_s;    ///< commands of 1 MiB around the page cache
  double storage_latency_s;  ///< one such read
};
/// For uncalibrated machines: a cloud machine's disk and two of its cores, rounded down.
inline constexpr Rates kUsualRates{100e6, 3e9, 0.8e9, 0.8e9, 200e-6};
/// Rates of a GPU, which is not calibrated: a link of PCIe 4.0 x16 where the kernel does not name it, and random reads of vertex
/// state in its memory.
inline constexpr double kUsualLinkBytesPerSecond = 25e9;
inline constexpr double kDeviceReadsPerSecond = 20e9;
inline constexpr double kUsualDmaSetupSeconds = 3.16e-6;  // Min, dissertation, section 3.5

struct Machine {
  std::uint64_t memory_bytes = 0;              ///< available to a run
  std::optional<std::uint64_t> address_bytes;  ///< address space, where it is limited (ulimit -v)
  std::uint64_t device_bytes = 0;              ///< free on the run's GPU
  double link_bytes_s = kUsualLinkBytesPerSecond;
  double dma_setup_s = kUsualDmaSetupSeconds;  ///< of a copy that follows another
  std::uint64_t read_ahead_bytes = 128 << 10;  ///< the kernel's window for the graph's disk
  int threads = 1;
  Rates rates = kUsualRates;
  std::string rates_from = "built in (graphrun calibrate measures this machine's)";
};

/// Returns the size of a row that takes as long over the link as the setup of a DMA. Rows above it are copied by a DMA each, rows
/// below it by loads of warps (Min, dissertation, section 3.5: 85.5 kB).
inline std::uint64_t dma_row_bytes(const Machine& machine) {
  return static_cast<std::uint64_t>(machine.dma_setup_s * machine.link_bytes_s);
}

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

struct RunPlan {
  /// A possible backend for the run.
  struct Choice {
    BackendKind kind = {};
    std::optional<std::uint64_t> cache_bytes;  ///< none: no cache, or no cap
    bool caches_prefixes = false;              ///< the cache holds leading edges of lists
    std::uint64_t memory_bytes = 0;            ///< of the machine's memory
    std::uint64_t moved_bytes = 0;             ///< by a cold trial
    double time_ms = 0;                        ///< of a cold trial
    double filling_ms = 0;                     ///< of a CPU's cache of leading edges, before trials: a search's share
    std::string refused;                       ///< why it is impossible; empty: possible
  };
  /// A part of the data and its place.
  struct Part {
    std::string what;
    std::string where;
    std::uint64_t bytes;
  };

  Choice chosen;
  std::vector<Choice> others;
  std::vector<Part> parts;
  double passes = 0;  ///< over the edges, counted in pages
  std::uint64_t memory_bytes = 0;
  std::string rates_from;
};

/// Returns the fastest preset that fits; a pure function. `options` has the run and caps: backend.cache_bytes and memory_bytes.
/// Ignores presets for comparisons (uvm, subway). Throws UnavailableError, naming the need, when not even the vertices fit, or no
/// preset does.
RunPlan make_plan(const RunOptions& options, DeviceKind device, const LoadEstimate& graph, const Machine& machine);

/// Returns the machine's current state. `graph`: the file on the disk to use; any other name stands for no disk.
Machine this_machine(const RunOptions& options, const Device& device);

/// Calls make_plan() for this machine's state. Precondition: the variant of the options is chosen.
RunPlan plan_run(const LoadEstimate& graph, const RunOptions& options, const Device& device);

/// Returns the backend's options by the plan.
BackendOptions planned(BackendOptions asked, const RunPlan& plan);

/// Returns for example "bam, cache 312 MiB".
std::string choice_text(const RunPlan::Choice& choice);
/// Returns lines for people, each ended.
std::string plan_text(const RunOptions& options, const RunPlan& plan);

}  // namespace graphrun::inline GR_IDS
