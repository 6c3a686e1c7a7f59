// SPDX-License-Identifier: Apache-2.0
// subway on host threads (Sabet et al., EuroSys 2020). Gathers the edges of active vertices, usually from the mapped file, into a
// bounded buffer, and processes them there. Gathering replaces the copy over the link.
#include <fmt/format.h>

#include <memory>

#include "backend/cpu_backends.hpp"
#include "backend/edge_store.hpp"
#include "backend/host_rows.hpp"
#include "backend/subway_buffer.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/ops/cpu_subgraphs.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::uint64_t kDefaultBufferBytes = std::uint64_t{1} << 30;
constexpr EdgeId kLeastEdges = 64;

// A plan takes 20 bytes a vertex, so a plan for all vertices may exceed the buffer. A plan for a full buffer of lists with 16
// edges on average takes a third of it.
constexpr EdgeId kEdgesPerPlanned = 16;
constexpr std::uint64_t kLeastPlanned = 1 << 12;

class CpuSubway final : public PlacedGraph<CpuSubwayView, HostRows> {
 public:
  CpuSubway(const Graph& graph, const BackendOptions& options, CpuExecutor& exec) : PlacedGraph(graph, options) {
    require_unpacked(graph, "backend subway");
    const EdgeId capacity = subway_capacity(options, kDefaultBufferBytes, kLeastEdges, most_subgraph_edges(graph, options));
    place_rows(with_pieces_of(graph, options, kHostChunkEdges, capacity, exec.pool()), exec);
    columns_ = place_columns([](const auto& column, bool) { return as_bytes(column); });
    SubgraphOptions how;
    how.capacity = capacity;
    how.weighted = options.needs_weights;
    how.asynchronous = options.subway_variant == SubwayVariant::async;
    how.num_vertices = graph.num_vertices();
    how.most_vertices = std::min<std::uint64_t>(graph.num_vertices(), std::max(kLeastPlanned, capacity / kEdgesPerPlanned));
    how.most_rows = how.most_vertices + most_hub_chunks();
    subgraphs_ = std::make_unique<CpuSubgraphs>(exec, how);
  }

  std::string description() const override {
    return fmt::format("{} subgraphs, gathered from {} into a buffer of {}", name_of(options_.subway_variant),
                       in_file() ? "the mapped file (page cache)" : "memory", format_bytes(fast_tier_bytes()));
  }
  std::uint64_t fast_tier_bytes() const override { return subgraphs_->buffer_bytes(); }
  void make_cold() override {
    if (!in_file()) return;
    graph_.out.neighbours.region()->drop_cached_pages();
    bring_offsets();
  }
  void reset_counters() override { subgraphs_->reset_counters(); }
  Moved moved() override { return moved_by(subgraphs_->counters()); }
  std::vector<Phase> phases() const override { return phases_of(subgraphs_->counters()); }

 private:
  CpuSubwayView edges(Direction direction) const override { return {subgraphs_.get(), host_edges(columns_, direction, at)}; }
  static const std::byte* at(const Column<std::byte>& column) { return column.data(); }
  bool in_file() const { return graph_.out.neighbours.in_mapped_file(); }

  EdgeColumns<Column<std::byte>> columns_;
  std::unique_ptr<CpuSubgraphs> subgraphs_;
};

}  // namespace

std::unique_ptr<BackendOf<CpuSubwayView>> make_gathering_backend(const Graph& graph, const BackendOptions& options,
                                                                 CpuExecutor& exec) {
  return std::make_unique<CpuSubway>(graph, options, exec);
}

}  // namespace graphrun::inline GR_IDS
