// SPDX-License-Identifier: Apache-2.0
// gpuvm's edges: in memory of this process or of servers, copied or read one-sided through libfabric.
#pragma once

#include <memory>
#include <string>

#include "backend/edge_store.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun::inline GR_IDS {

/// Returns "memory", "ofi:tcp", ...
std::string fabric_text(const FabricOptions& fabric);

/// Does the same, and resolves "auto" to the fabric that will be used.
std::string fabric_in_use(FabricOptions fabric, bool on_gpu);

/// Throws UsageError for an unknown provider, or a malformed --remote or --fabric-addresses. Resolves no address.
void check_fabric(const FabricOptions& fabric);

/// Edges of an engine; host threads and GPUs have different queues for it.
class FabricEdgeStore : public HostEdgeStore {
 public:
  explicit FabricEdgeStore(const FabricOptions& fabric) : fabric_(fabric) {}
  /// Opens the engine, once, after all columns are added. Throws as open().
  virtual std::unique_ptr<BlockEngine> open_engine(std::uint32_t depth) = 0;
  std::unique_ptr<Storage> open(std::size_t queues, std::uint32_t queue_depth) final;
  /// Returns more than a server's deadline: the engine names the late server, and a page may wait for others and a replica.
  std::chrono::milliseconds deadline() const final;

 protected:
  FabricOptions fabric_;
};

/// Makes gpuvm's columns for host threads: in memory, or by one-sided reads. Throws UsageError for fabrics of a GPU, and as
/// make_ofi_edges().
std::unique_ptr<HostEdgeStore> make_fabric_edges(const FabricOptions& fabric);
/// Makes columns read through a provider. Throws UnavailableError when this machine or build has no such provider.
std::unique_ptr<FabricEdgeStore> make_ofi_edges(const FabricOptions& fabric);

}  // namespace graphrun::inline GR_IDS
