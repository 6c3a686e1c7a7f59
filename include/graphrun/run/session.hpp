// SPDX-License-Identifier: Apache-2.0
// One graph, one executor, one backend: opened once, for any number of runs. The only virtual boundary between run-time choices
// and the algorithms, which are templates over them; run/placed.hpp has the other side.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graphrun/algorithms/stats.hpp"
#include "graphrun/backend/backend.hpp"
#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/exec/exchange.hpp"
#include "graphrun/graph/graph.hpp"

namespace graphrun::inline GR_IDS {

enum class DeviceKind { cpu, cuda };

struct Device {
  DeviceKind kind = DeviceKind::cpu;
  int index = 0;                 ///< cuda: ordinal
  std::vector<int> others = {};  ///< cuda: further GPUs, each a rank; a GPU named twice has two ranks

  int gpus() const { return kind == DeviceKind::cuda ? 1 + static_cast<int>(others.size()) : 0; }
};

inline constexpr std::string_view kDeviceForms[] = {"auto", "cpu", "cuda", "cuda:N", "cuda:N-M", "cuda:all"};

/// Returns the canonical form of one of kDeviceForms, or of "cuda:0,2": case does not count, and gpu is cuda. Throws UsageError
/// on other words.
std::string canonical_device(const std::string& text);

/// Parses "auto" (a GPU when one works, else the CPU; logs which and why), and the forms of canonical_device(). Throws UsageError
/// as canonical_device(), UnavailableError when the device is missing.
Device parse_device(const std::string& text);

/// Returns the device of one of several processes, at `place`. The processes of a host take its GPUs in turn.
Device of_process(const Device& device, const RankPlace& place);

/// Returns the only GPU. Throws UsageError, naming `what`, for several.
int only_gpu(const Device& device, const char* what);

/// Returns "cpu", "cuda:N" or the names of several GPUs.
std::string to_string(const Device& device);

/// Throws UsageError when `ranks` is neither 1 nor the number of GPUs of `device`, where that names any.
void check_gpus(const Device& device, int ranks);

/// Checks options.count_requests, if set. Throws UsageError when this build lacks the kernels, or the backend's do not load over
/// a link. Throws UnavailableError on a CPU, which has no warps.
void check_countable(const Device& device, const BackendOptions& options);

/// Whether GPUs run everything with the ids of this build. With 64 bits they run the algorithms of AlgorithmInfo::runs_on_gpu(),
/// over backends with has_gpu_views().
inline constexpr bool kGpusRunAll = kVertexBits == 32;

/// Returns whether GPUs run over the backend with the ids of this build: with 64 bits, where loads and page faults reach edges.
constexpr bool has_gpu_views(const Preset& preset) {
  return kGpusRunAll || preset.delivery == EdgeDelivery::load || preset.delivery == EdgeDelivery::fault;
}

/// Throws UsageError when `device` is a GPU and options name a backend without has_gpu_views(), or records of 64-bit ids.
void check_ids(const Device& device, const BackendOptions& options);

/// Returns the sentence that rejects `what`, such as "bfs over bam", on a GPU with 64-bit ids, and names what runs there.
std::string only_on_cpu(const std::string& what);

/// Returns why no GPU counts requests (BackendOptions::count_requests); empty in a build with those kernels.
std::string why_no_counted_kernels();

/// Returns the host threads of a one-rank run over `graph`: `asked`; where that is 0, 1 for a tiny graph, else 0, for all.
/// Threads on a tiny graph wait at each step's barrier longer than they work, on a busy machine 30 times.
int threads_over(const Graph& graph, int asked);

/// Placement of edges, and the number of workers.
struct PlacementOptions {
  int threads = 0;                ///< host threads; 0: threads_over() for one rank on a CPU, else all
  int ranks = 1;                  ///< parts of the graph, each with its own threads and backend; of GPUs, as many as there are
  Exchange* processes = nullptr;  ///< ranks that are processes, this one included; `ranks` is 1 then
  BackendOptions backend;
  bool warm = false;     ///< keep caches between trials; otherwise each starts cold
  bool preload = false;  ///< fill the backend's cache with all edges before each trial, outside the timed region
};

struct SessionOptions : PlacementOptions {
  Device device;
};

/// One timed run. The timed region: initialise the state, run to the end, wait for the device. Allocation, clearing caches, and
/// copying the result out are outside.
struct Trial {
  double elapsed_ms = 0;
  AlgoStats stats;
  Moved moved;
  bool converged = true;                  ///< pagerank: false when the iteration limit ended it
  bool resumed = false;                   ///< went on from a Checkpoint: time and counts are of the rest
  std::vector<ExchangeCounts> exchanged;  ///< by rank; none for one rank
  std::vector<Phase> phases;              ///< parts of elapsed_ms that bring edges to the fast tier, where known
};

class Session {
 public:
  virtual ~Session() = default;

  virtual std::string description() const = 0;                        ///< executor and backend, in words
  virtual std::uint64_t fast_tier_bytes() const = 0;                  ///< see Backend
  virtual StaticTier static_tier() const = 0;                         ///< see Backend
  virtual std::optional<UsedQueues> queues() const = 0;               ///< see Backend; of each rank
  virtual std::optional<cuda::KernelNeeds> kernel_needs() const = 0;  ///< of all trials; none on a CPU
  virtual bool emulated() const = 0;                                  ///< see Backend
  /// Makes later trials save their state in a folder, and go on from what is there; no name: they do not. `request` is everything
  /// that the state depends on. Throws as Checkpoint().
  virtual void save_in(const std::string& folder, const std::string& request) = 0;
  /// Runs trial(session) in all ranks of this session at the same time; an error in one rank ends all. Returns rank 0's trial,
  /// with the traffic of all.
  virtual Trial on_ranks(const std::function<Trial(Session&)>& trial) { return trial(*this); }
};

/// Opens a session and its backend. `graph` must outlive the session. Throws as place_edges().
std::unique_ptr<Session> open_session(const Graph& graph, const SessionOptions& options);

/// One ability of this machine and build, for `graphrun --list`.
struct Capability {
  std::string device;
  std::string backend;
  bool available = false;
  std::string detail;  ///< what it would use, or what is missing
};
std::vector<Capability> list_capabilities();

}  // namespace graphrun::inline GR_IDS
