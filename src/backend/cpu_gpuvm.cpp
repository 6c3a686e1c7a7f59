// gpuvm on host threads: edges are in host memory, or in that of other machines, and the thread that misses a page fetches it
// (Nazaraliyev et al., GPUVM).
//
// The page table's clock is the paper's ring of frames with reference counts: its hand goes round the frames, takes the next
// one whose page has no references, and spares no page for having been used. So frames are reused in the order in which they
// were filled, and bam and gpuvm use the same PageTable.
#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "backend/edge_store.hpp"
#include "backend/fabric_edges.hpp"
#include "backend/memory_edges.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun::inline GR_IDS {
namespace {

class MemoryEdges final : public EdgeStore {
 public:
  PagedColumn add(const Column<std::byte>& column) override { return columns_.add(column); }
  std::unique_ptr<Storage> open(std::size_t, std::uint32_t) override {
    std::vector<MemoryStretch> stretches;
    for (const auto& column : columns_.all()) stretches.emplace_back(column.span());
    return make_memory_storage(std::move(stretches));
  }
  const char* counted_as() const override { return "pages copied from host memory, counted by whoever copies"; }

 private:
  MemoryColumns columns_;
};

std::unique_ptr<EdgeStore> open_fabric(const FabricOptions& fabric) {
  if (const auto provider = fabric_provider(fabric.name)) return make_fabric_edges(fabric, *provider);
  if (fabric.name == "sm" || fabric.name == "proxy") {
    throw UsageError(fmt::format("--fabric {} is one of a GPU: on a CPU choose memory or ofi:PROVIDER", fabric.name));
  }
  if (fabric_in_use(fabric.name, false) != "memory") {
    throw UsageError(fmt::format("there is no fabric '{}' on a CPU: choose memory or ofi:PROVIDER", fabric.name));
  }
  if (!fabric.remote.empty()) throw UsageError("--remote needs a fabric that reaches other machines, such as --fabric ofi:tcp");
  return std::make_unique<MemoryEdges>();
}

}  // namespace

std::unique_ptr<BackendOf<PagedView>> make_cpu_gpuvm_backend(const Graph& graph, const BackendOptions& options,
                                                             CpuExecutor& exec) {
  PagerOptions how;
  how.queues = options.queues;
  how.queue_depth = options.queue_depth;
  // The fabric engine has a stricter deadline for each server, and names the server that missed it. The deadline for a page is
  // longer: the page may wait behind many others, and then for a replica.
  constexpr int kServersInTurn = 10;
  how.deadline = std::max(how.deadline, kServersInTurn * options.fabric.deadline);
  return make_cpu_paged_backend(graph, options, exec, open_fabric(options.fabric), how);
}

}  // namespace graphrun::inline GR_IDS
