// SPDX-License-Identifier: Apache-2.0

#include "io/binary_fixture.hpp"

namespace graphrun::test {
namespace {

const std::string kThreeArcs = Bytes().u64({3, 3, 68}).u64({0, 2, 2, 3}).u32({1, 2, 2});

class GbbsTest : public BinaryTest {
 protected:
  std::string fault(const std::string& bytes) {
    return error_of<DataError>([&] { io::read_as<io::kGbbs>(write("g.bin", bytes), defaults, memory, pool); });
  }
};

TEST_F(GbbsTest, GoldenBytes) {
  io::write_as<io::kGbbs>(three_arcs(), path("g.bin"), plain, memory, pool);
  EXPECT_EQ(read("g.bin"), kThreeArcs);
  expect_same_arcs(io::read_as<io::kGbbs>(path("g.bin"), defaults, memory, pool), three_arcs());
}

TEST_F(GbbsTest, Lies) {
  EXPECT_CONTAINS(fault(poked(kThreeArcs, 0, std::uint64_t{4})), "4 vertices and 3 edges, which take 76 bytes");
  EXPECT_CONTAINS(fault(poked(kThreeArcs, 16, std::uint64_t{80})), "80 bytes (offset 16), but the file has 68");
  EXPECT_FALSE(is_as<io::kGbbs>(head("g.bin")));
  EXPECT_CONTAINS(fault(poked(kThreeArcs, 24, std::uint64_t{1})), "first offset is 1");
  EXPECT_CONTAINS(fault(poked(kThreeArcs, 64, std::uint32_t{3})), "edge 2 leads to vertex 3");
}

TEST_F(GbbsTest, HoldsNoWeights) {
  EXPECT_CONTAINS(
      error_of<UsageError>([&] { io::write_as<io::kGbbs>(three_arcs(WeightKind::u32), path("g.bin"), weighted, memory, pool); }),
      "the format holds none; write Galois .gr instead");
  EXPECT_EQ(files(), 0u);
}

}  // namespace
}  // namespace graphrun::test
