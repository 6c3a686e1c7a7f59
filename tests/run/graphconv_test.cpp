// SPDX-License-Identifier: Apache-2.0
// Every option of graphconv by its effect, and what info and check print.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "graphrun/core/types.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/io/load.hpp"
#include "graphrun/run/session.hpp"
#include "run/cli.hpp"

namespace graphrun::test {
namespace {

namespace fs = std::filesystem;

// Out-degrees 3, 0, 1, 2, 0; a self loop and, with other weights, a parallel arc.
constexpr const char* kArcs = "0 3 4\n0 1 6\n0 1 5\n2 2 7\n3 0 8\n3 1 9\n4 4 1\n";

class Graphconv : public CliTest {
 protected:
  /// Converts and says what is in the container that comes out, as "source>target:weight" in the order of the lists.
  std::string converted(const std::string& input, const std::string& options = "") const {
    convert(input, "out.grf", options);
    return arcs_of(load("out.grf"));
  }
  void convert(const std::string& input, const std::string& output, const std::string& options = "") const {
    const Said said = graphconv(fmt::format("'{}' '{}' {}", input, path(output), options));
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(said.out, "");
  }
  Graph load(const std::string& name) const {
    ThreadPool pool(1);
    LoadOptions options;
    options.check = true;
    return load_graph(path(name), options, pool).graph;
  }
  static std::string arcs_of(const Graph& graph) {
    std::string text;
    for (VertexId v = 0; v < graph.num_vertices(); ++v) {
      for (EdgeId e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; ++e) {
        text += fmt::format("{}{}>{}", text.empty() ? "" : " ", v, graph.out.neighbours[e]);
        if (graph.weight_kind == WeightKind::u32) text += fmt::format(":{}", graph.out.weights[e]);
        if (graph.weight_kind == WeightKind::f32) text += fmt::format(":{}", std::bit_cast<float>(graph.out.weights[e]));
      }
    }
    return text;
  }
  /// Returns the text after `name` in a line of graphconv info.
  static std::string value(const std::string& info, const std::string& name) {
    std::istringstream lines(info);
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind(name + " ", 0) == 0) return line.substr(line.find_first_not_of(' ', name.size()));
    }
    return "no line of " + name;
  }
};

TEST_F(Graphconv, PlainConversion) {
  EXPECT_EQ(converted(write("g.wel", kArcs)), "0>1:5 0>1:6 0>3:4 2>2:7 3>0:8 3>1:9 4>4:1");
  EXPECT_EQ(converted("path:3"), "0>1 1>0 1>2 2>1");
  EXPECT_EQ(graphconv("path:3 '" + path("p.grf") + "'").err, "");
}

TEST_F(Graphconv, TextGoesToStandardOutput) {
  EXPECT_EQ(graphconv("path:3 - --to el").out, "0 1\n1 0\n1 2\n2 1\n");
  EXPECT_EQ(graphconv("path:2 - --to CSV | cat").out, "source,target\n0,1\n1,0\n");
  write("log", "before\n");
  graphconv("path:2 - --to el >> '" + path("log") + "'");
  EXPECT_EQ(contents(path("log")), "before\n0 1\n1 0\n") << "a file that it leads to is not replaced";
  expect_graphconv_error("path:3 -", 2, "say --to el, wel, csv or mtx");
  expect_graphconv_error("path:3 - --to grf", 2, "grf is binary and goes to a file");
}

TEST_F(Graphconv, Format) {
  const std::string either = write("either.txt", "3 3\n2 3\n1 3\n1 2\n");
  expect_graphconv_error("'" + either + "' '" + path("out.grf") + "'", 1, "say --format metis or --format el");
  EXPECT_EQ(converted(either, "--format el --columns 1,2"), "0>1 0>2 1>2 2>2");
  EXPECT_EQ(converted(either, "--format metis"), "0>1 0>2 1>0 1>2 2>0 2>1");
  ASSERT_EQ(graphconv("kron:6 '" + path("k.bin") + "'").code, 0);
  EXPECT_NE(graphconv("info '" + path("k.bin") + "'").out.find("GBBS"), std::string::npos);
  convert(write("g.wel", kArcs), "g.gunrock");
  EXPECT_EQ(converted(path("g.gunrock"), "--format gunrock"), "0>1:5 0>1:6 0>3:4 2>2:7 3>0:8 3>1:9 4>4:1");
}

TEST_F(Graphconv, Bipartite) {
  const std::string matrix = write("wide.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n");
  EXPECT_EQ(converted(matrix, "--bipartite"), "0>4 1>2");
}

TEST_F(Graphconv, Ids) {
  const std::string gaps = write("gaps.el", "0 1\n1 2\n2 4\n");
  EXPECT_EQ(converted(gaps), "0>1 1>2 2>4");
  EXPECT_EQ(converted(gaps, "--vertices compact"), "0>1 1>2 2>3");
  EXPECT_EQ(load("out.grf").names.number(3), 4u);
  const std::string sparse = write("sparse.el", "100 900\n900 500\n");
  EXPECT_EQ(converted(sparse), "0>2 2>1");
  EXPECT_EQ(converted(sparse, "--vertices auto"), "0>2 2>1");
  EXPECT_EQ(converted(sparse, "--vertices keep"), "100>900 900>500");
}

TEST_F(Graphconv, FloatWeights) {
  convert(write("g.wel", "0 1 0.5\n1 2 -2\n"), "g.galois");
  EXPECT_EQ(converted(path("g.galois"), "--float-weights"), "0>1:0.5 1>2:-2");
  EXPECT_EQ(converted(path("g.galois")), "0>1:1056964608 1>2:3221225472");
}

TEST_F(Graphconv, RawOffsets) {
  convert(write("g.wel", kArcs), "g.bel", "--raw-offset 4KiB");
  EXPECT_EQ(fs::file_size(path("g.bel.dst")), 4096 + 7 * 8u);
  EXPECT_EQ(fs::file_size(path("g.bel.val")), 4096 + 7 * 4u);
  EXPECT_EQ(converted(path("g.bel"), "--raw-offset-in 4096"), "0>1:5 0>1:6 0>3:4 2>2:7 3>0:8 3>1:9 4>4:1");
}

// The payload was written behind a header although somebody wanted none.
TEST_F(Graphconv, ARawOffsetOfZeroIsHeeded) {
  convert(write("g.wel", kArcs), "g.bel", "--raw-offset 0");
  EXPECT_EQ(fs::file_size(path("g.bel.dst")), 7 * 8u);
  EXPECT_EQ(converted(path("g.bel"), "--raw-offset-in 0"), "0>1:5 0>1:6 0>3:4 2>2:7 3>0:8 3>1:9 4>4:1");
}

TEST_F(Graphconv, Building) {
  const std::string arcs = write("g.wel", kArcs);
  EXPECT_EQ(converted(arcs, "--drop-self-loops"), "0>1:5 0>1:6 0>3:4 3>0:8 3>1:9");
  EXPECT_EQ(converted(arcs, "--drop-duplicates"), "0>1:5 0>3:4 2>2:7 3>0:8 3>1:9 4>4:1");
  EXPECT_EQ(converted(arcs, "--undirected --drop-duplicates"), "0>1:5 0>3:4 1>0:5 1>3:9 2>2:7 3>0:4 3>1:9 4>4:1");
  EXPECT_TRUE(load("out.grf").symmetric);
}

TEST_F(Graphconv, Sort) {
  const std::string arcs = write("g.wel", kArcs);
  EXPECT_EQ(converted(arcs, "--sort hubs-first"), "0>3:4 0>1:5 0>1:6 2>2:7 3>0:8 3>1:9 4>4:1");
  fs::rename(path("out.grf"), path("hubs.grf"));
  EXPECT_EQ(converted(path("hubs.grf")), "0>3:4 0>1:5 0>1:6 2>2:7 3>0:8 3>1:9 4>4:1");
  EXPECT_EQ(converted(path("hubs.grf"), "--sort id"), "0>1:5 0>1:6 0>3:4 2>2:7 3>0:8 3>1:9 4>4:1");
}

// Stored records are read where they are, unless other weights are asked for or lists are short.
TEST_F(Graphconv, SortByWeightMakesSearchesByPrefixesTheDefault) {
  const std::string options = " --sort weight --weights random:1";
  ASSERT_EQ(graphconv("kron:8:16 " + path("k.grf") + options).code, 0);
  ASSERT_EQ(graphconv("grid:9:9 " + path("grid.grf") + options).code, 0);
  const auto variant_of = [&](const std::string& arguments) {
    const auto run = json_of(arguments + " --algo sssp --verify");
    EXPECT_EQ(run["verdict"], "verified");
    EXPECT_EQ(run["chosen"]["why_variant"].is_null(), arguments.find("--variant") != std::string::npos) << arguments;
    return run["variant"].get<std::string>();
  };
  EXPECT_EQ(variant_of(path("k.grf")), "prefix");
  EXPECT_EQ(variant_of(path("k.grf") + " --trust-file"), "prefix");
  EXPECT_EQ(variant_of(path("k.grf") + " --weights random:2"), "delta-stepping");
  EXPECT_EQ(variant_of(path("k.grf") + " --backend subway"), "bellman-ford");
  EXPECT_EQ(variant_of(path("k.grf") + " --variant bellman-ford"), "bellman-ford");
  EXPECT_EQ(variant_of(path("k.grf") + " --variant delta-stepping"), "delta-stepping");
  EXPECT_EQ(variant_of(path("grid.grf")), "delta-stepping");
  EXPECT_EQ(variant_of(path("grid.grf") + " --variant prefix"), "prefix");
  EXPECT_EQ(variant_of("kron:8:16"), "delta-stepping");

  const auto paged = json_of(path("k.grf") + " --algo sssp --backend bam --cache 32KiB --page 512 --trials 2 --verify");
  const std::uint64_t hot = paged["static_tier"]["bytes"];
  EXPECT_GT(hot, 0u);
  EXPECT_LE(paged["fast_tier_bytes"], 32 << 10);
  EXPECT_GT(paged["trials"][1]["hot_bytes"], 0);
  EXPECT_GT(paged["trials"][1]["bytes_moved"], 0);
  EXPECT_EQ(paged["verdict"], "verified");
  const auto none = json_of(path("k.grf") + " --algo sssp --backend bam --cache 32KiB --page 512 --hot none");
  EXPECT_EQ(none["static_tier"]["bytes"], 0);
  EXPECT_TRUE(none["trials"][0]["hot_bytes"].is_null());
  const std::string small = path("k.grf") + " --algo bfs --backend bam --cache 2KiB --page 512 --verify --hot prefix";
  EXPECT_NE(graphrun(small).err.find("--hot prefix has no effect: "), std::string::npos);
  const std::string roomy = path("k.grf") + " --algo bfs --backend bam --cache 64MiB --hot ";
  EXPECT_NE(graphrun(roomy + "prefix").err.find("--hot prefix has no effect"), std::string::npos);
  expect_error(roomy + "degree", 2, "--hot degree chooses rows of features");
}

TEST_F(Graphconv, PackedFilesAreSmallerAndGiveTheSameAnswers) {
  convert("kron:10:16", "raw.grf");
  convert("kron:10:16", "packed.grf", "--pack");
  EXPECT_LT(fs::file_size(path("packed.grf")), fs::file_size(path("raw.grf")));
  EXPECT_EQ(arcs_of(load("packed.grf")), arcs_of(load("raw.grf")));
  const auto run = [&](const std::string& name, const std::string& backend, const std::string& algorithm) {
    return json_of(fmt::format("{} --device cpu --threads 1 --backend {} --algo {}", path(name), backend, algorithm));
  };
  for (const char* algorithm : {"bfs", "sssp", "cc", "tc"}) {
    const auto result = run("raw.grf", "incore", algorithm)["result"];
    const std::pair<const char*, const char*> encodings[] = {
        {"incore", "unpacked"}, {"emogi", "packed"}, {"bam", "packed"}, {"subway", "unpacked"}};
    for (const auto& [backend, encoding] : encodings) {
      const auto packed = run("packed.grf", backend, algorithm);
      EXPECT_EQ(packed["graph"]["encoding"], encoding) << backend << " " << algorithm;
      EXPECT_EQ(packed["result"], result) << backend << " " << algorithm;
    }
  }
  const auto kept = run("packed.grf", "bam --cache 20KiB --hot prefix", "bfs --verify");
  EXPECT_EQ(kept["verdict"], "verified");
  EXPECT_EQ(kept["graph"]["encoding"], "packed");
  EXPECT_GT(kept["static_tier"]["bytes"], 0);
}

TEST_F(Graphconv, GpusDecodePackedFilesForWhatReadsWholeLists) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  convert("kron:10:16", "raw.grf");
  convert("kron:10:16", "packed.grf", "--pack");
  const auto run = [&](const std::string& name, const std::string& options) {
    return json_of(fmt::format("{} --device cuda {}", path(name), options));
  };
  const std::pair<const char*, const char*> encodings[] = {
      {"--backend emogi --algo pagerank", "packed"},
      {"--backend emogi --algo cc --variant hooking", "packed"},
      {"--backend emogi --algo pagerank --verify", "packed"},
      {"--backend emogi --algo pagerank --cache 8KiB", "packed"},
      {"--backend emogi --algo pagerank --hot prefix --cache 8KiB", "unpacked"},
      {"--backend emogi --algo cc", "unpacked"},
      {"--backend emogi --algo bfs", "unpacked"},
      {"--backend emogi --algo sssp", "unpacked"},
      {"--backend incore --algo pagerank", "unpacked"},
      {"--backend emogi --algo cc --count-requests", "unpacked"}};
  for (const auto& [options, encoding] : encodings) {
    const auto packed = run("packed.grf", options);
    EXPECT_EQ(packed["graph"]["encoding"], kGpusRunAll ? encoding : "unpacked") << options;
    EXPECT_EQ(packed["static_tier"]["bytes"] != 0, std::string(options).find("--cache") != std::string::npos) << options;
    if (std::string(options).find("pagerank") == std::string::npos) {
      EXPECT_EQ(packed["result"], run("raw.grf", options)["result"]) << options;
    }
  }
  convert("grid:30:30", "mesh.grf", "--pack");
  EXPECT_EQ(run("mesh.grf", "--backend emogi --algo pagerank")["graph"]["encoding"], "unpacked");  // short lists
}

TEST_F(Graphconv, NegativeWeightsBesidePackedListsAreNamed) {
  convert(write("g.wel", "0 1 1.5\n0 2 -1.5\n1 2 2\n2 3 1\n"), "p.grf", "--undirected --pack");
  for (const char* backend : {"incore", "emogi", "bam"})
    expect_error(fmt::format("{} --algo sssp --backend {}", path("p.grf"), backend), 2, "has weight -1.5");
}

TEST_F(Graphconv, Relabel) {
  EXPECT_EQ(converted(write("g.wel", kArcs), "--relabel degree"), "0>1:4 0>4:5 0>4:6 1>0:8 1>4:9 2>2:7 3>3:1");
  const Graph graph = load("out.grf");
  const auto names = graph.names.number_column().span();
  EXPECT_EQ(std::vector<std::uint64_t>(names.begin(), names.end()), (std::vector<std::uint64_t>{0, 3, 2, 4, 1}));
}

TEST_F(Graphconv, Weights) {
  const std::string arcs = write("g.wel", "0 1 5\n1 2 6\n");
  EXPECT_EQ(converted(arcs, "--weights file"), "0>1:5 1>2:6");
  EXPECT_EQ(converted(arcs, "--weights unit"), "0>1:1 1>2:1");
  EXPECT_EQ(converted(arcs, "--weights truth"), fmt::format("0>1:{} 1>2:{}", 1 + 40503 % 64, 1 + (2654435761 + 2 * 40503) % 64));
  EXPECT_EQ(converted(arcs, "--weights random:1:7:7"), "0>1:7 1>2:7");
  EXPECT_NE(converted("complete:9", "--weights random:1"), converted("complete:9", "--weights random:2"));
}

TEST_F(Graphconv, To) {
  convert("path:2", "a.txt", "--to mtx");
  EXPECT_EQ(contents(path("a.txt")).rfind("%%MatrixMarket matrix coordinate pattern", 0), 0u);
  convert("path:2", "b.mtx", "--to grf");
  EXPECT_EQ(contents(path("b.mtx")).substr(1, 3), "GRF");
}

TEST_F(Graphconv, NoTranspose) {
  convert(write("g.wel", kArcs), "with.grf");
  convert(write("g.wel", kArcs), "without.grf", "--no-transpose");
  EXPECT_TRUE(load("with.grf").in.has_value());
  EXPECT_FALSE(load("without.grf").in.has_value());
}

TEST_F(Graphconv, Balanced) {
  convert("star:11", "star.grf", "--balanced 4");
  EXPECT_EQ(load("star.grf").hub_table.chunk_edges, 4u);
  EXPECT_EQ(load("star.grf").hub_table.chunks.size(), 3u);
}

TEST_F(Graphconv, MemoryScratchAndThreadsChangeNoByte) {
  convert("kron:12:8", "plain.grf", "--threads 1");
  fs::create_directory(path("scratch"));
  convert("kron:12:8", "small.grf", "--memory 64MiB --threads 3 --scratch '" + path("scratch") + "'");
  EXPECT_TRUE(contents(path("small.grf")) == contents(path("plain.grf")));
  EXPECT_TRUE(fs::is_empty(path("scratch")));
}

TEST_F(Graphconv, QuietKeepsToWarnings) {
  const std::string sparse = fmt::format("'{}' '{}'", write("sparse.el", "100 900\n900 500\n"), path("s.grf"));
  const std::string asked = sparse + " --vertices compact";
  EXPECT_NE(graphconv(asked).err.find("ids go up to 900, and 3 occur"), std::string::npos);
  EXPECT_NE(graphconv(asked + " --verbose").err.find("ids go up to 900, and 3 occur"), std::string::npos);
  EXPECT_EQ(graphconv(asked + " --quiet").err, "");
  EXPECT_NE(graphconv(sparse + " --quiet").err.find("only the 3 that lines name are vertices"), std::string::npos);
}

TEST_F(Graphconv, NamesAreTakenInCapitals) {
  convert("Path:2", "a.txt", "--to MTX --sort ID --vertices Auto --weights UNIT");
  convert("path:2", "b.MTX", "--weights unit");
  EXPECT_EQ(contents(path("a.txt")), contents(path("b.MTX")));
}

TEST_F(Graphconv, HelpAndVersion) {
  EXPECT_EQ(graphconv("-h").out, graphconv("--help").out);
  const Said help = graphconv("--help");
  EXPECT_EQ(help.code, 0);
  for (const char* word : {"--format", "--raw-offset-in", "--scratch", "liberator", "kron:SCALE", "Exit codes"}) {
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
  }
  const Said version = graphconv("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out.rfind("graphconv ", 0), 0u) << version.out;
}

TEST_F(Graphconv, InfoHasWhatTheReaderAssumed) {
  const std::string file = write("t.txt", "0 1 1082040961\n1 2 1082155839\n");
  const auto info = nlohmann::json::parse(graphconv("info '" + file + "' --json").out).at(0);
  ASSERT_EQ(info.at("assumptions").size(), 1u);
  EXPECT_NE(info.at("assumptions")[0].get<std::string>().find("column 3 looks like times"), std::string::npos);
  const Said run = graphrun("'" + file + "' --algo cc --quiet --json -");
  EXPECT_EQ(nlohmann::json::parse(run.out).at("graph").at("assumptions"), info.at("assumptions"));
  EXPECT_NE(run.err.find("column 3 looks like times"), std::string::npos) << run.err;
  EXPECT_EQ(nlohmann::json::parse(graphconv("info path:3 --json").out).at(0).at("assumptions"), nlohmann::json::array());
}

TEST_F(Graphconv, Info) {
  convert(write("g.wel", kArcs), "g.grf", "--sort hubs-first --balanced 2");
  const Said said = graphconv(fmt::format("info '{}'", path("g.grf")));
  EXPECT_EQ(said.code, 0) << said.err;
  for (const auto& [name, wanted] : std::vector<std::pair<std::string, std::string>>{{"name", "g"},
                                                                                     {"format", "native container"},
                                                                                     {"vertices", "5"},
                                                                                     {"edges", "7"},
                                                                                     {"directed", "yes"},
                                                                                     {"transpose", "stored"},
                                                                                     {"weights", "u32"},
                                                                                     {"list order", "hubs first"},
                                                                                     {"records", "none"},
                                                                                     {"self loops", "2"},
                                                                                     {"duplicates", "1"},
                                                                                     {"isolated", "0"},
                                                                                     {"hub chunks", "2 of 2 edges"},
                                                                                     {"max degree", "3 (vertex 0)"},
                                                                                     {"mean degree", "1.40"}}) {
    EXPECT_EQ(value(said.out, name), wanted) << said.out;
  }
  EXPECT_EQ(value(said.out, "2 to 3").substr(0, 10), "2  40.00 %") << said.out;
  // Of which 96 a vertex, for louvain, and 124 with 64-bit ids.
  EXPECT_EQ(value(said.out, "gpuvm").substr(0, 5), kVertexBits == 64 ? "716 B" : "576 B") << said.out;
  const Said two = graphconv("info path:3 star:4 --drop-self-loops");
  EXPECT_EQ(value(two.out, "name"), "path:3");
  EXPECT_NE(two.out.find("star:4"), std::string::npos);
}

// gpuvm was missing, and nothing could be read by a program.
TEST_F(Graphconv, InfoAsJsonHasEveryBackend) {
  const Said said = graphconv("info path:3 star:5 --json");
  EXPECT_EQ(said.code, 0) << said.err;
  const auto all = nlohmann::json::parse(said.out);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1]["file"], "star:5");
  EXPECT_EQ(all[1]["m"], 8);
  EXPECT_EQ(all[1]["max_degree_vertex"], 0);
  EXPECT_EQ(all[1]["degrees"][1]["vertices"], 4);
  std::set<std::string> backends;
  for (const auto& [backend, bytes] : all[1]["needs"]["backends"].items()) {
    backends.insert(backend);
    EXPECT_EQ(bytes["behind_bytes"], backend == "incore" ? 0 : 8 * sizeof(VertexId)) << backend;
  }
  std::set<std::string> described;
  const auto choices = nlohmann::json::parse(graphrun("--describe").out);
  for (const auto& backend : choices["backends"])
    if (backend["name"] != "auto") described.insert(backend["name"]);
  EXPECT_EQ(backends, described);
}

TEST_F(Graphconv, InfoGoesOnAfterAFileThatIsMissing) {
  for (const std::string json : {"", " --json"}) {
    const Said said = graphconv("info path:3 '" + path("none.grf") + "' star:5" + json);
    EXPECT_EQ(said.code, 1);
    EXPECT_NE(said.err.find("none.grf"), std::string::npos) << said.err;
    EXPECT_NE(said.out.find("star:5"), std::string::npos) << said.out;
  }
}

TEST_F(Graphconv, CheckPassesWhatIsSoundAndFindsDamageAnywhere) {
  convert("kron:8:8", "g.grf", "--weights random:1 --balanced 8 --relabel degree");
  const Said sound = graphconv(fmt::format("check '{}' path:3", path("g.grf")));
  EXPECT_EQ(sound.code, 0) << sound.err;
  EXPECT_EQ(sound.out.rfind(path("g.grf") + ": sound (native container, 256 vertices, ", 0), 0u) << sound.out;
  const std::string bytes = contents(path("g.grf"));
  for (std::size_t at = 0; at < bytes.size(); at += 509) {
    if (bytes[at] == '\0') continue;  // may be one between sections, which nobody reads
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    expect_graphconv_error("check '" + write("damaged.grf", damaged) + "'", 1, "damaged.grf");
  }
  expect_graphconv_error("check '" + write("damaged.grf", bytes.substr(0, bytes.size() - 1)) + "'", 1, "damaged.grf");
}

}  // namespace
}  // namespace graphrun::test
