// SPDX-License-Identifier: Apache-2.0
// uvm on host threads: edges stay in a file or memory, and page faults bring them into a capped region, as a GPU's driver does
// with managed memory. Algorithms see plain memory.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "backend/cpu_backends.hpp"
#include "backend/host_rows.hpp"
#include "backend/placed_graph.hpp"
#include "cache/fault_region.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/exec/cpu_executor.hpp"

namespace graphrun::inline GR_IDS {
namespace {

class CpuUvm final : public PlacedGraph<DirectView, HostRows> {
 public:
  CpuUvm(const Graph& graph, const BackendOptions& options, CpuExecutor& exec) : PlacedGraph(graph, options) {
    std::vector<ColumnSource> sources;
    columns_ = place_columns([&](const auto& column, bool) {
      sources.push_back(source_of(column));
      return sources.size() - 1;
    });
    region_.emplace(FaultOptions{.page = options.uvm_fault_bytes,
                                 .prefetch = options.uvm_prefetch_bytes,
                                 .block = options.uvm_block_bytes,
                                 .cap = options.cache_bytes,
                                 .readers = exec.pool().size()},
                    std::move(sources));
    place_rows(options, exec);
    place_lines(columns_, [this](std::size_t column) { return region_->column(column); });
  }

  std::string description() const override {
    return fmt::format("edges paged into {} of memory by userfaultfd, {} to {} a fault, blocks of {} evicted; from {}",
                       format_bytes(region_->most_resident_bytes()), format_bytes(options_.uvm_fault_bytes),
                       format_bytes(options_.uvm_prefetch_bytes), format_bytes(options_.uvm_block_bytes),
                       files_.empty() ? "the memory the loader built them in" : files_.front()->path());
  }
  std::uint64_t fast_tier_bytes() const override { return region_->most_resident_bytes(); }
  void preload() override { region_->fill(); }
  void make_cold() override {
    region_->drop();
    for (const auto& file : files_) file->drop_cached_pages();
    bring_offsets();
  }
  void reset_counters() override { region_->reset_counters(); }
  Moved moved() override {
    const FaultCounters counters = region_->counters();
    return {counters.bytes_in, counters.faults, "page faults, counted by the thread that serves them", counters.bytes_evicted};
  }
  void throw_if_failed() override { region_->throw_if_failed(); }

 private:
  template <class T>
  ColumnSource source_of(const Column<T>& column) {
    if (!column.in_mapped_file()) return ColumnSource::in_memory(column.data(), column.bytes());
    const Region& file = *column.region();
    if (files_.empty() || files_.back() != column.region()) files_.push_back(column.region());
    const auto offset = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(column.data()) - file.data());
    return ColumnSource::in_file(file.path(), offset, column.bytes(), file.file().descriptor());
  }
  DirectView edges(Direction direction) const override {
    const HostEdges edges = host_edges(columns_, direction, [this](std::size_t column) { return region_->column(column); });
    return {.neighbours = edges.neighbours, .weights = edges.weights, .packed = packed(direction)};
  }

  std::vector<std::shared_ptr<Region>> files_;
  EdgeColumns<std::size_t> columns_;  ///< of the region
  std::optional<FaultRegion> region_;
};

}  // namespace

std::unique_ptr<BackendOf<DirectView>> make_faulting_backend(const Graph& graph, const BackendOptions& options,
                                                             CpuExecutor& exec) {
  return std::make_unique<CpuUvm>(graph, options, exec);
}

}  // namespace graphrun::inline GR_IDS
