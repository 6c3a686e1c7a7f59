// SPDX-License-Identifier: Apache-2.0

#include "io/binary_fixture.hpp"

namespace graphrun::test {
namespace {

const std::string kPlainGr = Bytes().u64({1, 0, 3, 3}).u64({2, 2, 3}).u32({1, 2, 2}).zeros(4);
const std::string kWeightedGr = Bytes().u64({1, 4, 3, 3}).u64({2, 2, 3}).u32({1, 2, 2}).zeros(4).u32({7, 8, 9});
const std::string kEven = Bytes().u64({1, 4, 2, 2}).u64({1, 2}).u32({1, 0}).f32({.5f, -1.f});

class GaloisTest : public BinaryTest {
 protected:
  Graph read_bytes(const std::string& bytes, const io::ReadOptions& options = {}) {
    return io::read_as<io::kGalois>(write("g.gr", bytes), options, memory, pool);
  }
  std::string fault(const std::string& bytes) {
    return error_of<DataError>([&] { read_bytes(bytes); });
  }
  std::string written(const Graph& graph, const io::WriteOptions& options) {
    io::write_as<io::kGalois>(graph, path("g.gr"), options, memory, pool);
    return read("g.gr");
  }
};

TEST_F(GaloisTest, GoldenBytes) {
  EXPECT_EQ(written(three_arcs(), plain), kPlainGr);
  EXPECT_EQ(written(three_arcs(WeightKind::u32), plain), kPlainGr);
  EXPECT_EQ(written(three_arcs(WeightKind::u32), weighted), kWeightedGr);
  EXPECT_EQ(written(graph_of(2, {{0, 1, word(.5f)}, {1, 0, word(-1.f)}}, WeightKind::f32), weighted), kEven);
}

TEST_F(GaloisTest, Reads) {
  expect_same_arcs(read_bytes(kPlainGr), three_arcs());
  expect_same_arcs(read_bytes(kWeightedGr), three_arcs(WeightKind::u32));
  expect_same_arcs(read_bytes(kEven, {.float_weights = true}),
                   graph_of(2, {{0, 1, word(.5f)}, {1, 0, word(-1.f)}}, WeightKind::f32));
  EXPECT_EQ(read_bytes(kWeightedGr).out.neighbours.in_mapped_file(), sizeof(VertexId) == 4);
  EXPECT_TRUE(read_bytes(kWeightedGr).out.weights.in_mapped_file());
}

TEST_F(GaloisTest, PaddingMayHoldAnything) { expect_same_arcs(read_bytes(poked(kPlainGr, 68, ~std::uint32_t{0})), three_arcs()); }

TEST_F(GaloisTest, OtherVersionsAndDataAreRecognisedAndRefused) {
  const std::string version_2 = Bytes().u64({2, 0, 3, 3}).u64({2, 2, 3}).u64({1, 2, 2});
  const std::string padded_2 = Bytes().u64({2, 4, 3, 3}).u64({2, 2, 3}).u64({1, 2, 2, 0}).u32({7, 8, 9});
  const std::string wide_data = Bytes().u64({1, 8, 1, 1}).u64({1}).u32({0, 0}).u64({5});
  for (const std::string& bytes : {version_2, padded_2}) {
    EXPECT_CONTAINS(fault(bytes), "version 2 of Galois .gr");
    EXPECT_TRUE(is_as<io::kGalois>(head("g.gr")));
  }
  EXPECT_CONTAINS(fault(wide_data), "8 bytes of data (offset 8)");
  EXPECT_TRUE(is_as<io::kGalois>(head("g.gr")));
  EXPECT_CONTAINS(fault(poked(kPlainGr, 0, std::uint64_t{3})), "version 3");
  EXPECT_FALSE(is_as<io::kGalois>(head("g.gr")));
}

TEST_F(GaloisTest, Lies) {
  EXPECT_CONTAINS(fault(poked(kPlainGr, 16, std::uint64_t{4})), "4 vertices and 3 edges, which take 80 bytes");
  EXPECT_CONTAINS(fault(poked(kPlainGr, 24, std::uint64_t{4})),
                  "last offset is 3 but there are 4 edges");  // padding taken for an id
  EXPECT_CONTAINS(fault(poked(kPlainGr, 32, std::uint64_t{3})), "offsets decrease after vertex 1");
  EXPECT_CONTAINS(fault(poked(kPlainGr, 48, std::uint64_t{4})), "last offset is 4");
  EXPECT_CONTAINS(fault(poked(kPlainGr, 64, std::uint32_t{3})), "edge 2 leads to vertex 3");
  EXPECT_CONTAINS(fault(kPlainGr.substr(0, 68)), "take 72 bytes, but the file has 68");
  for (const std::uint64_t lie :
       {~std::uint64_t{0}, std::uint64_t{1} << 61, (std::uint64_t{1} << 61) + 3, (std::uint64_t{1} << 62) + 3}) {
    for (const std::size_t field : {8, 16, 24}) {
      EXPECT_CONTAINS(fault(poked(kWeightedGr, field, lie)), "but the file has 84");
      EXPECT_FALSE(is_as<io::kGalois>(head("g.gr")));
    }
  }
}

}  // namespace
}  // namespace graphrun::test
