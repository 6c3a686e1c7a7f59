// bam on a GPU: edges stay in a file, and a cache in device memory holds the pages that warps ask for, through queues that host
// threads serve (Qureshi et al., ASPLOS 2023).
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "backend/bam_storage.hpp"
#include "backend/cuda/bam_delivery.hpp"
#include "backend/cuda/device_rows.hpp"
#include "backend/cuda/edge_memory.hpp"
#include "graphrun/backend/backend.hpp"
#include "graphrun/cache/device_pager.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/view/device_paged_view.hpp"

namespace graphrun {
namespace {

using cuda::DeviceRows;

/// Rows in device memory, edges behind a pager.
struct PagedGraph {
  PagedGraph(const Graph& graph, const BackendOptions& options, CudaExecutor& exec)
      : has_in(options.needs_transpose && graph.in && !graph.symmetric), store(options) {
    const EngineOpener open_engine = parse_storage(options.storage);
    check_page_bytes(options.page_bytes);
    ThreadPool pool(options.host_threads);
    out = DeviceRows(graph, graph.out, options, exec, pool);
    columns.push_back(store.add(graph.out.neighbours));
    if (options.needs_weights) columns.push_back(store.add(graph.out.weights));
    if (has_in) {
      in = DeviceRows(graph, *graph.in, options, exec, pool);
      columns.push_back(store.add(graph.in->neighbours));
    }
    const std::vector<StoreFile>& files = store.finish();
    DevicePagerOptions how;
    how.page_bytes = options.page_bytes;
    how.cache_bytes = options.cache_bytes.value_or(std::max(kDefaultBamCacheBytes, DevicePager::least_cache_bytes(how)));
    if (options.bam_queues != 0) how.queues = options.bam_queues;
    if (options.bam_depth != 0) how.queue_depth = options.bam_depth;
    how.coalesce = options.bam_coalesce;
    how.reuse = options.bam_reuse;
    how.cached = options.bam_cached;
    way = choose_delivery(options, how, open_engine, files, columns, exec);
    how.delivery = way.delivery;
    pager = std::make_unique<DevicePager>(how, columns, exec, way.open_engine);
  }

  bool has_in;
  ColumnStore store;
  std::vector<PagedColumn> columns;
  DeviceRows out;
  DeviceRows in;
  DeliveryWay way;
  std::unique_ptr<DevicePager> pager;
};

template <class View>
class CudaBam final : public BackendOf<View> {
 public:
  CudaBam(const Graph& graph, const BackendOptions& options, std::unique_ptr<PagedGraph> paged)
      : graph_(graph), options_(options), paged_(std::move(paged)) {}

  std::string description() const override {
    return fmt::format("{} frames of {} in device memory{}; {} host threads serve {} queues; {}; {}", pager().frames(),
                       format_bytes(options_.page_bytes), pager().evicts() ? "" : ", one for every page", pager().controllers(),
                       pager().queues(), paged_->way.description, pager().engine().description());
  }
  std::uint64_t fast_tier_bytes() const override { return pager().frames() * options_.page_bytes; }
  bool emulated() const override { return pager().engine().emulated(); }
  void preload() override { pager().fill(); }
  void make_cold() override { pager().drop(); }
  void reset_counters() override { pager().reset_counters(); }
  void throw_if_failed() override { pager().throw_if_failed(); }
  Moved moved() override {
    const PagerCounters counters = pager().counters();
    return {counters.bytes_read, counters.misses, "commands to storage, counted by its controller"};
  }

  GraphView<View> view() const override {
    GraphView<View> view;
    view.out = paged_->out.rows();
    view.out_edges = edges(0, options_.needs_weights);
    view.symmetric = graph_.symmetric;
    view.num_edges = graph_.num_edges();
    view.has_in = graph_.symmetric || paged_->has_in;
    view.in = paged_->has_in ? paged_->in.rows() : view.out;
    view.in_edges = paged_->has_in ? edges(paged_->columns.size() - 1, false) : view.out_edges;
    return view;
  }

 private:
  View edges(std::size_t column, bool weighted) const {
    View view;
    view.pages = pager().pages();
    if constexpr (std::is_same_v<View, DeviceStayingView>) view.pager = paged_->pager.get();
    view.first_page = paged_->columns[column].first_page;
    view.first_weight_page = weighted ? paged_->columns[column + 1].first_page : 0;
    return view;
  }
  DevicePager& pager() const { return *paged_->pager; }

  const Graph& graph_;
  BackendOptions options_;
  std::unique_ptr<PagedGraph> paged_;
};

template <class View>
std::unique_ptr<BackendOf<View>> make_backend(const Graph& graph, const BackendOptions& options,
                                              std::unique_ptr<PagedGraph> paged) {
  auto backend = std::make_unique<CudaBam<View>>(graph, options, std::move(paged));
  log::info("bam: " + backend->description());
  return backend;
}

}  // namespace

CudaBamBackend make_cuda_bam_backend(const Graph& graph, const BackendOptions& options, CudaExecutor& exec) {
  auto paged = std::make_unique<PagedGraph>(graph, options, exec);
  if (paged->pager->evicts()) return make_backend<DevicePagedView>(graph, options, std::move(paged));
  return make_backend<DeviceStayingView>(graph, options, std::move(paged));
}

}  // namespace graphrun
