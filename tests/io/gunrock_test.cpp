// SPDX-License-Identifier: Apache-2.0

#include "io/binary_fixture.hpp"

namespace graphrun::test {
namespace {

const std::string kThree = Bytes().u32({3, 3, 3}).u32({0, 2, 2, 3}).u32({1, 2, 2}).f32({7, 8, 9});

class GunrockTest : public BinaryTest {
 protected:
  std::string fault(const std::string& bytes) {
    return error_of<DataError>([&] { io::read_as<io::kGunrock>(write("g.csr", bytes), defaults, memory, pool); });
  }
};

TEST_F(GunrockTest, GoldenBytes) {
  for (const WeightKind kind : {WeightKind::u32, WeightKind::f32}) {
    io::write_as<io::kGunrock>(three_arcs(kind), path("g.csr"), weighted, memory, pool);
    EXPECT_EQ(read("g.csr"), kThree);
  }
  expect_same_arcs(io::read_as<io::kGunrock>(path("g.csr"), defaults, memory, pool), three_arcs(WeightKind::f32));
}

TEST_F(GunrockTest, Lies) {
  EXPECT_CONTAINS(fault(poked(kThree, 4, std::uint32_t{4})), "3 rows and 4 columns");
  EXPECT_CONTAINS(fault(poked(kThree, 0, std::int32_t{-1})), "4294967295 vertices");
  EXPECT_CONTAINS(fault(poked(kThree, 8, std::int32_t{-1})), "4294967295 edges");
  EXPECT_CONTAINS(fault(poked(kThree, 16, std::int32_t{-2})), "offsets decrease");
  EXPECT_CONTAINS(fault(poked(kThree, 28, std::int32_t{-2})), "edge 0 leads to vertex 4294967294");
}

TEST_F(GunrockTest, WhatTheFormatCannotHold) {
  const Graph odd = graph_of(1, {{0, 0, 16777217}}, WeightKind::u32);
  EXPECT_CONTAINS(error_of<UsageError>([&] { io::write_as<io::kGunrock>(odd, path("g.csr"), weighted, memory, pool); }),
                  "the weight of edge 0 is 16777217, but the format holds 32-bit floats");
  EXPECT_CONTAINS(
      error_of<UsageError>([&] { io::write_as<io::kGunrock>(three_arcs(WeightKind::u32), path("g.csr"), plain, memory, pool); }),
      "always has them");
  EXPECT_EQ(files(), 0u);
}

}  // namespace
}  // namespace graphrun::test
