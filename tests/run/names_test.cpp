// SPDX-License-Identifier: Apache-2.0
// Vertices are called as the input calls them, wherever a user types or reads one.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "graphrun/io/readers.hpp"
#include "graphrun/run/run.hpp"
#include "run/cli.hpp"
#include "support/refusal.hpp"
#include "support/shapes.hpp"

namespace graphrun::test {
namespace {

class Names : public CliTest {
 protected:
  /// 1 -> 2 -> 3 -> 4.
  std::string matrix() const {
    return write("path.mtx", "%%MatrixMarket matrix coordinate integer general\n4 4 3\n1 2 5\n2 3 5\n3 4 5\n");
  }
  std::string road() const { return write("path.gr", "p sp 4 3\na 1 2 5\na 2 3 5\na 3 4 5\n"); }
  /// The same both ways.
  std::string mesh() const { return write("path.graph", "4 3\n2\n1 3\n2 4\n3\n"); }
  /// 700 -> 20 -> 9000000000.
  std::string sparse() const { return write("sparse.el", "700 20\n20 4000000000\n"); }

  /// A container of a path whose vertices are called so.
  std::string spelled(const std::vector<std::string>& names) const {
    std::vector<std::pair<VertexId, VertexId>> arcs;
    for (VertexId v = 1; v < names.size(); ++v) arcs.emplace_back(v - 1, v);
    Graph graph = directed_graph("spelled", static_cast<VertexId>(names.size()), arcs);
    auto offsets = Column<std::uint64_t>::allocate(names.size() + 1);
    std::string all;
    for (std::size_t v = 0; v < names.size(); ++v) {
      all += names[v];
      offsets[v + 1] = all.size();
    }
    auto bytes = Column<char>::allocate(all.size());
    std::copy(all.begin(), all.end(), bytes.data());
    graph.names = VertexNames::strings(offsets, bytes);
    ThreadPool pool(1);
    write_native(graph, path("spelled.grf"), pool);
    return path("spelled.grf");
  }

  std::string values(const std::string& arguments, const std::string& file = "v.csv") const {
    const Said said = graphrun(arguments + " --quiet --verify --output '" + path(file) + "'");
    EXPECT_EQ(said.code, 0) << said.err;
    return contents(path(file));
  }
};

// Names with blanks were written between blanks, and names that are no numbers as LDBC Graphalytics' numbers.
TEST_F(Names, AFormThatCannotHoldThemIsRefusedBeforeTheRun) {
  const auto refused = [&](const std::string& edges, const std::string& file, const std::string& why) {
    expect_error("--graph " + write("g.csv", edges) + " --algo cc --output " + path(file), 2, why);
    EXPECT_FALSE(std::filesystem::exists(path(file)));
  };
  refused("a b,c\nc,d\n", "v.txt", "v.txt takes names without blanks, and vertex 'a b' has another: write .csv");
  refused("a b,c\nc,d\n", "v.txt.gz", "takes names without blanks");
  refused("1x,2\n2,3\n", "v.graphalytics", "takes whole numbers as names, and vertex '1x' has another");
  EXPECT_EQ(values("--graph " + write("g.csv", "a,c\nc,d\n") + " --algo bfs --source a", "v.txt"), "a 0\nc 1\nd 2\n");
}

class WrittenByPrograms : public Names {
 protected:
  static RunResult answer_of(const std::string& graph, const std::string& algorithm) {
    RunOptions options;
    options.graph = graph;
    options.device = "cpu";
    set_option(options, "algo", algorithm);
    return run(resolve(options));
  }
  std::string refusal_of(const RunResult& result, const std::string& column, const std::string& file) const {
    const std::string said = test::refusal([&] { write_output(result, column, path(file)); });
    EXPECT_FALSE(std::filesystem::exists(path(file)));
    return said;
  }
};

// All columns were written in its place.
TEST_F(WrittenByPrograms, TheNameOfNoColumnIsRefused) {
  const RunResult result = answer_of("path:2", "bfs");
  EXPECT_EQ(refusal_of(result, "levels", "v.csv"), "the answer has no column 'levels': it has level, parent");
  EXPECT_EQ(refusal_of(answer_of("path:2", "walks"), "walk", "v.csv"), "the answer has no column 'walk': it has visit");
  write_output(result, "parent", path("v.csv"));
  EXPECT_EQ(contents(path("v.csv")), "vertex,parent\n0,0\n1,0\n");
  write_output(result, "", path("v.csv"));
  EXPECT_EQ(contents(path("v.csv")), "vertex,level,parent\n0,0,0\n1,1,0\n");
}

TEST_F(WrittenByPrograms, ANameThatTheFormCannotHoldIsRefused) {
  const RunResult result = answer_of(write("g.csv", "a,b c\n"), "cc");
  EXPECT_NE(refusal_of(result, "", "v.txt").find("v.txt takes names without blanks, and vertex 'b c'"), std::string::npos);
}

// Only the first column was written.
TEST_F(Names, TablesHaveAllColumns) {
  const std::string run = "--graph '" + write("g.csv", "a,b,5\nb,c,7\n") + "' --undirected --algo msf --weights file";
  EXPECT_EQ(values(run), "vertex,parent,component,weight\na,a,a,0\nb,a,a,5\nc,b,a,7\n");
  EXPECT_EQ(values(run, "v.tsv"), "vertex\tparent\tcomponent\tweight\na\ta\ta\t0\nb\ta\ta\t5\nc\tb\ta\t7\n");
  EXPECT_EQ(values(run, "v.txt"), "a a\nb a\nc b\n");
}

// --source 1 began at vertex 2 of the file, and --source 4 was refused.
TEST_F(Names, SourceOfAOneBasedFile) {
  for (const std::string& graph : {matrix(), road()}) {
    const auto first = json_of("--graph " + graph + " --algo bfs --source 1 --verify");
    EXPECT_EQ(first["result"]["reached"], 4);
    EXPECT_EQ(first["trials"][0]["source"], 0);
    EXPECT_EQ(first["trials"][0]["source_label"], 1);
    EXPECT_EQ(json_of("--graph " + graph + " --algo bfs --source 4 --verify")["result"]["reached"], 1);
    expect_error("--graph " + graph + " --algo bfs --source 0", 2, "0 is not a vertex: the graph has vertices 1 to 4");
    EXPECT_EQ(json_of("--graph " + graph + " --algo bfs --source index:0")["trials"][0]["source_label"], 1);
    expect_error("--graph " + graph + " --algo bfs --source index:4", 2, "index:0 to index:3");
    expect_error("--graph " + graph + " --algo bfs --source index:one", 2, "--source index:N must be a whole number");
  }
  EXPECT_EQ(values("--graph " + mesh() + " --algo bfs --source 4"), "vertex,level\n1,3\n2,2\n3,1\n4,0\n");
}

TEST_F(Names, GeneratorsCountFromZero) {
  EXPECT_EQ(values("--graph path:3 --algo bfs --source 0", "v.txt"), "0\n1\n2\n");
  EXPECT_EQ(json_of("--graph path:3 --algo bfs --source 2")["trials"][0]["source"], 2);
}

TEST_F(Names, OfAOneBasedFileStayInAContainer) {
  ASSERT_EQ(graphconv("'" + matrix() + "' '" + path("g.grf") + "'").code, 0);
  EXPECT_EQ(values("--graph " + path("g.grf") + " --algo bfs --source 3"), "vertex,level\n1,\n2,\n3,0\n4,1\n");
  ASSERT_EQ(graphconv("'" + path("g.grf") + "' '" + path("d.grf") + "' --relabel degree").code, 0);
  const std::string trusted = "--graph " + path("d.grf") + " --algo bfs --source 3 --trust-file --backend bam";
  EXPECT_EQ(values(trusted, "v.txt"), "1 -1\n2 -1\n3 0\n4 1\n");
  EXPECT_EQ(json_of(trusted)["graph"]["labelled"], true);
}

TEST_F(Names, InTheTableAndTheDigest) {
  const Said said = graphrun("--graph " + matrix() + " --algo bfs --source 2 --quiet");
  EXPECT_NE(said.out.find("names      vertices are numbered from 1 on"), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("digest     source 2, reached 3"), std::string::npos) << said.out;
  const auto top = json_of("--graph " + matrix() + " --algo pagerank")["result"]["top"][0];
  EXPECT_EQ(top["vertex"], 3);
  EXPECT_EQ(top["label"], 4);
}

// "the edge from 0 to 1" of a file that has vertices 1 and 2.
TEST_F(Names, InRefusals) {
  const std::string graph = write("neg.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -1.5\n");
  expect_error("--graph " + graph + " --algo sssp --source 1", 2, "the edge from 1 to 2 has weight -1.5");
  expect_error("--graph " + sparse() + " --algo bfs --source 0", 2, "0 is not a vertex: the input has none of that name");
  expect_error("--graph " + sparse() + " --algo bfs --source Bern", 2, "'Bern' is not a vertex");
  const Said info = graphconv("info '" + matrix() + "'");
  EXPECT_NE(info.out.find("1 (vertex 1)"), std::string::npos) << info.out;
}

TEST_F(Names, OfParentsAndComponents) {
  EXPECT_EQ(values("--graph " + sparse() + " --algo bfs --source 700 --parents"),
            "vertex,parent\n20,700\n700,700\n4000000000,20\n");
  EXPECT_EQ(values("--graph " + matrix() + " --algo bfs --source 3 --parents", "v.txt"), "1 -1\n2 -1\n3 3\n4 3\n");
  const std::string components = values("--graph " + write("two.el", "10 2000\n77 88\n") + " --algo cc");
  EXPECT_EQ(components, "vertex,component\n10,10\n77,77\n88,77\n2000,10\n");
}

TEST_F(Names, ValuesGoToStandardOutputAndTheTableAside) {
  for (const std::string quiet : {"", " --quiet"}) {
    const Said said = graphrun("--graph path:3 --algo bfs --source 0 --output -" + quiet);
    EXPECT_EQ(said.code, 0);
    EXPECT_EQ(said.out, "vertex,level\n0,0\n1,1\n2,2\n");
    EXPECT_EQ(said.err.find("digest") != std::string::npos, quiet.empty()) << said.err;
  }
  EXPECT_EQ(graphrun("--graph path:3 --algo bfs --output - --quiet --json '" + path("r.json") + "'").code, 0);
  EXPECT_TRUE(nlohmann::json::accept(contents(path("r.json"))));
  expect_error("--graph path:3 --algo bfs --output - --json -", 2, "both write to standard output");
}

TEST_F(Names, OfIdsThatPandasWroteAsFloats) {
  const std::string graph = write("f.csv", "src,dst\n1.0,2\n2.0,3\n3.0,1\n");
  EXPECT_EQ(values("--graph " + graph + " --algo bfs --vertices compact --source 1.0"), "vertex,level\n1,0\n2,1\n3,2\n");
}

TEST_F(Names, OfRestarts) {
  EXPECT_EQ(json_of("--graph " + sparse() + " --algo pagerank --verify --source 700,4000000000")["chosen"]["restart_vertices"],
            2);
  const std::string graph = "--graph " + spelled({"Bern", "St. Gallen", "7", "a,b"}) + " --algo pagerank --verify --source ";
  EXPECT_EQ(json_of(graph + "a,b")["chosen"]["restart_vertices"], 1) << "the name of one vertex";
  EXPECT_EQ(json_of(graph + "'7,St. Gallen,Bern'")["chosen"]["restart_vertices"], 3);
  expect_error(graph + "'Bern,Basel'", 2, "Basel is not a vertex");
  EXPECT_EQ(json_of(graph + "'\"a,b\",Bern'")["chosen"]["restart_vertices"], 2);
  EXPECT_EQ(json_of(graph + "'\"a,b\"'")["chosen"]["restart_vertices"], 1);
  EXPECT_EQ(json_of(graph + "'\"St. Gallen\"'")["chosen"]["restart_vertices"], 1) << "one quoted name was refused";
  expect_error(graph + "'\"a,b,Bern'", 2, "the quotes in '\"a,b,Bern' do not enclose names");
  expect_error(graph + "'\"a,b\",'", 2, "--source has an empty name");
}

TEST_F(Names, ThatAreStrings) {
  const std::string graph = spelled({"Bern", "St. Gallen", "7", "a \"b\", c"});
  EXPECT_EQ(values("--graph " + graph + " --algo bfs --source 'St. Gallen' --parents"),
            "vertex,parent\nBern,\nSt. Gallen,St. Gallen\n7,St. Gallen\n\"a \"\"b\"\", c\",7\n");
  EXPECT_EQ(values("--graph " + graph + " --algo bfs --source 7"),
            "vertex,level\nBern,\nSt. Gallen,\n7,0\n\"a \"\"b\"\", c\",1\n");
  for (const char* backend : {"bam", "subway", "gpuvm"}) {
    const auto trial = json_of("--graph " + graph + " --algo bfs --source Bern --verify --backend " + backend)["trials"][0];
    EXPECT_EQ(trial["source_label"], "Bern");
    EXPECT_EQ(trial["source"], 0);
  }
  expect_error("--graph " + graph + " --algo bfs --source bern", 2, "bern is not a vertex: the input has none of that name");
}

TEST_F(Names, ThatAreReservedWordsAreReachedByIndex) {
  const std::string graph = spelled({"hub", "max-degree"});
  EXPECT_EQ(json_of("--graph " + graph + " --algo bfs --source max-degree")["trials"][0]["source_label"], "hub");
  EXPECT_EQ(json_of("--graph " + graph + " --algo bfs --source index:1")["trials"][0]["source_label"], "max-degree");
}

TEST_F(Names, WithBlanksNeedCsv) {
  const std::string graph = spelled({"New York", "#9", "x;y"});
  EXPECT_EQ(graphconv("'" + graph + "' '" + path("out.csv") + "'").code, 0);
  EXPECT_EQ(contents(path("out.csv")), "source,target\nNew York,\"#9\"\n\"#9\",\"x;y\"\n");
  expect_graphconv_error("'" + graph + "' '" + path("out.el") + "'", 2, "write CSV");
}

TEST_F(Names, ThatAreDamagedAreFoundOrLeftOut) {
  const std::string graph = spelled({"aa", "bb", "cc"});
  std::string bytes = contents(graph);
  const std::size_t offsets = bytes.find(std::string("\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\4", 17));
  ASSERT_NE(offsets, std::string::npos);
  bytes[offsets + 14] = '\x7f';  // vertex 0 ends, and vertex 1 begins, far away
  write("spelled.grf", bytes);
  expect_graphconv_error("check '" + graph + "'", 1, "checksum");
  EXPECT_EQ(values("--graph " + graph + " --algo bfs --source cc --trust-file"), "vertex,level\nindex:0,\nindex:1,\ncc,0\n");
}

// There was no way out to an edge list.
TEST_F(Names, SurviveAnEdgeListAndBack) {
  for (const std::string& graph : {matrix(), sparse(), mesh()}) {
    for (const std::string name : {"out.el", "out.mtx"}) {
      if (graph == sparse() && name == "out.mtx") continue;
      const Said said = graphconv("'" + graph + "' '" + path(name) + "'");
      ASSERT_EQ(said.code, 0) << said.err;
      // Of the list whose ids are far apart a warning says so.
      EXPECT_EQ(said.err.find("[W]") != std::string::npos, graph == sparse()) << said.err;
      ASSERT_EQ(graphconv("'" + path(name) + "' '" + path("again.grf") + "' --vertices compact").code, 0);
      ASSERT_EQ(graphconv("'" + graph + "' '" + path("once.grf") + "'").code, 0);
      const std::string search = " --algo bfs --parents --source " + std::string(graph == sparse() ? "20" : "2");
      EXPECT_EQ(values("--graph " + path("again.grf") + search), values("--graph " + path("once.grf") + search)) << graph;
    }
  }
  ASSERT_EQ(graphconv("'" + matrix() + "' '" + path("w.csv") + "'").code, 0);
  EXPECT_EQ(contents(path("w.csv")), "source,target,weight\n1,2,5\n2,3,5\n3,4,5\n");
  ASSERT_EQ(graphconv("'" + mesh() + "' '" + path("mesh") + "' --to el").code, 0);
  EXPECT_EQ(contents(path("mesh")), "1 2\n2 1\n2 3\n3 2\n3 4\n4 3\n");
  ASSERT_EQ(graphconv("path:2 '" + path("u.wel") + "' --weights unit").code, 0);
  EXPECT_EQ(contents(path("u.wel")), "0 1 1\n1 0 1\n");
}

// Numbers from 1 are what MatrixMarket holds: nothing is lost.
TEST_F(Names, OtherFormatsSayWhatBecomesOfNames) {
  EXPECT_EQ(graphconv("'" + mesh() + "' '" + path("a.mtx") + "'").err, "");
  EXPECT_NE(graphconv("'" + mesh() + "' '" + path("a.sg") + "'").err.find("numbers vertices from 0 on, the input from 1"),
            std::string::npos);
  EXPECT_NE(graphconv("'" + sparse() + "' '" + path("a.mtx") + "'").err.find("numbered 1 to 3"), std::string::npos);
}

}  // namespace
}  // namespace graphrun::test
