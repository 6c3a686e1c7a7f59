// SPDX-License-Identifier: Apache-2.0
// What the ranks of a program store into each other's memory in one step, between two system fences.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace graphrun::bench::finepack {

constexpr unsigned kLineBytes = 128;  ///< the largest store that leaves an L1 cache

/// A store as it leaves the L1 cache. It lies within a line of kLineBytes.
struct Store {
  std::uint64_t address = 0;
  std::uint64_t data = 0;      ///< where its bytes begin in Channel::data
  std::uint64_t position = 0;  ///< how many instructions of warps the rank issued before it in the step
  std::uint16_t bytes = 0;     ///< 1 to 128
  std::uint8_t width = 0;      ///< 4 or 8: an atomic addition of an aligned unsigned integer of so many bytes; 0: a plain store
};

/// Adds little-endian unsigned integers of `width` bytes to those at `at`.
inline void add_integers(std::uint8_t* at, const std::uint8_t* data, unsigned bytes, unsigned width) {
  unsigned carry = 0;
  for (unsigned byte = 0; byte < bytes; ++byte) {
    if (byte % width == 0) carry = 0;
    carry += at[byte] + data[byte];
    at[byte] = static_cast<std::uint8_t>(carry);
    carry >>= 8;
  }
}

/// Applies a store to memory whose first byte has the address `base`; `width` is of integers that are added, else 0.
inline void apply(std::vector<std::uint8_t>& memory, std::uint64_t base, std::uint64_t address, const std::uint8_t* data,
                  unsigned bytes, unsigned width) {
  std::uint8_t* const at = memory.data() + (address - base);
  if (width == 0) {
    std::memcpy(at, data, bytes);
  } else {
    add_integers(at, data, bytes, width);
  }
}

/// From one rank to another: the memory of the receiver that only this sender writes, and the stores of a step.
struct Channel {
  std::uint64_t base = 0;            ///< address of the memory's first byte
  std::vector<std::uint8_t> memory;  ///< as plain stores leave it, in their order
  std::uint64_t bulk_bytes = 0;      ///< what a copy after a step moves: all that a step may change
  std::vector<Store> stores;
  std::vector<std::uint8_t> data;

  void put(std::uint64_t offset, const std::uint8_t* bytes, unsigned count, std::uint64_t position, unsigned width) {
    stores.push_back({base + offset, data.size(), position, static_cast<std::uint16_t>(count), static_cast<std::uint8_t>(width)});
    data.insert(data.end(), bytes, bytes + count);
    apply(memory, base, base + offset, bytes, count, width);
  }
  void clear() { stores.clear(), data.clear(); }
};

struct Traffic {
  explicit Traffic(int ranks_) : ranks(ranks_), channels(static_cast<std::size_t>(ranks_) * ranks_), compute_bytes(ranks_) {}
  Channel& channel(int from, int to) { return channels[static_cast<std::size_t>(from) * ranks + to]; }
  const Channel& channel(int from, int to) const { return channels[static_cast<std::size_t>(from) * ranks + to]; }

  int ranks;
  std::vector<Channel> channels;      ///< by sender, then receiver
  std::vector<double> compute_bytes;  ///< of a step, by rank: what its kernel moves to and from its own memory
};

}  // namespace graphrun::bench::finepack
