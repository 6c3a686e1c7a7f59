// SPDX-License-Identifier: Apache-2.0

#include "finepack/link.hpp"

#include <gtest/gtest.h>

#include "finepack/packet.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun::bench::finepack {
namespace {

struct Case {
  const char* link;
  std::uint64_t address, bytes, wire;
};

// By hand: PCIe 28 bytes a packet and whole words; PCIe 6 has 20; NVLink a header flit, data flits, and one of byte enables.
TEST(FinePackLink, WireBytesAreThoseComputedByHand) {
  const Case cases[] = {
      {"pcie4", 0, 4, 32},         {"pcie4", 0, 8, 36},      {"pcie4", 4, 32, 60},     {"pcie4", 0, 128, 156},
      {"pcie4", 3, 3, 28 + 8},     {"pcie4", 2, 1, 28 + 4},  {"pcie4", 0, 4096, 4124}, {"pcie4", 0, 4097, 4124 + 32},
      {"pcie4", 4092, 8, 32 + 32}, {"pcie6", 0, 4, 24},      {"nvlink2", 0, 4, 48},    {"nvlink2", 0, 16, 32},
      {"nvlink2", 8, 16, 16 + 48}, {"nvlink2", 0, 128, 144}, {"nvlink2", 0, 256, 272}, {"nvlink2", 0, 257, 272 + 48},
      {"pcie3", 0, 0, 0},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(wire_bytes(link_named(each.link), each.address, each.bytes), each.wire)
        << each.link << ", " << each.bytes << " bytes at " << each.address;
  }
  EXPECT_EQ(packed_wire_bytes(link_named("pcie4"), 18), 48u);
  EXPECT_EQ(packed_wire_bytes(link_named("nvlink2"), 18), 48u);
}

TEST(FinePackLink, RatesAreThoseOfTheSpecifications) {
  EXPECT_NEAR(link_named("pcie3").gb_per_s, 15.754, 0.001);
  EXPECT_NEAR(link_named("pcie4").gb_per_s, 31.508, 0.001);
  EXPECT_NEAR(link_named("pcie5").gb_per_s, 63.015, 0.001);
  EXPECT_NEAR(link_named("pcie6").gb_per_s, 118.0, 0.001);
  EXPECT_EQ(link_named("nvlink2").gb_per_s, 150);
  EXPECT_THROW(link_named("pcie7"), UsageError);
  for (const Link& link : all_links()) EXPECT_NE(std::string_view(link.source), "");
}

TEST(FinePackLink, AddressableRangesAreThoseOfTable2) {
  EXPECT_EQ(std::uint64_t{1} << offset_bits(2), 64u);
  EXPECT_EQ(std::uint64_t{1} << offset_bits(3), 16u << 10);
  EXPECT_EQ(std::uint64_t{1} << offset_bits(4), 4u << 20);
  EXPECT_EQ(std::uint64_t{1} << offset_bits(5), 1u << 30);
  EXPECT_EQ(std::uint64_t{1} << offset_bits(6), std::uint64_t{256} << 30);
}

}  // namespace
}  // namespace graphrun::bench::finepack
