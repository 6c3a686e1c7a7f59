// SPDX-License-Identifier: Apache-2.0
// The resident pages of a region, and the block to evict next: the one used longest ago. Blocks are runs of pages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <utility>
#include <vector>

namespace graphrun {

/// Bookkeeping of residency; one thread at a time. Pages and blocks are numbered from 0.
class ResidentSet {
 public:
  ResidentSet(std::size_t blocks, std::size_t pages_per_block)
      : pages_per_block_(pages_per_block), resident_(blocks * pages_per_block), blocks_(blocks) {}

  bool has(std::size_t page) const { return resident_[page]; }
  /// Returns the number of pages in memory.
  std::size_t size() const { return size_; }

  /// Adds a page that is not there.
  void add(std::size_t page) {
    resident_[page] = true;
    ++size_;
    Block& block = blocks_[page / pages_per_block_];
    if (block.pages++ == 0) block.place = by_age_.insert(by_age_.end(), page / pages_per_block_);
  }
  /// Marks the block as used now. No effect on one without pages.
  void touch(std::size_t block) {
    if (blocks_[block].pages != 0) by_age_.splice(by_age_.end(), by_age_, blocks_[block].place);
  }
  /// Returns the block that was used longest ago. Precondition: size() > 0.
  std::size_t oldest() const { return by_age_.front(); }
  /// Takes all pages of a block out, and returns how many there were.
  std::size_t remove(std::size_t block) {
    const std::size_t pages = std::exchange(blocks_[block].pages, 0);
    if (pages == 0) return 0;
    by_age_.erase(blocks_[block].place);
    size_ -= pages;
    std::fill_n(resident_.begin() + static_cast<std::ptrdiff_t>(block * pages_per_block_), pages_per_block_, false);
    return pages;
  }

 private:
  struct Block {
    std::size_t pages = 0;
    std::list<std::size_t>::iterator place = {};  ///< in by_age_, where it has pages
  };

  std::size_t pages_per_block_;
  std::vector<bool> resident_;
  std::vector<Block> blocks_;
  std::list<std::size_t> by_age_;  ///< blocks with pages, the one used longest ago first
  std::size_t size_ = 0;
};

}  // namespace graphrun
