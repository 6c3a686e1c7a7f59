// bam and gpuvm on host threads: a cache in memory holds the pages that are asked for, from files (Qureshi et al., ASPLOS 2023),
// or from host memory and that of servers (Nazaraliyev et al., GPUVM). The GPU's threads are host threads here; page table,
// queues and controllers are the same.
//
// The page table's clock is GPUVM's ring of frames with reference counts: its hand goes round the frames, takes the next one
// whose page has no references, and spares no page for having been used. So frames are reused in the order in which they were
// filled.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "backend/bam_storage.hpp"
#include "backend/cpu_backends.hpp"
#include "backend/fabric_edges.hpp"
#include "backend/host_rows.hpp"
#include "backend/placed_graph.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/view/paged_view.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::uint32_t kStorageQueueDepth = 512;  // of which asking ahead fills half

std::unique_ptr<HostEdgeStore> open_store(const BackendOptions& options) {
  const bool stored = preset_of(options.kind).source == EdgeSource::storage;
  return stored ? make_file_edges(options) : make_fabric_edges(options.fabric);
}

class CpuPaged final : public PlacedGraph<PagedView, HostRows> {
 public:
  CpuPaged(const Graph& graph, const BackendOptions& options, CpuExecutor& exec)
      : PlacedGraph(graph, options), store_(open_store(options)) {
    check_page_bytes(options.page_bytes);
    if (!graph.out.packed.empty() && options.page_bytes < packed::kPageBytes) {
      throw UsageError(fmt::format("lines of packed lists end with pages of {}, and --page asks for smaller ones of {}",
                                   format_bytes(packed::kPageBytes), format_bytes(options.page_bytes)));
    }
    columns_ = place_columns(
        [&](const auto& column, bool holds_ids) { return add_column(*store_, graph, as_bytes(column), holds_ids); });
    PagerOptions how;
    how.queues = options.queues;
    how.queue_depth = options.queue_depth != 0 ? options.queue_depth : kStorageQueueDepth;
    how.deadline = std::max(how.deadline, store_->deadline());
    how.page_bytes = options.page_bytes;
    how.workers = exec.pool().size();
    how.cache_bytes = options.cache_bytes.value_or(std::max(kDefaultPageCacheBytes, HostPager::least_cache_bytes(how)));
    pager_ = std::make_unique<HostPager>(
        how, columns_.all, [this](std::size_t queues, std::uint32_t queue_depth) { return store_->open(queues, queue_depth); });
    place_rows(options, exec.pool());
    for (const Direction direction : {Direction::out, Direction::in}) {
      const PagedColumn* weights = columns_.weights(direction);
      place_lines(direction, pager_->kept(columns_.neighbours(direction).first_page).data,
                  weights == nullptr ? nullptr : pager_->kept(weights->first_page).data);
    }
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

 private:
  PagedView edges(Direction direction) const override {
    const PagedColumn& neighbours = columns_.neighbours(direction);
    const PagedColumn* weights = columns_.weights(direction);
    return {.pager = pager_.get(),
            .first_page = neighbours.first_page,
            .first_weight_page = weights == nullptr ? 0 : weights->first_page,
            .page_shift = static_cast<std::uint32_t>(std::countr_zero(options_.page_bytes)),
            .kept = pager_->kept(neighbours.first_page),
            .kept_weights = weights == nullptr ? HostPager::Kept{} : pager_->kept(weights->first_page),
            .packed = packed(direction)};
  }

  std::unique_ptr<HostEdgeStore> store_;
  EdgeColumns<PagedColumn> columns_;
  std::unique_ptr<HostPager> pager_;
};

}  // namespace

std::unique_ptr<BackendOf<PagedView>> make_paged_backend(const Graph& graph, const BackendOptions& options, CpuExecutor& exec) {
  return std::make_unique<CpuPaged>(graph, options, exec);
}

}  // namespace graphrun::inline GR_IDS
