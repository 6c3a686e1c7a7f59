// SPDX-License-Identifier: Apache-2.0
// Sources of a DevicePager's edge columns, and the path of their pages into its frames.
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
  /// Opens the pager; `how` has pages and cache. Throws the errors of opening files, devices and fabrics.
  virtual std::unique_ptr<DevicePager> open(DevicePagerOptions how, std::vector<PagedColumn>& columns, CudaExecutor& exec) = 0;
  /// Returns the source of pages and their path into frames. Call after open().
  virtual std::string description(const DevicePager& pager) const = 0;
  virtual bool emulated([[maybe_unused]] const DevicePager& pager) const { return false; }
};

/// Opens the store for options.kind. Throws UsageError for a fabric that is not a GPU's.
std::unique_ptr<DeviceEdgeStore> open_device_store(const Graph& graph, const BackendOptions& options, CudaExecutor& exec);

}  // namespace graphrun::inline GR_IDS
