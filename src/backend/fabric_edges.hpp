// gpuvm's edges behind one-sided reads through libfabric: in memory of this process, or of servers.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backend/edge_store.hpp"

namespace graphrun {

/// The provider in "ofi:PROVIDER"; nothing when `fabric` is something else.
std::optional<std::string> fabric_provider(const std::string& fabric);

/// Throws UnavailableError when this machine or build has no such provider.
std::unique_ptr<EdgeStore> make_fabric_edges(const FabricOptions& fabric, const std::string& provider);

}  // namespace graphrun
