// SPDX-License-Identifier: Apache-2.0

#include "io/binary_fixture.hpp"

namespace graphrun::test {
namespace {

namespace fs = std::filesystem;

const std::string kCol = Bytes().u64({4, 0}).u64({0, 2, 2, 3});
const std::string kDst = Bytes().u64({3, 0}).u64({1, 2, 2});
const std::string kVal = Bytes().u64({3, 0}).u32({7, 8, 9});

class BelTest : public BinaryTest {
 protected:
  Graph read_graph(const std::string& name = "g.bel", const io::ReadOptions& options = {}) {
    return io::read_bel(path(name), options, memory, pool);
  }
  void write_graph(const Graph& graph, const io::WriteOptions& options, const std::string& name = "g.bel") {
    io::write_bel(graph, path(name), options, memory, pool);
  }
  void put(const std::string& col, const std::string& dst, const std::string& val = "") {
    fs::remove(path("g.bel.val"));
    write("g.bel.col", col);
    write("g.bel.dst", dst);
    if (!val.empty()) write("g.bel.val", val);
  }
  std::string fault(const io::ReadOptions& options = {}) {
    return error_of<DataError>([&] { read_graph("g.bel", options); });
  }
};

TEST_F(BelTest, GoldenBytes) {
  write_graph(three_arcs(WeightKind::u32), weighted);
  EXPECT_EQ(read("g.bel.col"), kCol);
  EXPECT_EQ(read("g.bel.dst"), kDst);
  EXPECT_EQ(read("g.bel.val"), kVal);
  EXPECT_EQ(files(), 3u);
}

TEST_F(BelTest, RoundTripsInMemoryAndOnDisk) {
  for (const WeightKind kind : {WeightKind::none, WeightKind::u32, WeightKind::f32}) {
    for (const Graph& graph : odd_graphs(kind)) {
      const io::WriteOptions options = kind == WeightKind::none ? plain : weighted;
      write_graph(graph, options);
      const std::string dst = read("g.bel.dst");
      io::write_bel(graph, path("g.bel"), options, tiny(), pool);
      EXPECT_EQ(read("g.bel.dst"), dst);
      for (const Workspace& space : {memory, tiny(), small()}) {
        const io::ReadOptions how{.float_weights = kind == WeightKind::f32};
        expect_same_arcs(io::read_bel(path("g.bel"), how, space, pool), graph);
      }
      EXPECT_EQ(files(), kind == WeightKind::none ? 2u : 3u);
    }
  }
}

TEST_F(BelTest, AnyOfTheNamesWillDo) {
  put(kCol, kDst, kVal);
  for (const char* name : {"g.bel", "g.bel.col", "g.bel.dst", "g.bel.val"}) {
    expect_same_arcs(read_graph(name), three_arcs(WeightKind::u32));
    EXPECT_TRUE(io::is_bel(head(name))) << name;
  }
  write_graph(three_arcs(), plain, "other.bel.dst");
  EXPECT_EQ(read("other.bel.col"), kCol);
}

TEST_F(BelTest, OnlyCompanySaysWhatItIs) {
  put(kCol, kDst);
  write("g.bel", "0 1\n");
  EXPECT_FALSE(io::is_bel(head("g.bel")));  // a text file that only looks like the stem
  EXPECT_TRUE(io::is_bel(head("g.bel.col")));
  fs::remove(path("g.bel.col"));
  for (const char* name : {"g.bel", "g.bel.col", "g.bel.dst", "g.mtx"}) EXPECT_FALSE(io::is_bel(head(name))) << name;
}

TEST_F(BelTest, MapsWhatIsAsInMemory) {
  put(kCol, kDst, kVal);
  const Graph graph = read_graph();
  EXPECT_TRUE(graph.out.offsets.in_mapped_file());
  EXPECT_EQ(graph.out.neighbours.in_mapped_file(), sizeof(VertexId) == 8);
  EXPECT_TRUE(graph.out.weights.in_mapped_file());
}

TEST_F(BelTest, WordsThatNobodyReadsMayHoldAnything) {
  put(poked(kCol, 8, ~std::uint64_t{0}), poked(kDst, 8, std::uint64_t{5}), poked(kVal, 8, std::uint64_t{7}));
  expect_same_arcs(read_graph(), three_arcs(WeightKind::u32));
}

TEST_F(BelTest, FloatsOnRequest) {
  put(kCol, kDst, Bytes().u64({3, 0}).f32({7, 8, 9}));
  expect_same_arcs(read_graph("g.bel", {.float_weights = true}), three_arcs(WeightKind::f32));
}

TEST_F(BelTest, RawPayloads) {
  const Graph graph = three_arcs(WeightKind::u32);
  for (const std::uint64_t offset : {std::uint64_t{512}, std::uint64_t{1} << 20, std::uint64_t{13}}) {
    write_graph(graph, {.weighted = true, .raw_offset = offset});
    EXPECT_EQ(read("g.bel.col"), kCol);
    EXPECT_EQ(read("g.bel.dst"), std::string(offset, '\0') + kDst.substr(16));
    EXPECT_EQ(read("g.bel.val"), std::string(offset, '\0') + kVal.substr(16));
    expect_same_arcs(read_graph("g.bel", {.raw_offset = offset}), graph);
    write("g.bel.dst", std::string(offset, 'x') + kDst.substr(16) + std::string(4096, 'x'));
    expect_same_arcs(read_graph("g.bel", {.raw_offset = offset}), graph);
    write("g.bel.dst", read("g.bel.dst").substr(0, offset + 23));
    EXPECT_CONTAINS(fault({.raw_offset = offset}), "before the last of 3 elements of 8 bytes");
  }
  EXPECT_CONTAINS(fault({.raw_offset = ~std::uint64_t{0} - 4}), "before the last of 3 elements");
}

TEST_F(BelTest, TheConvertersFault) {
  put(poked(kCol, 0, std::uint64_t{3}), kDst);  // edges where offsets are counted
  EXPECT_CONTAINS(fault(), "g.bel.col: the header counts 3 offsets, but the file of 48 bytes holds 4 (some converters");
}

TEST_F(BelTest, Lies) {
  const auto after = [&](const std::string& col, const std::string& dst, const std::string& val = "") {
    put(col, dst, val);
    return fault();
  };
  EXPECT_CONTAINS(after(kCol.substr(0, 15), kDst), "g.bel.col ends at offset 15");
  EXPECT_CONTAINS(after(kCol.substr(0, 47), kDst), "g.bel.col: the header counts 4 offsets");
  EXPECT_CONTAINS(after(kCol + "x", kDst), "g.bel.col: the header counts 4 offsets");
  EXPECT_CONTAINS(after(Bytes().u64({0, 0}), kDst), "no offsets");
  EXPECT_CONTAINS(after(poked(kCol, 0, (std::uint64_t{1} << 61) + 4), kDst), "counts 2305843009213693956 offsets");
  EXPECT_CONTAINS(after(poked(kCol, 40, std::uint64_t{4}), kDst),
                  "g.bel.dst: the header counts 3 elements, but the offsets end at 4");
  EXPECT_CONTAINS(after(kCol, poked(kDst, 0, std::uint64_t{4})), "g.bel.dst: the header counts 4 elements, but");
  const std::uint64_t wraps = (std::uint64_t{1} << 61) + 3;
  EXPECT_CONTAINS(after(poked(kCol, 40, wraps), poked(kDst, 0, wraps)), "do not make a file of 40 bytes");
  EXPECT_CONTAINS(after(kCol, kDst.substr(0, 39)), "g.bel.dst: 3 elements of 8 bytes");
  EXPECT_CONTAINS(after(kCol, kDst + "x"), "g.bel.dst: 3 elements of 8 bytes");
  EXPECT_CONTAINS(after(kCol, kDst, kVal.substr(0, 27)), "g.bel.val: 3 elements of 4 bytes");
  EXPECT_CONTAINS(after(kCol, kDst, poked(kVal, 0, std::uint64_t{2})), "g.bel.val: the header counts 2 elements");
  EXPECT_CONTAINS(after(poked(kCol, 16, std::uint64_t{1}), kDst), "first offset is 1");
  EXPECT_CONTAINS(after(poked(kCol, 24, std::uint64_t{3}), kDst), "offsets decrease after vertex 1");
  fs::remove(path("g.bel.dst"));
  EXPECT_CONTAINS(fault(), "cannot open");
}

TEST_F(BelTest, IdsWiderThanThisBuildsNameEdgeAndId) {
  for (const std::uint64_t id : {std::uint64_t{3}, (std::uint64_t{1} << 32) + 1, ~std::uint64_t{0}}) {
    put(kCol, poked(poked(kDst, 24, id), 32, std::uint64_t{99}));
    for (const Workspace& space : {memory, tiny()}) {
      EXPECT_CONTAINS(error_of<DataError>([&] { io::read_bel(path("g.bel"), defaults, space, pool); }),
                      "edge 1 leads to vertex " + std::to_string(id) + " but there are only 3 vertices");
    }
  }
}

TEST_F(BelTest, StaleWeightsDoNotSurvive) {
  write_graph(three_arcs(WeightKind::u32), weighted);
  write_graph(three_arcs(WeightKind::u32), plain);
  EXPECT_FALSE(fs::exists(path("g.bel.val")));
  expect_same_arcs(read_graph(), three_arcs());
}

TEST_F(BelTest, SurvivesItsOwnInput) {
  write_graph(three_arcs(WeightKind::u32), weighted);
  const Graph mapped = read_graph();
  write_graph(mapped, weighted);
  expect_same_arcs(read_graph(), three_arcs(WeightKind::u32));
}

TEST_F(BelTest, AFailureBeforeTheEndLeavesTheOldGraph) {
  write_graph(three_arcs(WeightKind::u32), weighted);
  fs::remove(path("g.bel.val"));
  fs::create_directory(path("g.bel.val"));  // where no file can be put
  const Graph other = graph_of(1, {{0, 0, 5}}, WeightKind::u32);
  for (const io::WriteOptions& options : {weighted, plain}) {
    EXPECT_CONTAINS(error_of<DataError>([&] { write_graph(other, options); }), "cannot write " + path("g.bel.val"));
    EXPECT_EQ(read("g.bel.col"), kCol);
    EXPECT_EQ(read("g.bel.dst"), kDst);
    EXPECT_EQ(files(), 3u);
  }
}

TEST_F(BelTest, LinksStayLinks) {
  fs::create_directory(path("elsewhere"));
  for (const char* name : {"g.bel.col", "g.bel.dst"}) {
    write(std::string("elsewhere/") + name, "old");
    fs::create_symlink(path(std::string("elsewhere/") + name), path(name));
  }
  write_graph(three_arcs(), plain);
  for (const char* name : {"g.bel.col", "g.bel.dst"}) EXPECT_TRUE(fs::is_symlink(path(name))) << name;
  EXPECT_EQ(read("elsewhere/g.bel.col"), kCol);
  expect_same_arcs(read_graph(), three_arcs());
}

}  // namespace
}  // namespace graphrun::test
