// Where the columns of edges behind a DevicePager lie, and how their pages get into its frames.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/edge_store.hpp"
#include "graphrun/cache/device_pager.hpp"
#include "graphrun/exec/cuda_executor.hpp"

namespace graphrun::inline GR_IDS {

class DeviceEdgeStore : public EdgeStore {
 public:
  /// `how` has pages and cache. Throws what opening files, devices and fabrics throws.
  virtual std::unique_ptr<DevicePager> open(DevicePagerOptions how, std::vector<PagedColumn>& columns, CudaExecutor& exec) = 0;
  /// Once it is open: where pages come from, and how they get into frames.
  virtual std::string description(const DevicePager& pager) const = 0;
  virtual bool emulated([[maybe_unused]] const DevicePager& pager) const { return false; }
};

/// The one that options.kind has. Throws UsageError when the fabric is not one of a GPU.
std::unique_ptr<DeviceEdgeStore> open_device_store(const Graph& graph, const BackendOptions& options, CudaExecutor& exec);

}  // namespace graphrun::inline GR_IDS
