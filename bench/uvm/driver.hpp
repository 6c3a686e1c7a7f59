// SPDX-License-Identifier: Apache-2.0
// A model of the paging that NVIDIA's driver does with managed memory (UVM): residency, prefetching and eviction, without time.
//
// - Device memory is given out in blocks of 2 MiB, also where a smaller part of a block is resident.
// - The GPU reports faults in its fault buffer. The driver takes up to 256 of them, a batch, sorts them by address, and serves
// them
//   a block at a time. The rest is dropped: warps whose pages are still missing fault again (the policy "batch flush").
// - A fault brings in its basic block of 64 KiB. A binary tree over the basic blocks of a block extends it: the largest node that
//   holds the fault and has more than 50 % of its basic blocks resident or faulted is brought in whole.
// - Without a free block, the block that was served longest ago is evicted whole. Loads of resident pages do not count: the
// driver
//   does not see them.
//
// Sources: Nazaraliyev et al. (GPUVM, section 3.4), Allen and Ge (IPDPS 2021), and uvm_perf_prefetch.c of NVIDIA's open driver.
// Its mitigation of thrashing between processors is left out: pages here are used by one GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphrun::bench::uvm {

/// Sizes are powers of two. A block has at most 64 basic blocks.
struct DriverOptions {
  std::uint64_t memory_bytes = 0;  ///< of the device, for managed memory: whole blocks count
  std::uint64_t block_bytes = std::uint64_t{2} << 20;
  std::uint64_t basic_bytes = std::uint64_t{64} << 10;
  unsigned density_percent = 50;  ///< a node is brought in where more is resident; 100: never
  std::size_t batch_faults = 256;
};

struct DriverCounters {
  std::uint64_t batches = 0;
  std::uint64_t faults = 0;          ///< entries of the fault buffer that were taken
  std::uint64_t served_blocks = 0;   ///< blocks, counted once a batch
  std::uint64_t evicted_blocks = 0;  ///< blocks
  std::uint64_t bytes_in = 0;        ///< to the device
  std::uint64_t bytes_out = 0;       ///< back to the host, at evictions

  DriverCounters operator-(const DriverCounters& before) const;
};

class Driver {
 public:
  /// Throws UsageError where sizes do not fit each other, or memory is smaller than a block.
  explicit Driver(const DriverOptions& options);

  /// Adds an array, which starts on a block; returns its address. Pages of an array that is `duplicated` stay valid on the host,
  /// as with cudaMemAdviseSetReadMostly: evictions drop them. Others move, and evictions write them back.
  std::uint64_t add(std::uint64_t bytes, bool duplicated);

  bool is_resident(std::uint64_t address) const {
    const std::uint64_t block = address / options_.block_bytes;
    return (blocks_[block].resident >> leaf_of(address) & 1) != 0;
  }
  /// Puts an entry into the fault buffer; false, where that is full.
  bool fault(std::uint64_t address);
  bool has_faults() const { return !buffer_.empty(); }
  /// Serves the batch in the fault buffer.
  void serve();
  /// Evicts everything without counting it.
  void drop();

  const DriverCounters& counters() const { return counters_; }
  const DriverOptions& options() const { return options_; }
  std::size_t num_blocks() const { return blocks_.size(); }
  /// Returns the resident basic blocks of a block, from bit 0.
  std::uint64_t resident(std::size_t block) const { return blocks_[block].resident; }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  struct Block {
    std::uint64_t leaves = 0;    ///< the basic blocks that the array has
    std::uint64_t resident = 0;  ///< those on the device
    bool duplicated = false;
    std::size_t newer = kNone, older = kNone;  ///< in the order of serving, while it has device memory
  };

  unsigned leaf_of(std::uint64_t address) const {
    return static_cast<unsigned>(address % options_.block_bytes / options_.basic_bytes);
  }
  /// Returns the basic blocks that come with a fault in `leaf`, where those of `occupied` are resident or faulted.
  std::uint64_t extended(std::uint64_t leaves, std::uint64_t occupied, unsigned leaf) const;
  void evict_oldest();
  void unlink(std::size_t block);
  void make_newest(std::size_t block);

  DriverOptions options_;
  std::vector<Block> blocks_;
  std::vector<std::uint64_t> buffer_;  ///< addresses
  std::size_t free_blocks_ = 0;
  std::size_t newest_ = kNone, oldest_ = kNone;
  DriverCounters counters_;
};

}  // namespace graphrun::bench::uvm
