// gpuvm on host threads: edges are in host memory, or in that of other machines, and whoever faults on a page brings it
// (Nazaraliyev et al., GPUVM).
//
// The paper's ring of frames with reference counts is what the page table's clock is: its hand goes round over the frames, takes
// the next one whose page nobody uses, and no page is spared for having been used. So frames are reused in the order in which
// they were filled, and both backends have one table.
#include <fmt/format.h>
#include <sys/mman.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend/edge_store.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/transport/controller.hpp"
#include "graphrun/transport/memory_storage.hpp"

namespace graphrun {
namespace {

class MemoryEdges final : public EdgeStore {
 public:
  PagedColumn add(const Column<std::byte>& column) override {
    // The edges of a mapped file are to be in memory before anybody asks for them. Older kernels cannot; then they are read once.
    constexpr int kPopulateRead = 22;
    if (column.in_mapped_file()) ::madvise(column.region()->data(), column.region()->bytes(), kPopulateRead);
    columns_.push_back(column);
    return {(columns_.size() - 1) * kFileStride, column.bytes(), 0};
  }
  std::unique_ptr<Storage> open(std::size_t, std::uint32_t) override {
    std::vector<std::span<const std::byte>> stretches;
    for (const auto& column : columns_) stretches.push_back(column.span());
    return make_memory_storage(std::move(stretches));
  }
  const char* counted_as() const override { return "pages copied from host memory, counted by whoever copies"; }

 private:
  std::vector<Column<std::byte>> columns_;
};

std::unique_ptr<EdgeStore> open_fabric(const FabricOptions& fabric) {
  if (fabric.name == "memory") return std::make_unique<MemoryEdges>();
  throw UsageError(fmt::format("there is no fabric '{}': choose memory", fabric.name));
}

}  // namespace

std::unique_ptr<BackendOf<PagedView>> make_cpu_gpuvm_backend(const Graph& graph, const BackendOptions& options,
                                                             CpuExecutor& exec) {
  PagerOptions how;
  how.queues = options.fabric.queues;
  how.queue_depth = options.fabric.queue_depth;
  return make_cpu_paged_backend(graph, options, exec, open_fabric(options.fabric), how);
}

}  // namespace graphrun
