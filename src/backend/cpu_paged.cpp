// Paged backends on host threads: a cache in memory holds the pages that are asked for. The GPU's threads are host threads here;
// page table, queues and controllers are the same.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "backend/edge_store.hpp"
#include "backend/host_rows.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/view/paged_view.hpp"

namespace graphrun::inline GR_IDS {
namespace {

class CpuPaged final : public BackendOf<PagedView> {
 public:
  CpuPaged(const Graph& graph, const BackendOptions& options, CpuExecutor& exec, std::unique_ptr<EdgeStore> store,
           PagerOptions how)
      : graph_(graph), options_(options), store_(std::move(store)) {
    check_page_bytes(options.page_bytes);
    add_neighbours(graph.out);
    if (options.needs_weights) columns_.push_back(store_->add(as_bytes(graph.out.weights)));
    if (options.needs_transpose && graph.in) add_neighbours(*graph.in);
    how.page_bytes = options.page_bytes;
    how.workers = exec.pool().size();
    how.cache_bytes = options.cache_bytes.value_or(std::max(kDefaultPageCacheBytes, HostPager::least_cache_bytes(how)));
    pager_ = std::make_unique<HostPager>(
        how, columns_, [this](std::size_t queues, std::uint32_t queue_depth) { return store_->open(queues, queue_depth); });
    out_ = HostRows(graph, graph.out, options, exec.pool());
    if (options.needs_transpose && graph.in) in_ = HostRows(graph, *graph.in, options, exec.pool());
  }

  std::string description() const override {
    return fmt::format("{} frames of {} in memory; {}", pager_->frames(), format_bytes(options_.page_bytes),
                       pager_->storage().description());
  }
  std::uint64_t fast_tier_bytes() const override { return pager_->frames() * options_.page_bytes; }
  bool emulated() const override { return pager_->storage().emulated(); }
  void preload() override { pager_->fill(); }
  void make_cold() override { pager_->drop(); }
  void reset_counters() override { pager_->reset_counters(); }
  Moved moved() override {
    const PagerCounters counters = pager_->counters();
    return {counters.bytes_read, counters.misses, store_->counted_as()};
  }

  std::optional<WeightStats> weight_stats() const override { return store_->weights(); }

  GraphView<PagedView> view() const override {
    return host_view(graph_, options_, out_, edges(0, options_.needs_weights), in_, edges(columns_.size() - 1, false));
  }

 private:
  void add_neighbours(const Csr& csr) {
    columns_.push_back(store_->add(as_bytes(csr.neighbours)));
    columns_.back().id_bytes = sizeof(VertexId);
    if (store_->needs_checks()) columns_.back().id_limit = graph_.num_vertices();
  }
  PagedView edges(std::size_t column, bool weighted) const {
    return {.pager = pager_.get(),
            .first_page = columns_[column].first_page,
            .first_weight_page = weighted ? columns_[column + 1].first_page : 0,
            .page_shift = static_cast<std::uint32_t>(std::countr_zero(options_.page_bytes)),
            .kept = pager_->kept(columns_[column].first_page),
            .kept_weights = weighted ? pager_->kept(columns_[column + 1].first_page) : HostPager::Kept{}};
  }

  const Graph& graph_;
  BackendOptions options_;
  std::unique_ptr<EdgeStore> store_;
  std::vector<PagedColumn> columns_;
  std::unique_ptr<HostPager> pager_;
  HostRows out_;
  HostRows in_;
};

}  // namespace

std::unique_ptr<BackendOf<PagedView>> make_cpu_paged_backend(const Graph& graph, const BackendOptions& options, CpuExecutor& exec,
                                                             std::unique_ptr<EdgeStore> store, PagerOptions how) {
  return std::make_unique<CpuPaged>(graph, options, exec, std::move(store), how);
}

}  // namespace graphrun::inline GR_IDS
