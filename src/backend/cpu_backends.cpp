// SPDX-License-Identifier: Apache-2.0
// Chooses the CPU executor's backend, and implements incore, which copies a mapped file's edges into memory, and emogi. That
// reads edges in place, from the page cache; the kernel counts its reads of storage.
#include "backend/cpu_backends.hpp"

#include "backend/edge_store.hpp"
#include "backend/host_rows.hpp"
#include "backend/placed_graph.hpp"
#include "core/raise.hpp"
#include "graphrun/core/memory.hpp"
#include "graphrun/exec/cpu_executor.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Returns the bytes that the kernel read from storage for this process; nothing where the kernel does not say.
std::optional<std::uint64_t> storage_bytes_read() { return read_entry("/proc/self/io", "read_bytes:"); }

class CpuDirectBackend final : public PlacedGraph<DirectView, HostRows> {
 public:
  CpuDirectBackend(const Graph& graph, const BackendOptions& options, CpuExecutor& exec)
      : PlacedGraph(graph, options),
        copies_(preset_of(options.kind).tier == EdgeTier::all),
        counted_elsewhere_(!exec.part().is_single_rank() && exec.part().exchange->counted_elsewhere()) {
    columns_ = place_columns([&](const auto& column, bool) {
      const auto [first, last] = own_edges(column, exec.part());
      if (copies_) fast_tier_bytes_ += (last - first) * sizeof(column[0]);
      return as_bytes(column);
    });
    if (options.cache_bytes && *options.cache_bytes < fast_tier_bytes_)
      raise<UsageError>("backend incore keeps all edges in memory and needs --cache {} or more, not {}", fast_tier_bytes_,
                        *options.cache_bytes);
    place_rows(options, exec);
    if (copies_) {
      columns_ = place_columns([&](const auto& column, bool) {
        const auto [first, last] = own_edges(column, exec.part());
        return as_bytes(in_memory(column, exec.pool(), first, last));
      });
    }
    place_lines(columns_, at);
  }

  std::string description() const override {
    if (copies_) return "edges in memory";
    if (in_file()) return "edges read in place from the mapped file (page cache), never copied";
    return "edges read in place from the memory the loader built them in (the graph was not opened from a .grf file)";
  }
  std::uint64_t fast_tier_bytes() const override { return fast_tier_bytes_; }

  void make_cold() override {
    if (!reads_storage()) return;
    columns_.all.front().region()->drop_cached_pages();
    bring_offsets();
  }

  void reset_counters() override {
    if (reads_storage() && !counted_elsewhere_) read_before_ = storage_bytes_read();
  }
  Moved moved() override {
    if (!reads_storage()) return {0, std::nullopt, "nothing moves: the edges are in memory"};
    constexpr const char* kHow = "storage reads of the process, as the kernel counts them";
    if (counted_elsewhere_) return {0, std::nullopt, kHow};
    const auto now = storage_bytes_read();
    if (!now || !read_before_) return {std::nullopt, std::nullopt, "not counted: the kernel does not say"};
    return {*now - *read_before_, std::nullopt, kHow};
  }

 private:
  DirectView edges(Direction direction) const override {
    const HostEdges edges = host_edges(columns_, direction, at);
    return {.neighbours = edges.neighbours, .weights = edges.weights, .packed = packed(direction)};
  }
  static const std::byte* at(const Column<std::byte>& column) { return column.data(); }
  bool in_file() const { return columns_.all.front().in_mapped_file(); }
  bool reads_storage() const { return !copies_ && in_file(); }
  /// Returns the range of a rank's lists in a column of edges or records; all of it where lists are packed.
  template <class T>
  std::pair<std::size_t, std::size_t> own_edges(const Column<T>& column, const RankPart& part) const {
    const Csr* const in = separate_in(graph_, options_);
    const auto* const data = static_cast<const void*>(column.data());
    const bool is_in = in != nullptr && (data == in->neighbours.data() || data == in->records.data());
    const Column<EdgeId>& offsets = is_in ? in->offsets : graph_.out.offsets;
    const std::size_t words = options_.records ? 2 : 1;
    if (part.is_single_rank() || column.size() != words * graph_.num_edges()) return {0, column.size()};
    const RankPart mine = part.within(graph_.num_vertices());
    return {words * offsets[mine.first], words * offsets[mine.last]};
  }

  bool copies_;
  bool counted_elsewhere_;  // another rank of this process counts
  EdgeColumns<Column<std::byte>> columns_;
  std::uint64_t fast_tier_bytes_ = 0;
  std::optional<std::uint64_t> read_before_;
};

}  // namespace

CpuBackend place_edges(const Graph& graph, const BackendOptions& options, CpuExecutor& exec) {
  switch (preset_of(options.kind).delivery) {
    case EdgeDelivery::load:
      break;
    case EdgeDelivery::fault:
      return make_faulting_backend(graph, options, exec);
    case EdgeDelivery::commands:
      return make_paged_backend(graph, options, exec);
    case EdgeDelivery::gather:
      return make_gathering_backend(graph, options, exec);
  }
  return std::make_unique<CpuDirectBackend>(graph, options, exec);
}

}  // namespace graphrun::inline GR_IDS
