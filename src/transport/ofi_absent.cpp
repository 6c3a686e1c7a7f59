// SPDX-License-Identifier: Apache-2.0
// The fabric functions of a build without libfabric. Left out of a build with it.
#include "graphrun/core/error.hpp"
#include "graphrun/transport/fabric.hpp"

namespace graphrun {

std::string why_no_fabric(const std::string&) { return "this program was built without libfabric"; }

std::string why_no_device_memory(const std::string& provider) { return why_no_fabric(provider); }

std::unique_ptr<MemoryExport> export_memory(const std::string& provider, const std::string&, int) {
  throw UnavailableError(why_no_fabric(provider));
}

std::unique_ptr<BlockEngine> open_fabric_engine(FabricStore store, std::uint32_t) {
  throw UnavailableError(why_no_fabric(store.provider));
}

}  // namespace graphrun
