// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include "graphrun/io/readers.hpp"
#include "io/binary_fixture.hpp"

namespace graphrun::test {
namespace {

const std::string kBanner = "%%MatrixMarket matrix coordinate ";

class MatrixMarketWriteTest : public BinaryTest {
 protected:
  std::string written(const Graph& graph, const io::WriteOptions& options, const Workspace& space) {
    io::write_matrix_market(graph, path("g.mtx"), options, space, pool);
    return read("g.mtx");
  }
  std::string written(const Graph& graph, const io::WriteOptions& options) { return written(graph, options, memory); }
  std::vector<Arc> read_back() { return sorted_arcs(build_graph(read_matrix_market(path("g.mtx"), false, pool), {}, pool)); }

  static std::vector<Arc> sorted_arcs(const Graph& graph) {
    std::vector<Arc> arcs;
    for (std::uint64_t v = 0; v < graph.num_vertices(); ++v) {
      for (EdgeId e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; ++e) {
        arcs.emplace_back(v, graph.out.neighbours[e], graph.weight_kind == WeightKind::none ? 0 : graph.out.weights[e]);
      }
    }
    std::sort(arcs.begin(), arcs.end());
    return arcs;
  }
};

TEST_F(MatrixMarketWriteTest, GoldenText) {
  EXPECT_EQ(written(three_arcs(), plain), kBanner + "pattern general\n3 3 3\n1 2\n1 3\n3 3\n");
  EXPECT_EQ(written(three_arcs(WeightKind::u32), plain), kBanner + "pattern general\n3 3 3\n1 2\n1 3\n3 3\n");
  EXPECT_EQ(written(three_arcs(WeightKind::u32), weighted), kBanner + "integer general\n3 3 3\n1 2 7\n1 3 8\n3 3 9\n");
  EXPECT_EQ(written(graph_of(0, {}), plain), kBanner + "pattern general\n0 0 0\n");
  const Graph real = graph_of(2, {{0, 1, word(.1f)}, {1, 0, word(-3e38f)}, {1, 1, word(1e-45f)}}, WeightKind::f32);
  EXPECT_EQ(written(real, weighted), kBanner + "real general\n2 2 3\n1 2 0.1\n2 1 -3e+38\n2 2 1e-45\n");
}

TEST_F(MatrixMarketWriteTest, SymmetricGraphsAreHalved) {
  const Graph graph = graph_of(3, {{0, 0, 4}, {0, 1, 5}, {0, 1, 6}, {1, 0, 6}, {1, 0, 5}}, WeightKind::u32, true);
  EXPECT_EQ(written(graph, weighted), kBanner + "integer symmetric\n3 3 3\n1 1 4\n2 1 6\n2 1 5\n");
  EXPECT_EQ(written(graph, plain), kBanner + "pattern symmetric\n3 3 3\n1 1\n2 1\n2 1\n");
  Graph directed = graph;
  directed.symmetric = false;
  EXPECT_EQ(written(directed, plain), kBanner + "pattern general\n3 3 5\n1 1\n1 2\n1 2\n2 1\n2 1\n");
}

TEST_F(MatrixMarketWriteTest, WeightsThatDifferBetweenDirectionsAreAllWritten) {
  const Graph single = graph_of(2, {{0, 1, 5}, {1, 0, 6}}, WeightKind::u32, true);
  EXPECT_EQ(written(single, weighted), kBanner + "integer general\n2 2 2\n1 2 5\n2 1 6\n");
  EXPECT_EQ(written(single, plain), kBanner + "pattern symmetric\n2 2 1\n2 1\n");
  // As sets the parallel arcs agree, as multisets they do not.
  const Graph parallel = graph_of(2, {{0, 1, 5}, {0, 1, 5}, {0, 1, 6}, {1, 0, 5}, {1, 0, 6}, {1, 0, 6}}, WeightKind::u32, true);
  EXPECT_CONTAINS(written(parallel, weighted), "integer general\n2 2 6\n");
  const Graph unlike = graph_of(2, {{0, 1, word(0.f)}, {1, 0, word(-0.f)}}, WeightKind::f32, true);
  EXPECT_CONTAINS(written(unlike, weighted), "real general\n2 2 2\n1 2 0\n2 1 -0\n");
}

TEST_F(MatrixMarketWriteTest, AGraphThatOnlyClaimsToBeSymmetricLosesNothing) {
  EXPECT_CONTAINS(written(graph_of(2, {{0, 1, 0}, {1, 1, 0}}, WeightKind::none, true), plain), "general\n2 2 2\n1 2\n2 2\n");
}

TEST_F(MatrixMarketWriteTest, RoundTripsInMemoryAndOnDisk) {
  for (const WeightKind kind : {WeightKind::none, WeightKind::u32, WeightKind::f32}) {
    for (const Graph& graph : odd_graphs(kind)) {
      const io::WriteOptions options = kind == WeightKind::none ? plain : weighted;
      const std::string text = written(graph, options);
      EXPECT_EQ(read_back(), sorted_arcs(graph));
      EXPECT_EQ(text.find("symmetric") != std::string::npos, graph.symmetric);
      EXPECT_EQ(written(graph, options, tiny()), text);
      ThreadPool one(1);
      io::write_matrix_market(graph, path("one.mtx"), options, memory, one);
      EXPECT_EQ(read("one.mtx"), text);
    }
  }
}

/// Longer than what is formatted at a time, with a list that is cut several times and long runs of empty ones.
TEST_F(MatrixMarketWriteTest, ManyPieces) {
  constexpr std::uint64_t n = 1000000;
  std::vector<Arc> arcs;
  for (std::uint64_t i = 0; i < 100000; ++i) arcs.emplace_back(17, i * 7 % n, static_cast<std::uint32_t>(i));
  for (std::uint64_t i = 0; i < 200000; ++i) arcs.emplace_back(500000 + i / 3, splitmix64(i) % n, static_cast<std::uint32_t>(i));
  const Graph graph = graph_of(n, arcs, WeightKind::u32);
  const std::string text = written(graph, weighted);
  const EdgeList edges = read_matrix_market(path("g.mtx"), false, pool);
  EXPECT_EQ(edges.num_vertices, n);
  EXPECT_EQ(arcs_of(edges), arcs);
  EXPECT_EQ(written(graph, weighted, small()), text);
}

TEST_F(MatrixMarketWriteTest, FloatsReadBackAsTheSameBits) {
  std::vector<Arc> arcs;
  for (std::uint64_t i = 0; arcs.size() < 100000; ++i) {
    const auto bits = static_cast<std::uint32_t>(splitmix64(i));
    if (std::isfinite(std::bit_cast<float>(bits))) arcs.emplace_back(0, 0, bits);
  }
  for (const float value : {0.f, -0.f, std::numeric_limits<float>::max(), std::numeric_limits<float>::min(),
                            std::numeric_limits<float>::denorm_min(), 16777216.f, 1.f / 3, std::bit_cast<float>(0x15ae43fdu)}) {
    arcs.emplace_back(0, 0, word(value));
  }
  written(graph_of(1, arcs, WeightKind::f32), weighted);
  EXPECT_EQ(arcs_of(read_matrix_market(path("g.mtx"), false, pool)), arcs);
}

TEST_F(MatrixMarketWriteTest, Refusals) {
  EXPECT_CONTAINS(error_of<UsageError>([&] { written(three_arcs(), weighted); }), "the graph has none");
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    const Graph graph = graph_of(2, {{0, 1, word(1)}, {1, 0, word(bad)}, {1, 1, word(bad)}}, WeightKind::f32);
    EXPECT_CONTAINS(error_of<UsageError>([&] { written(graph, weighted); }), "the weight of edge 1 is");
  }
  Graph broken = three_arcs();
  broken.out.neighbours[2] = 7;
  EXPECT_CONTAINS(error_of<DataError>([&] { written(broken, plain); }), "edge 2 leads to vertex 7");
  EXPECT_EQ(files(), 0u);
}

}  // namespace
}  // namespace graphrun::test
