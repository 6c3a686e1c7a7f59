// SPDX-License-Identifier: Apache-2.0
// Chooses the CUDA executor's backend, and implements those within reach of a kernel's loads: incore (device memory), emogi (host
// memory over the link, zero-copy) and uvm (managed memory, paged by the driver).
#include "backend/cuda/cuda_backends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "backend/cuda/device_prefix_cache.hpp"
#include "backend/cuda/device_rows.hpp"
#include "backend/cuda/edge_memory.hpp"
#include "backend/cuda/held_memory.hpp"
#include "backend/cuda/host_edges.hpp"
#include "backend/cuda/managed_traffic.hpp"
#include "backend/cuda/own_edges.hpp"
#include "backend/managed_memory.hpp"
#include "backend/placed_graph.hpp"
#include "core/raise.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/ops/operators.hpp"

namespace graphrun::inline GR_IDS {
namespace {

using cuda::EdgeMemory;

class CudaDirectBackend : public PlacedGraph<DirectView, cuda::DeviceRows> {
 public:
  std::uint64_t fast_tier_bytes() const override { return hot_.bytes; }
  StaticTier static_tier() const override { return hot_; }

 protected:
  CudaDirectBackend(const Graph& graph, const BackendOptions& options, CudaExecutor& exec)
      : PlacedGraph(graph, options), exec_(exec), pool_(options.host_threads), own_(graph, options, exec.part()) {}

  /// Puts offsets on the device and edges where `place_words(column)` says. For constructors.
  template <class Place>
  void place(Place&& place_words) {
    place_rows(options_, exec_, pool_);
    columns_ = place_columns([&](const auto& column, bool) { return place_words(own_.of(column)); });
  }
  /// Puts the leading edges of all lists into device memory, within `bytes`.
  void fill_prefixes(std::uint64_t bytes) {
    const Timer timer;
    const bool separate = separate_in(graph_, options_) != nullptr;
    for (std::size_t i = 0; i < (separate ? 2u : 1u); ++i) {
      const auto direction = static_cast<Direction>(i);
      const auto* column = cuda::whole_column<VertexId>(columns_.neighbours(direction).data(), own_.first(direction));
      prefixes_[i] =
          options_.records
              ? cuda::DevicePrefixCache(exec_, rows_of(direction), column, 2, kRecordsAStep, bytes / (separate ? 2 : 1))
              : cuda::DevicePrefixCache(exec_, rows_of(direction), column, 1, 1, bytes / (separate ? 2 : 1));
      hot_.bytes += prefixes_[i].bytes();
      hot_.fill_bytes += prefixes_[i].edge_bytes();
      hot_.edges_a_list = std::max(hot_.edges_a_list, prefixes_[i].lead());
    }
    hot_.holds = HotEdges::prefix;
    hot_.lists = (separate ? 2 : 1) * graph_.num_vertices();
    hot_.fill_ms = timer.elapsed_ms();
  }
  template <class Visit>
  void for_each_memory(Visit&& visit) const {
    for (const EdgeMemory& memory : columns_.all) {
      if (memory.bytes() != 0) visit(memory);
    }
  }

  CudaExecutor& exec_;
  ThreadPool pool_;  // for copying; idle otherwise
  const cuda::OwnEdges own_;
  DeviceArray<Traffic> traffic_;  // empty when the edges are not remote

 private:
  DirectView edges(Direction direction) const override {
    const EdgeMemory* weights = columns_.weights(direction);
    const EdgeId first = own_.first(direction);
    return {.neighbours = cuda::whole_column<VertexId>(columns_.neighbours(direction).data(), first),
            .weights = weights == nullptr ? nullptr : cuda::whole_column<std::uint32_t>(weights->data(), first),
            .access = options_.access,
            .traffic = traffic_.data(),
            .prefixes = prefixes_[separate_in(graph_, options_) == nullptr ? 0 : static_cast<std::size_t>(direction)].view()};
  }

  EdgeColumns<EdgeMemory> columns_;
  std::array<cuda::DevicePrefixCache, 2> prefixes_;  ///< of out-lists and, where they differ, of in-lists
  StaticTier hot_;
};

class CudaIncore final : public CudaDirectBackend {
 public:
  CudaIncore(const Graph& graph, const BackendOptions& options, CudaExecutor& exec) : CudaDirectBackend(graph, options, exec) {
    const std::uint64_t needed = own_.bytes(graph, options);
    if (options.cache_bytes && *options.cache_bytes < needed)
      raise<UsageError>("backend incore keeps all edges in device memory and needs --cache {} or more, not {}", needed,
                        *options.cache_bytes);
    if (const std::size_t free_bytes = cuda::free_device_bytes(); free_bytes < needed)
      raise<UsageError>(
          "backend incore keeps all edges in device memory: {} of edges do not fit into the {} that are "
          "free; use emogi",
          format_bytes(needed), format_bytes(free_bytes));
    place([](const auto& column) { return EdgeMemory::on_device(column.data(), column.bytes()); });
    fast_tier_bytes_ = needed;
  }
  std::string description() const override { return "edges in device memory"; }
  std::uint64_t fast_tier_bytes() const override { return fast_tier_bytes_; }
  Moved moved() override { return {0, 0, "nothing moves: the edges are in device memory"}; }

 private:
  std::uint64_t fast_tier_bytes_ = 0;
};

/// EMOGI (Min et al., VLDB 2020): kernels read edges in place, in host memory.
class CudaEmogi final : public CudaDirectBackend {
 public:
  CudaEmogi(const Graph& graph, const BackendOptions& options, CudaExecutor& exec)
      : CudaDirectBackend(graph, options, exec), host_(own_.bytes(graph, options), graph.num_vertices(), exec, pool_) {
    traffic_ = DeviceArray<Traffic>(1);
    place([&](const auto& column) { return host_.place(column); });
    if (const std::uint64_t bytes = prefix_bytes(); bytes != 0) fill_prefixes(bytes);
    log::info("emogi: " + description());
  }
  std::string description() const override {
    const StaticTier hot = static_tier();
    const std::string prefixes = hot.bytes == 0 ? ""
                                                : fmt::format("{} of leading edges, up to {} a list, in device memory; ",
                                                              format_bytes(hot.bytes), hot.edges_a_list);
    return fmt::format("{}edges in {}, {} access", prefixes, host_.description(), name_of(options_.access));
  }

  void reset_counters() override { exec_.fill_words(traffic_.data(), 0, sizeof(Traffic) / 4), exec_.finish(); }
  Moved moved() override {
    const Traffic traffic = exec_.fetch(traffic_, 0);
    Moved moved{traffic.bytes, traffic.requests, "requests of the walks, in 32-byte sectors"};
    if (static_tier().bytes != 0) moved.hot_bytes = traffic.cached * sizeof(VertexId) * (options_.records ? 2 : 1);
    return moved;
  }

 private:
  std::uint64_t prefix_bytes() const {
    if (options_.hot == HotEdges::prefix) {
      const auto require = [](bool holds, const char* sentence) {
        if (!holds) throw UsageError(sentence);
      };
      require(options_.cache_bytes.has_value(), "--hot prefix fills --cache SIZE of device memory: say how much that may be");
      require(!options_.count_requests,
              "--count-requests looks at loads of edges that are all behind the link: leave --hot prefix out");
      require(options_.records || !options_.needs_weights,
              "--hot prefix keeps no weights: choose --variant prefix, whose records have them, or leave --hot out");
    }
    const bool has_use = !options_.count_requests && (options_.records || !options_.needs_weights);
    if (options_.hot == HotEdges::nothing || !has_use) return 0;
    return std::min(options_.cache_bytes.value_or(0),
                    own_.bytes(graph_, options_) + (graph_.num_vertices() + 1) * sizeof(std::uint32_t) * 2);
  }
  cuda::HostEdges host_;
};

/// The driver's own paging. A cold cache means that every page is in host memory, as after a first touch there.
class CudaUvm final : public CudaDirectBackend {
 public:
  CudaUvm(const Graph& graph, const BackendOptions& options, CudaExecutor& exec) : CudaDirectBackend(graph, options, exec) {
    const std::uint64_t needed = own_.bytes(graph, options);
    if (const std::string why = cuda::why_no_paging(); !why.empty())
      raise<UnavailableError>("backend uvm has no managed memory: {}; use emogi", why);
    if (options.cache_bytes && *options.cache_bytes < needed)
      raise<UsageError>(
          "backend uvm lets the driver keep all edges in device memory and needs --cache {} ({}) or "
          "more, not {}: --gpu-memory limits that",
          needed, format_bytes(needed), format_bytes(*options.cache_bytes));
    const std::size_t state = cuda::state_and_margin(graph.num_vertices());
    const std::uint64_t hold =
        bytes_to_hold({needed, state, cuda::free_device_bytes(), options.gpu_memory_bytes, options.oversubscribe});
    if (options.count_migrations) traffic_counts_.emplace(exec.device());
    if (hold != 0) held_.leave_free(*options.gpu_memory_bytes + state);
    place([&](const auto& column) { return EdgeMemory::managed_copy(column.data(), column.bytes(), pool_); });
    move_to_host();
  }
  std::string description() const override {
    const std::string limit = !options_.gpu_memory_bytes
                                  ? ""
                                  : fmt::format(", {} of device memory for it and {} held",
                                                format_bytes(*options_.gpu_memory_bytes), format_bytes(held_.bytes()));
    return fmt::format("edges in managed memory, advice {}{}", name_of(options_.uvm_advise), limit);
  }
  std::uint64_t fast_tier_bytes() const override {
    const std::uint64_t all = own_.bytes(graph_, options_);
    return std::min(all, options_.gpu_memory_bytes.value_or(all));
  }

  /// The run's state exists by now, so that what it left of its share is held too.
  void make_cold() override {
    move_to_host();
    if (options_.gpu_memory_bytes) held_.leave_free(*options_.gpu_memory_bytes);
  }
  void begin_run() override {
    if (options_.uvm_advise != UvmAdvise::prefetch) return;
    for_each_memory([&](const EdgeMemory& memory) { memory.prefetch_to_device(exec_.device(), exec_.stream()); });
  }
  void reset_counters() override {
    if (traffic_counts_) traffic_counts_->reset();
  }
  Moved moved() override {
    if (!traffic_counts_) return {std::nullopt, std::nullopt, "not counted: the driver moves the pages (--count-migrations)"};
    const auto counts = traffic_counts_->counts();
    return {counts.bytes_in, counts.faults, "migrations and groups of faults, in CUPTI's records of the driver",
            counts.bytes_out};
  }

 private:
  void move_to_host() {
    for_each_memory([&](const EdgeMemory& memory) {
      // Copies made under read-mostly advice stay on the device until the advice is withdrawn.
      memory.advise_read_mostly(false);
      memory.prefetch_to_host(exec_.stream());
      exec_.finish();
      if (options_.uvm_advise == UvmAdvise::read_mostly) memory.advise_read_mostly(true);
      if (options_.uvm_advise == UvmAdvise::accessed_by) memory.advise_accessed_by(exec_.device(), true);
    });
  }

  cuda::HeldMemory held_;
  std::optional<cuda::ManagedTraffic> traffic_counts_;
};

CudaBackend loaded_in_place(const Graph& graph, const BackendOptions& options, CudaExecutor& exec) {
  if (preset_of(options.kind).tier == EdgeTier::all) return std::make_unique<CudaIncore>(graph, options, exec);
  if (is_packed(graph) && !options.records) return make_packed_backend(graph, options, exec);
  auto edges = std::make_unique<CudaEmogi>(graph, options, exec);
  if (options.count_requests) return make_counting_backend(std::move(edges), exec);
  return edges;
}

}  // namespace

CudaBackend place_edges(const Graph& graph, const BackendOptions& options, CudaExecutor& exec) {
  switch (preset_of(options.kind).delivery) {
    case EdgeDelivery::load:
      break;
    case EdgeDelivery::fault:
      return std::make_unique<CudaUvm>(graph, options, exec);
    case EdgeDelivery::commands:
      return make_paged_backend(graph, options, exec);
    case EdgeDelivery::gather:
      return make_gathering_backend(graph, options, exec);
  }
  return loaded_in_place(graph, options, exec);
}

}  // namespace graphrun::inline GR_IDS
