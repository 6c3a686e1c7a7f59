// SPDX-License-Identifier: Apache-2.0
// bam and gpuvm on a GPU: a cache in device memory for the pages that warps request.
#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "backend/cuda/cuda_backends.hpp"
#include "backend/cuda/device_edge_store.hpp"
#include "backend/cuda/device_rows.hpp"
#include "backend/cuda/own_edges.hpp"
#include "backend/placed_graph.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/view/device_paged_view.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Columns with a pager, which decides between two views.
struct PagedColumns {
  std::unique_ptr<DeviceEdgeStore> store;
  cuda::OwnEdges own;
  EdgeColumns<PagedColumn> columns;
  std::unique_ptr<DevicePager> pager;
};

template <class View>
class CudaPaged final : public PlacedGraph<View, cuda::DeviceRows> {
 public:
  CudaPaged(const Graph& graph, const BackendOptions& options, CudaExecutor& exec, PagedColumns paged)
      : PlacedGraph<View, cuda::DeviceRows>(graph, options), paged_(std::move(paged)) {
    ThreadPool pool(options.host_threads);
    this->place_rows(options, exec, pool);
    log::info(fmt::format("{}: {}", name_of(options.kind), description()));
  }

  std::string description() const override {
    return fmt::format("{} frames of {} in device memory{}; {}", pager().frames(), format_bytes(this->options_.page_bytes),
                       pager().all_pages_fit() ? ", one for every page" : "", paged_.store->description(pager()));
  }
  std::uint64_t fast_tier_bytes() const override { return pager().frames() * this->options_.page_bytes; }
  std::optional<UsedQueues> queues() const override {
    if (pager().controllers() == 0) return std::nullopt;
    return UsedQueues{pager().queues(), pager().queue_depth()};
  }
  bool emulated() const override { return paged_.store->emulated(pager()); }
  void preload() override { pager().fill(); }
  void make_cold() override {
    this->unmap_for_cold();
    pager().drop();
    pager().drop_cached();
  }
  void reset_counters() override { pager().reset_counters(); }
  void throw_if_failed() override { pager().throw_if_failed(); }
  Moved moved() override { return this->moved_of_pages(pager().counters(), paged_.store->counted_as()); }
  std::optional<WeightStats> weight_stats() const override { return paged_.store->weights(); }

 private:
  View edges(Direction direction) const override {
    const PagedColumn* weights = paged_.columns.weights(direction);
    View view;
    view.pages = pager().pages();
    if constexpr (std::is_same_v<View, DeviceResidentView>) {
      view.pager = paged_.pager.get();
      view.by_pages = this->options_.bam_cache == BamCache::always;
    }
    const PageId before = paged_.own.first(direction) * sizeof(VertexId) / this->options_.page_bytes;
    const PageId words_before = paged_.own.first(direction) * sizeof(std::uint32_t) / this->options_.page_bytes;
    view.first_page = paged_.columns.neighbours(direction).first_page - before;
    view.first_weight_page = weights == nullptr ? 0 : weights->first_page - words_before;
    view.weighted = weights != nullptr;
    return view;
  }
  DevicePager& pager() const { return *paged_.pager; }

  PagedColumns paged_;
};

DevicePagerOptions pager_options(const BackendOptions& options) {
  DevicePagerOptions how;
  if (options.queues != 0) how.queues = options.queues;
  if (options.queue_depth != 0) how.queue_depth = options.queue_depth;
  if (preset_of(options.kind).source == EdgeSource::storage) {  // the comparison in BaM's paper
    how.coalesce = options.bam_coalesce;
    how.reuse = options.bam_reuse;
    how.cached = options.bam_cache != BamCache::none;
  }
  how.doorbell_batch = options.doorbell_batch;
  how.page_bytes = options.page_bytes;
  how.cache_bytes = options.cache_bytes.value_or(std::max(kDefaultPageCacheBytes, DevicePager::least_cache_bytes(how)));
  return how;
}

}  // namespace

CudaBackend make_paged_backend(const Graph& graph, const BackendOptions& options, CudaExecutor& exec) {
  check_page_bytes(options.page_bytes);
  // Servers have whole columns.
  const RankPart part = options.fabric.remote.empty() ? exec.part() : RankPart{};
  PagedColumns paged{open_device_store(graph, options, exec), cuda::OwnEdges(graph, options, part), {}, nullptr};
  paged.columns = place_columns(graph, options, [&](const auto& column, bool holds_ids) {
    return add_column(*paged.store, graph, as_bytes(paged.own.of(column)), holds_ids);
  });
  paged.pager = paged.store->open(pager_options(options), paged.columns.all, exec);
  if (!paged.pager->all_pages_fit()) return std::make_unique<CudaPaged<DevicePagedView>>(graph, options, exec, std::move(paged));
  return std::make_unique<CudaPaged<DeviceResidentView>>(graph, options, exec, std::move(paged));
}

}  // namespace graphrun::inline GR_IDS
