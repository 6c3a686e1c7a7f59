// SPDX-License-Identifier: Apache-2.0

#include "finepack/packet.hpp"

#include "core/raise.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun::bench::finepack {

void append_sub_packet(Packet& packet, unsigned sub_header_bytes, std::uint64_t address, const std::uint8_t* data,
                       unsigned bytes) {
  const std::uint64_t field = (address - packet.base) << kLengthBits | bytes;
  for (unsigned byte = 0; byte < sub_header_bytes; ++byte)
    packet.payload.push_back(static_cast<std::uint8_t>(field >> (8 * byte)));
  packet.payload.insert(packet.payload.end(), data, data + bytes);
  ++packet.sub_packets;
}

void unpack(const Packet& packet, unsigned sub_header_bytes,
            const std::function<void(std::uint64_t address, const std::uint8_t* data, unsigned bytes)>& store) {
  if (packet.is_bare) {
    store(packet.base, packet.payload.data(), static_cast<unsigned>(packet.payload.size()));
    return;
  }
  for (std::size_t at = 0; at < packet.payload.size();) {
    if (packet.payload.size() - at < sub_header_bytes) raise<DataError>("a packet ends within a sub-header");
    std::uint64_t field = 0;
    for (unsigned byte = 0; byte < sub_header_bytes; ++byte) field |= std::uint64_t{packet.payload[at + byte]} << (8 * byte);
    at += sub_header_bytes;
    const auto bytes = static_cast<unsigned>(field & ((1u << kLengthBits) - 1));
    if (bytes == 0 || packet.payload.size() - at < bytes) raise<DataError>("a sub-packet of {} bytes is not whole", bytes);
    store(packet.base + (field >> kLengthBits), packet.payload.data() + at, bytes);
    at += bytes;
  }
}

}  // namespace graphrun::bench::finepack
