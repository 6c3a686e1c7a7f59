// emogi over packed lists: lines stay in host memory, and warps decode them after they came over the link.
#include <fmt/format.h>

#include <array>

#include "backend/cuda/cuda_backends.hpp"
#include "backend/cuda/device_rows.hpp"
#include "backend/cuda/edge_memory.hpp"
#include "backend/cuda/host_edges.hpp"
#include "backend/placed_graph.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/view/device_packed_view.hpp"

namespace graphrun::inline GR_IDS {
namespace {

class CudaPackedEmogi final : public PlacedGraph<DevicePackedView, cuda::DeviceRows> {
 public:
  CudaPackedEmogi(const Graph& graph, const BackendOptions& options, CudaExecutor& exec)
      : PlacedGraph(graph, options),
        exec_(exec),
        pool_(options.host_threads),
        host_(edge_bytes(graph, options), graph.num_vertices(), exec, pool_),
        read_(1),
        damaged_(1) {
    place_rows(options_, exec_, pool_);
    columns_ = place_columns([&](const auto& column, bool) { return host_.place(column); });
    place_lines(Direction::out, lines(Direction::out), nullptr);
    if (separate_in(graph_, options_) != nullptr) place_lines(Direction::in, lines(Direction::in), nullptr);
    exec_.store(damaged_, 0, static_cast<unsigned long long>(kNoVertex));
    reset_counters();
    log::info("emogi: " + description());
  }

  std::string description() const override { return fmt::format("packed edges in {}", host_.description()); }
  std::uint64_t fast_tier_bytes() const override { return 0; }
  void reset_counters() override { exec_.fill_words(read_.data(), 0, sizeof(Traffic) / 4), exec_.synchronize(); }
  Moved moved() override {
    const Traffic traffic = exec_.fetch(read_, 0);
    return {traffic.bytes, traffic.requests, "requests of the walks, in 32-byte sectors"};
  }
  void throw_if_failed() override {
    const unsigned long long v = exec_.fetch(damaged_, 0);
    if (v != kNoVertex) refuse_packed(static_cast<VertexId>(v));
  }

 private:
  const std::byte* lines(Direction direction) const {
    return static_cast<const std::byte*>(columns_.neighbours(direction).data());
  }
  DevicePackedView edges(Direction direction) const override {
    return {.lists = *packed(direction), .num_vertices = graph_.num_vertices(), .read = read_.data(), .damaged = damaged_.data()};
  }

  CudaExecutor& exec_;
  ThreadPool pool_;  // for copying; idle otherwise
  cuda::HostEdges host_;
  EdgeColumns<cuda::EdgeMemory> columns_;
  DeviceArray<Traffic> read_;
  DeviceArray<unsigned long long> damaged_;
};

}  // namespace

std::unique_ptr<BackendOf<DevicePackedView>> make_packed_backend(const Graph& graph, const BackendOptions& options,
                                                                 CudaExecutor& exec) {
  const auto require = [](bool holds, const char* sentence) {
    if (!holds) throw UsageError(sentence);
  };
  require(!options.needs_weights, "a GPU decodes no packed weights: unpack_lists() makes plain ones");
  require(!options.count_requests, "--count-requests looks at loads of plain lists: unpack_lists() makes these");
  require(options.hot == HotEdges::automatic || options.hot == HotEdges::nothing,
          "--hot keeps plain lists, and those of this graph are packed: unpack_lists() makes plain ones");
  return std::make_unique<CudaPackedEmogi>(graph, options, exec);
}

}  // namespace graphrun::inline GR_IDS
