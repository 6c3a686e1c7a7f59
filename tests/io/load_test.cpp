// SPDX-License-Identifier: Apache-2.0

#include "graphrun/io/load.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "graphrun/graph/statistics.hpp"
#include "graphrun/io/convert.hpp"
#include "graphrun/io/readers.hpp"
#include "io/io_fixture.hpp"
#include "support/sanitized.hpp"
#include "support/shared.hpp"

namespace graphrun::test {
namespace {

/// Arcs of a graph, sorted, parallel ones kept.
std::multiset<std::pair<std::uint64_t, std::uint64_t>> pairs_of(const Csr& csr) {
  std::multiset<std::pair<std::uint64_t, std::uint64_t>> arcs;
  for (VertexId v = 0; v < csr.num_vertices(); ++v) {
    for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) arcs.emplace(v, csr.neighbours[e]);
  }
  return arcs;
}

class LoadTest : public IoTest {
 protected:
  Loaded load(const std::string& spec, const LoadOptions& options = {}) { return load_graph(spec, options, pool); }
};

TEST_F(LoadTest, NamesAndFormats) {
  const std::string matrix = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n";
  Loaded loaded = load(write("a.b.mtx.gz", gzipped(matrix)));
  EXPECT_EQ(loaded.graph.name, "a.b");
  EXPECT_EQ(loaded.format, "MatrixMarket");
  EXPECT_TRUE(loaded.graph.symmetric);
  EXPECT_EQ(loaded.graph.num_edges(), 3u);
  loaded = load(write("e.el", "0 1\n"));
  EXPECT_EQ(loaded.graph.name, "e");
  EXPECT_EQ(loaded.format, "edge list");
  EXPECT_FALSE(loaded.graph.symmetric);
  loaded = load("path:5");
  EXPECT_EQ(loaded.graph.name, "path:5");
  EXPECT_EQ(loaded.format, "generator");
  EXPECT_EQ(loaded.graph.num_edges(), 8u);
}

TEST_F(LoadTest, AFileBeatsAGeneratorOfItsName) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory);
  write("path:5", "0 1\n");
  const Loaded loaded = load("path:5");
  std::filesystem::current_path(before);
  EXPECT_EQ(loaded.format, "edge list");
}

TEST_F(LoadTest, MissingFilesAndUnknownGenerators) {
  EXPECT_CONTAINS(error_of<DataError>([&] { load(path("none.mtx")); }), "No such file");
  EXPECT_FALSE(error_of<UsageError>([&] { load("krom:5:5"); }).empty());
  EXPECT_FALSE(error_of<UsageError>([&] { load("kron:x"); }).empty());
  EXPECT_FALSE(error_of<DataError>([&] { load(""); }).empty());
}

TEST_F(LoadTest, OptionsReachTheBuilder) {
  const std::string file = write("e.el", "0 1\n0 1\n1 1\n2 0\n");
  EXPECT_EQ(load(file).graph.num_edges(), 4u);
  LoadOptions options;
  options.drop_duplicates = true;
  EXPECT_EQ(load(file, options).graph.num_edges(), 3u);
  options.drop_self_loops = true;
  EXPECT_EQ(load(file, options).graph.num_edges(), 2u);
  options.undirected = true;
  const Loaded loaded = load(file, options);
  EXPECT_TRUE(loaded.graph.symmetric);
  EXPECT_EQ(loaded.graph.num_edges(), 4u);
}

TEST_F(LoadTest, TransposeIsBuiltOnlyWhenNeeded) {
  LoadOptions options;
  options.need_transpose = true;
  const std::string file = write("e.el", "0 1\n2 1\n");
  EXPECT_EQ(load(file).graph.transpose(), nullptr);
  const Loaded loaded = load(file, options);
  ASSERT_NE(loaded.graph.transpose(), nullptr);
  EXPECT_EQ(pairs_of(*loaded.graph.transpose()), (std::multiset<std::pair<std::uint64_t, std::uint64_t>>{{1, 0}, {1, 2}}));
  EXPECT_FALSE(load("path:5", options).graph.in.has_value());
}

TEST_F(LoadTest, TextToContainerAndBack) {
  const std::string text = write("e.wel", "0 1 5\n2 1 6\n1 1 7\n2 1 1\n");
  const Loaded first = load(text);
  write_native(first.graph, path("e.grf"), pool);
  LoadOptions options;
  options.check = true;
  options.need_transpose = true;
  const Loaded second = load(path("e.grf"), options);
  EXPECT_EQ(second.format, "native container");
  EXPECT_EQ(second.graph.name, "e");
  EXPECT_EQ(pairs_of(second.graph.out), pairs_of(first.graph.out));
  EXPECT_EQ(second.graph.weight_kind, WeightKind::u32);
  const auto words = [](const Graph& g) {
    return std::vector<std::uint32_t>(g.out.weights.span().begin(), g.out.weights.span().end());
  };
  EXPECT_EQ(words(second.graph), words(first.graph));
  EXPECT_TRUE(second.graph.out.neighbours.in_mapped_file());
  ASSERT_TRUE(second.graph.in.has_value());  // the file held none
  EXPECT_EQ(second.graph.in->num_edges(), 4u);
}

TEST_F(LoadTest, ContainersCanBeSymmetrisedAndThinned) {
  write_native(load(write("e.el", "0 1\n1 2\n2 2\n0 1\n")).graph, path("e.grf"), pool);
  LoadOptions options;
  options.drop_duplicates = true;
  EXPECT_EQ(load(path("e.grf"), options).graph.num_edges(), 3u);
  options.drop_self_loops = true;
  EXPECT_EQ(load(path("e.grf"), options).graph.num_edges(), 2u);
  options.undirected = true;
  const Loaded loaded = load(path("e.grf"), options);
  EXPECT_TRUE(loaded.graph.symmetric);
  EXPECT_EQ(loaded.graph.num_edges(), 4u);
}

TEST_F(LoadTest, ArcsThatAllHaveTheirOppositeMakeASymmetricGraph) {
  EXPECT_TRUE(load(write("e.el", "0 1\n2 2\n1 0\n")).graph.symmetric);
  EXPECT_FALSE(load(write("e.el", "0 1\n1 0\n0 1\n")).graph.symmetric);  // one way twice
  EXPECT_CONTAINS(error_of<DataError>([&] { load(write("e.graph", "3 2\n2 3\n1\n2\n")); }), "listed in one direction only");
}

/// "source>target:weight" of the arcs, the same in memory and in scratch files.
class UndirectedTest : public LoadTest {
 protected:
  std::string arcs(const std::string& file, bool undirected = true, bool drop_duplicates = false) {
    LoadOptions options;
    options.undirected = undirected;
    options.drop_duplicates = drop_duplicates;
    const Graph graph = load_graph(file, options, pool).graph;
    const Workspace space = Workspace::on_disk(directory.string(), 1 << 25);
    EXPECT_EQ(text_of(load_graph(file, options, pool, space).graph), text_of(graph));
    EXPECT_TRUE(graph.symmetric);
    return text_of(graph);
  }
  /// As an edge list it is read as `wanted`, and so it is through every other format; repeating the option adds nothing.
  void expect_everywhere(const std::string& list, const std::string& wanted) {
    const std::string file = write("d.el", list);
    EXPECT_EQ(arcs(file), wanted);
    for (const char* to : {"d.grf", "d.mtx", "d.gr", "d.wsg", "d.bwcsr", "d.bel", "d.csv"}) {
      SCOPED_TRACE(to);
      const bool needs_weights = std::string(to) == "d.wsg" || std::string(to) == "d.bwcsr";
      if (needs_weights && wanted.find(':') == std::string::npos) continue;
      ConvertOptions options;
      if (std::string(to) == "d.gr") options.to = "galois";
      convert_graph(file, path(to), options, pool);
      EXPECT_EQ(arcs(path(to)), wanted);
      options.load.undirected = true;
      convert_graph(file, path(to), options, pool);
      EXPECT_EQ(arcs(path(to)), wanted);
      EXPECT_EQ(arcs(path(to), false), wanted);
      for (const auto& entry : std::filesystem::directory_iterator(directory)) {
        if (entry.path().extension() != ".el") std::filesystem::remove(entry.path());
      }
    }
  }

 private:
  static std::string text_of(const Graph& graph) {
    std::string text;
    for (VertexId v = 0; v < graph.num_vertices(); ++v) {
      for (EdgeId e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; ++e) {
        text += fmt::format("{}{}>{}", text.empty() ? "" : " ", v, graph.out.neighbours[e]);
        if (graph.weight_kind != WeightKind::none) text += fmt::format(":{}", graph.out.weights[e]);
      }
    }
    return text;
  }
};

TEST_F(UndirectedTest, OppositesThatWeighOtherwiseAreNoReasonToIgnoreTheOptionInAnyFormat) {
  expect_everywhere("0 1 3\n1 0 5\n", "0>1:3 0>1:5 1>0:3 1>0:5");
}

TEST_F(UndirectedTest, EdgesListedBothWaysAreNotDoubledInAnyFormat) {
  expect_everywhere("0 1\n1 0\n0 0\n", "0>0 0>1 1>0");
  expect_everywhere("0 1 3\n1 0 3\n1 1 7\n", "0>1:3 1>0:3 1>1:7");
}

TEST_F(UndirectedTest, OneEdgeInOneDirectionMakesEveryArcGetItsOpposite) {
  expect_everywhere("0 1\n1 0\n1 2\n", "0>1 0>1 1>0 1>0 1>2 2>1");
}

TEST_F(UndirectedTest, MatricesFollowTheSameRule) {
  const std::string banner = "%%MatrixMarket matrix coordinate ";
  EXPECT_EQ(arcs(write("g.mtx", banner + "pattern general\n2 2 2\n1 2\n2 1\n")), "0>1 1>0");
  EXPECT_EQ(arcs(write("s.mtx", banner + "pattern symmetric\n2 2 1\n2 1\n")), "0>1 1>0");
  const std::string skew = arcs(write("k.mtx", banner + "real skew-symmetric\n2 2 1\n2 1 1\n"));
  EXPECT_EQ(skew, "0>1:3212836864 0>1:1065353216 1>0:3212836864 1>0:1065353216");  // -1 and 1
  EXPECT_EQ(arcs(write("e.mtx", banner + "pattern general\n3 3 0\n")), "");
  LoadOptions undirected;
  undirected.undirected = true;
  const Workspace space = Workspace::on_disk(directory.string(), 1 << 25);
  EXPECT_EQ(load_graph(path("e.mtx"), undirected, pool, space).graph.num_vertices(), 3u);
  write("e.mtx", banner + "integer general\n0 0 0\n");
  EXPECT_EQ(load_graph(path("e.mtx"), undirected, pool, space).graph.weight_kind, WeightKind::u32);
}

TEST_F(UndirectedTest, DroppingDuplicatesKeepsTheLighterOfTwoDirections) {
  const std::string file = write("d.el", "0 1 3\n1 0 5\n");
  EXPECT_EQ(arcs(file, true, true), "0>1:3 1>0:3");
  convert_graph(file, path("d.grf"), {}, pool);
  EXPECT_EQ(arcs(path("d.grf"), true, true), "0>1:3 1>0:3");
}

TEST_F(UndirectedTest, EdgesOfMetisThatWeighOtherwiseAtTheirOtherEndAreRefused) {
  const std::string text = write("m.graph", "3 2 1\n2 4 3 3\n1 4\n1 5\n");
  EXPECT_CONTAINS(error_of<DataError>([&] { load(text); }),
                  "m.graph: the edge between vertices 1 and 3 weighs 3 in the list of the one and 5 in that of the other");
  EXPECT_EQ(arcs(write("m.graph", "3 2 1\n2 4 3 3\n1 4\n1 3\n")), "0>1:4 0>2:3 1>0:4 2>0:3");
}

std::vector<std::uint64_t> names_of(const Graph& graph) {
  const auto numbers = graph.names.number_column().span();
  return {numbers.begin(), numbers.end()};
}

TEST_F(LoadTest, SparseIdsAreCompacted) {
  const std::string sparse = write("snap.txt", "# Nodes: 3\n1000000\t7\n7\t4000000000\n");
  const Graph graph = load(sparse).graph;
  EXPECT_EQ(graph.num_vertices(), 3u);
  EXPECT_EQ(names_of(graph), (std::vector<std::uint64_t>{7, 1000000, 4000000000}));
  EXPECT_EQ(pairs_of(graph.out), (std::multiset<std::pair<std::uint64_t, std::uint64_t>>{{0, 2}, {1, 0}}));

  LoadOptions keep;
  keep.ids = IdPolicy::keep;
  EXPECT_CONTAINS(error_of<DataError>([&] { load(sparse, keep); }), "too sparse");
  LoadOptions compact;
  compact.ids = IdPolicy::compact;
  const std::string gap = write("gap.txt", "0 1\n1 2\n2 4\n");
  EXPECT_EQ(load(gap).graph.num_vertices(), 5u);  // most ids occur: 3 is a vertex without edges
  EXPECT_TRUE(load(gap).graph.names.are_indices());
  EXPECT_EQ(names_of(load(gap, compact).graph), (std::vector<std::uint64_t>{0, 1, 2, 4}));
  EXPECT_TRUE(load(write("full.txt", "0 1\n1 2\n"), compact).graph.names.are_indices());
}

// MatrixMarket, DIMACS and METIS number vertices from 1, and everything called them from 0.
TEST_F(LoadTest, VerticesAreCalledAsTheFormatNumbersThem) {
  const std::string banner = "%%MatrixMarket matrix coordinate pattern general\n";
  EXPECT_EQ(load(write("a.mtx", banner + "2 2 1\n1 2\n")).graph.names, VertexNames::consecutive(1));
  EXPECT_EQ(load(write("a.gr", "p sp 2 1\na 1 2 7\n")).graph.names, VertexNames::consecutive(1));
  EXPECT_EQ(load(write("a.graph", "2 1\n2\n1\n")).graph.names, VertexNames::consecutive(1));
  EXPECT_TRUE(load(write("a.el", "0 1\n")).graph.names.are_indices());
  EXPECT_TRUE(load("path:3").graph.names.are_indices());

  LoadOptions options;
  options.bipartite = true;  // rows 1 and 2, columns 3 to 5
  const Graph wide = load(write("wide.mtx", banner + "2 3 1\n2 3\n"), options).graph;
  EXPECT_EQ(wide.names.text(1) + ">" + wide.names.text(wide.out.neighbours[0]), "2>5");
  options = {};
  options.relabel = VertexOrder::degree;
  EXPECT_EQ(names_of(load(write("a.mtx", banner + "3 3 2\n3 1\n3 2\n"), options).graph), (std::vector<std::uint64_t>{3, 1, 2}));
}

TEST_F(LoadTest, HubsComeFirstWhenAsked) {
  const std::string file = write("e.el", "0 1\n0 2\n0 3\n3 0\n3 1\n2 0\n");  // out-degrees 3, 0, 1, 2
  LoadOptions options;
  options.hubs_first = true;
  const Graph first = load(file, options).graph;
  EXPECT_EQ(std::vector<VertexId>(first.out.neighbours.span().begin(), first.out.neighbours.span().begin() + 3),
            (std::vector<VertexId>{3, 2, 1}));
  EXPECT_TRUE(first.hub_first);
  options = {};
  options.relabel = VertexOrder::degree;
  const Graph renamed = load(file, options).graph;
  EXPECT_EQ(names_of(renamed), (std::vector<std::uint64_t>{0, 3, 2, 1}));
  EXPECT_EQ(pairs_of(renamed.out),
            (std::multiset<std::pair<std::uint64_t, std::uint64_t>>{{0, 3}, {0, 2}, {0, 1}, {1, 0}, {1, 3}, {2, 0}}));
}

// Sizes, loops, degrees of every real graph as computed by other programs.
TEST_F(LoadTest, RealGraphsHaveTheirKnownSizes) {
  constexpr std::uint64_t kMostSanitizedArcs = 100'000;
  const auto datasets = shared_datasets();
  if (!datasets) GTEST_SKIP() << "the shared datasets are not here (GRAPHRUN_SHARED)";
  int graphs = 0;
  for (const auto& file : std::filesystem::directory_iterator(*datasets / "truth")) {
    if (file.path().extension() != ".json") continue;
    const auto truth = nlohmann::json::parse(std::ifstream(file.path()));
    SCOPED_TRACE(truth["name"].get<std::string>());
    if (kSanitized && truth["m"].get<std::uint64_t>() > kMostSanitizedArcs) continue;
    LoadOptions options;
    options.bipartite = truth["bipartite"].get<bool>();
    const Loaded loaded = load((*datasets / "suitesparse" / truth["file"].get<std::string>()).string(), options);
    const Graph& graph = loaded.graph;
    EXPECT_EQ(graph.name, truth["name"].get<std::string>());
    EXPECT_EQ(graph.num_vertices(), truth["n"].get<std::uint64_t>());
    EXPECT_EQ(graph.num_edges(), truth["m"].get<std::uint64_t>());
    // A general matrix may have its opposites, too.
    EXPECT_TRUE(graph.symmetric || truth["symmetry"] == "general");
    EXPECT_EQ(graph.weight_kind == WeightKind::none, truth["field"] == "pattern");
    const ListStatistics lists = examine_lists(graph.out, pool);
    EXPECT_EQ(lists.self_loops, truth["self_loops"].get<std::uint64_t>());
    EXPECT_EQ(lists.duplicates, truth["duplicates"].get<std::uint64_t>());
    EXPECT_EQ(lists.max_degree, truth["max_out_degree"].get<std::uint64_t>());
    EXPECT_EQ(lists.empty_lists, truth["zero_out_degree"].get<std::uint64_t>());
    EXPECT_EQ(count_isolated(graph, pool), truth["isolated"].get<std::uint64_t>());
    const VertexId hub = max_degree_vertex(graph.out, pool);
    EXPECT_EQ(hub, truth["source"].get<std::uint64_t>());
    EXPECT_EQ(graph.out.degree(hub), truth["max_out_degree"].get<std::uint64_t>());
    ++graphs;
  }
  EXPECT_GE(graphs, kSanitized ? 30 : 60);
}

}  // namespace
}  // namespace graphrun::test
