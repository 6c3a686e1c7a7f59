// SPDX-License-Identifier: Apache-2.0
// The stores of a program before any method: their sizes (figure 4) and how they stay in ranges of addresses (figure 5).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "finepack/packet.hpp"
#include "finepack/traffic.hpp"

namespace graphrun::bench::finepack {

struct Locality {
  static constexpr unsigned kFewest = 2, kMost = 6;  ///< bytes of sub-headers in table II
  std::uint64_t stores = 0;
  std::uint64_t bytes = 0;
  std::uint64_t below_32 = 0;                      ///< stores of fewer than 32 bytes
  std::array<std::uint64_t, 8> by_size = {};       ///< of at most 2^i bytes, and more than 2^(i-1)
  std::array<std::uint64_t, kMost + 1> runs = {};  ///< by sub-header: stores in a row whose addresses have the same upper bits

  void add(const Channel& channel) {
    for (std::size_t at = 0; at < channel.stores.size(); ++at) {
      const Store& store = channel.stores[at];
      ++stores, bytes += store.bytes, below_32 += store.bytes < 32 ? 1 : 0;
      ++by_size[std::bit_width(store.bytes - 1u)];
      for (unsigned header = kFewest; header <= kMost; ++header) {
        const bool begins =
            at == 0 || store.address >> offset_bits(header) != channel.stores[at - 1].address >> offset_bits(header);
        runs[header] += begins ? 1 : 0;
      }
    }
  }
};

}  // namespace graphrun::bench::finepack
