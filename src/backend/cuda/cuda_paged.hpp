// What bam and gpuvm share on a GPU: rows in device memory, and edges behind a DevicePager over a store.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graphrun/backend/backend.hpp"
#include "graphrun/cache/device_pager.hpp"
#include "graphrun/cache/paged_column.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/exec/cuda_executor.hpp"

namespace graphrun::inline GR_IDS {

/// Where the edges of a paged backend lie, and who brings their pages: what bam and gpuvm differ in. First told of all columns of
/// a graph, then opened, once.
class DeviceEdgeStore {
 public:
  virtual ~DeviceEdgeStore() = default;
  /// Throws DataError and UsageError when the column cannot be reached.
  virtual PagedColumn add(const Column<std::byte>& column) = 0;
  /// `how` has pages and cache. Throws what opening files, devices and fabrics throws.
  virtual std::unique_ptr<DevicePager> open(DevicePagerOptions how, std::vector<PagedColumn>& columns, CudaExecutor& exec) = 0;
  /// After open(): where pages come from, and how they get into frames.
  virtual std::string description(const DevicePager& pager) const = 0;
  virtual bool emulated([[maybe_unused]] const DevicePager& pager) const { return false; }
  /// Can what comes differ from what was checked when the graph was opened? Then ids are checked as they come.
  virtual bool needs_checks() const { return false; }
  /// Of the graph's weights, when the store knows them and the graph's own are not to be read. After open().
  virtual std::optional<WeightStats> weights() const { return std::nullopt; }
  /// What a miss is, and who counted it.
  virtual const char* counted_as() const = 0;
};

/// Pages stay when the cache has a frame for every one.
CudaPagedBackend make_cuda_paged_backend(const Graph& graph, const BackendOptions& options, CudaExecutor& exec,
                                         std::unique_ptr<DeviceEdgeStore> store, const DevicePagerOptions& how);

}  // namespace graphrun::inline GR_IDS
