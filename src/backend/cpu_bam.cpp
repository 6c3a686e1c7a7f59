// bam on host threads: edges stay in a file, and a cache in memory holds the pages that are asked for (Qureshi et al., ASPLOS
// 2023). The GPU's threads are host threads here; page table, queues and controller are the same.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "backend/bam_nvme.hpp"
#include "backend/bam_storage.hpp"
#include "backend/host_rows.hpp"
#include "graphrun/backend/backend.hpp"
#include "graphrun/cache/host_pager.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/view/paged_view.hpp"

namespace graphrun {
namespace {

constexpr std::uint32_t kQueueDepth = 512;  // a worker's, of which asking ahead fills half

class CpuBam final : public BackendOf<PagedView> {
 public:
  CpuBam(const Graph& graph, const BackendOptions& options, CpuExecutor& exec)
      : graph_(graph), options_(options), store_(options) {
    const HostPager::OpenStorage open_storage = storage_opener();
    check_page_bytes(options.page_bytes);
    columns_.push_back(store_.add(graph.out.neighbours));
    if (options.needs_weights) columns_.push_back(store_.add(graph.out.weights));
    if (options.needs_transpose && graph.in) columns_.push_back(store_.add(graph.in->neighbours));
    PagerOptions how;
    how.queue_depth = kQueueDepth;
    how.page_bytes = options.page_bytes;
    how.workers = exec.pool().size();
    how.cache_bytes = options.cache_bytes.value_or(std::max(kDefaultBamCacheBytes, HostPager::least_cache_bytes(how)));
    pager_ = std::make_unique<HostPager>(how, columns_, open_storage);
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
    return {counters.bytes_read, counters.misses, "commands to storage, counted as they complete"};
  }

  GraphView<PagedView> view() const override {
    return host_view(graph_, options_, out_, edges(0, options_.needs_weights), in_, edges(columns_.size() - 1, false));
  }

 private:
  HostPager::OpenStorage storage_opener() {
    if (const auto address = nvme_address(options_.storage)) {
      return [this, address](std::size_t queues, std::uint32_t queue_depth) {
        return open_nvme_storage(*address, store_, queues, queue_depth);
      };
    }
    return [this, open_engine = parse_storage(options_.storage)](std::size_t queues, std::uint32_t queue_depth) {
      return make_software_storage(queues, queue_depth, [&](std::uint32_t depth) { return open_engine(store_.finish(), depth); });
    };
  }

  PagedView edges(std::size_t column, bool weighted) const {
    return {.pager = pager_.get(),
            .first_page = columns_[column].first_page,
            .first_weight_page = weighted ? columns_[column + 1].first_page : 0,
            .page_shift = static_cast<std::uint32_t>(std::countr_zero(options_.page_bytes))};
  }

  const Graph& graph_;
  BackendOptions options_;
  ColumnStore store_;
  std::vector<PagedColumn> columns_;
  std::unique_ptr<HostPager> pager_;
  HostRows out_;
  HostRows in_;
};

}  // namespace

std::unique_ptr<BackendOf<PagedView>> make_cpu_bam_backend(const Graph& graph, const BackendOptions& options, CpuExecutor& exec) {
  return std::make_unique<CpuBam>(graph, options, exec);
}

}  // namespace graphrun
