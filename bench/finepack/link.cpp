// SPDX-License-Identifier: Apache-2.0

#include "finepack/link.hpp"

#include <algorithm>
#include <string>

#include "core/raise.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun::bench::finepack {
namespace {

// A 64-bit address makes the header 16 bytes. The paper counts ECRC and LCRC, so packets have both.
constexpr const char* kPcie =
    "PCI Express Base Specification 5.0, 2.2 and 4.2.2: 16 lanes, 128b/130b; token with sequence number 4, header 16, ECRC 4, "
    "LCRC 4";
constexpr const char* kPcie6 =
    "PCI Express Base Specification 6.0, flit mode: 16 lanes; header 16, ECRC 4; 236 of 256 bytes of a flit";
constexpr const char* kNvlink =
    "Foley, Danskin: Ultra-Performance Pascal GPU and NVLink Interconnect, IEEE Micro 37(2): flits of 16; header, byte enables, "
    "1 to 16 of "
    "data; all links of P100, V100, A100, H100 by NVIDIA's data sheets";

constexpr Link kLinks[] = {
    {"pcie3", 16 * 128.0 / 130, 28, 4, 0, 4096, kPcie}, {"pcie4", 32 * 128.0 / 130, 28, 4, 0, 4096, kPcie},
    {"pcie5", 64 * 128.0 / 130, 28, 4, 0, 4096, kPcie}, {"pcie6", 128 * 236.0 / 256, 20, 4, 0, 4096, kPcie6},
    {"nvlink1", 4 * 20.0, 16, 16, 16, 256, kNvlink},    {"nvlink2", 6 * 25.0, 16, 16, 16, 256, kNvlink},
    {"nvlink3", 12 * 25.0, 16, 16, 16, 256, kNvlink},   {"nvlink4", 18 * 25.0, 16, 16, 16, 256, kNvlink},
};

}  // namespace

std::span<const Link> all_links() { return kLinks; }

const Link& link_named(std::string_view name) {
  const auto* const found = std::ranges::find(kLinks, name, &Link::name);
  if (found != std::end(kLinks)) return *found;
  std::string names;
  for (const Link& link : kLinks) names += (names.empty() ? "" : ", ") + std::string(link.name);
  raise<UsageError>("--links: {} is none of {}", name, names);
}

std::uint64_t wire_bytes(const Link& link, std::uint64_t address, std::uint64_t bytes) {
  std::uint64_t wire = 0;
  while (bytes != 0) {
    // Packets after the first begin at a multiple of max_payload.
    const std::uint64_t taken = std::min<std::uint64_t>(bytes, link.max_payload - address % link.max_payload);
    const std::uint64_t end = address + taken;
    const std::uint64_t first = address / link.granule;
    const std::uint64_t last = (end + link.granule - 1) / link.granule;
    const bool is_partial = address % link.granule != 0 || end % link.granule != 0;
    wire += link.packet_bytes + (last - first) * link.granule + (is_partial ? link.enable_bytes : 0);
    address = end, bytes -= taken;
  }
  return wire;
}

std::uint64_t packed_wire_bytes(const Link& link, std::uint64_t payload) {
  return link.packet_bytes + (payload + link.granule - 1) / link.granule * link.granule;
}

}  // namespace graphrun::bench::finepack
