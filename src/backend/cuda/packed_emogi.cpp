// SPDX-License-Identifier: Apache-2.0
// emogi over packed lists: lines stay in host memory, and warps read them over the link and decode them. --cache keeps the first
// lines in device memory: passes over whole lists read all lines equally often.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "backend/cuda/cuda_backends.hpp"
#include "backend/cuda/device_rows.hpp"
#include "backend/cuda/edge_memory.hpp"
#include "backend/cuda/host_edges.hpp"
#include "backend/placed_graph.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/timer.hpp"
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
    const Csr* const in = separate_in(graph_, options_);
    place_lines(columns_, [](const cuda::EdgeMemory& column) { return static_cast<const std::byte*>(column.data()); });
    // PageRank pulls: it reads a separate transpose, and little of the out-lists.
    const std::uint64_t cache = options.hot == HotEdges::nothing ? 0 : options.cache_bytes.value_or(0);
    if (in != nullptr) keep_near(*in, cache, near_[1]);
    keep_near(graph_.out, cache - hot_.bytes, near_[0]);
    exec_.store(damaged_, 0, static_cast<unsigned long long>(kNoVertex));
    reset_counters();
    log::info("emogi: " + description());
  }

  std::string description() const override {
    const std::string near =
        hot_.bytes == 0 ? ""
                        : fmt::format("{} of packed edges, {} lists, in device memory; ", format_bytes(hot_.bytes), hot_.lists);
    return fmt::format("{}packed edges in {}", near, host_.description());
  }
  std::uint64_t fast_tier_bytes() const override { return hot_.bytes; }
  StaticTier static_tier() const override { return hot_; }
  void reset_counters() override { exec_.fill_words(read_.data(), 0, sizeof(Traffic) / 4), exec_.synchronize(); }
  Moved moved() override {
    const Traffic traffic = exec_.fetch(read_, 0);
    Moved moved{traffic.bytes, traffic.requests, "requests of the walks, in 32-byte sectors"};
    if (hot_.bytes != 0) moved.hot_bytes = traffic.cached;
    return moved;
  }
  void throw_if_failed() override {
    const unsigned long long v = exec_.fetch(damaged_, 0);
    if (v != kNoVertex) refuse_packed(static_cast<VertexId>(v));
  }

 private:
  DevicePackedView edges(Direction direction) const override {
    const cuda::EdgeMemory& near = near_[static_cast<std::size_t>(direction)];
    return {.lists = *packed(direction),
            .near = static_cast<const std::byte*>(near.data()),
            .cached_bytes = near.bytes(),
            .num_vertices = graph_.num_vertices(),
            .read = read_.data(),
            .damaged = damaged_.data()};
  }
  /// Copies the first lines to device memory, within `most_bytes`.
  void keep_near(const Csr& csr, std::uint64_t most_bytes, cuda::EdgeMemory& near) {
    const std::uint64_t bytes = std::min<std::uint64_t>(most_bytes, csr.packed.lines.bytes()) / kRequestBytes * kRequestBytes;
    if (bytes == 0) return;
    const Timer timer;
    near = cuda::EdgeMemory::on_device(csr.packed.lines.data(), bytes);
    const auto vertices = std::views::iota(VertexId{0}, csr.num_vertices());
    const auto is_near = [lists = packed_lists(csr), bytes](VertexId v) { return lists.start(v + 1) <= bytes; };
    hot_.lists += static_cast<std::uint64_t>(std::ranges::partition_point(vertices, is_near) - vertices.begin());
    hot_.bytes += bytes;
    hot_.fill_bytes += bytes;
    hot_.holds = HotEdges::prefix;
    hot_.fill_ms += timer.elapsed_ms();
  }

  static constexpr std::uint64_t kRequestBytes = 128;

  CudaExecutor& exec_;
  ThreadPool pool_;  // for copying; idle otherwise
  cuda::HostEdges host_;
  EdgeColumns<cuda::EdgeMemory> columns_;
  std::array<cuda::EdgeMemory, 2> near_;  ///< of out-lists and, where they differ, of in-lists
  StaticTier hot_;
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
  require(options.hot != HotEdges::prefix,
          "--hot keeps plain lists, and those of this graph are packed: unpack_lists() makes plain ones");
  return std::make_unique<CudaPackedEmogi>(graph, options, exec);
}

}  // namespace graphrun::inline GR_IDS
