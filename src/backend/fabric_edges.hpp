// gpuvm's edges behind one-sided reads through libfabric: in memory of this process, or of servers.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backend/edge_store.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun::inline GR_IDS {

/// The provider in "ofi:PROVIDER"; nothing when `fabric` is something else.
std::optional<std::string> fabric_provider(const std::string& fabric);

/// What "auto" comes to: memory on a CPU, sm on a GPU. Other names stay.
std::string fabric_in_use(const std::string& fabric, bool on_gpu);

/// Throws UsageError when --remote or --fabric-addresses is malformed. Looks no address up.
void check_fabric(const FabricOptions& fabric);

/// Edges behind an engine: host threads and GPUs have queues of their own kinds before it.
class FabricEdgeStore : public EdgeStore {
 public:
  /// Once, after all columns were added. Throws as open().
  virtual std::unique_ptr<BlockEngine> open_engine(std::uint32_t depth) = 0;
  std::unique_ptr<Storage> open(std::size_t queues, std::uint32_t queue_depth) final;
};

/// Throws UnavailableError when this machine or build has no such provider.
std::unique_ptr<FabricEdgeStore> make_fabric_edges(const FabricOptions& fabric, const std::string& provider);

}  // namespace graphrun::inline GR_IDS
