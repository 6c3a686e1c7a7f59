// SPDX-License-Identifier: Apache-2.0
// subway on a GPU: host threads gather the edges of active vertices and copy them in bulk into device memory, where kernels
// process them (Sabet et al., EuroSys 2020).
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "backend/cuda/cuda_backends.hpp"
#include "backend/cuda/device_rows.hpp"
#include "backend/cuda/edge_memory.hpp"
#include "backend/cuda/own_edges.hpp"
#include "backend/edge_store.hpp"
#include "backend/host_rows.hpp"
#include "backend/subway_buffer.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/ops/cuda_subgraphs.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::uint64_t kStateBytesPerVertex = 100;        // offsets, queues, values: largest for 64 concurrent searches
constexpr std::uint64_t kMargin = std::uint64_t{1} << 30;  // device memory left to others
constexpr EdgeId kLeastDeviceEdges = CudaSubgraphs::kLeastCapacity;

class CudaSubway final : public PlacedGraph<CudaSubwayView, cuda::DeviceRows> {
 public:
  CudaSubway(const Graph& graph, const BackendOptions& options, CudaExecutor& exec)
      : PlacedGraph(graph, options), own_(graph, options, exec.part()) {
    const EdgeId capacity = subway_capacity(options, free_for_edges(), kLeastDeviceEdges, most_edges());
    ThreadPool pool(options.host_threads);
    const BackendOptions cut = with_pieces_of(graph, options, cuda::kDefaultChunkEdges, CudaSubgraphs::half_of(capacity), pool);
    place_rows(cut, exec, pool);
    columns_ = place_columns([&](const auto& column, bool) { return as_bytes(in_memory(own_.of(column), pool)); });
    SubgraphOptions how;
    how.capacity = capacity;
    how.weighted = options.needs_weights;
    how.asynchronous = options.subway_variant == SubwayVariant::async;
    how.num_vertices = graph.num_vertices();
    how.most_rows = graph.num_vertices() + most_hub_chunks();
    how.threads = options.host_threads;
    subgraphs_ = std::make_unique<CudaSubgraphs>(exec, how);
    log::info("subway: " + description());
  }

  std::string description() const override {
    return fmt::format("{} subgraphs, gathered from host memory, copied in bulk into a buffer of {} in device memory",
                       name_of(options_.subway_variant), format_bytes(fast_tier_bytes()));
  }
  std::uint64_t fast_tier_bytes() const override { return subgraphs_->buffer_bytes(); }
  void reset_counters() override { subgraphs_->reset_counters(); }
  Moved moved() override { return moved_by(subgraphs_->counters()); }
  std::vector<Phase> phases() const override { return phases_of(subgraphs_->counters()); }

 private:
  CudaSubwayView edges(Direction direction) const override {
    HostEdges from = host_edges(columns_, direction, [](const Column<std::byte>& column) { return column.data(); });
    const EdgeId first = own_.first(direction);
    from.neighbours = cuda::whole_column<VertexId>(from.neighbours, first);
    if (from.weights != nullptr) from.weights = cuda::whole_column<std::uint32_t>(from.weights, first);
    return {subgraphs_.get(), from};
  }

  std::uint64_t free_for_edges() const {
    const std::uint64_t state =
        std::uint64_t{graph_.num_vertices()} * (kStateBytesPerVertex + CudaSubgraphs::plan_bytes(1)) + kMargin;
    const std::uint64_t free_bytes = cuda::free_device_bytes();
    return free_bytes > state ? free_bytes - state : 0;
  }
  /// Returns the most edges that a step uses: all for an asynchronous one, else two halves to alternate between.
  EdgeId most_edges() const {
    const EdgeId all = most_subgraph_edges(graph_, options_);
    return options_.subway_variant == SubwayVariant::async ? all : 2 * std::min(all, CudaSubgraphs::kPassEdges);
  }

  cuda::OwnEdges own_;
  EdgeColumns<Column<std::byte>> columns_;
  std::unique_ptr<CudaSubgraphs> subgraphs_;
};

}  // namespace

std::unique_ptr<BackendOf<CudaSubwayView>> make_gathering_backend(const Graph& graph, const BackendOptions& options,
                                                                  CudaExecutor& exec) {
  return std::make_unique<CudaSubway>(graph, options, exec);
}

}  // namespace graphrun::inline GR_IDS
