// A backend: where the edges live and how the executor reaches them.
//
// A backend is made for one graph and one executor, owns the memory, and hands out a view that algorithms take by value.
// The graph it was made from must outlive it (a backend that reads in place does not copy).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "graphrun/graph/graph.hpp"
#include "graphrun/view/direct_view.hpp"
#include "graphrun/view/subway_view.hpp"

namespace graphrun {

class CpuExecutor;
class CudaExecutor;
struct DevicePagedView;
struct DeviceStayingView;
struct PagedView;

enum class BackendKind { incore, emogi, uvm, bam, subway };
enum class UvmAdvise { none, read_mostly, accessed_by };
enum class Layout { csr, balanced };
enum class SubwayVariant {
  sync,   ///< each vertex of a frontier is processed once, then the next frontier is found
  async,  ///< a subgraph is processed until nothing in it changes, before the next one is made
};

struct BackendOptions {
  BackendKind kind = BackendKind::incore;
  Access access = Access::aligned;                ///< emogi
  UvmAdvise uvm_advise = UvmAdvise::read_mostly;  ///< uvm
  Layout layout = Layout::balanced;
  EdgeId chunk_edges = 0;                         ///< balanced: most edges an item has; 0 for the executor's default
  std::string storage = "file";                   ///< bam: who completes the commands
  std::vector<std::string> stripe;                ///< bam: copies of the graph's .grf that reads are spread over, too
  std::uint32_t page_bytes = 4096;                ///< bam: a power of two, 512 B to 64 KiB
  bool bam_coalesce = true;                       ///< bam on a GPU: lanes that want the same page ask for it once
  bool bam_reuse = true;                          ///< bam on a GPU: a warp keeps the page it used last
  bool bam_cached = true;                         ///< bam on a GPU: false fetches a page anew for every use
  SubwayVariant subway_variant = SubwayVariant::async;
  std::optional<std::uint64_t> cache_bytes;       ///< cap of the fast tier for edges; none: what the device has
  int host_threads = 0;                           ///< for copying edges to their place; 0 for all
  bool needs_transpose = false;                   ///< reach Graph::transpose() too, when there is one
  bool needs_weights = false;                     ///< reach the weights of Graph::out too
};

/// Part of the time since reset_counters().
struct Phase {
  std::string name;
  double elapsed_ms = 0;
};

/// Bytes that edge accesses moved since reset_counters(), where the backend can measure them.
struct Moved {
  std::optional<std::uint64_t> bytes;
  std::optional<std::uint64_t> requests;
  std::string source;  ///< who counted: "walks (32-byte sectors)", "process storage reads", "none"
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// What it does on this machine, in a few words for logs and results: kind of memory, what was measured.
  virtual std::string description() const = 0;
  /// Edge bytes (and weights) it put where the executor reaches them fast; at most the cap.
  virtual std::uint64_t fast_tier_bytes() const = 0;
  /// Puts the edges back to where a first trial finds them. Nothing to do for memory that does not warm up.
  virtual void make_cold() {}
  /// Fills its cache with all edges. Throws UsageError when it has none, or too small a one.
  virtual void preload();
  virtual void reset_counters() {}
  virtual Moved moved() = 0;
  /// What the host spent its time on to bring edges near, where a backend knows; the rest was computing.
  virtual std::vector<Phase> phases() const { return {}; }
  /// Throws RunError when edges could not be read since it was made, and what algorithms computed is worth nothing.
  virtual void throw_if_failed() {}
  /// True when some part is a model and not the real thing: results say so.
  virtual bool emulated() const { return false; }
};

/// A backend whose views are of one family: DirectView, PagedView, SubwayView.
template <class View>
class BackendOf : public Backend {
 public:
  virtual GraphView<View> view() const = 0;
};

/// Throws UsageError when the cap is too small (naming the smallest that works) and UnavailableError when this machine
/// cannot run it.
std::unique_ptr<BackendOf<DirectView>> make_cpu_backend(const Graph& graph, const BackendOptions& options, CpuExecutor& exec);
std::unique_ptr<BackendOf<DirectView>> make_cuda_backend(const Graph& graph, const BackendOptions& options, CudaExecutor& exec);
std::unique_ptr<BackendOf<PagedView>> make_cpu_bam_backend(const Graph& graph, const BackendOptions& options, CpuExecutor& exec);
/// Pages stay when the cache has a frame for every one.
using CudaBamBackend = std::variant<std::unique_ptr<BackendOf<DevicePagedView>>, std::unique_ptr<BackendOf<DeviceStayingView>>>;
CudaBamBackend make_cuda_bam_backend(const Graph& graph, const BackendOptions& options, CudaExecutor& exec);
std::unique_ptr<BackendOf<CpuSubwayView>> make_cpu_subway_backend(const Graph& graph, const BackendOptions& options,
                                                                  CpuExecutor& exec);
std::unique_ptr<BackendOf<CudaSubwayView>> make_cuda_subway_backend(const Graph& graph, const BackendOptions& options,
                                                                    CudaExecutor& exec);

const char* name_of(BackendKind kind);
const char* name_of(Access access);
const char* name_of(UvmAdvise advise);
const char* name_of(Layout layout);
const char* name_of(SubwayVariant variant);

/// Whether algorithms that can start from any labels and correct them do so: subgraphs are worked on asynchronously.
inline bool corrects_labels(const BackendOptions& options) {
  return options.kind == BackendKind::subway && options.subway_variant == SubwayVariant::async;
}

/// Bytes of neighbours and, when wanted, weights and transpose: what a backend has to reach.
std::uint64_t edge_bytes(const Graph& graph, const BackendOptions& options);

/// Edges in a chunk of the balanced layout: as asked, else those of the graph's stored table, else the executor's.
EdgeId choose_chunk(const Graph& graph, const BackendOptions& options, EdgeId executors);

}  // namespace graphrun
