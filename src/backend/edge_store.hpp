// SPDX-License-Identifier: Apache-2.0
// The source of paged edge columns: storage, host memory, servers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "graphrun/backend/backend.hpp"
#include "graphrun/cache/paged_column.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/transport/storage.hpp"

namespace graphrun::inline GR_IDS {

/// Receives all columns of a graph; then HostEdgeStore::open() or DeviceEdgeStore::open() opens it, once.
class EdgeStore {
 public:
  virtual ~EdgeStore() = default;
  /// Adds a column. Throws DataError and UsageError when it cannot be reached.
  virtual PagedColumn add(const Column<std::byte>& column) = 0;
  /// Returns statistics of the weights, when the store knows them and the graph's are not to be read. Call after open().
  virtual std::optional<WeightStats> weights() const { return std::nullopt; }
  /// Returns whether ids must be checked on arrival: they may differ from the opened graph's.
  virtual bool needs_checks() const { return false; }
  /// Returns the meaning of a miss, and who counted it.
  virtual const char* counted_as() const = 0;
};

/// A store for host threads.
class HostEdgeStore : public EdgeStore {
 public:
  /// Opens the storage. Throws the errors of opening files, devices and fabrics.
  virtual std::unique_ptr<Storage> open(std::size_t queues, std::uint32_t queue_depth) = 0;
  /// Returns the deadline for one page, where it exceeds the pager's.
  virtual std::chrono::milliseconds deadline() const { return {}; }
};

/// Returns a column as bytes; shares the memory.
template <class T>
Column<std::byte> as_bytes(const Column<T>& column) {
  if (column.empty()) return {};
  const auto offset = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(column.data()) - column.region()->data());
  return Column<std::byte>::window(column.region(), offset, column.bytes());
}

/// Adds a column of a graph. Its ids are checked on arrival where the store requires it.
template <class Store>
PagedColumn add_column(Store& store, const Graph& graph, const Column<std::byte>& column, bool holds_ids) {
  PagedColumn added = store.add(column);
  if (!holds_ids) return added;
  added.id_bytes = sizeof(VertexId);
  if (store.needs_checks()) added.id_limit = graph.num_vertices();
  return added;
}

}  // namespace graphrun::inline GR_IDS
