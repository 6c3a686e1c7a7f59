// SPDX-License-Identifier: Apache-2.0
// Vertices and edges that no line of a list names, or several do: what becomes of them, and that it is said.
#include <fmt/format.h>

#include "graphrun/graph/build.hpp"
#include "graphrun/io/convert.hpp"
#include "graphrun/io/estimate.hpp"
#include "graphrun/io/load.hpp"
#include "io/io_fixture.hpp"

namespace graphrun::test {
namespace {

class VerticesTest : public IoTest {
 protected:
  /// Read in memory and through scratch files.
  Graph load(const std::string& spec, const LoadOptions& options = {}) {
    const Workspace space = Workspace::on_disk(directory.string(), std::uint64_t{1} << 20);
    Graph graph = load_graph(spec, options, pool).graph;
    const Graph other = load_graph(spec, options, pool, space).graph;
    EXPECT_EQ(text_of(other), text_of(graph));
    EXPECT_EQ(other.names, graph.names);
    EXPECT_EQ(other.assumptions, graph.assumptions);
    return graph;
  }
  Graph read_list(const std::string& content, const LoadOptions& options = {}) { return load(write("g.el", content), options); }

  /// "VERTICES: U>V:WEIGHT ..." by names.
  static std::string text_of(const Graph& graph) {
    std::string text = fmt::format("{}:", graph.num_vertices());
    for (VertexId v = 0; v < graph.num_vertices(); ++v) {
      for (EdgeId e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; ++e) {
        text += fmt::format(" {}>{}", graph.names.text(v), graph.names.text(graph.out.neighbours[e]));
        if (graph.weight_kind == WeightKind::u32) text += fmt::format(":{}", graph.out.weights[e]);
        if (graph.weight_kind == WeightKind::f32) text += fmt::format(":{}", std::bit_cast<float>(graph.out.weights[e]));
      }
    }
    return text;
  }
  static std::string said(const Graph& graph) { return fmt::format("{}", fmt::join(graph.assumptions, "\n")); }
  static LoadOptions ids(IdPolicy policy) {
    LoadOptions options;
    options.ids = policy;
    return options;
  }
  static LoadOptions vertices(std::uint64_t count) {
    LoadOptions options;
    options.num_vertices = count;
    return options;
  }
  static LoadOptions merging(MergeRule rule, bool undirected = false) {
    LoadOptions options;
    options.merge = rule;
    options.undirected = undirected;
    return options;
  }
  std::string written(const Graph& graph, const std::string& to) {
    write_native(graph, path("w.grf"), pool);
    convert_graph(path("w.grf"), path("w." + to), {}, pool);
    return path("w." + to);
  }
};

// Vertex 0 was there, in a component of its own.
TEST_F(VerticesTest, ListsThatCountFrom1HaveNoVertex0) {
  const Graph graph = read_list("1 2\n2 3\n3 1\n");
  EXPECT_EQ(text_of(graph), "3: 1>2 2>3 3>1");
  EXPECT_EQ(graph.names, VertexNames::consecutive(1));
  EXPECT_CONTAINS(said(graph), "no line names 0, so the vertices are 1 to 3: --vertices keep makes 0 one, too");
  const Graph kept = read_list("1 2\n2 3\n3 1\n", ids(IdPolicy::keep));
  EXPECT_EQ(kept.num_vertices(), 4u);
  EXPECT_EQ(said(kept), "");
  EXPECT_EQ(said(read_list("0 1\n1 2\n")), "");
}

// (n + 1) * 8 wrapped in the allocation and in the estimate, and the program ended in SIGSEGV.
TEST_F(VerticesTest, MoreVerticesThanThereCanBeWereAskedFor) {
  const std::string file = write("g.el", "1 2\n");
  for (const std::uint64_t count : {~std::uint64_t{0}, ~std::uint64_t{0} >> 3, (std::uint64_t{1} << 48) + 1}) {
    EXPECT_CONTAINS(error_of<UsageError>([&] { load_graph(file, vertices(count), pool); }), "--num-vertices");
    EXPECT_GE(estimate_load(file, vertices(count)).held_bytes, std::uint64_t{1} << 51);
  }
}

// Of ids that 32 bits cannot name nothing was said.
TEST_F(VerticesTest, CompactedIdsOf64BitsAreSaid) {
  const Graph graph = read_list("4294967296 7\n1 2\n3 4\n");
  EXPECT_EQ(text_of(graph), "6: 1>2 3>4 4294967296>7");
  EXPECT_CONTAINS(said(graph), "ids go up to 4294967296, and only the 6 that lines name are vertices: --vertices ");
  EXPECT_EQ(said(read_list("4294967296 7\n1 2\n3 4\n", ids(IdPolicy::compact))), "");
}

// The message offered what --num-vertices forbids.
TEST_F(VerticesTest, AdviceBesideNumVerticesCanBeFollowed) {
  const auto fault = [&](const std::string& content) {
    return error_of<DataError>([&] { load_graph(write("g.csv", content), vertices(10), pool); });
  };
  EXPECT_CONTAINS(fault("ann,bob\n"), "expected a vertex id, found 'ann' (without --num-vertices it may be a name)");
  if (kVertexBits == 64) return;
  EXPECT_CONTAINS(fault("4294967296,1\n"), "and --num-vertices 10 is for ids below it");
  EXPECT_CONTAINS(error_of<WideIdsError>([&] { load_graph(path("g.csv"), vertices(5'000'000'000), pool); }), "ids of 64 bits");
}

TEST_F(VerticesTest, IdsThatNoLineNamesAreSaid) {
  const Graph graph = read_list("0 1\n1 2\n2 5\n");
  EXPECT_EQ(text_of(graph), "6: 0>1 1>2 2>5");
  EXPECT_CONTAINS(said(graph), "no line names 2 of the vertices 0 to 5, which have no edges: --vertices compact leaves them out");
  EXPECT_EQ(text_of(read_list("0 1\n1 2\n2 5\n", ids(IdPolicy::compact))), "4: 0>1 1>2 2>5");
  EXPECT_CONTAINS(said(read_list("3 4\n4 90\n")), "ids go up to 90, and only the 3 that lines name are vertices");
  EXPECT_EQ(read_list("7 8\n8 9\n", ids(IdPolicy::compact)).names, VertexNames::consecutive(7));
}

TEST_F(VerticesTest, IsolatedVerticesAreGivenByTheirNumber) {
  const Graph graph = read_list("0 1\n1 2\n", vertices(5));
  EXPECT_EQ(text_of(graph), "5: 0>1 1>2");
  EXPECT_EQ(said(graph), "");
  EXPECT_EQ(text_of(read_list("# none\n", vertices(2))), "2:");
  EXPECT_CONTAINS(error_of<DataError>([&] { read_list("0 1\n1 5\n", vertices(5)); }),
                  "ids go up to 5, and --num-vertices 5 is for those below 5");
  LoadOptions compact = vertices(5);
  compact.ids = IdPolicy::compact;
  EXPECT_CONTAINS(error_of<UsageError>([&] { read_list("0 1\n", compact); }), "leave one of them out");
  EXPECT_CONTAINS(said(load(write("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"), vertices(5))),
                  "--num-vertices has no effect");
}

TEST_F(VerticesTest, CommentsOfSnapThatDisagreeWithTheLinesAreSaid) {
  const auto commented = [&](const char* counts) { return said(read_list(std::string("# Nodes: ") + counts + "\n0 1\n1 2\n")); };
  EXPECT_EQ(commented("3 Edges: 2"), "");
  EXPECT_CONTAINS(commented("5 Edges: 2"), "its comment says that it has 5 vertices, and lines name 3: --num-vertices N");
  EXPECT_CONTAINS(commented("3 Edges: 9"), "its comment says that it has 9 edges, and 2 lines have one: it may be cut off");
}

TEST_F(VerticesTest, ParallelEdgesAreSaidAndMerged) {
  const std::string list = "0 1 5\n0 1 3\n1 0 4\n0 1 9\n1 2 1\n";
  EXPECT_CONTAINS(said(read_list(list)),
                  "2 of 5 edges are parallel to another, of the same source and target: --merge min, max, sum or first");
  EXPECT_EQ(text_of(read_list(list, merging(MergeRule::min))), "3: 0>1:3 1>0:4 1>2:1");
  EXPECT_EQ(text_of(read_list(list, merging(MergeRule::max))), "3: 0>1:9 1>0:4 1>2:1");
  EXPECT_EQ(text_of(read_list(list, merging(MergeRule::sum))), "3: 0>1:17 1>0:4 1>2:1");
  EXPECT_EQ(text_of(read_list(list, merging(MergeRule::first))), "3: 0>1:5 1>0:4 1>2:1");
  EXPECT_EQ(said(read_list(list, merging(MergeRule::sum))), "");
  LoadOptions both = merging(MergeRule::sum);
  both.drop_duplicates = true;
  EXPECT_CONTAINS(error_of<UsageError>([&] { read_list(list, both); }),
                  "--drop-duplicates is --merge min: leave it out, or --merge sum");
}

// Its four arcs were counted as four paths by bc, and nothing was said.
TEST_F(VerticesTest, OppositesThatAreListedWithOtherWeightsBecomeParallelEdges) {
  EXPECT_CONTAINS(said(read_list("0 1 3\n1 0 5\n", merging(MergeRule::keep, true))),
                  "with --undirected also those that are listed in both directions");
  EXPECT_EQ(text_of(read_list("0 1 3\n1 0 5\n", merging(MergeRule::first, true))), "2: 0>1:3 1>0:3");
  EXPECT_EQ(text_of(read_list("0 1 3\n1 0 5\n", merging(MergeRule::sum, true))), "2: 0>1:8 1>0:8");
  EXPECT_EQ(said(read_list("0 1 3\n1 0 3\n", merging(MergeRule::keep, true))), "");
  const Graph directed = read_list("0 1 3\n1 0 5\n");
  write_native(directed, path("d.grf"), pool);
  EXPECT_CONTAINS(said(load(path("d.grf"), merging(MergeRule::keep, true))), "2 of 4 edges are parallel");
}

TEST_F(VerticesTest, SumsBeyondTheirKindAreRefused) {
  const std::string list = "0 1 4294967295\n0 1 1\n";
  EXPECT_CONTAINS(error_of<DataError>([&] { read_list(list, merging(MergeRule::sum)); }), "--float-weights");
  LoadOptions floats = merging(MergeRule::sum);
  floats.float_weights = true;
  EXPECT_EQ(text_of(read_list(list, floats)), "2: 0>1:4294967300");
}

// z.csv "holds no edges", z.el "is empty": what graphconv wrote could not be read again.
TEST_F(VerticesTest, EmptyListsThatWereWrittenAreReadAgain) {
  const Graph empty = load(write("z.mtx", "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n"));
  for (const char* to : {"el", "csv"}) {
    const Graph again = load(written(empty, to));
    EXPECT_EQ(text_of(again), "0:") << to;
    EXPECT_CONTAINS(said(again), "holds no edges: it is read as a graph without vertices");
  }
  EXPECT_CONTAINS(error_of<DataError>([&] { load(write("zero.el", "")); }), "is empty");
}

TEST_F(VerticesTest, ListsThatWereWrittenAreTheSameGraph) {
  const Graph matrix =
      load(write("a.mtx", "%%MatrixMarket matrix coordinate integer general\n4 4 4\n1 2 7\n2 3 1\n3 4 2\n4 1 2\n"));
  for (const char* to : {"el", "csv"}) {
    const Graph again = load(written(matrix, to));
    EXPECT_EQ(text_of(again), text_of(matrix)) << to;
    EXPECT_EQ(again.names, matrix.names) << to;
  }
  const Graph tail = read_list("0 1\n", vertices(4));
  EXPECT_EQ(text_of(load(written(tail, "el"), vertices(4))), text_of(tail));
}

TEST_F(VerticesTest, LinesThatEndAsOnOldMacsAreNamed) {
  EXPECT_CONTAINS(error_of<DataError>([&] { load(write("mac.el", "1 2\r2 3\r3 4\r")); }),
                  "ends lines with a carriage return alone");
  EXPECT_EQ(text_of(read_list("0 1\r\n1 2\r\n")), "3: 0>1 1>2");
}

TEST_F(VerticesTest, FilesThatAreMissingWereTakenForGenerators) {
  EXPECT_CONTAINS(error_of<DataError>([&] { load("data:2020.txt"); }), "cannot open data:2020.txt");
  EXPECT_CONTAINS(error_of<UsageError>([&] { load("kronn:10"); }), "names no generator");
}

TEST_F(VerticesTest, LinesWithQuotesThatDoNotCloseAreShown) {
  EXPECT_CONTAINS(error_of<DataError>([&] { load(write("g.json", "{\"directed\": true, \"edges\": [[0,1]]}\n")); }),
                  "its line 1 reads '{\"directed\":' 'true,' '\"edges\":' '[[0,1]]}'");
}

}  // namespace
}  // namespace graphrun::test
