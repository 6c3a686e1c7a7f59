// Rows of features, one for each vertex, gathered for training. Rows are in memory; in a file behind a cache of pages, hot ones
// in memory; or, for a GPU, in host memory that its warps read over the link, hot ones in the memory of one or several GPUs (Min,
// dissertation, chapters 3 and 4).
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
  std::uint64_t cache_bytes = std::uint64_t{64} << 20;  ///< of pages, of rows in a file
  std::uint32_t page_bytes = 4096;                      ///< a power of two, 512 B to 64 KiB
  int gpu = -1;                                         ///< the GPU that gathers; -1: host threads do
  /// Other GPUs, at most kMostPeers. Hot rows are dealt out over it and these in turn, and it reads theirs over the links between
  /// GPUs (Min, section 4.4).
  std::vector<int> peers = {};
  static constexpr std::size_t kMostPeers = 7;
  std::vector<VertexId> hot = {};  ///< rows that are kept in the GPU's memory, or, of a file, in host memory; each once
  /// Warps read a row from its first 128-byte boundary on, and what is before that last, with the end: circular shift,
  /// listing 3.2.
  bool aligned = true;
  /// How many of its multiprocessors gather: a few keep the link busy, and leave the others to what trains meanwhile (Min,
  /// section 3.4.3). 0: all.
  int multiprocessors = 0;
};

/// What one gather took, by the tier that had the rows.
struct Gathered {
  std::uint64_t device_bytes = 0;   ///< hot rows in the GPU's memory
  std::uint64_t peer_bytes = 0;     ///< hot rows in that of its peers
  std::uint64_t host_bytes = 0;     ///< rows in host memory, hot ones of a file too
  std::uint64_t storage_bytes = 0;  ///< read from the file, in whole pages; rows that the cache had cost nothing
  double elapsed_ms = 0;            ///< on a GPU from launch to end of the kernel, without copies of ids and rows
};

/// Any threads may use it. Members throw RunError when storage or the device fails, and always once a table's file failed.
class FeatureTable {
 public:
  virtual ~FeatureTable() = default;

  std::uint64_t num_rows() const { return num_rows_; }
  std::uint64_t row_bytes() const { return options_.row_bytes; }
  /// Copies row ids[i] to to[i * row_bytes()], one call at a time. Throws UsageError when there is no such row.
  Gathered gather(std::span<const VertexId> ids, std::byte* to);
  /// Does the same into memory of the GPU, after the device's earlier work. Throws UsageError where host threads gather.
  Gathered gather_on_device(std::span<const VertexId> ids, std::byte* to);

 protected:
  /// Throws UsageError.
  FeatureTable(std::uint64_t num_rows, const FeatureOptions& options);
  const FeatureOptions& options() const { return options_; }

 private:
  virtual Gathered gather_impl(std::span<const VertexId> ids, std::byte* to) = 0;
  virtual Gathered gather_on_device_impl(std::span<const VertexId> ids, std::byte* to);
  void check(std::span<const VertexId> ids) const;

  std::uint64_t num_rows_;
  FeatureOptions options_;
  std::mutex gathering_;  ///< its threads and its cache are for one at a time
};

/// Opens rows in memory. A GPU gets a copy in host memory that it reaches; host threads read them in place, as long as the table
/// lives. Throws UsageError and UnavailableError.
std::unique_ptr<FeatureTable> open_features(std::span<const std::byte> rows, const FeatureOptions& options);

/// Opens `num_rows` rows in a file, from byte `offset` on, for host threads. Throws DataError and UsageError.
std::unique_ptr<FeatureTable> open_features(const std::string& path, std::uint64_t offset, std::uint64_t num_rows,
                                            const FeatureOptions& options);

}  // namespace graphrun::inline GR_IDS
