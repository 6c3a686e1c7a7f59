// SPDX-License-Identifier: Apache-2.0

#include "io/binary_fixture.hpp"

namespace graphrun::test {
namespace {

const std::string kPlainFile = Bytes().u32({3, 3}).u32({0, 2, 2}).u32({1, 2, 2});
const std::string kWeightedFile = Bytes().u32({3, 3}).u32({0, 2, 2}).u32({1, 7, 2, 8, 2, 9});
const std::string kLiberator = Bytes().u64({3, 3}).u64({0, 2, 2}).u32({1, 2, 2});

class SubwayTest : public BinaryTest {
 protected:
  Graph read_bytes(const std::string& bytes, const std::string& name = "g.bcsr") {
    return io::read_as<io::kSubway>(write(name, bytes), defaults, memory, pool);
  }
  Graph read_liberator_bytes(const std::string& bytes) {
    return io::read_as<io::kLiberator>(write("g.bcsr", bytes), defaults, memory, pool);
  }
  std::string fault(const std::string& bytes) {
    return error_of<DataError>([&] { read_bytes(bytes); });
  }
  std::string liberator_fault(const std::string& bytes) {
    return error_of<DataError>([&] { read_liberator_bytes(bytes); });
  }
};

TEST_F(SubwayTest, GoldenBytes) {
  io::write_as<io::kSubway>(three_arcs(), path("g.bcsr"), plain, memory, pool);
  EXPECT_EQ(read("g.bcsr"), kPlainFile);
  io::write_as<io::kSubway>(three_arcs(WeightKind::u32), path("g.bwcsr"), weighted, memory, pool);
  EXPECT_EQ(read("g.bwcsr"), kWeightedFile);
  io::write_as<io::kLiberator>(three_arcs(), path("g.bcsr"), plain, memory, pool);
  EXPECT_EQ(read("g.bcsr"), kLiberator);
}

TEST_F(SubwayTest, ReadsWhatIsThereWhateverTheSuffix) {
  expect_same_arcs(read_bytes(kPlainFile, "g.bwcsr"), three_arcs());
  expect_same_arcs(read_bytes(kWeightedFile, "g.bcsr"), three_arcs(WeightKind::u32));
  expect_same_arcs(read_liberator_bytes(kLiberator), three_arcs());
}

TEST_F(SubwayTest, NarrowIdsAreMappedWhereTheyStandAlone) {
  EXPECT_EQ(read_bytes(kPlainFile).out.neighbours.in_mapped_file(), sizeof(VertexId) == 4);
  EXPECT_FALSE(read_bytes(kWeightedFile).out.neighbours.in_mapped_file());
  EXPECT_EQ(read_liberator_bytes(kLiberator).out.neighbours.in_mapped_file(), sizeof(VertexId) == 4);
}

TEST_F(SubwayTest, TheTwoAreToldApart) {
  const auto check = [&](const std::string& bytes, bool subway) {
    write("g.bcsr", bytes);
    EXPECT_EQ(is_as<io::kSubway>(head("g.bcsr")), subway);
    EXPECT_EQ(is_as<io::kLiberator>(head("g.bcsr")), !subway);
  };
  check(kPlainFile, true);
  check(kWeightedFile, true);
  check(kLiberator, false);
  for (std::uint32_t n = 0; n < 9; ++n) {  // the smallest files, where only the size can tell
    check(Bytes().u32({n, 0}).zeros(4 * n), true);
    check(Bytes().u64({n, 0}).zeros(8 * n), false);
    check(Bytes().u64({n, n}).zeros(12 * n), false);
  }
}

TEST_F(SubwayTest, WithoutEdgesTheSuffixSaysWhetherThereAreWeights) {
  const std::string bytes = Bytes().u32({2, 0}).u32({0, 0});
  EXPECT_EQ(read_bytes(bytes, "g.bcsr").weight_kind, WeightKind::none);
  EXPECT_EQ(read_bytes(bytes, "g.bwcsr").weight_kind, WeightKind::u32);
}

TEST_F(SubwayTest, FloatsOnRequest) {
  const io::ReadOptions floats{.float_weights = true};
  for (const Workspace& space : {memory, tiny()}) {
    expect_same_arcs(io::read_as<io::kSubway>(write("g.bwcsr", kWeightedFile), floats, space, pool), three_arcs(WeightKind::f32));
  }
}

TEST_F(SubwayTest, Lies) {
  EXPECT_CONTAINS(fault(poked(kPlainFile, 0, std::uint32_t{4})), "4 vertices and 3 edges, which take 36 or 48 bytes");
  EXPECT_CONTAINS(fault(poked(kPlainFile, 4, ~std::uint32_t{0})), "4294967295 edges");
  EXPECT_CONTAINS(fault(poked(kPlainFile, 8, std::uint32_t{1})), "first offset is 1");
  EXPECT_CONTAINS(fault(poked(kPlainFile, 12, std::uint32_t{3})), "offsets decrease after vertex 1");
  EXPECT_CONTAINS(fault(poked(kPlainFile, 16, std::uint32_t{4})), "offsets decrease after vertex 2 (from 4 to 3)");
  EXPECT_CONTAINS(fault(poked(kPlainFile, 28, std::uint32_t{3})), "edge 2 leads to vertex 3");
  EXPECT_CONTAINS(fault(Bytes().u32({0, 1}).u32({0})), "first offset is 1, not 0");
}

TEST_F(SubwayTest, LiesOfLiberator) {
  EXPECT_CONTAINS(liberator_fault(poked(kLiberator, 8, std::uint64_t{4})), "3 vertices and 4 edges, which take 56 bytes");
  EXPECT_CONTAINS(liberator_fault(poked(kLiberator, 16, std::uint64_t{1})), "first offset is 1");
  EXPECT_CONTAINS(liberator_fault(poked(kLiberator, 48, std::uint32_t{3})), "edge 2 leads to vertex 3");
  for (const std::uint64_t lie :
       {~std::uint64_t{0}, std::uint64_t{1} << 61, (std::uint64_t{1} << 61) + 3, (std::uint64_t{1} << 62) + 3}) {
    EXPECT_CONTAINS(liberator_fault(poked(kLiberator, 0, lie)), "which take more than 2^64 bytes");
    EXPECT_FALSE(is_as<io::kLiberator>(head("g.bcsr")));
    EXPECT_CONTAINS(liberator_fault(poked(kLiberator, 8, lie)), "but the file has 52");
    EXPECT_FALSE(is_as<io::kLiberator>(head("g.bcsr")));
  }
}

TEST_F(SubwayTest, WhatTheFormatsCannotHold) {
  const auto refusal = [&](std::uint32_t weight) {
    const Graph graph = graph_of(1, {{0, 0, weight}}, WeightKind::f32);
    return error_of<UsageError>([&] { io::write_as<io::kSubway>(graph, path("g.bwcsr"), weighted, memory, pool); });
  };
  EXPECT_CONTAINS(refusal(word(-1.f)), "the weight of edge 0 is -1");
  EXPECT_CONTAINS(refusal(word(4294967296.f)), "whole numbers from 0 to 4294967295");
  EXPECT_CONTAINS(error_of<UsageError>(
                      [&] { io::write_as<io::kLiberator>(three_arcs(WeightKind::u32), path("g.bcsr"), weighted, memory, pool); }),
                  "the format holds none; write Subway .bwcsr instead");
  EXPECT_EQ(files(), 0u);
}

TEST_F(SubwayTest, TooManyEdgesNameTheOtherFormat) {
  Graph graph = graph_of(1, {});  // no page of whose edges is ever touched: only their number is looked at
  graph.out.neighbours = Column<VertexId>::allocate(std::size_t{1} << 32);
  EXPECT_CONTAINS(error_of<UsageError>([&] { io::write_as<io::kSubway>(graph, path("g.bcsr"), plain, memory, pool); }),
                  "4294967296 edges, but the format holds at most 4294967295; write Liberator .bcsr instead");
}

TEST_F(SubwayTest, SuffixesMustNotLie) {
  EXPECT_THROW(io::write_as<io::kSubway>(three_arcs(WeightKind::u32), path("g.bcsr"), weighted, memory, pool), UsageError);
  EXPECT_THROW(io::write_as<io::kSubway>(three_arcs(WeightKind::u32), path("g.bwcsr"), plain, memory, pool), UsageError);
}

}  // namespace
}  // namespace graphrun::test
