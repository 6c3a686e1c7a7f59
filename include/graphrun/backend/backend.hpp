// SPDX-License-Identifier: Apache-2.0
// A backend: the place of the edges and the executor's access to them.
//
// place_edges() makes one for a graph, which must outlive it, and an executor. It owns the memory and publishes a view that
// algorithms take by value. The six backends of the command line are presets: kPresets has the source, fast tier and delivery of
// each.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "graphrun/graph/graph.hpp"
#include "graphrun/transport/route.hpp"
#include "graphrun/view/direct_view.hpp"
#include "graphrun/view/link_requests.hpp"
#include "graphrun/view/subway_view.hpp"

namespace graphrun {

class CpuExecutor;
class CudaExecutor;

enum class BackendKind { incore, emogi, uvm, bam, gpuvm, subway };
enum class EdgeSource {
  graph,    ///< as loaded: memory, or the mapped file
  storage,  ///< a file, its copies or parts, or a device
  fabric,   ///< memory of this host, or of servers
};
/// Edges in the fast tier.
enum class EdgeTier { nothing, pages, all };
/// Delivery of the other edges.
enum class EdgeDelivery {
  load,      ///< none: loads read edges in place
  fault,     ///< page faults
  commands,  ///< the worker that needs a page requests or copies it
  gather,    ///< the host copies a step's edges into a buffer
};
/// Edges that are put into the fast tier before a run and stay there.
enum class HotEdges {
  automatic,  ///< prefix for records
  nothing,
  prefix,  ///< the leading edges of all lists, within the room
  // Feature rows that `graphrun gather` keeps, in one of these orders. No backend accepts them.
  degree,        ///< rows with the highest in-degree
  pagerank,      ///< by WalkStart::anywhere (graph/row_scores.hpp)
  weighted,      ///< by WalkStart::weighted, from the sources
  personalised,  ///< by WalkStart::personalised, from the sources
};
constexpr bool keeps_rows(HotEdges hot) { return hot >= HotEdges::degree; }
enum class UvmAdvise { none, read_mostly, accessed_by, prefetch };
enum class Layout { csr, balanced };
enum class SubwayVariant {
  sync,   ///< processes each vertex of a frontier once, then finds the next frontier
  async,  ///< processes a subgraph until it is stable, before the next one is made
};

/// bam on a GPU: the path of pages into frames.
enum class PageDelivery {
  automatic,  ///< the fastest of the others
  landing,    ///< warps read pages from pinned memory
  copies,     ///< batched copies
  cufile,     ///< cuFile
};
/// bam: the use of its cache.
enum class BamCache {
  on,      ///< a cache that holds all edges is read as an array
  always,  ///< every access goes through the cache: BaM's overhead without its transfers (Qureshi et al., figure 7)
  none,    ///< on a GPU: a page is fetched anew for every use
};
/// gpuvm: the mover of pages.
enum class FabricKind {
  automatic,  ///< memory on a CPU, sm on a GPU
  memory,     ///< on a CPU: the thread that needs a page
  sm,         ///< on a GPU: the warp that needs a page
  proxy,      ///< on a GPU: host threads
  ofi,        ///< one-sided reads through a provider of libfabric
};

template <>
struct ChoicesOf<BackendKind> {
  static constexpr const char* kWhat = "backend";
  static constexpr Choice<BackendKind> kAll[] = {{"incore", BackendKind::incore}, {"emogi", BackendKind::emogi},
                                                 {"uvm", BackendKind::uvm},       {"bam", BackendKind::bam},
                                                 {"gpuvm", BackendKind::gpuvm},   {"subway", BackendKind::subway}};
};

template <>
struct ChoicesOf<EdgeSource> {
  static constexpr Choice<EdgeSource> kAll[] = {
      {"graph", EdgeSource::graph}, {"storage", EdgeSource::storage}, {"fabric", EdgeSource::fabric}};
};

template <>
struct ChoicesOf<EdgeTier> {
  static constexpr Choice<EdgeTier> kAll[] = {{"nothing", EdgeTier::nothing}, {"pages", EdgeTier::pages}, {"all", EdgeTier::all}};
};

template <>
struct ChoicesOf<EdgeDelivery> {
  static constexpr Choice<EdgeDelivery> kAll[] = {{"load", EdgeDelivery::load},
                                                  {"fault", EdgeDelivery::fault},
                                                  {"commands", EdgeDelivery::commands},
                                                  {"gather", EdgeDelivery::gather}};
};

template <>
struct ChoicesOf<HotEdges> {
  static constexpr const char* kWhat = "choice of hot edges";
  static constexpr Choice<HotEdges> kAll[] = {{"auto", HotEdges::automatic},
                                              {"none", HotEdges::nothing},
                                              {"prefix", HotEdges::prefix},
                                              {"degree", HotEdges::degree},
                                              {"pagerank", HotEdges::pagerank},
                                              {"weighted", HotEdges::weighted},
                                              {"personalised", HotEdges::personalised}};
};

template <>
struct ChoicesOf<PageDelivery> {
  static constexpr const char* kWhat = "delivery";
  static constexpr Choice<PageDelivery> kAll[] = {{"auto", PageDelivery::automatic},
                                                  {"landing", PageDelivery::landing},
                                                  {"copies", PageDelivery::copies},
                                                  {"cufile", PageDelivery::cufile}};
};

template <>
struct ChoicesOf<BamCache> {
  static constexpr const char* kWhat = "use of bam's cache";
  static constexpr Choice<BamCache> kAll[] = {{"on", BamCache::on}, {"always", BamCache::always}, {"none", BamCache::none}};
};

template <>
struct ChoicesOf<FabricKind> {
  static constexpr const char* kWhat = "fabric";
  static constexpr Choice<FabricKind> kAll[] = {{"auto", FabricKind::automatic},
                                                {"memory", FabricKind::memory},
                                                {"sm", FabricKind::sm},
                                                {"proxy", FabricKind::proxy},
                                                {"ofi", FabricKind::ofi}};
};

template <>
struct ChoicesOf<UvmAdvise> {
  static constexpr const char* kWhat = "UVM advice";
  static constexpr Choice<UvmAdvise> kAll[] = {{"none", UvmAdvise::none},
                                               {"read-mostly", UvmAdvise::read_mostly},
                                               {"accessed-by", UvmAdvise::accessed_by},
                                               {"prefetch", UvmAdvise::prefetch}};
};

template <>
struct ChoicesOf<Layout> {
  static constexpr const char* kWhat = "layout";
  static constexpr Choice<Layout> kAll[] = {{"csr", Layout::csr}, {"balanced", Layout::balanced}};
};

template <>
struct ChoicesOf<SubwayVariant> {
  static constexpr const char* kWhat = "variant of subway";
  static constexpr Choice<SubwayVariant> kAll[] = {{"sync", SubwayVariant::sync}, {"async", SubwayVariant::async}};
};

/// A backend as in its paper. All differences between backends are here.
struct Preset {
  BackendKind kind;
  EdgeSource source;
  EdgeTier tier;
  EdgeDelivery delivery;
  const char* summary;
  const char* on_cpu;
  const char* on_gpu;
  const char* room;  ///< sizes of the fast and of the slow tier
  std::uint32_t page_bytes = 4096;
  std::uint32_t queues = 0;       ///< 0: the executor's default
  std::uint32_t queue_depth = 0;  ///< 0: the executor's default
};

inline constexpr Preset kPresets[] = {
    {BackendKind::incore, EdgeSource::graph, EdgeTier::all, EdgeDelivery::load, "all edges beside the processor",
     "edges in memory", "edges in device memory", "everything beside the processor"},
    {BackendKind::emogi, EdgeSource::graph, EdgeTier::nothing, EdgeDelivery::load,
     "edges read in place, a neighbour list at a time (EMOGI)", "edges read in place from the mapped file (page cache)",
     "edges in host memory, read in place over the link", "edges in host memory (GPU) or in the mapped file (CPU)"},
    {BackendKind::uvm, EdgeSource::graph, EdgeTier::pages, EdgeDelivery::fault, "edges brought in by page faults",
     "edges paged into memory by a thread that serves page faults (userfaultfd)", "managed memory, paged by the driver",
     "managed memory, all of it on the device in the end (GPU); as much as --cache allows (CPU)"},
    {BackendKind::bam, EdgeSource::storage, EdgeTier::pages, EdgeDelivery::commands,
     "edges in a file behind a cache of pages (BaM)", "pages of a file in a cache, read by io_uring",
     "edges in a file, a cache of pages in device memory", "and as much fast memory as --cache allows; edges in the file"},
    {BackendKind::gpuvm, EdgeSource::fabric, EdgeTier::pages, EdgeDelivery::commands,
     "edges in host memory or that of servers, behind a cache of pages (GPUVM)",
     "pages of host memory in a cache, copied by the threads that need them",
     "edges in host memory, a cache of pages in device memory",
     "and as much fast memory as --cache allows; edges in host memory, or in that of servers", 8192, 84, 64},
    {BackendKind::subway, EdgeSource::graph, EdgeTier::nothing, EdgeDelivery::gather,
     "the edges that a step needs, gathered into a buffer (Subway)",
     "edges of active vertices, gathered from the mapped file into a buffer",
     "edges of active vertices, gathered by the host and copied in bulk", "and a buffer of --cache for subgraphs"},
};

constexpr const Preset& preset_of(BackendKind kind) { return kPresets[static_cast<std::size_t>(kind)]; }

/// Returns whether loads reach all edges where the loader put them.
constexpr bool reads_in_place(const Preset& preset) {
  return preset.tier == EdgeTier::nothing && preset.delivery == EdgeDelivery::load;
}
/// Returns whether lists may be packed, for scans that decode.
constexpr bool decodes(const Preset& preset, bool on_gpu) {
  return on_gpu ? reads_in_place(preset) : preset.delivery != EdgeDelivery::gather;
}

/// Returns the presets for which `holds` returns true.
template <class Holds>
std::vector<BackendKind> presets_where(Holds&& holds) {
  std::vector<BackendKind> kinds;
  for (const Preset& preset : kPresets) {
    if (holds(preset)) kinds.push_back(preset.kind);
  }
  return kinds;
}

/// gpuvm: the mover of pages and its parameters.
struct FabricOptions {
  FabricKind kind = FabricKind::automatic;
  std::string provider;  ///< ofi: a provider of libfabric
  int endpoints = 1;     ///< ofi: to each server; reads are spread over them
  /// ofi, own memory: addresses of this machine for its reads, "address1+address2", one a NIC; empty: loopback or the provider's.
  std::string addresses;
  std::string remote;                        ///< ofi: servers of the edges, "host1|host2,host3+host4" (docs/many.md)
  std::string token_file;                    ///< ofi: the servers' secret; empty: GRAPHMEMD_TOKEN, or none
  std::chrono::milliseconds deadline{5000};  ///< ofi: longest wait for a server's answer
};

struct BackendOptions {
  BackendKind kind = BackendKind::incore;
  Access access = Access::aligned;                ///< emogi
  bool count_requests = false;                    ///< emogi on a GPU: Moved::link_requests, by slower kernels
  UvmAdvise uvm_advise = UvmAdvise::read_mostly;  ///< uvm on a GPU
  std::optional<std::uint64_t> gpu_memory_bytes;  ///< uvm on a GPU: device memory for edges; the rest is held. None: no limit
  bool oversubscribe = false;                     ///< uvm on a GPU: allow more edges than device memory for them
  bool count_migrations = false;                  ///< uvm on a GPU: Moved by CUPTI
  std::uint64_t uvm_fault_bytes = 4096;           ///< uvm on a CPU: least bytes that a fault brings in
  std::uint64_t uvm_prefetch_bytes = 64 << 10;    ///< uvm on a CPU: most bytes, with neighbouring pages
  std::uint64_t uvm_block_bytes = 0;              ///< uvm on a CPU: unit of eviction; 0: as with_defaults()
  Layout layout = Layout::balanced;
  EdgeId chunk_edges = 0;                           ///< balanced: most edges of an item; 0: the executor's default
  std::string storage = "file";                     ///< bam: the engine that completes commands
  Route route = Route::direct;                      ///< bam, storage file: around the page cache, through it, or by its contents
  std::vector<std::string> stripe;                  ///< bam: copies of the graph's .grf, or its parts, to spread reads over
  bool check_stripe = false;                        ///< bam: read all of those first, to check for damage
  FabricOptions fabric;                             ///< gpuvm
  std::uint32_t page_bytes = 0;                     ///< bam, gpuvm: a power of two, 512 B to 1 MiB; 0: as with_defaults()
  std::uint32_t queues = 0;                         ///< bam, gpuvm: queue pairs; 0: as with_defaults()
  std::uint32_t queue_depth = 0;                    ///< bam, gpuvm: outstanding commands of each; 0: as with_defaults()
  std::uint32_t doorbell_batch = 1;                 ///< bam, gpuvm: commands for which a doorbell is rung once
  bool bam_coalesce = true;                         ///< bam on a GPU: one request for all lanes that need the same page
  bool bam_reuse = true;                            ///< bam on a GPU: a warp keeps its last page
  PageDelivery delivery = PageDelivery::automatic;  ///< bam on a GPU
  BamCache bam_cache = BamCache::on;                ///< bam
  SubwayVariant subway_variant = SubwayVariant::async;
  std::optional<std::uint64_t> cache_bytes;  ///< cap of the fast tier for edges; none: the device's memory
  HotEdges hot = HotEdges::automatic;        ///< emogi on a GPU, bam, gpuvm on a CPU: filled before timing starts
  int host_threads = 0;                      ///< for copying edges; 0: all
  bool needs_transpose = false;              ///< place Graph::transpose() too, when there is one
  bool needs_weights = false;                ///< place the weights of Graph::out too
  bool records = false;  ///< place Csr::records of both directions, instead of edges: views hold 2 words a record
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

struct CountedView;
struct DevicePackedView;
struct DevicePagedView;
struct DeviceResidentView;
struct PagedView;

/// Edges that a backend puts into the fast tier before all runs.
struct StaticTier {
  std::uint64_t bytes = 0;             ///< part of Backend::fast_tier_bytes(); 0: no static tier
  EdgeId edges_a_list = 0;             ///< longest prefix
  HotEdges holds = HotEdges::nothing;  ///< or prefix
  std::uint64_t lists = 0;             ///< lists with edges in it
  double fill_ms = 0;                  ///< time of filling it
  std::uint64_t fill_bytes = 0;        ///< bytes read to fill it; trials do not count them
};

/// The queue pairs that a backend uses, which may be fewer and shallower than those that were asked for.
struct UsedQueues {
  std::size_t pairs = 0;
  std::uint32_t depth = 0;  ///< commands out at a time in each
};

/// A part of the time since reset_counters().
struct Phase {
  std::string name;
  double elapsed_ms = 0;
};

/// Bytes that a pager of host threads read ahead.
struct ReadAhead {
  std::uint64_t hit_bytes = 0;    ///< of used pages
  std::uint64_t waste_bytes = 0;  ///< of pages that were evicted or counted before any use

  ReadAhead& operator+=(const ReadAhead& more) {
    hit_bytes += more.hit_bytes;
    waste_bytes += more.waste_bytes;
    return *this;
  }
};

/// Bytes moved by edge accesses since reset_counters(), where the backend can measure them.
struct Moved {
  std::optional<std::uint64_t> bytes;
  std::optional<std::uint64_t> requests;
  std::string source;  ///< origin of the counts: "scans (32-byte sectors)", "process storage reads", "none"
  std::optional<std::uint64_t> evicted_bytes = std::nullopt;  ///< removed from the fast tier to make room; none: not counted
  std::optional<std::uint64_t> hot_bytes = std::nullopt;      ///< read from the static tier; none: no static tier
  std::optional<LinkRequests> link_requests = std::nullopt;   ///< counted load by load; only with BackendOptions::count_requests
  std::optional<RouteCounters> routed = std::nullopt;         ///< of bam, when reads may come from the page cache
  std::optional<ReadAhead> ahead = std::nullopt;              ///< none: no read-ahead

  Moved& operator+=(const Moved& more);
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// Returns the kind of memory and measurements, for logs and results.
  virtual std::string description() const = 0;
  /// Returns the bytes of edges and weights in the fast tier; at most the cap.
  virtual std::uint64_t fast_tier_bytes() const = 0;
  virtual StaticTier static_tier() const { return {}; }
  virtual std::optional<UsedQueues> queues() const { return std::nullopt; }  ///< none: edges come without commands
  /// Restores the state before a first trial.
  virtual void make_cold() {}
  /// Fills the cache with all edges. Throws UsageError without a cache, or with too small a one.
  virtual void preload();
  /// Begins a run, within its timed region: for hints to the driver.
  virtual void begin_run() {}
  virtual void reset_counters() {}
  virtual Moved moved() = 0;
  /// Returns the host's times of bringing edges to the fast tier, where the backend knows; the rest was computing.
  virtual std::vector<Phase> phases() const { return {}; }
  /// Throws RunError when edges could not be read since the backend was made: results are invalid then.
  virtual void throw_if_failed() {}
  /// Returns statistics of the weights, when the backend knows them without reading the graph's.
  virtual std::optional<WeightStats> weight_stats() const { return std::nullopt; }
  /// Returns whether a part is a model; results say so.
  virtual bool emulated() const { return false; }
};

/// A backend whose views are of one family: DirectView, PagedView, SubwayView.
template <class View>
class BackendOf : public Backend {
 public:
  virtual GraphView<View> view() const = 0;
};

/// A backend by the view that it publishes. DeviceResidentView: the cache has a frame for every page.
template <class... View>
using AnyBackendOf = std::variant<std::unique_ptr<BackendOf<View>>...>;
using CpuBackend = AnyBackendOf<DirectView, PagedView, CpuSubwayView>;
using CudaBackend = AnyBackendOf<DirectView, CountedView, DevicePackedView, DevicePagedView, DeviceResidentView, CudaSubwayView>;

/// Puts edges where options.kind says. Throws UsageError when the cap is too small (naming the smallest that works) and
/// UnavailableError when this machine cannot run the backend.
CpuBackend place_edges(const Graph& graph, const BackendOptions& options, CpuExecutor& exec);
CudaBackend place_edges(const Graph& graph, const BackendOptions& options, CudaExecutor& exec);

/// Default cap of the edges in paged backends.
inline constexpr std::uint64_t kDefaultPageCacheBytes = std::uint64_t{1} << 30;

/// Replaces 0 by the preset's values; blocks of uvm become 2 MiB, as in NVIDIA's driver, or a quarter of a smaller cache. Throws
/// UsageError for a choice of `hot` that is for feature rows.
BackendOptions with_defaults(BackendOptions options);

/// Returns whether label-correcting algorithms may start from any labels: subgraphs are processed asynchronously.
inline bool corrects_labels(const BackendOptions& options) {
  return preset_of(options.kind).delivery == EdgeDelivery::gather && options.subway_variant == SubwayVariant::async;
}

/// Returns whether a run reads in-edges that differ from the out-edges.
inline bool reaches_in(const Graph& graph, const BackendOptions& options) {
  return !graph.symmetric && options.needs_transpose && graph.in;
}

/// Returns the bytes to place: neighbours and, when wanted, weights and transpose.
std::uint64_t edge_bytes(const Graph& graph, const BackendOptions& options);

/// Returns the edges in a chunk of the balanced layout: the option's, else the graph's stored table's, else the executor's.
EdgeId choose_chunk(const Graph& graph, const BackendOptions& options, EdgeId executors);

}  // namespace graphrun::inline GR_IDS
