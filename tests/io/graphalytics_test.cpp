// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "graphrun/io/convert.hpp"
#include "graphrun/io/load.hpp"
#include "io/io_fixture.hpp"
#include "support/shared.hpp"

namespace graphrun::test {
namespace {

class GraphalyticsTest : public IoTest {
 protected:
  /// Writes NAME.properties of a graph "g.1" with `more` lines.
  std::string properties(const std::string& more) {
    write("g.1.v", vertices);
    write("g.1.e", edges);
    return write("g.1.properties", "# The graph\n\n" + more);
  }
  std::string directed(const std::string& more = "") { return properties("graph.g.1.directed = true\n" + more); }
  Graph load(const std::string& path, const Workspace& space = {}) { return load_graph(path, {}, pool, space).graph; }
  std::string fault(const std::string& path) {
    try {
      load(path);
    } catch (const Error& error) {
      const std::string text = error.what();
      const std::size_t at = text.find(directory.string());
      return at == 0 ? text.substr(directory.string().size() + 1) : text;
    }
    return "";
  }
  /// "SOURCE>TARGET" by the names of vertices.
  static std::string arcs(const Graph& graph) {
    std::string text;
    for (VertexId u = 0; u < graph.num_vertices(); ++u) {
      for (EdgeId e = graph.out.offsets[u]; e < graph.out.offsets[u + 1]; ++e)
        text += fmt::format("{}>{} ", graph.names.text(u), graph.names.text(graph.out.neighbours[e]));
    }
    return text;
  }

  std::string vertices = "7\n18446744073709551615\n3\n12345678901\n5\n";
  std::string edges = "7 3\n3 18446744073709551615\n";
};

constexpr const char* kWeights = "graph.g.1.edge-properties.names = weight\ngraph.g.1.edge-properties.types = real\n";

TEST_F(GraphalyticsTest, SparseIdsAreNamesAndVerticesWithoutEdgesStay) {
  const Graph graph = load(directed("graph.g.1.meta.vertices = 5\ngraph.g.1.meta.edges = 2\n"));
  EXPECT_EQ(graph.name, "g.1");
  ASSERT_EQ(graph.num_vertices(), 5u);
  EXPECT_EQ(graph.names.text(0), "3");
  EXPECT_EQ(graph.names.text(3), "12345678901");
  EXPECT_EQ(arcs(graph), "3>18446744073709551615 7>3 ");
  EXPECT_FALSE(graph.symmetric);
  EXPECT_TRUE(graph.assumptions.empty());
}

TEST_F(GraphalyticsTest, UndirectedEdgesStandOnceInTheFile) {
  const Graph graph = load(properties("graph.g.1.directed = false\ngraph.g.1.meta.edges = 2\n"));
  EXPECT_TRUE(graph.symmetric);
  EXPECT_EQ(arcs(graph), "3>7 3>18446744073709551615 7>3 18446744073709551615>3 ");
}

TEST_F(GraphalyticsTest, ScratchFilesMakeTheSameGraph) {
  edges = "7 3 0.5\n3 12345678901 2\n";
  const std::string file = directed(kWeights);
  const Workspace space = Workspace::on_disk(directory.string(), std::uint64_t{1} << 20);
  const Graph graph = load(file, space);
  EXPECT_EQ(arcs(graph), arcs(load(file)));
  EXPECT_EQ(graph.num_vertices(), 5u);
  EXPECT_EQ(graph.weight_kind, WeightKind::f32);
}

TEST_F(GraphalyticsTest, TheWeightPropertyIsAmongSeveral) {
  edges = "7 3 9 0.5\n3 7 8 0.25\n";
  const std::string two = "graph.g.1.edge-properties.names = time, cost\ngraph.g.1.edge-properties.types = int,real\n";
  const Graph graph = load(directed(two + "graph.g.1.sssp.weight-property = cost\n"));
  EXPECT_EQ(graph.weight_text(graph.out.weights[0]), "0.25");
  EXPECT_NE(fault(directed(two)).find("2 properties, and no line graph.g.1.sssp.weight-property"), std::string::npos);
  EXPECT_NE(fault(directed(two + "graph.g.1.sssp.weight-property = price\n")).find("g.1.properties:6: "), std::string::npos);
}

TEST_F(GraphalyticsTest, FilesMayHaveOtherNames) {
  write("here.v", "1\n2\n");
  write("there.e", "2 1\n");
  const std::string files = "graph.g.1.vertex-file = here.v\ngraph.g.1.edge-file = there.e\n";
  EXPECT_EQ(arcs(load(directed(files))), "2>1 ");
  EXPECT_EQ(files_of(path("g.1.properties"), {}), (std::vector{path("g.1.properties"), path("here.v"), path("there.e")}));
}

TEST_F(GraphalyticsTest, AnEdgeFileThatIsTheVertexFileIsAnAssumption) {
  const Graph graph = load(directed("graph.g.1.vertex-file = g.1.v\ngraph.g.1.edge-file = g.1.v\n"));
  EXPECT_EQ(graph.num_edges(), 2u);
  EXPECT_EQ(graph.assumptions.size(), 1u);
}

TEST_F(GraphalyticsTest, NoEdges) {
  edges = "";
  EXPECT_EQ(load(directed("graph.g.1.meta.edges = 0\n")).num_vertices(), 5u);
  EXPECT_NE(fault(directed("graph.g.1.meta.edges = 1\n")), "");
}

TEST_F(GraphalyticsTest, FaultsNameFileAndLine) {
  EXPECT_NE(fault(directed("graph.g.1.meta.vertices = 6\n")).find("announces 6 vertices, and"), std::string::npos);
  EXPECT_NE(fault(directed("graph.g.1.meta.edges = 3\n")).find("announces 3 edges, but the file ends after 2"),
            std::string::npos);
  EXPECT_EQ(fault(directed("graph.g.1.meta.edges = 1\n")), "g.1.e:2: more edges than the 1 announced");
  EXPECT_EQ(fault(properties("graph.g.1.directed = maybe\n")),
            "g.1.properties:3: graph.g.1.directed is 'maybe', which is not true or false");
  EXPECT_NE(fault(directed("graph.h.directed = true\n")).find("of a second graph"), std::string::npos);
  EXPECT_NE(fault(directed("graph.g.1.directed = false\n")).find("g.1.properties:4: graph.g.1.directed stands in line 3"),
            std::string::npos);
  edges = "7 3\n\n3 8\n";
  EXPECT_EQ(fault(directed()).find("g.1.e:3: vertex 8 is not in "), 0u);
  edges = "7 3 1\n";
  EXPECT_NE(fault(directed()).find("g.1.e:1: unexpected '1' in column 3"), std::string::npos);
  edges = "7 3\n";
  EXPECT_NE(fault(directed(kWeights)).find("g.1.e:1: "), std::string::npos);
  vertices = "7\n3\n7\n";
  EXPECT_EQ(fault(directed()), "g.1.v:3: vertex 7 stands in a line before, too");
  vertices = "7\n3 4\n";
  EXPECT_EQ(fault(directed()).find("g.1.v:2: expected a vertex"), 0u);
}

TEST_F(GraphalyticsTest, TheSuitesOwnGraphs) {
  const auto shared = shared_datasets();
  if (!shared || !std::filesystem::exists(*shared / "graphalytics")) GTEST_SKIP() << "no data sets of Graphalytics";
  int graphs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*shared / "graphalytics")) {
    if (entry.path().extension() != ".properties") continue;
    ++graphs;
    EXPECT_NE(load(entry.path().string()).num_edges(), 0u) << entry.path();
  }
  EXPECT_GT(graphs, 0);
}

}  // namespace
}  // namespace graphrun::test
