// SPDX-License-Identifier: Apache-2.0

#include "uvm/driver.hpp"

#include <algorithm>
#include <bit>

#include "core/raise.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun::bench::uvm {
namespace {

constexpr unsigned kMostLeaves = 64;

std::uint64_t first_bits(std::uint64_t count) {
  return count >= kMostLeaves ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

}  // namespace

DriverCounters DriverCounters::operator-(const DriverCounters& before) const {
  return {batches - before.batches,
          faults - before.faults,
          served_blocks - before.served_blocks,
          evicted_blocks - before.evicted_blocks,
          bytes_in - before.bytes_in,
          bytes_out - before.bytes_out};
}

Driver::Driver(const DriverOptions& options) : options_(options) {
  if (!std::has_single_bit(options.block_bytes) || !std::has_single_bit(options.basic_bytes) ||
      options.basic_bytes > options.block_bytes || options.block_bytes / options.basic_bytes > kMostLeaves) {
    raise<UsageError>("blocks of {} bytes and basic blocks of {} must be powers of two, from 1 to {} of these a block",
                      options.block_bytes, options.basic_bytes, kMostLeaves);
  }
  if (options.density_percent > 100) raise<UsageError>("the density is a percentage, not {}", options.density_percent);
  if (options.batch_faults == 0) throw UsageError("a batch has at least one fault");
  free_blocks_ = options.memory_bytes / options.block_bytes;
  if (free_blocks_ == 0)
    raise<UsageError>("{} bytes of device memory hold no block of {}", options.memory_bytes, options.block_bytes);
}

std::uint64_t Driver::add(std::uint64_t bytes, bool duplicated) {
  const std::uint64_t address = blocks_.size() * options_.block_bytes;
  std::uint64_t leaves = (bytes + options_.basic_bytes - 1) / options_.basic_bytes;
  const std::uint64_t leaves_a_block = options_.block_bytes / options_.basic_bytes;
  while (leaves != 0) {
    const std::uint64_t here = std::min(leaves, leaves_a_block);
    blocks_.push_back({.leaves = first_bits(here), .duplicated = duplicated});
    leaves -= here;
  }
  return address;
}

bool Driver::fault(std::uint64_t address) {
  if (buffer_.size() == options_.batch_faults) return false;
  buffer_.push_back(address);
  return true;
}

void Driver::serve() {
  if (buffer_.empty()) return;
  ++counters_.batches;
  counters_.faults += buffer_.size();
  std::ranges::sort(buffer_);
  for (auto at = buffer_.begin(); at != buffer_.end();) {
    const std::size_t index = *at / options_.block_bytes;
    std::uint64_t faulted = 0;
    for (; at != buffer_.end() && *at / options_.block_bytes == index; ++at) faulted |= std::uint64_t{1} << leaf_of(*at);
    Block& block = blocks_[index];
    ++counters_.served_blocks;
    const std::uint64_t occupied = block.resident | faulted;
    std::uint64_t wanted = 0;
    for (std::uint64_t rest = faulted; rest != 0; rest &= rest - 1)
      wanted |= extended(block.leaves, occupied, static_cast<unsigned>(std::countr_zero(rest)));
    if (block.resident == 0) {
      if (free_blocks_ == 0) evict_oldest();
      --free_blocks_;
    } else {
      unlink(index);
    }
    make_newest(index);
    counters_.bytes_in += static_cast<std::uint64_t>(std::popcount(wanted & ~block.resident)) * options_.basic_bytes;
    block.resident |= wanted;
  }
  buffer_.clear();
}

std::uint64_t Driver::extended(std::uint64_t leaves, std::uint64_t occupied, unsigned leaf) const {
  std::uint64_t best = std::uint64_t{1} << leaf;
  const std::uint64_t leaves_a_block = options_.block_bytes / options_.basic_bytes;
  for (std::uint64_t size = 2; size <= leaves_a_block; size *= 2) {
    const std::uint64_t node = (first_bits(size) << (leaf / size * size)) & leaves;
    if (100 * std::popcount(occupied & node) > static_cast<int>(options_.density_percent) * std::popcount(node)) best = node;
  }
  return best;
}

void Driver::evict_oldest() {
  const std::size_t index = oldest_;
  unlink(index);
  Block& block = blocks_[index];
  ++counters_.evicted_blocks;
  if (!block.duplicated) counters_.bytes_out += static_cast<std::uint64_t>(std::popcount(block.resident)) * options_.basic_bytes;
  block.resident = 0;
  ++free_blocks_;
}

void Driver::unlink(std::size_t index) {
  const Block& block = blocks_[index];
  (block.newer == kNone ? newest_ : blocks_[block.newer].older) = block.older;
  (block.older == kNone ? oldest_ : blocks_[block.older].newer) = block.newer;
}

void Driver::make_newest(std::size_t index) {
  Block& block = blocks_[index];
  block.newer = kNone;
  block.older = newest_;
  (newest_ == kNone ? oldest_ : blocks_[newest_].newer) = index;
  newest_ = index;
}

void Driver::drop() {
  for (Block& block : blocks_) block.resident = 0;
  newest_ = oldest_ = kNone;
  free_blocks_ = options_.memory_bytes / options_.block_bytes;
  buffer_.clear();
}

}  // namespace graphrun::bench::uvm
