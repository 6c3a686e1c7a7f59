// bam on a GPU: edges stay in a file, and a cache in device memory holds the pages that warps ask for, through queues that host
// threads serve (Qureshi et al., ASPLOS 2023).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "backend/bam_storage.hpp"
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

class CudaBam final : public BackendOf<DevicePagedView> {
 public:
  CudaBam(const Graph& graph, const BackendOptions& options, CudaExecutor& exec)
      : graph_(graph), options_(options), has_in_(options.needs_transpose && graph.in && !graph.symmetric), store_(options) {
    const EngineOpener open_engine = parse_storage(options.storage);
    check_page_bytes(options.page_bytes);
    ThreadPool pool(options.host_threads);
    out_ = DeviceRows(graph, graph.out, options, exec, pool);
    columns_.push_back(store_.add(graph.out.neighbours));
    if (options.needs_weights) columns_.push_back(store_.add(graph.out.weights));
    if (has_in_) {
      in_ = DeviceRows(graph, *graph.in, options, exec, pool);
      columns_.push_back(store_.add(graph.in->neighbours));
    }
    const std::vector<StoreFile>& files = store_.finish();
    DevicePagerOptions how;
    how.page_bytes = options.page_bytes;
    how.cache_bytes = options.cache_bytes.value_or(std::max(kDefaultBamCacheBytes, DevicePager::least_cache_bytes(how)));
    how.coalesce = options.bam_coalesce;
    how.reuse = options.bam_reuse;
    how.cached = options.bam_cached;
    pager_ = std::make_unique<DevicePager>(how, columns_, exec, [&](std::uint32_t depth) { return open_engine(files, depth); });
    log::info("bam: " + description());
  }

  std::string description() const override {
    return fmt::format(
        "{} frames of {} in device memory{}; {} host threads serve {} queues; warps read pages from pinned memory; {}",
        pager_->frames(), format_bytes(options_.page_bytes), pager_->evicts() ? "" : ", one for every page",
        pager_->controllers(), pager_->queues(), pager_->engine().description());
  }
  std::uint64_t fast_tier_bytes() const override { return pager_->frames() * options_.page_bytes; }
  bool emulated() const override { return pager_->engine().emulated(); }
  void make_cold() override { pager_->drop(); }
  void reset_counters() override { pager_->reset_counters(); }
  void throw_if_failed() override { pager_->throw_if_failed(); }
  Moved moved() override {
    const PagerCounters counters = pager_->counters();
    return {counters.bytes_read, counters.misses, "commands to storage, counted by its controller"};
  }

  GraphView<DevicePagedView> view() const override {
    GraphView<DevicePagedView> view;
    view.out = out_.rows();
    view.out_edges = edges(0, options_.needs_weights);
    view.symmetric = graph_.symmetric;
    view.num_edges = graph_.num_edges();
    view.has_in = graph_.symmetric || has_in_;
    view.in = has_in_ ? in_.rows() : view.out;
    view.in_edges = has_in_ ? edges(columns_.size() - 1, false) : view.out_edges;
    return view;
  }

 private:
  DevicePagedView edges(std::size_t column, bool weighted) const {
    DevicePagedView view;
    view.pager = pager_->state();
    view.words = pager_->table().words;
    view.frames = pager_->frame_memory();
    view.page_shift = static_cast<std::uint32_t>(std::countr_zero(options_.page_bytes));
    view.evicts = pager_->evicts();
    view.first_page = columns_[column].first_page;
    view.first_weight_page = weighted ? columns_[column + 1].first_page : 0;
    return view;
  }

  const Graph& graph_;
  BackendOptions options_;
  bool has_in_;
  ColumnStore store_;
  std::vector<PagedColumn> columns_;
  DeviceRows out_;
  DeviceRows in_;
  std::unique_ptr<DevicePager> pager_;
};

}  // namespace

std::unique_ptr<BackendOf<DevicePagedView>> make_cuda_bam_backend(const Graph& graph, const BackendOptions& options,
                                                                  CudaExecutor& exec) {
  return std::make_unique<CudaBam>(graph, options, exec);
}

}  // namespace graphrun
