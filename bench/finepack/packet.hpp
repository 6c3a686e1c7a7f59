// SPDX-License-Identifier: Apache-2.0
// FinePack's packets (section IV.A): several stores behind one header, each with a sub-header of offset and length.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "finepack/traffic.hpp"

namespace graphrun::bench::finepack {

constexpr unsigned kLengthBits = 10;  ///< of each sub-header, as in a PCIe header

/// Table II: the other bits of a sub-header are an offset of this many bits.
constexpr unsigned offset_bits(unsigned sub_header_bytes) { return 8 * sub_header_bytes - kLengthBits; }

struct Packet {
  std::uint64_t base = 0;  ///< added to offsets; of a bare packet its address
  unsigned width = 0;      ///< Store::width of everything in it
  bool is_bare = false;    ///< the payload is one store without a sub-header
  std::vector<std::uint8_t> payload;
  std::uint64_t stores = 0;  ///< that went into it, also those that others overwrote
  unsigned sub_packets = 0;
};

/// Appends a sub-header and its data. The offset must fit.
void append_sub_packet(Packet& packet, unsigned sub_header_bytes, std::uint64_t address, const std::uint8_t* data,
                       unsigned bytes);

/// The de-packetizer: calls store(address, data, bytes) for each store of the packet, in order. Throws DataError where the
/// payload is cut off or a length is 0.
void unpack(const Packet& packet, unsigned sub_header_bytes,
            const std::function<void(std::uint64_t address, const std::uint8_t* data, unsigned bytes)>& store);

}  // namespace graphrun::bench::finepack
