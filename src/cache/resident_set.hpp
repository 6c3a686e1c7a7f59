// Which pages of a region are in memory, and which block of them to evict next: the one that was used longest ago. Blocks are
// runs of pages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace graphrun {

/// Bookkeeping only; one thread at a time. Pages and blocks are numbered from 0.
class ResidentSet {
 public:
  ResidentSet(std::size_t blocks, std::size_t pages_per_block)
      : pages_per_block_(pages_per_block), resident_(blocks * pages_per_block), blocks_(blocks + 1), ring_(blocks) {
    blocks_[ring_] = {ring_, ring_, 0};
  }

  bool has(std::size_t page) const { return resident_[page]; }
  /// Pages in memory.
  std::size_t size() const { return size_; }

  /// Adds a page that is not there.
  void add(std::size_t page) {
    resident_[page] = true;
    ++size_;
    Block& block = blocks_[page / pages_per_block_];
    if (block.pages++ == 0) link(page / pages_per_block_);
  }
  /// The block was used now. No effect on one without pages.
  void touch(std::size_t block) {
    if (blocks_[block].pages == 0) return;
    unlink(block);
    link(block);
  }
  /// The block that was used longest ago. Precondition: size() > 0.
  std::size_t oldest() const { return blocks_[ring_].newer; }
  /// Takes all pages of a block out, and returns how many there were.
  std::size_t remove(std::size_t block) {
    const std::size_t pages = blocks_[block].pages;
    if (pages == 0) return 0;
    unlink(block);
    blocks_[block].pages = 0;
    size_ -= pages;
    const auto begin = resident_.begin() + static_cast<std::ptrdiff_t>(block * pages_per_block_);
    std::fill(begin, begin + static_cast<std::ptrdiff_t>(pages_per_block_), false);
    return pages;
  }

 private:
  /// A ring through the blocks that have pages; where it closes, between the oldest and the newest, lies one block that is none.
  struct Block {
    std::size_t newer = 0;
    std::size_t older = 0;
    std::size_t pages = 0;
  };

  void link(std::size_t block) {
    const std::size_t newest = blocks_[ring_].older;
    blocks_[block].newer = ring_;
    blocks_[block].older = newest;
    blocks_[newest].newer = block;
    blocks_[ring_].older = block;
  }
  void unlink(std::size_t block) {
    blocks_[blocks_[block].newer].older = blocks_[block].older;
    blocks_[blocks_[block].older].newer = blocks_[block].newer;
  }

  std::size_t pages_per_block_;
  std::vector<bool> resident_;
  std::vector<Block> blocks_;
  std::size_t ring_;
  std::size_t size_ = 0;
};

}  // namespace graphrun
