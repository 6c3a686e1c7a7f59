// One graph, one executor, one backend: opened once, then asked for as many runs as wanted. The only virtual boundary
// between what a user chooses at run time and the algorithms, which are templates over both choices: run/placed.hpp has the other
// side of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graphrun/algorithms/stats.hpp"
#include "graphrun/backend/backend.hpp"
#include "graphrun/exec/exchange.hpp"
#include "graphrun/graph/graph.hpp"

namespace graphrun::inline GR_IDS {

enum class DeviceKind { cpu, cuda };

struct Device {
  DeviceKind kind = DeviceKind::cpu;
  int index = 0;                 ///< cuda: ordinal
  std::vector<int> others = {};  ///< cuda: of further GPUs, each a rank; one that is named twice has two ranks

  int gpus() const { return kind == DeviceKind::cuda ? 1 + static_cast<int>(others.size()) : 0; }
};

inline constexpr std::string_view kDeviceForms[] = {"auto", "cpu", "cuda", "cuda:N", "cuda:N-M", "cuda:all"};

/// One of kDeviceForms, or "cuda:0,2", as users write them: case does not count, and gpu is cuda. Throws UsageError on other
/// words.
std::string canonical_device(const std::string& text);

/// "auto" (a GPU when one works, else the CPU; says in the log which and why), and the others of canonical_device().
/// Throws UsageError as canonical_device() does, UnavailableError when the device is not there.
Device parse_device(const std::string& text);

/// Of several processes, whose `--device` names the GPUs of each host: what the one at `place` takes. Those of a host take its
/// GPUs in turn.
Device of_process(const Device& device, const RankPlace& place);

/// The one GPU. Throws UsageError, which says what cannot be done by several.
int only_gpu(const Device& device, const char* what);

/// "cpu", "cuda:N" or what names several GPUs.
std::string to_string(const Device& device);

/// Throws UsageError when `ranks` is neither 1 nor the number of GPUs of `device`, where that names any.
void check_gpus(const Device& device, int ranks);

/// Throws UsageError when the backend is one whose kernels send no requests over a link load by load, or when this build lacks
/// the kernels, and UnavailableError on a CPU, where there are no warps whose loads are split. Does nothing when
/// options.count_requests is not set.
void check_countable(const Device& device, const BackendOptions& options);

/// Whether GPUs run everything with the ids of this build. With 64 bits they run the algorithms whose AlgorithmInfo says so, over
/// backends with has_gpu_views().
inline constexpr bool kGpusRunAll = kVertexBits == 32;

/// Returns whether GPUs run over the backend with the ids of this build: with 64 bits, where loads and page faults reach edges.
constexpr bool has_gpu_views(const Preset& preset) {
  return kGpusRunAll || preset.delivery == EdgeDelivery::load || preset.delivery == EdgeDelivery::fault;
}

/// Throws UsageError when `device` is a GPU, and options name a backend without has_gpu_views(), or records of 64-bit ids.
void check_ids(const Device& device, const BackendOptions& options);

/// Returns the sentence that refuses `what`, such as "bfs over bam", on a GPU with 64-bit ids: it names what runs there.
std::string only_on_cpu(const std::string& what);

/// Returns why no GPU counts requests (BackendOptions::count_requests); empty in a build with the kernels for that.
std::string why_no_counted_kernels();

/// Returns the host threads of a run by one rank over `graph`: `asked`, or where that is 0 one for a tiny graph, else 0, for all.
/// Threads that meet after every step of a tiny graph wait for each other longer than they work, on a busy machine 30 times.
int threads_over(const Graph& graph, int asked);

/// Where edges are, and how many compute.
struct PlacementOptions {
  int threads = 0;  ///< host threads; 0: threads_over() for one rank on a CPU, else all
  int ranks = 1;    ///< parts of the graph, each with threads and a backend of its own; of GPUs, as many as there are
  Exchange* processes = nullptr;  ///< ranks that are processes, of which this is one; `ranks` is 1 then
  BackendOptions backend;
  bool warm = false;     ///< leave caches as the last trial left them, instead of cold before each
  bool preload = false;  ///< fill the backend's cache with all edges before each trial, outside the clock
};

struct SessionOptions : PlacementOptions {
  Device device;
};

/// One timed run. The timed region is: initialise the state, run to the end, wait for the device. Allocation, making
/// cold, and copying the answer out are outside of it.
struct Trial {
  double elapsed_ms = 0;
  AlgoStats stats;
  Moved moved;
  bool converged = true;                  ///< pagerank: false when the iteration limit ended it
  std::vector<ExchangeCounts> exchanged;  ///< by rank; none for one rank
  std::vector<Phase> phases;              ///< what part of elapsed_ms was spent on bringing edges near, where the backend knows
};

class Session {
 public:
  virtual ~Session() = default;

  virtual std::string description() const = 0;        ///< executor and backend, in words
  virtual std::uint64_t fast_tier_bytes() const = 0;  ///< see Backend
  virtual StaticTier static_tier() const = 0;         ///< see Backend
  virtual bool emulated() const = 0;                  ///< see Backend
};

/// Placements the edges. `graph` must outlive the session. Throws as place_edges() does.
std::unique_ptr<Session> open_session(const Graph& graph, const SessionOptions& options);

/// What this machine and build can run: for `graphrun --list`.
struct Capability {
  std::string device;
  std::string backend;
  bool available = false;
  std::string detail;  ///< what it would use, or what is missing
};
std::vector<Capability> list_capabilities();

}  // namespace graphrun::inline GR_IDS
