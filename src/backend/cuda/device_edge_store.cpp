// SPDX-License-Identifier: Apache-2.0
// bam's edges on a GPU stay in a file; host threads serve the queues of the warps (Qureshi et al., ASPLOS 2023). gpuvm's are in
// host memory, or in servers' memory, and the warps that fault on a page bring it in (Nazaraliyev et al., GPUVM).
#include "backend/cuda/device_edge_store.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <utility>

#include "backend/bam_storage.hpp"
#include "backend/cuda/bam_delivery.hpp"
#include "backend/cuda/host_edges.hpp"
#include "backend/cuda/own_edges.hpp"
#include "backend/fabric_edges.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/transport/controller.hpp"
#include "transport/cuda/device_engines.hpp"

namespace graphrun::inline GR_IDS {
namespace {

class StoredEdges final : public DeviceEdgeStore {
 public:
  explicit StoredEdges(const BackendOptions& options)
      : options_(options), open_engine_(parse_storage(options.storage, options.route)), columns_(options) {}

  PagedColumn add(const Column<std::byte>& column) override { return columns_.add(column); }

  std::unique_ptr<DevicePager> open(DevicePagerOptions how, std::vector<PagedColumn>& columns, CudaExecutor& exec) override {
    way_ = choose_delivery(options_, how, open_engine_, columns_.finish(), columns, exec);
    how.delivery = way_.delivery;
    return std::make_unique<DevicePager>(how, columns, exec, way_.open_engine);
  }

  std::string description(const DevicePager& pager) const override {
    return fmt::format("{} host threads serve {} queues; {}; {}", pager.controllers(), pager.queues(), way_.description,
                       pager.engine().description());
  }
  bool emulated(const DevicePager& pager) const override { return pager.engine().emulated(); }
  const char* counted_as() const override { return "commands to storage, counted by its controller"; }

 private:
  BackendOptions options_;
  EngineOpener open_engine_;
  ColumnStore columns_;
  DeliveryWay way_;
};

/// Edges in memory of this machine. `sm`: warps copy pages over the link; otherwise host threads do, in batches, as a NIC beside
/// the GPU would.
class LinkedEdges final : public DeviceEdgeStore {
 public:
  LinkedEdges(const Graph& graph, const BackendOptions& options, CudaExecutor& exec, bool by_warps)
      : by_warps_(by_warps), pool_(options.host_threads) {
    if (by_warps)
      host_.emplace(cuda::OwnEdges(graph, options, exec.part()).bytes(graph, options), graph.num_vertices(), exec, pool_);
  }

  PagedColumn add(const Column<std::byte>& column) override {
    // Copy engines read pinned memory at the link's full rate, and managed memory only when no kernel runs.
    memory_.push_back(host_ ? host_->place(column) : cuda::EdgeMemory::pinned_copy(column.data(), column.bytes(), pool_));
    PagedColumn made{(memory_.size() - 1) * kFileStride, column.bytes(), 0};
    made.source = static_cast<const std::byte*>(memory_.back().data());
    return made;
  }

  std::unique_ptr<DevicePager> open(DevicePagerOptions how, std::vector<PagedColumn>& columns, CudaExecutor& exec) override {
    how.delivery = by_warps_ ? Delivery::source : Delivery::frames;
    return std::make_unique<DevicePager>(how, columns, exec, [this](std::uint32_t depth) {
      std::vector<MemoryStretch> stretches;
      for (const cuda::EdgeMemory& memory : memory_)
        stretches.emplace_back(std::span(static_cast<const std::byte*>(memory.data()), memory.bytes()));
      return cuda::open_memory_engine(std::move(stretches), depth);
    });
  }

  std::string description(const DevicePager& pager) const override {
    if (by_warps_) return "warps copy pages from " + host_->description();
    return fmt::format("{} host threads serve {} queues, and copy pages in batches from pinned host memory", pager.controllers(),
                       pager.queues());
  }
  const char* counted_as() const override {
    return by_warps_ ? "pages that warps copied over the link" : "commands, counted by who copies the pages";
  }

 private:
  bool by_warps_;
  ThreadPool pool_;
  std::optional<cuda::HostEdges> host_;  ///< for warps
  std::vector<cuda::EdgeMemory> memory_;
};

/// Edges read one-sided, into pinned memory.
class FabricEdges final : public DeviceEdgeStore {
 public:
  explicit FabricEdges(std::unique_ptr<FabricEdgeStore> store) : store_(std::move(store)) {}

  PagedColumn add(const Column<std::byte>& column) override { return store_->add(column); }
  std::unique_ptr<DevicePager> open(DevicePagerOptions how, std::vector<PagedColumn>& columns, CudaExecutor& exec) override {
    how.controllers = 1;  // all servers share one set of endpoints
    return std::make_unique<DevicePager>(how, columns, exec, [this](std::uint32_t depth) { return store_->open_engine(depth); });
  }
  std::string description(const DevicePager& pager) const override {
    return fmt::format("{} queues; warps read pages from pinned memory; {}", pager.queues(), pager.engine().description());
  }
  bool needs_checks() const override { return store_->needs_checks(); }
  std::optional<WeightStats> weights() const override { return store_->weights(); }
  const char* counted_as() const override { return store_->counted_as(); }

 private:
  std::unique_ptr<FabricEdgeStore> store_;
};

}  // namespace

std::unique_ptr<DeviceEdgeStore> open_device_store(const Graph& graph, const BackendOptions& options, CudaExecutor& exec) {
  if (preset_of(options.kind).source == EdgeSource::storage) return std::make_unique<StoredEdges>(options);
  const FabricKind fabric = options.fabric.kind;
  if (fabric == FabricKind::ofi) return std::make_unique<FabricEdges>(make_ofi_edges(options.fabric));
  if (!options.fabric.remote.empty())
    throw UsageError("--remote needs a fabric that reaches other machines, such as --fabric ofi:tcp");
  if (fabric == FabricKind::memory)
    throw UsageError("--fabric memory is one of a CPU: on a GPU choose sm, proxy or ofi:PROVIDER");
  return std::make_unique<LinkedEdges>(graph, options, exec, fabric != FabricKind::proxy);
}

}  // namespace graphrun::inline GR_IDS
