// Where --backend auto has the edges of a run, and what it expects of that (docs/storage.md). A plan is made before the graph is
// read: from what its file says of it, what the machine has free, and what the machine's memory and disk were measured to give.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphrun/backend/backend.hpp"
#include "graphrun/io/estimate.hpp"
#include "graphrun/run/options.hpp"

namespace graphrun {

/// What memory, files and disk of a machine give all of its threads together. `graphrun calibrate` measures them.
struct Rates {
  double memory_reads_s;     ///< reads of single bytes of up to 128 MiB of memory, at random
  double copied_bytes_s;     ///< random pages of 8 KiB copied out of the page cache
  double mapped_bytes_s;     ///< a mapped file that is not in the page cache, read in order
  double storage_bytes_s;    ///< commands of 1 MiB past the page cache
  double storage_latency_s;  ///< such a read, alone
};
/// For machines that were not calibrated: a cloud machine's disk and two of its cores, rounded down.
inline constexpr Rates kUsualRates{100e6, 3e9, 0.8e9, 0.8e9, 200e-6};
/// Of a GPU, which is not calibrated: a link of PCIe 4.0 x16 where the kernel does not say what it is, and vertex state read at
/// random in its memory.
inline constexpr double kUsualLinkBytesPerSecond = 25e9;
inline constexpr double kDeviceReadsPerSecond = 20e9;

struct Machine {
  std::uint64_t memory_bytes = 0;              ///< that a run may take
  std::optional<std::uint64_t> address_bytes;  ///< of addresses, where they are limited (ulimit -v)
  std::uint64_t device_bytes = 0;              ///< free on the GPU that runs
  double link_bytes_s = kUsualLinkBytesPerSecond;
  std::uint64_t read_ahead_bytes = 128 << 10;  ///< the kernel's window, of the graph's disk
  int threads = 1;
  Rates rates = kUsualRates;
  std::string rates_from = "built in (graphrun calibrate measures this machine's)";
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

struct RunPlan {
  /// A way to run it.
  struct Choice {
    BackendKind kind = {};
    std::optional<std::uint64_t> cache_bytes;  ///< none: it has no cache, or no cap
    bool caches_prefixes = false;              ///< in the cache: the beginnings of lists
    std::uint64_t memory_bytes = 0;            ///< of the machine's memory
    std::uint64_t moved_bytes = 0;             ///< by a cold trial
    double time_ms = 0;                        ///< of a cold trial
    std::string refused;                       ///< why it cannot be; empty: it can
  };
  /// What lies where.
  struct Part {
    std::string what;
    std::string where;
    std::uint64_t bytes;
  };

  Choice chosen;
  std::vector<Choice> others;
  std::vector<Part> parts;
  double passes = 0;  ///< over the edges, as pages see them
  std::uint64_t memory_bytes = 0;
  std::string rates_from;
};

/// A pure function: the fastest of the presets that fit. `options` says what is run and caps: backend.cache_bytes and
/// memory_bytes. A preset that only serves comparisons (uvm, subway) is not considered. Throws UnavailableError, naming what
/// would be needed, when not even the vertices fit, or no preset does.
RunPlan make_plan(const RunOptions& options, DeviceKind device, const LoadEstimate& graph, const Machine& machine);

/// What this machine has now. `graph`: the file whose disk matters; any other name stands for no disk.
Machine this_machine(const RunOptions& options, const Device& device);

/// make_plan() by what this machine has now. The variant of the options is settled.
RunPlan plan_run(const LoadEstimate& graph, const RunOptions& options, const Device& device);

/// The backend's options as they are when the plan is followed.
BackendOptions planned(BackendOptions asked, const RunPlan& plan);

/// "bam, cache 312 MiB"
std::string choice_text(const RunPlan::Choice& choice);
/// Lines for people, each ended.
std::string plan_text(const RunOptions& options, const RunPlan& plan);

}  // namespace graphrun::inline GR_IDS
