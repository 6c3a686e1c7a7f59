// SPDX-License-Identifier: Apache-2.0
// Feature rows, one a vertex, gathered for training. Rows are in memory; or in a file with a page cache, hot ones in memory. For
// GPUs they are in host memory, from which warps read them, or DMAs copy them; hot ones are in the GPUs' memory (Min,
// dissertation, chapters 3 and 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "graphrun/core/names.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun {

/// How rows that are not hot come to a GPU.
enum class RowDelivery {
  automatic,  ///< zero_copy, or dma for rows above FeatureOptions::dma_row_bytes
  zero_copy,  ///< warps read them over the link
  staged,     ///< host threads gather them into pinned memory, which one DMA copies: the baseline of Min's chapter 3
  dma,        ///< a DMA for each row
};

template <>
struct ChoicesOf<RowDelivery> {
  static constexpr const char* kWhat = "delivery of rows";
  static constexpr Choice<RowDelivery> kAll[] = {{"auto", RowDelivery::automatic},
                                                 {"zero-copy", RowDelivery::zero_copy},
                                                 {"staged", RowDelivery::staged},
                                                 {"dma", RowDelivery::dma}};
};

/// The row size at which a DMA's setup, 3.16 us, takes as long as the row over PCIe 4.0 x16 (Min, dissertation, section 3.5).
inline constexpr std::uint64_t kDmaRowBytes = 85'500;

/// Resolves "auto" by the size of a row and the size from which a DMA for each row is faster.
constexpr RowDelivery resolved_delivery(RowDelivery asked, std::uint64_t row_bytes, std::uint64_t dma_row_bytes) {
  if (asked != RowDelivery::automatic) return asked;
  return row_bytes > dma_row_bytes ? RowDelivery::dma : RowDelivery::zero_copy;
}

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

struct FeatureOptions {
  std::uint64_t row_bytes = 0;
  int threads = 0;                                      ///< host threads; 0 for all
  std::uint64_t cache_bytes = std::uint64_t{64} << 20;  ///< of the page cache, for rows in a file
  std::uint32_t page_bytes = 4096;                      ///< a power of two, 512 B to 1 MiB
  int gpu = -1;                                         ///< the gathering GPU; -1: host threads
  /// Further gathering GPUs, at most kMostPeers; a GPU may be named again.
  std::vector<int> peers = {};
  static constexpr std::size_t kMostPeers = 7;
  /// Rows to keep in the GPUs' memory, hottest first, or, of a file, in host memory; each once.
  std::vector<VertexId> hot = {};
  /// The first `replicated` hot rows have a copy in the memory of every GPU. The others are interleaved over the GPUs, which read
  /// them over the links between them (RowTiers).
  std::uint64_t replicated = 0;
  /// Warps start at a row's first 128-byte boundary and read its beginning last: circular shift (Min, listing 3.2).
  bool aligned = true;
  /// Bytes of a lane's load, 4, 8 or 16, a divisor of row_bytes (Min, figure 3.13); 0: the widest possible. Rows that
  /// are no multiple of 4 are read by bytes.
  int load_bytes = 0;
  /// Number of multiprocessors that gather; 0: all. A few saturate the link and leave the others to training (Min, section
  /// 3.4.3).
  int multiprocessors = 0;
  /// Without a GPU a memcpy stands for a DMA.
  RowDelivery delivery = RowDelivery::automatic;
  std::uint64_t dma_row_bytes = kDmaRowBytes;  ///< the largest row that automatic delivery reads by zero_copy
};

/// The bytes of one gather, by tier, and its time.
struct Gathered {
  std::uint64_t device_bytes = 0;   ///< hot rows in the GPU's memory
  std::uint64_t peer_bytes = 0;     ///< hot rows in its peers' memory
  std::uint64_t host_bytes = 0;     ///< rows in host memory, hot ones of a file too
  std::uint64_t storage_bytes = 0;  ///< read from the file, in whole pages; cached rows cost nothing
  double elapsed_ms = 0;            ///< on a GPU: the delivery, without copies of ids to it and of rows back
};

/// Table of feature rows. Thread-safe. Members throw RunError when storage or the device fails, and at every later call after a
/// failure of the table's file.
class FeatureTable {
 public:
  virtual ~FeatureTable() = default;

  std::uint64_t num_rows() const { return num_rows_; }
  std::uint64_t row_bytes() const { return options_.row_bytes; }
  /// Returns the resolved delivery. Host threads read rows in place by default, whatever their size.
  RowDelivery delivery() const {
    if (options_.gpu < 0 && options_.delivery == RowDelivery::automatic) return RowDelivery::zero_copy;
    return resolved_delivery(options_.delivery, options_.row_bytes, options_.dma_row_bytes);
  }
  /// Copies row ids[i] to to[i * row_bytes()], one call at a time. Throws UsageError for an id without a row.
  Gathered gather(std::span<const VertexId> ids, std::byte* to);
  /// Does the same into memory of one of the GPUs, which gathers, after that GPU's earlier work. Throws UsageError where host
  /// threads gather.
  Gathered gather_on_device(std::span<const VertexId> ids, std::byte* to);
  /// Starts such a gather in the order of `stream`, a cudaStream_t of that GPU, and returns: rows are in `to` for later work of
  /// the stream. Reads `ids` at once. Calls on several streams overlap, each other and training. With staged delivery host
  /// threads have gathered when it returns. Throws as gather_on_device().
  void gather_on_stream(std::span<const VertexId> ids, std::byte* to, void* stream);
  /// Waits for the last gather_on_stream() and returns its costs; zeros before any.
  Gathered finish_on_stream();

 protected:
  /// Checks the options. Throws UsageError.
  FeatureTable(std::uint64_t num_rows, const FeatureOptions& options);
  const FeatureOptions& options() const { return options_; }

 private:
  virtual Gathered gather_impl(std::span<const VertexId> ids, std::byte* to) = 0;
  virtual Gathered gather_on_device_impl(std::span<const VertexId> ids, std::byte* to);
  virtual void gather_on_stream_impl(std::span<const VertexId> ids, std::byte* to, void* stream);
  virtual Gathered finish_on_stream_impl() { return {}; }
  void check(std::span<const VertexId> ids) const;

  std::uint64_t num_rows_;
  FeatureOptions options_;
  std::mutex gathering_;  ///< held by one gather at a time, for threads and cache
};

/// Opens rows in memory. A GPU gets a copy in host memory that it reaches; host threads, also with staged delivery, read `rows`
/// in place, which must outlive the table. Throws UsageError and UnavailableError.
std::unique_ptr<FeatureTable> open_features(std::span<const std::byte> rows, const FeatureOptions& options);

/// Opens `num_rows` rows in a file, from byte `offset` on, for host threads. Throws DataError and UsageError.
std::unique_ptr<FeatureTable> open_features(const std::string& path, std::uint64_t offset, std::uint64_t num_rows,
                                            const FeatureOptions& options);

}  // namespace graphrun::inline GR_IDS
