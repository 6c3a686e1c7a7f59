// SPDX-License-Identifier: Apache-2.0
// Links between GPUs: what a packet costs beside its payload.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace graphrun::bench::finepack {

struct Link {
  const char* name;
  double gb_per_s;        ///< 10^9 bytes a second in each direction, after line coding and flits
  unsigned packet_bytes;  ///< framing, header and checks of a packet
  unsigned granule;       ///< payloads take whole granules of the address space
  unsigned enable_bytes;  ///< added to a packet whose first or last granule is not whole
  unsigned max_payload;   ///< bytes
  const char* source;
};

std::span<const Link> all_links();

/// Throws UsageError with the known names.
const Link& link_named(std::string_view name);

/// Returns the bytes on the wire of `bytes` at `address`, in as many packets as max_payload makes of them.
std::uint64_t wire_bytes(const Link& link, std::uint64_t address, std::uint64_t bytes);

/// Returns the bytes on the wire of one packet with a payload of its own format, which needs no byte enables.
std::uint64_t packed_wire_bytes(const Link& link, std::uint64_t payload);

}  // namespace graphrun::bench::finepack
