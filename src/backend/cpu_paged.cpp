// SPDX-License-Identifier: Apache-2.0
// bam and gpuvm on host threads: a page cache in memory over files (Qureshi et al., ASPLOS 2023), or over memory of this host or
// of servers (Nazaraliyev et al., GPUVM). Page table, queues and controllers are the GPU's.
//
// The page table's clock is GPUVM's ring of frames with reference counts. It reuses the next frame without references, so frames
// are reused in the order of their filling.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "backend/bam_storage.hpp"
#include "backend/cpu_backends.hpp"
#include "backend/fabric_edges.hpp"
#include "backend/host_rows.hpp"
#include "backend/placed_graph.hpp"
#include "backend/prefix_cache.hpp"
#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/paged_view.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::uint32_t kStorageQueueDepth = 512;  // requests ahead fill half of it
constexpr std::uint32_t kPrefixGap = 4096;         // bytes; pages between two lists' rests after their prefixes are rarely useful

std::unique_ptr<HostEdgeStore> open_store(const BackendOptions& options) {
  const bool stored = preset_of(options.kind).source == EdgeSource::storage;
  return stored ? make_file_edges(options) : make_fabric_edges(options.fabric);
}

class CpuPaged final : public PlacedGraph<PagedView, HostRows> {
 public:
  CpuPaged(const Graph& graph, const BackendOptions& options, CpuExecutor& exec)
      : PlacedGraph(graph, options), exec_(exec), store_(open_store(options)) {
    if (options.hot == HotEdges::prefix && !options.fabric.remote.empty())
      throw UsageError("--hot prefix reads lists here, and those of --remote are elsewhere: leave it out");
    if (options.bam_cache == BamCache::none)
      throw UsageError("--bam-cache none is for a GPU: on a CPU choose a --cache of one page more than threads");
    check_page_bytes(options.page_bytes);
    if (!options.records && !graph.out.packed.empty() && options.page_bytes < packed::kPageBytes)
      raise<UsageError>("lines of packed lists end with pages of {}, and --page asks for smaller ones of {}",
                        format_bytes(packed::kPageBytes), format_bytes(options.page_bytes));
    place_rows(options, exec);
    columns_ = place_columns(
        [&](const auto& column, bool holds_ids) { return add_column(*store_, graph, as_bytes(column), holds_ids); });
    PagerOptions how;
    how.queues = options.queues;
    how.queue_depth = options.queue_depth != 0 ? options.queue_depth : kStorageQueueDepth;
    how.deadline = std::max(how.deadline, store_->deadline());
    how.doorbell_batch = options.doorbell_batch;
    how.page_bytes = options.page_bytes;
    how.workers = exec.pool().size();
    how.cache_bytes = options.cache_bytes.value_or(std::max(kDefaultPageCacheBytes, HostPager::least_cache_bytes(how)));
    prefix_bytes_ = room_for_prefixes(how);
    fill_prefixes();
    warn_of_no_prefixes();
    how.cache_bytes -= hot_.bytes;
    pager_ = std::make_unique<HostPager>(
        how, columns_.all, [this](std::size_t queues, std::uint32_t queue_depth) { return store_->open(queues, queue_depth); });
    place_lines(columns_, [this](const PagedColumn& column) { return pager_->kept(column.first_page).data; });
  }

  std::string description() const override {
    const std::string prefixes =
        hot_.bytes == 0 ? ""
                        : fmt::format("{} of leading edges, up to {} a list, and ", format_bytes(hot_.bytes), hot_.edges_a_list);
    return fmt::format("{}{} frames of {} in memory; {}", prefixes, pager_->frames(), format_bytes(options_.page_bytes),
                       pager_->storage().description());
  }
  std::uint64_t fast_tier_bytes() const override { return hot_.bytes + pager_->frames() * options_.page_bytes; }
  StaticTier static_tier() const override { return hot_; }
  std::optional<UsedQueues> queues() const override {
    const auto pairs = pager_->storage().queues();
    if (pairs.empty()) return std::nullopt;
    return UsedQueues{pairs.size(), pairs.front().depth};
  }
  bool emulated() const override { return pager_->storage().emulated(); }
  void preload() override { pager_->fill(); }
  void make_cold() override {
    unmap_for_cold();
    pager_->drop();
    pager_->drop_cached();
  }
  void reset_counters() override {
    pager_->reset_counters();
    for (PrefixCache& prefixes : prefixes_) prefixes.reset_counters();
  }
  Moved moved() override {
    const PagerCounters counters = pager_->counters();
    Moved moved = moved_of_pages(counters, store_->counted_as());
    if (pager_->pages_ahead() != 0) moved.ahead = {counters.ahead_hits, counters.ahead_bytes - counters.ahead_hits};
    if (hot_.bytes != 0) moved.hot_bytes = prefixes_[0].answered_bytes() + prefixes_[1].answered_bytes();
    return moved;
  }

  std::optional<WeightStats> weight_stats() const override { return store_->weights(); }

 private:
  /// Returns the bytes for cached prefixes of each direction; 0 where all pages stay.
  std::uint64_t room_for_prefixes(const PagerOptions& how) const {
    const std::uint64_t least = HostPager::least_cache_bytes(how);
    const bool asked = options_.hot == HotEdges::prefix;
    const bool wanted = asked || (options_.hot == HotEdges::automatic && options_.records);
    const bool small = how.cache_bytes <= least;
    const bool holds_all = edge_bytes(graph_, options_) <= how.cache_bytes;
    if (asked && (small || holds_all)) {
      log::warn(fmt::format("--hot prefix has no effect: the cache of {} {}", format_bytes(how.cache_bytes),
                            holds_all ? "has room for all edges" : "has room for no more than pages that are in use"));
    }
    if (!wanted || small || holds_all) return 0;
    const auto most = static_cast<std::uint64_t>(kPrefixShare * static_cast<double>(how.cache_bytes));
    return std::min(most, how.cache_bytes - least) / (separate_in(graph_, options_) == nullptr ? 1 : 2);
  }

  void warn_of_no_prefixes() const {
    if (prefix_bytes_ == 0 || options_.hot != HotEdges::prefix || graph_.num_edges() == 0) return;
    const bool separate = separate_in(graph_, options_) != nullptr;
    constexpr const char* kOn[] = {" on out-lists", " on in-lists"};
    for (std::size_t i = 0; i < (separate ? 2u : 1u); ++i) {
      if (prefixes_[i].bytes() != 0) continue;
      log::warn(fmt::format("--hot prefix has no effect{}: {} have no room for an edge beside where lists begin",
                            separate ? kOn[i] : "", format_bytes(prefix_bytes_)));
    }
  }

  void fill_prefixes() {
    if (prefix_bytes_ == 0) return;
    const Timer timer;
    hot_.holds = HotEdges::prefix;
    const auto fill = [&](Direction direction, const Csr& csr) {
      const bool weighted = columns_.weights(direction) != nullptr;
      const ListColumn lists(rows_of(direction), csr,
                             options_.records ? ListColumn::Reads::records
                             : weighted       ? ListColumn::Reads::weights_too
                                              : ListColumn::Reads::neighbours);
      PrefixCache& prefixes = prefixes_[static_cast<std::size_t>(direction)];
      prefixes.keep(lists, options_.records ? kRecordsAStep : 1, prefix_bytes_, exec_.part(), exec_.pool());
      hot_.bytes += prefixes.bytes();
      hot_.fill_bytes += prefixes.edge_bytes();
      hot_.lists += prefixes.lists();
      hot_.edges_a_list = std::max(hot_.edges_a_list, prefixes.lead());
    };
    fill(Direction::out, graph_.out);
    if (const Csr* const in = separate_in(graph_, options_)) fill(Direction::in, *in);
    hot_.fill_ms = timer.elapsed_ms();
  }

  PagedView edges(Direction direction) const override {
    const PagedColumn& neighbours = columns_.neighbours(direction);
    const PagedColumn* weights = columns_.weights(direction);
    return {.pager = pager_.get(),
            .first_page = neighbours.first_page,
            .first_weight_page = weights == nullptr ? 0 : weights->first_page,
            .page_shift = static_cast<std::uint32_t>(std::countr_zero(options_.page_bytes)),
            .kept = kept(&neighbours),
            .kept_weights = kept(weights),
            .in_place = pager_->in_place(neighbours.first_page),
            .in_place_weights = weights == nullptr ? HostPager::InPlace{} : pager_->in_place(weights->first_page),
            .packed = packed(direction),
            .prefixes = prefixes_of_direction(direction),
            .gap_bytes = hot_.bytes != 0 ? kPrefixGap : PagedView::kGapBytes,
            .offsets = options_.records ? nullptr : rows_of(direction).offsets};
  }

  /// Returns the pages of a column that loads reach without the cache.
  HostPager::Kept kept(const PagedColumn* column) const {
    const bool by_cache = column == nullptr || options_.bam_cache == BamCache::always;
    return by_cache ? HostPager::Kept{} : pager_->kept(column->first_page);
  }

  CachedPrefixes prefixes_of_direction(Direction direction) const {
    return prefixes_[direction == Direction::in && separate_in(graph_, options_) != nullptr ? 1 : 0].view();
  }

  CpuExecutor& exec_;
  std::uint64_t prefix_bytes_ = 0;
  std::array<PrefixCache, 2> prefixes_;  ///< of out-lists and, where they differ, of in-lists
  StaticTier hot_;
  std::unique_ptr<HostEdgeStore> store_;
  EdgeColumns<PagedColumn> columns_;
  std::unique_ptr<HostPager> pager_;
};

}  // namespace

std::unique_ptr<BackendOf<PagedView>> make_paged_backend(const Graph& graph, const BackendOptions& options, CpuExecutor& exec) {
  return std::make_unique<CpuPaged>(graph, options, exec);
}

}  // namespace graphrun::inline GR_IDS
