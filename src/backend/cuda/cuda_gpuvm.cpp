// gpuvm on a GPU: edges are in host memory, or in that of other machines, and the warps that fault on a page see to it that it
// comes (Nazaraliyev et al., GPUVM). Page table, frames and queues are bam's.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "backend/cuda/cuda_paged.hpp"
#include "backend/cuda/host_edges.hpp"
#include "backend/edge_store.hpp"
#include "backend/fabric_edges.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/transport/controller.hpp"
#include "transport/cuda/device_engines.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Edges in memory of this machine. `sm`: warps copy pages over the link themselves; otherwise host threads do, in batches, as a
/// NIC beside the GPU would.
class LinkedEdges final : public DeviceEdgeStore {
 public:
  LinkedEdges(const Graph& graph, const BackendOptions& options, CudaExecutor& exec, bool by_warps)
      : by_warps_(by_warps), pool_(options.host_threads) {
    if (by_warps) host_.emplace(edge_bytes(graph, options), graph.num_vertices(), exec, pool_);
  }

  PagedColumn add(const Column<std::byte>& column) override {
    // Copy engines read pinned memory at the full rate of the link, and managed memory only when no kernel runs.
    memory_.push_back(host_ ? host_->place(column) : cuda::EdgeMemory::pinned_copy(column.data(), column.bytes(), pool_));
    PagedColumn made{(memory_.size() - 1) * kFileStride, column.bytes(), 0};
    made.source = static_cast<const std::byte*>(memory_.back().data());
    return made;
  }

  std::unique_ptr<DevicePager> open(DevicePagerOptions how, std::vector<PagedColumn>& columns, CudaExecutor& exec) override {
    how.delivery = by_warps_ ? Delivery::source : Delivery::frames;
    return std::make_unique<DevicePager>(how, columns, exec, [this](std::uint32_t depth) {
      std::vector<MemoryStretch> stretches;
      for (const cuda::EdgeMemory& memory : memory_) {
        stretches.emplace_back(std::span(static_cast<const std::byte*>(memory.data()), memory.bytes()));
      }
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

/// Edges behind one-sided reads, which land in pinned memory.
class FabricEdges final : public DeviceEdgeStore {
 public:
  explicit FabricEdges(std::unique_ptr<FabricEdgeStore> store) : store_(std::move(store)) {}

  PagedColumn add(const Column<std::byte>& column) override { return store_->add(column); }
  std::unique_ptr<DevicePager> open(DevicePagerOptions how, std::vector<PagedColumn>& columns, CudaExecutor& exec) override {
    how.controllers = 1;  // servers are asked over one set of endpoints
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

std::unique_ptr<DeviceEdgeStore> open_fabric(const Graph& graph, const BackendOptions& options, CudaExecutor& exec) {
  const std::string& name = options.fabric.name;
  if (const auto provider = fabric_provider(name)) {
    return std::make_unique<FabricEdges>(make_fabric_edges(options.fabric, *provider));
  }
  if (!options.fabric.remote.empty()) {
    throw UsageError("--remote needs a fabric that reaches other machines, such as --fabric ofi:tcp");
  }
  if (name != "auto" && name != "sm" && name != "proxy") {
    throw UsageError(fmt::format("there is no fabric '{}' on a GPU: choose sm, proxy or ofi:PROVIDER", name));
  }
  return std::make_unique<LinkedEdges>(graph, options, exec, name != "proxy");
}

}  // namespace

CudaPagedBackend make_cuda_gpuvm_backend(const Graph& graph, const BackendOptions& options, CudaExecutor& exec) {
  DevicePagerOptions how;
  how.queues = options.queues;
  how.queue_depth = options.queue_depth;
  return make_cuda_paged_backend(graph, options, exec, open_fabric(graph, options, exec), how);
}

}  // namespace graphrun::inline GR_IDS
