// SPDX-License-Identifier: Apache-2.0
// The storage of bam's edges, and the engine that completes its commands. Shared by its two executors.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/edge_store.hpp"
#include "graphrun/cache/paged_column.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/graph/scratch.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun::inline GR_IDS {

/// The files with the columns of a graph: its container, and a scratch file for columns without a container.
class ColumnStore {
 public:
  /// Throws UsageError for copies or parts of the container when storage is no file.
  explicit ColumnStore(const BackendOptions& options);

  /// Adds a column. Throws DataError when its file cannot be opened or its scratch file cannot be written.
  template <class T>
  PagedColumn add(const Column<T>& column) {
    if (column.in_mapped_file()) {
      const auto offset = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(column.data()) - column.region()->data());
      if (offset % kAlignment == 0) return {container(*column.region()) * kFileStride + offset, column.bytes(), 0};
    }
    const std::uint64_t offset = write_to_scratch(column.data(), column.bytes());
    return {scratch_index_ * kFileStride + offset, column.bytes(), 0};
  }

  /// Returns whether a column was copied to the scratch file: it is in no input file, or unaligned there.
  bool has_scratch() const { return scratch_.has_value(); }

  /// Returns all files. Call once, after adding all columns. Throws UsageError when --stripe is given and some column is in no
  /// container.
  const std::vector<StoreFile>& finish();

 private:
  static constexpr std::uint64_t kAlignment = 4096;  // of direct I/O; only the container aligns its columns

  std::uint64_t container(const Region& region);
  int open(const std::string& path);  ///< opens a copy or a part; throws DataError
  /// Opens the copies or parts that --stripe names. Throws DataError for other files, or, with BackendOptions::check_stripe,
  /// damaged ones.
  void spread(StoreFile& file);
  void check_copies(const StoreFile& file) const;
  std::uint64_t write_to_scratch(const void* data, std::size_t bytes);

  std::vector<std::string> stripe_;  ///< copies of the container on other disks, or its parts
  bool check_stripe_;
  std::vector<StoreFile> files_;
  std::vector<WatchedFile> opened_;
  std::optional<ScratchFile> scratch_;
  std::string scratch_directory_;
  std::uint64_t scratch_index_ = 0;
};

/// Makes bam's columns for host threads: in files, on a device, or in a model of one. Throws UsageError as parse_storage().
std::unique_ptr<HostEdgeStore> make_file_edges(const BackendOptions& options);

using EngineOpener = std::function<std::unique_ptr<BlockEngine>(const std::vector<StoreFile>& files, std::uint32_t depth)>;

/// Forms of BackendOptions::storage.
inline constexpr std::string_view kStorageForms[] = {"file", "ram:PROFILE", "ram:PROFILE:N", "nvme:ADDRESS"};

/// Parses "file", "ram:PROFILE" or "ram:PROFILE:N". Engines of one opener share the device. Throws UsageError, also for a route
/// without a file.
EngineOpener parse_storage(const std::string& text, Route route = Route::direct);

}  // namespace graphrun::inline GR_IDS
