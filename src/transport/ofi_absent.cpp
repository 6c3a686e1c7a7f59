// What a build without libfabric says about fabrics. Left out of a build with it.
#include "graphrun/core/error.hpp"
#include "graphrun/transport/fabric.hpp"

namespace graphrun {

std::string why_no_fabric(const std::string&) { return "this program was built without libfabric"; }

struct MemoryExport::Parts {
  std::vector<std::string> endpoints;
};

MemoryExport::MemoryExport(const std::string& provider, const std::string&, int) {
  throw UnavailableError(why_no_fabric(provider));
}
MemoryExport::~MemoryExport() = default;
bool MemoryExport::pins_memory() const { return false; }
ExportedMemory MemoryExport::add(std::span<const std::byte>) { throw UnavailableError(why_no_fabric({})); }
void MemoryExport::expect_readers(bool) {}
const std::vector<std::string>& MemoryExport::endpoints() const { return parts_->endpoints; }

std::unique_ptr<BlockEngine> open_fabric_engine(FabricStore store, std::uint32_t) {
  throw UnavailableError(why_no_fabric(store.provider));
}

}  // namespace graphrun
