#include "backend/cuda/cuda_paged.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "backend/cuda/device_rows.hpp"
#include "backend/edge_store.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/view/device_paged_view.hpp"

namespace graphrun::inline GR_IDS {
namespace {

using cuda::DeviceRows;

struct PagedGraph {
  PagedGraph(const Graph& graph, const BackendOptions& options, CudaExecutor& exec, std::unique_ptr<DeviceEdgeStore> edges,
             DevicePagerOptions how)
      : has_in(options.needs_transpose && graph.in && !graph.symmetric), store(std::move(edges)) {
    check_page_bytes(options.page_bytes);
    ThreadPool pool(options.host_threads);
    out = DeviceRows(graph, graph.out, options, exec, pool);
    add_neighbours(graph, graph.out);
    if (options.needs_weights) columns.push_back(store->add(as_bytes(graph.out.weights)));
    if (has_in) {
      in = DeviceRows(graph, *graph.in, options, exec, pool);
      add_neighbours(graph, *graph.in);
    }
    how.page_bytes = options.page_bytes;
    how.cache_bytes = options.cache_bytes.value_or(std::max(kDefaultPageCacheBytes, DevicePager::least_cache_bytes(how)));
    pager = store->open(how, columns, exec);
  }
  void add_neighbours(const Graph& graph, const Csr& csr) {
    columns.push_back(store->add(as_bytes(csr.neighbours)));
    columns.back().id_bytes = sizeof(VertexId);
    if (store->needs_checks()) columns.back().id_limit = graph.num_vertices();
  }

  bool has_in;
  std::unique_ptr<DeviceEdgeStore> store;
  std::vector<PagedColumn> columns;
  DeviceRows out;
  DeviceRows in;
  std::unique_ptr<DevicePager> pager;
};

template <class View>
class CudaPaged final : public BackendOf<View> {
 public:
  CudaPaged(const Graph& graph, const BackendOptions& options, std::unique_ptr<PagedGraph> paged)
      : graph_(graph), options_(options), paged_(std::move(paged)) {}

  std::string description() const override {
    return fmt::format("{} frames of {} in device memory{}; {}", pager().frames(), format_bytes(options_.page_bytes),
                       pager().pages_stay() ? ", one for every page" : "", paged_->store->description(pager()));
  }
  std::uint64_t fast_tier_bytes() const override { return pager().frames() * options_.page_bytes; }
  bool emulated() const override { return paged_->store->emulated(pager()); }
  void preload() override { pager().fill(); }
  void make_cold() override { pager().drop(); }
  void reset_counters() override { pager().reset_counters(); }
  void throw_if_failed() override { pager().throw_if_failed(); }
  Moved moved() override {
    const PagerCounters counters = pager().counters();
    return {counters.bytes_read, counters.misses, paged_->store->counted_as()};
  }

  std::optional<WeightStats> weight_stats() const override { return paged_->store->weights(); }

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
  auto backend = std::make_unique<CudaPaged<View>>(graph, options, std::move(paged));
  log::info(fmt::format("{}: {}", name_of(options.kind), backend->description()));
  return backend;
}

}  // namespace

CudaPagedBackend make_cuda_paged_backend(const Graph& graph, const BackendOptions& options, CudaExecutor& exec,
                                         std::unique_ptr<DeviceEdgeStore> store, const DevicePagerOptions& how) {
  auto paged = std::make_unique<PagedGraph>(graph, options, exec, std::move(store), how);
  if (!paged->pager->pages_stay()) return make_backend<DevicePagedView>(graph, options, std::move(paged));
  return make_backend<DeviceStayingView>(graph, options, std::move(paged));
}

}  // namespace graphrun::inline GR_IDS
