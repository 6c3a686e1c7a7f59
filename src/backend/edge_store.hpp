// Where the edges of a paged backend lie, and who brings their pages: what bam and gpuvm differ in on host threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "graphrun/backend/backend.hpp"
#include "graphrun/cache/host_pager.hpp"
#include "graphrun/cache/paged_column.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun::inline GR_IDS {

/// First told of all columns of a graph, then opened, once.
class EdgeStore {
 public:
  virtual ~EdgeStore() = default;
  /// Throws DataError and UsageError when the column cannot be reached.
  virtual PagedColumn add(const Column<std::byte>& column) = 0;
  /// Throws what opening files, devices and fabrics throws.
  virtual std::unique_ptr<Storage> open(std::size_t queues, std::uint32_t queue_depth) = 0;
  /// Of the graph's weights, when the store knows them and the graph's own are not to be read. After open().
  virtual std::optional<WeightStats> weights() const { return std::nullopt; }
  /// Can what comes differ from what was checked when the graph was opened? Then ids are checked as they come.
  virtual bool needs_checks() const { return false; }
  /// What a miss is, and who counted it.
  virtual const char* counted_as() const = 0;
};

/// A column of anything as bytes; shares the memory.
template <class T>
Column<std::byte> as_bytes(const Column<T>& column) {
  if (column.empty()) return {};
  const auto offset = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(column.data()) - column.region()->data());
  return Column<std::byte>::window(column.region(), offset, column.bytes());
}

/// A HostPager over a store, with the graph's rows beside it. `how` says queues; pages, cache and workers come from the options.
std::unique_ptr<BackendOf<PagedView>> make_cpu_paged_backend(const Graph& graph, const BackendOptions& options, CpuExecutor& exec,
                                                             std::unique_ptr<EdgeStore> store, PagerOptions how);

}  // namespace graphrun::inline GR_IDS
