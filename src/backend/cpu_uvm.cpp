// uvm on host threads: edges stay where the loader has them, a file or memory, and page faults bring them into a region with a
// cap, as the driver of a GPU does with managed memory. To algorithms it is plain memory.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "backend/host_rows.hpp"
#include "cache/fault_region.hpp"
#include "graphrun/backend/backend.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/exec/cpu_executor.hpp"

namespace graphrun::inline GR_IDS {
namespace {

class CpuUvm final : public BackendOf<DirectView> {
 public:
  CpuUvm(const Graph& graph, const BackendOptions& options, CpuExecutor& exec) : graph_(graph), options_(options) {
    add(graph.out.neighbours);
    if (options.needs_weights) add(graph.out.weights);
    if (options.needs_transpose && graph.in) add(graph.in->neighbours);
    num_columns_ = sources_.size();
    region_.emplace(FaultOptions{.page = options.uvm_fault_bytes,
                                 .prefetch = options.uvm_prefetch_bytes,
                                 .block = options.uvm_block_bytes,
                                 .cap = options.cache_bytes,
                                 .readers = exec.pool().size()},
                    std::move(sources_));
    out_ = HostRows(graph, graph.out, options, exec.pool());
    if (options.needs_transpose && graph.in) in_ = HostRows(graph, *graph.in, options, exec.pool());
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
  }
  void reset_counters() override { region_->reset_counters(); }
  Moved moved() override {
    const FaultCounters counters = region_->counters();
    return {counters.bytes_in, counters.faults, "page faults, counted by the thread that serves them", counters.bytes_evicted};
  }
  void throw_if_failed() override { region_->throw_if_failed(); }

  GraphView<DirectView> view() const override {
    return host_view(graph_, options_, out_, edges(0, options_.needs_weights), in_, edges(num_columns_ - 1, false));
  }

 private:
  template <class T>
  void add(const Column<T>& column) {
    if (!column.in_mapped_file()) {
      sources_.push_back(ColumnSource::in_memory(column.data(), column.bytes()));
      return;
    }
    const Region& file = *column.region();
    const auto offset = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(column.data()) - file.data());
    sources_.push_back(ColumnSource::in_file(file.path(), offset, column.bytes(), file.file().descriptor()));
    if (files_.empty() || files_.back() != column.region()) files_.push_back(column.region());
  }

  DirectView edges(std::size_t column, bool weighted) const {
    return {.neighbours = reinterpret_cast<const VertexId*>(region_->column(column)),
            .weights = weighted ? reinterpret_cast<const std::uint32_t*>(region_->column(column + 1)) : nullptr};
  }

  const Graph& graph_;
  BackendOptions options_;
  std::vector<std::shared_ptr<Region>> files_;
  std::vector<ColumnSource> sources_;  ///< until the region has them
  std::size_t num_columns_ = 0;
  std::optional<FaultRegion> region_;
  HostRows out_;
  HostRows in_;
};

}  // namespace

std::unique_ptr<BackendOf<DirectView>> make_cpu_uvm_backend(const Graph& graph, const BackendOptions& options,
                                                            CpuExecutor& exec) {
  return std::make_unique<CpuUvm>(graph, options, exec);
}

}  // namespace graphrun::inline GR_IDS
