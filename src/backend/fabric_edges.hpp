// gpuvm's edges: in memory of this process, or behind one-sided reads through libfabric, in that memory or that of servers.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backend/edge_store.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun::inline GR_IDS {

/// "memory", "ofi:tcp"
std::string fabric_text(const FabricOptions& fabric);

/// The same without "auto", in place of which is what that comes to.
std::string fabric_in_use(FabricOptions fabric, bool on_gpu);

/// Throws UsageError when there is no such provider, or --remote or --fabric-addresses is malformed. Looks no address up.
void check_fabric(const FabricOptions& fabric);

/// Edges behind an engine: host threads and GPUs have queues of their own kinds before it.
class FabricEdgeStore : public HostEdgeStore {
 public:
  explicit FabricEdgeStore(const FabricOptions& fabric) : fabric_(fabric) {}
  /// Once, after all columns were added. Throws as open().
  virtual std::unique_ptr<BlockEngine> open_engine(std::uint32_t depth) = 0;
  std::unique_ptr<Storage> open(std::size_t queues, std::uint32_t queue_depth) final;
  /// Longer than a server's: the engine names the server that missed that, and a page may wait behind many others, and then for
  /// a replica.
  std::chrono::milliseconds deadline() const final;

 protected:
  FabricOptions fabric_;
};

/// gpuvm's columns for host threads: in memory that they reach, or behind one-sided reads. Throws UsageError when the fabric is
/// not one of a CPU, and as make_ofi_edges() does.
std::unique_ptr<HostEdgeStore> make_fabric_edges(const FabricOptions& fabric);
/// Behind one-sided reads through a provider. Throws UnavailableError when this machine or build has no such provider.
std::unique_ptr<FabricEdgeStore> make_ofi_edges(const FabricOptions& fabric);

}  // namespace graphrun::inline GR_IDS
