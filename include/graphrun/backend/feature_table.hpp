// SPDX-License-Identifier: Apache-2.0
// Feature rows, one a vertex, gathered for training. Rows are in memory; or in a file with a page cache, hot ones in memory. For
// a GPU they are in host memory that warps read over the link, hot ones in the memory of one or several GPUs (Min, dissertation,
// chapters 3 and 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

struct FeatureOptions {
  std::uint64_t row_bytes = 0;
  int threads = 0;                                      ///< host threads; 0 for all
  std::uint64_t cache_bytes = std::uint64_t{64} << 20;  ///< of the page cache, for rows in a file
  std::uint32_t page_bytes = 4096;                      ///< a power of two, 512 B to 64 KiB
  int gpu = -1;                                         ///< the gathering GPU; -1: host threads
  /// Other GPUs, at most kMostPeers. Hot rows are distributed in turn over `gpu` and these; `gpu` reads theirs over the links
  /// between GPUs (Min, section 4.4).
  std::vector<int> peers = {};
  static constexpr std::size_t kMostPeers = 7;
  std::vector<VertexId> hot = {};  ///< rows to keep in the GPU's memory, or, of a file, in host memory; each once
  /// Warps start at a row's first 128-byte boundary and read its beginning last: circular shift (Min, listing 3.2).
  bool aligned = true;
  /// Number of multiprocessors that gather; 0: all. A few saturate the link and leave the others to training (Min, section
  /// 3.4.3).
  int multiprocessors = 0;
};

/// The bytes of one gather, by tier, and its time.
struct Gathered {
  std::uint64_t device_bytes = 0;   ///< hot rows in the GPU's memory
  std::uint64_t peer_bytes = 0;     ///< hot rows in its peers' memory
  std::uint64_t host_bytes = 0;     ///< rows in host memory, hot ones of a file too
  std::uint64_t storage_bytes = 0;  ///< read from the file, in whole pages; cached rows cost nothing
  double elapsed_ms = 0;            ///< on a GPU: the kernel, without copies of ids and rows
};

/// Table of feature rows. Thread-safe. Members throw RunError when storage or the device fails, and at every later call after a
/// failure of the table's file.
class FeatureTable {
 public:
  virtual ~FeatureTable() = default;

  std::uint64_t num_rows() const { return num_rows_; }
  std::uint64_t row_bytes() const { return options_.row_bytes; }
  /// Copies row ids[i] to to[i * row_bytes()], one call at a time. Throws UsageError for an id without a row.
  Gathered gather(std::span<const VertexId> ids, std::byte* to);
  /// Does the same into memory of the GPU, after the device's earlier work. Throws UsageError where host threads gather.
  Gathered gather_on_device(std::span<const VertexId> ids, std::byte* to);

 protected:
  /// Checks the options. Throws UsageError.
  FeatureTable(std::uint64_t num_rows, const FeatureOptions& options);
  const FeatureOptions& options() const { return options_; }

 private:
  virtual Gathered gather_impl(std::span<const VertexId> ids, std::byte* to) = 0;
  virtual Gathered gather_on_device_impl(std::span<const VertexId> ids, std::byte* to);
  void check(std::span<const VertexId> ids) const;

  std::uint64_t num_rows_;
  FeatureOptions options_;
  std::mutex gathering_;  ///< held by one gather at a time, for threads and cache
};

/// Opens rows in memory. A GPU gets a copy in host memory that it reaches; host threads read `rows` in place, which must outlive
/// the table. Throws UsageError and UnavailableError.
std::unique_ptr<FeatureTable> open_features(std::span<const std::byte> rows, const FeatureOptions& options);

/// Opens `num_rows` rows in a file, from byte `offset` on, for host threads. Throws DataError and UsageError.
std::unique_ptr<FeatureTable> open_features(const std::string& path, std::uint64_t offset, std::uint64_t num_rows,
                                            const FeatureOptions& options);

}  // namespace graphrun::inline GR_IDS
