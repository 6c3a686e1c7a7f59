// The place of columns of edges behind a cache of pages: storage, host memory, servers.
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

/// Gets all columns of a graph, then is opened, once: by HostEdgeStore::open() or DeviceEdgeStore::open().
class EdgeStore {
 public:
  virtual ~EdgeStore() = default;
  /// Throws DataError and UsageError when the column cannot be reached.
  virtual PagedColumn add(const Column<std::byte>& column) = 0;
  /// Returns the statistics of weights, when the store knows them and the graph's own are not to be read. Once it is open.
  virtual std::optional<WeightStats> weights() const { return std::nullopt; }
  /// Returns whether ids are to be checked as they come: they may differ from the graph that was opened.
  virtual bool needs_checks() const { return false; }
  /// Says what a miss is, and who counted it.
  virtual const char* counted_as() const = 0;
};

/// For host threads.
class HostEdgeStore : public EdgeStore {
 public:
  /// Throws what opening files, devices and fabrics throws.
  virtual std::unique_ptr<Storage> open(std::size_t queues, std::uint32_t queue_depth) = 0;
  /// Returns the deadline for one page, where it needs more than a pager's own.
  virtual std::chrono::milliseconds deadline() const { return {}; }
};

/// Returns a column as bytes; shares the memory.
template <class T>
Column<std::byte> as_bytes(const Column<T>& column) {
  if (column.empty()) return {};
  const auto offset = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(column.data()) - column.region()->data());
  return Column<std::byte>::window(column.region(), offset, column.bytes());
}

/// Adds a column of a graph. Its ids are checked as they come where the store needs that.
template <class Store>
PagedColumn add_column(Store& store, const Graph& graph, const Column<std::byte>& column, bool holds_ids) {
  PagedColumn added = store.add(column);
  if (!holds_ids) return added;
  added.id_bytes = sizeof(VertexId);
  if (store.needs_checks()) added.id_limit = graph.num_vertices();
  return added;
}

}  // namespace graphrun::inline GR_IDS
