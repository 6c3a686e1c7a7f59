// SPDX-License-Identifier: Apache-2.0
// Messages and exit codes of impossible requests.
#include <algorithm>
#include <map>
#include <set>

#include "graphrun/core/types.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/io/load.hpp"
#include "graphrun/io/readers.hpp"
#include "graphrun/run/session.hpp"
#include "run/cli.hpp"
#include "support/refusal.hpp"

namespace graphrun::test {
namespace {

class CliErrors : public CliTest {};

// They became other numbers without a word where another weight of the file has a fraction.
TEST_F(CliErrors, WholeWeightsThatNoFloatHasAreNamed) {
  const std::string run = " --algo sssp --device cpu";
  const Said rounded = graphrun("'" + write("rounded.wel", "0 1 16777216\n1 2 16777217\n2 3 16777219\n3 4 0.5\n") + "'" + run);
  EXPECT_EQ(rounded.code, 0) << rounded.err;
  EXPECT_NE(rounded.err.find("rounded.wel:2: this weight is rounded"), std::string::npos) << rounded.err;
  EXPECT_EQ(rounded.err.find("rounded.wel:3"), std::string::npos) << rounded.err;
  const Said exact = graphrun("'" + write("exact.wel", "0 1 16777216\n1 2 16777218\n2 3 0.1\n") + "'" + run);
  EXPECT_EQ(exact.err.find("rounded"), std::string::npos) << exact.err;
}

// They became 0, and the weights whole numbers where nothing else had a fraction.
TEST_F(CliErrors, WeightsThatAreTooSmallForAFloatAreNamed) {
  for (const std::string weight : {"1e-46", "1e-60", "1e-400"}) {
    const Said said = graphrun("'" + write("small.wel", "0 1 " + weight + "\n1 2 3\n") + "' --algo sssp --device cpu");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_NE(said.err.find("small.wel:1: this weight is too small for a 32-bit float, and becomes 0"), std::string::npos)
        << said.err;
  }
}

// --verify=0 verified, and --warm=on was a sentence without a name.
TEST_F(CliErrors, ABatchIsOfSearchesByBfsAndHasNoParents) {
  expect_error("--graph path:9 --algo sssp --batch", 2, "--batch goes with bfs, and not with sssp");
  expect_error("--graph path:9 --algo bfs --batch --parents --output " + path("p.csv"), 2, "a batch finds levels only");
  expect_error("--graph path:9 --algo bfs --batch --sources 65 --output " + path("p.csv"), 2, "--sources is at most 64");
}

TEST_F(CliErrors, RanksMeetOnACpuAndAfterEachStep) {
  expect_error("kron:8:8 --algo bfs --backend subway --ranks 2", 2, "--subway-variant sync");
  expect_error("kron:8:8 --algo bfs --ranks 0", 2, "--ranks");
}

TEST_F(CliErrors, SwitchesTakeNoValues) {
  for (const std::string given : {"--warm=0", "--warm=on", "--help=all"})
    expect_error("kron:4:4 --algo bfs " + given, 2, given.substr(0, given.find('=')) + " is a switch, which takes no value");
  for (const std::string given : {"--verify=0", "--verify=no", "--verify=true"})
    expect_error("kron:4:4 --algo bfs " + given, 2,
                 "--verify: there is no way to verify '" + given.substr(given.find('=') + 1) + "'");
}

TEST_F(CliErrors, AFractionOfAByteIsNoSize) {
  expect_error("kron:4:4 --algo bfs --backend bam --cache 1.5", 2, "'1.5' is not a size");
}

// Said of --device cpu alone, and not of auto that became it.
TEST_F(CliErrors, OptionsOfGpusHaveNoEffectWhereThereIsNone) {
  if (why_no_cuda(0).empty()) GTEST_SKIP() << "there is a GPU";
  const Said said = graphrun("kron:8:4 --algo bfs --backend uvm --uvm-advise prefetch --device auto");
  EXPECT_NE(said.err.find("--uvm-advise has no effect on backend uvm with --device cpu"), std::string::npos) << said.err;
}

TEST_F(CliErrors, AFirstLineThatMayBeAHeaderIsNamed) {
  const Said header = graphrun("'" + write("pf.csv", "person,friend\nann,bob\nbob,cy\n") + "' --algo cc --device cpu");
  EXPECT_EQ(header.code, 0) << header.err;
  EXPECT_NE(header.err.find("say --columns person,friend"), std::string::npos) << header.err;
  const Said edge = graphrun("'" + write("fp.csv", "ann,cy\nann,bob\nbob,cy\n") + "' --algo cc --device cpu");
  EXPECT_EQ(edge.err.find("--columns"), std::string::npos) << edge.err;
}

TEST_F(CliErrors, APipeWithoutAFolderForScratchFilesNamesIt) {
  const Said said = graphrun("- --algo cc --device cpu", "echo 0 1 | TMPDIR=/nonexist ");
  EXPECT_EQ(said.code, 1);
  EXPECT_NE(said.err.find("TMPDIR is /nonexist, which is no folder"), std::string::npos) << said.err;
}

TEST_F(CliErrors, TextInNoFormatIsNamedByItsLine) {
  const Said said = graphrun("'" + write("poem.txt", "# a poem\n\nshall I compare thee\nto\n") + "' --algo bfs");
  EXPECT_EQ(said.code, 1);
  EXPECT_NE(said.err.find("its line 3 reads 'shall' 'I' 'compare' 'thee'"), std::string::npos) << said.err;
}

TEST_F(CliErrors, UnknownNamesListTheKnownOnes) {
  expect_error("--graph path:4 --algo dfs", 2, "bfs, sssp, cc, pagerank");
  expect_error("--graph path:4 --algo bfs --backend disk", 2, "incore, emogi, uvm");
  expect_error("--graph path:4 --algo bfs --layout blocked", 2, "csr, balanced");
  expect_error("--graph path:4 --algo bfs --access fast", 2, "naive, merged, aligned");
  expect_error("--graph path:4 --algo bfs --backend bam --delivery pigeon", 2, "auto, landing, copies, cufile");
  expect_error("--graph path:4 --algo bfs --uvm-advise stay", 2, "none, read-mostly, accessed-by, prefetch");
  expect_error("--graph path:4 --algo bfs --variant pull", 2, "direction-optimizing, push");
  expect_error("--graph path:4 --algo sssp --variant dijkstra", 2, "delta-stepping");
  expect_error("--graph path:4 --algo sssp --variant prefix --backend subway", 2, "every backend but subway");
  for (const char* other : {"--backend bam", "--backend subway", "--variant prefix", "--backend gpuvm"})
    expect_error(fmt::format("--graph path:4 --algo sssp --distances f32 {}", other), 2, "--distances f32 goes with incore");
  expect_error("--graph path:4 --algo cc --variant push", 2, "afforest, hooking");
  expect_error("--graph path:4 --algo pagerank --variant afforest", 2, "extrapolated, pull, push");
  expect_error("--graph path:4 --algo closeness --variant pull", 2, "there is no variant of closeness 'pull'");
  expect_error("--graph path:4 --algo bfs --device tpu", 2, "auto, cpu, cuda");
  expect_error("--graph path:4 --algo sssp --weights heavy", 2, "random:SEED");
  expect_error("--graph ring:4 --algo bfs", 2, "ring");
}

TEST_F(CliErrors, NumbersAreReadStrictlyAndHaveRanges) {
  for (const char* wrong : {"0", "-1", "1x", "1.5", "", "99999999999999999999"}) {
    expect_error(std::string("--graph path:4 --algo bfs --trials '") + wrong + "'", 2, "--trials");
    expect_error(std::string("--graph path:4 --algo bfs --threads '") + wrong + "'", 2, "--threads");
  }
  for (const char* wrong : {"0", "1", "-0.5", "nan", "inf", "half", "0.85x"}) {
    expect_error(std::string("--graph path:4 --algo pagerank --damping ") + wrong, 2, "damping");
  }
  for (const char* wrong : {"0", "-1e-4", "nan", "1e-4,"}) {
    expect_error(std::string("--graph path:4 --algo pagerank --tolerance ") + wrong, 2, "tolerance");
  }
  expect_error("--graph path:4 --algo pagerank --stop most", 2, "rule to stop by");
  for (const char* wrong : {"0", "-2", "nan"})
    expect_error(std::string("--graph path:4 --algo sssp --delta ") + wrong, 2, "delta");
  expect_error("--graph path:4 --algo pagerank --max-iterations 0", 2, "--max-iterations");
  expect_error("--graph path:4 --algo bfs --chunk 0", 2, "--chunk");
  expect_error("--graph path:4 --algo bfs --cache 12parsecs", 2, "--cache: '12parsecs' is not a size");
  expect_error("--graph path:4 --algo bfs --cache 8EiB", 2, "'8EiB' is too large");
  expect_error("--graph path:4 --algo bfs --backend bam --page x", 2, "--page: 'x' is not a size");
  expect_error("--graph path:4 --algo bfs --backend bam --page 0", 2, "--page: '0' is too small");
  expect_error("--graph path:4 --algo bfs --backend uvm --uvm-block 0", 2, "--uvm-block: '0' is too small");
  expect_error("--graph path:4 --algo bfs --backend bam --doorbell-batch 3", 2, "--doorbell-batch must be a power of two, not 3");
  for (const char* of_a_gpu : {"--gpu-memory 1GiB", "--oversubscribe", "--count-migrations"})
    expect_error(std::string("--graph path:4 --algo bfs --backend uvm --device cpu ") + of_a_gpu, 77, "on a CPU --cache caps it");
}

// A container with a wild offset used to crash or hang the search instead of being refused.
TEST_F(CliErrors, DamagedContainersAreRefusedBeforeTheRun) {
  ThreadPool pool(1);
  write_native(load_graph("kron:8:8", {}, pool).graph, path("whole.grf"), pool);
  std::string bytes = contents(path("whole.grf"));
  ASSERT_EQ(graphrun("--graph '" + path("whole.grf") + "' --algo bfs").code, 0);
  bytes[4096 + 8 + 7] = 0x10;  // the second offset becomes larger than any file
  write("damaged.grf", bytes);
  expect_error("--graph '" + path("damaged.grf") + "' --algo bfs", 1, "checksum of the section at offset 4096");
}

TEST_F(CliErrors, ResultsDoNotReplaceTheGraph) {
  const std::string graph = write("arcs.txt", "0 1\n1 2\n");
  expect_error("--graph '" + graph + "' --algo bfs --json '" + graph + "'", 2, "would replace it");
  EXPECT_EQ(contents(graph), "0 1\n1 2\n");
  // Nor one of the three files of a .bel, nor what else a run reads.
  const std::string convert = std::string(GRAPHCONV_PROGRAM) + " --quiet ";
  ASSERT_EQ(say(convert + "kron:6:4 '" + path("a.bel") + "' --weights unit").code, 0);
  for (const char* file : {"a.bel.col", "a.bel.dst", "a.bel.val"}) {
    const std::string before = contents(path(file));
    const std::string target = " '" + path(file) + "'";
    expect_error("'" + path("a.bel") + "' --algo bfs --json" + target, 2, "is the graph that is read");
    expect_error("'" + path("a.bel") + "' --format bel --algo bfs --json" + target, 2, "is the graph that is read");
    expect_error("gather '" + path("a.bel") + "' --json" + target, 2, "is the graph that is read");
    const Said converted = say(convert + "'" + path("a.bel") + "'" + target + " --to grf");
    EXPECT_EQ(converted.code, 2) << converted.err;
    EXPECT_EQ(contents(path(file)), before) << file;
  }
  write("kron:6:4", "0 1\n");  // a file of that name comes before the generator
  expect_error("kron:6:4 --algo bfs --json kron:6:4", 2, "is the graph that is read", "cd '" + directory_.string() + "'; ");
  const std::string token = write("token", "a token of the tests, 01234\n");
  expect_error("kron:6:4 --algo bfs --token-file '" + token + "' --json '" + token + "'", 2, "is the file of --token-file");
}

TEST_F(CliErrors, AGeneratorWithoutParametersIsNoMissingFile) {
  expect_error("kron --algo bfs", 2, "'kron' has no parameters: write kron:SCALE");
  expect_error("'" + path("kron") + "' --algo bfs", 1, "No such file");
}

TEST_F(CliErrors, TrianglesAreOfUndirectedGraphsAndHaveNoValues) {
  const std::string arcs = "'" + write("arcs.el", "0 1\n1 2\n2 0\n") + "' --algo tc";
  expect_error(arcs, 2, "tc needs an undirected graph");
  EXPECT_EQ(json_of(arcs + " --undirected --verify")["result"]["triangles"], 1);
  expect_error(arcs + " --undirected --output '" + path("v.csv") + "'", 2, "no value a vertex to write");
  expect_error(arcs + " --undirected --variant push", 2, "hybrid, by-degree, by-id");
}

TEST_F(CliErrors, TwoRulesForParallelEdgesAreRefusedBeforeTheFileIsRead) {
  expect_error("--graph none.el --algo bfs --merge sum --drop-duplicates", 2, "--drop-duplicates is --merge min");
}

TEST_F(CliErrors, SourcesMustExist) {
  expect_error("--graph path:4 --algo bfs --source 4", 2, "4 is not a vertex");
  expect_error("--graph path:4 --algo bfs --path-to 9", 2, "--path-to: 9 is not a vertex: the graph has");
  expect_error("--graph path:4 --algo bfs --source 1,2", 2, "'1,2' is not a vertex");
  expect_error("--graph path:4 --algo pagerank --source 1,4", 2, "4 is not a vertex");
  expect_error("--graph path:4 --algo pagerank --source 1,,2", 2, "--source");
  expect_error("--graph path:4 --algo pagerank --source index:1,index:4", 2, "index:4 is not a vertex");
  expect_error("--graph path:4 --algo pagerank --sources 3", 2, "without it pagerank restarts everywhere");
  expect_error("--graph path:4 --algo pagerank --source 1 --sources 3", 2, "goes with --source random:SEED, not with 1");
  expect_error("--graph path:4 --algo bc --source 1,4", 2, "4 is not a vertex");
  expect_error("--graph path:4 --algo bc --source 1 --sources 3", 2, "goes with --source random:SEED, not with 1");
  expect_error("--graph path:4 --algo sssp --source -1", 2, "'-1'");
  expect_error("--graph path:4 --algo bfs --source 99999999999999999999", 2, "vertices 0 to 3");
  expect_error("--graph path:4 --algo bfs --source middle", 2, "max-degree");
  expect_error("--graph path:4 --algo bfs --source max-degre", 2, "did you mean 'max-degree'?");
  expect_error("--graph path:4 --algo bfs --source random:x", 2, "seed");
  expect_error("--graph path:4 --algo bfs --sources 3 --source 1", 2, "random:SEED");
  expect_error("--graph path:4 --algo bfs --sources 3 --source max-degree", 2, "not with max-degree");
  expect_error("--graph path:1 --algo bfs --source random:1", 2, "no edges");
}

TEST_F(CliErrors, AGraphWithoutVerticesHasNoSourceButIsARightAnswerOtherwise) {
  const std::string empty = write("empty.mtx", "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n");
  expect_error("--graph " + empty + " --algo bfs", 2, "no vertices");
  expect_error("--graph " + empty + " --algo sssp --weights unit", 2, "no vertices");
  EXPECT_EQ(json_of("--graph " + empty + " --algo cc --verify")["result"]["components"], 0);
  EXPECT_EQ(json_of("--graph " + empty + " --algo pagerank --verify")["result"]["iterations"], 0);
}

TEST_F(CliErrors, AMistypedWayToVerifyWasOneNameTooMany) {
  expect_error("path:4 --algo bfs --verify serail", 2, "there is no way to verify 'serail' (did you mean 'serial'?)");
  expect_error("--verify foo path:4 --algo bfs", 2, "there is no way to verify 'foo': choose among properties, serial");
}

TEST_F(CliErrors, CommandLineItself) {
  expect_error("", 2, "the graph is missing");
  expect_error("--algo bfs --json kron:10", 2, "graphrun GRAPH --algo NAME (--json took 'kron:10')");
  expect_error("--graph path:4", 2, "--algo is missing");
  expect_error("--graph path:4 --algo", 2, "--algo needs a value");
  expect_error("path:4 path:5 --algo bfs", 2, "'path:5' is one name too many after 'path:4'");
  expect_error("path:4 --graph path:5 --algo bfs", 2, "'path:4' and --graph 'path:5' both name the graph");
  expect_error("--graph path:4 --algo bfs --verbose", 2, "exclude");
}

TEST_F(CliErrors, WithoutArgumentsThereIsAShortUsage) {
  for (const char* program : {GRAPHRUN_PROGRAM, GRAPHCONV_PROGRAM, GRAPHMEMD_PROGRAM}) {
    const Said said = say(program);
    EXPECT_EQ(said.code, 2);
    EXPECT_EQ(said.out, "");
    EXPECT_NE(said.err.find("usage: graph"), std::string::npos) << said.err;
    EXPECT_LE(std::count(said.err.begin(), said.err.end(), '\n'), 8) << said.err;
  }
}

// "--ouput" was no option, and that was all that was said.
TEST_F(CliErrors, WhatIsMisspelledNamesTheClosest) {
  const std::string run = "path:4 --algo bfs ";
  expect_error(run + "-output levels.txt", 2, "'-output' is not an option: write --output");
  expect_error(run + "--ouput levels.txt", 2, "'--ouput' is not an option (did you mean '--output'?)");
  expect_error(run + "--max-iter=3", 2, "(did you mean '--max-iterations'?)");
  expect_error("path:4 --algo bsf", 2, "--algo: there is no algorithm 'bsf' (did you mean 'bfs'?)");
  expect_error(run + "--backend bma", 2, "--backend: there is no backend 'bma' (did you mean 'bam'?)");
  expect_error(run + "--format mxt", 2, "--format: there is no format 'mxt' (did you mean 'mtx'?)");
  expect_error(run + "--backend bam --storage ram:optane", 2, "(did you mean 'optane-p5800x'?)");
  expect_error(run + "--backend gpuvm --fabric memroy", 2, "(did you mean 'memory'?)");
  expect_error("path:4 --algo sssp --weights unti", 2, "(did you mean 'unit'?)");
  expect_error("krn:4:4 --algo bfs", 2, "(did you mean 'kron'?)");
}

// It was said to have no effect, and then the run failed with the name of a function of C++.
TEST_F(CliErrors, RemoteWithAnotherBackendIsOneSentence) {
  expect_error("path:4 --algo bfs --remote host:1", 2,
               "--remote goes with --backend gpuvm, fabric ofi, and not with backend auto");
}

// Each of them had a sentence of its own, or none before the graph was read.
TEST_F(CliErrors, OptionsThatARunMustReadAreRefusedAsTheDescriptionSays) {
  const std::map<std::string, std::string> values = {
      {"remote", " host:1"}, {"top", " 3"}, {"path-to", " 1"}, {"gpu-memory", " 1GiB"}, {"checkpoint", " state"}};
  const auto described = nlohmann::json::parse(graphrun("--describe").out);
  std::set<std::string> refused;
  for (const auto& option : described["options"]) {
    const auto& by = option.value("read_by", nlohmann::json::object());
    if (!by.value("required", false)) continue;
    const std::string name = option["name"];
    const std::string algorithm = name == "top" ? "tc" : "cc";
    const std::string given =
        "none.el --algo " + algorithm + " --backend subway --" + name + (values.contains(name) ? values.at(name) : "");
    const bool by_algorithm = by.contains("algorithms");
    expect_error(given, 2,
                 "--" + name + " goes with " + (by_algorithm ? "" : "--backend ") +
                     by[by_algorithm ? "algorithms" : "backends"][0].get<std::string>());
    refused.insert(name);
  }
  EXPECT_EQ(refused, (std::set<std::string>{"batch", "checkpoint", "count-migrations", "count-requests", "gpu-memory",
                                            "oversubscribe", "path-to", "preload", "remote", "top"}));
}

// Regression: the text of a script's unset variable, such as --output "$FILE", passed for an omitted option.
TEST_F(CliErrors, AnOptionGivenNothingIsRefused) {
  for (const char* option : {"--output", "--json", "--variant", "--cache", "--device", "--source"}) {
    expect_error(std::string("--graph path:4 --algo bfs ") + option + " ''", 2, std::string(option) + " was given nothing");
  }
  expect_error("--graph '' --algo bfs", 2, "--graph was given nothing");
}

TEST_F(CliErrors, OfTwoValuesTheLastCountsAndThatIsSaid) {
  const Said said = graphrun("--graph path:4 --algo bfs --algo cc --quiet --json -");
  EXPECT_EQ(nlohmann::json::parse(said.out)["algorithm"], "cc");
  EXPECT_NE(said.err.find("--algo was given twice: 'bfs' gives way to 'cc'"), std::string::npos) << said.err;
  EXPECT_EQ(graphrun("--graph path:4 --algo bfs --algo bfs --quiet --quiet").err.find("twice"), std::string::npos);
}

TEST_F(CliErrors, WhatIsSaidOfOtherFormatsHasNoEffectAndThatIsSaid) {
  const std::string arcs = write("arcs.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n");
  const auto err_of = [&](const std::string& graph, const std::string& option) {
    const Said said = graphrun("--graph '" + graph + "' --algo bfs --quiet " + option);
    EXPECT_EQ(said.code, 0) << said.err;
    return said.err;
  };
  for (const char* option : {"--vertices compact", "--raw-offset-in 512"}) {
    EXPECT_NE(err_of(arcs, option).find("has no effect on a graph of format MatrixMarket"), std::string::npos) << option;
  }
  EXPECT_NE(err_of("path:4", "--float-weights").find("--float-weights has no effect"), std::string::npos);
  const std::string edges = write("arcs.wel", "0 7 1\n");
  EXPECT_EQ(err_of(edges, "--vertices compact --float-weights").find("has no effect"), std::string::npos);
}

TEST_F(CliErrors, WholeWeightsOfTextAreFloatsWhereThatIsAsked) {
  const std::string edges = write("arcs.wel", "0 1 5\n1 2 7\n");
  EXPECT_EQ(json_of("--graph '" + edges + "' --algo sssp --weights file")["graph"]["weights"], "u32");
  EXPECT_EQ(json_of("--graph '" + edges + "' --algo sssp --weights file --float-weights")["graph"]["weights"], "f32");
}

TEST_F(CliErrors, BadInputNamesFileAndLine) {
  expect_error("--graph '" + path("none.mtx") + "' --algo bfs", 1, "none.mtx");
  const std::string lying = write("lying.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n1 9\n");
  expect_error("--graph " + lying + " --algo bfs", 1, "lying.mtx");
  expect_error("--graph " + lying + " --algo bfs", 1, "4");
  const std::string wide = write("wide.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 3\n");
  expect_error("--graph " + wide + " --algo bfs", 2, "bipartite");
  EXPECT_EQ(json_of("--graph " + wide + " --algo bfs --bipartite --verify")["graph"]["n"], 5);
}

TEST_F(CliErrors, WeightsMustBeThereAndNotNegative) {
  const std::string plain = write("plain.txt", "0 1\n1 2\n");
  expect_error("--graph " + plain + " --algo sssp --weights file", 2, "unit");
  const std::string negative = write("negative.txt", "0 1 2.5\n1 2 -1\n");
  expect_error("--graph " + negative + " --algo sssp", 2, "-1");
  EXPECT_EQ(json_of("--graph " + negative + " --algo sssp --weights unit")["result"]["max_distance"], 2);
  // Regression: weights that floats would round were rejected also for algorithms that read no weights.
  const std::string mixed = write("mixed.txt", "0 1 4294967297\n1 2 0.5\n");
  expect_error("--graph " + mixed + " --algo sssp", 1, "mixed.txt:1: this weight is rounded, because all are 32-bit floats");
  const std::string large =
      write("large.mtx", "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 4294967297\n2 3 1\n");
  const nlohmann::json wide = json_of("--graph " + large + " --algo sssp --source 1 --verify");
  EXPECT_EQ(wide["graph"]["weights"], "u64");
  EXPECT_EQ(wide["result"]["max_distance"], 4294967298.0);
  EXPECT_EQ(wide["chosen"]["distance_bits"], 64);
  const std::string huge = write("huge.txt", "0 1 18446744073709551615\n1 2 18446744073709551615\n");
  expect_error("--graph " + huge + " --algo sssp --source 0", 2,
               "the distance from vertex 0 to vertex 1 is not below 18446744073709551614");
  for (const char* runs : {"bfs", "cc", "sssp --weights unit"})
    EXPECT_EQ(graphrun("--graph " + large + " --quiet --algo " + runs).err, kSaidOfBuild);
  EXPECT_EQ(json_of("--graph " + large + " --algo sssp --float-weights")["graph"]["weights"], "f32");
}

TEST_F(CliErrors, WhatThisMachineLacksEndsWith77) { expect_error("--graph path:4 --algo bfs --device cuda:99", 77, "cuda:99"); }

TEST_F(CliErrors, ACapBelowTheEdgesNamesTheSmallestThatWorks) {
  const Said said = graphrun("--graph complete:9 --algo bfs --backend incore --cache 10");
  EXPECT_EQ(said.code, 2);
  const auto bytes = 9 * 8 * sizeof(VertexId);
  EXPECT_NE(said.err.find(std::to_string(bytes)), std::string::npos) << said.err;
  EXPECT_EQ(graphrun("--graph complete:9 --algo bfs --backend incore --cache " + std::to_string(bytes)).code, 0);
}

TEST_F(CliErrors, SubwayNamesItsSmallestCacheAndItsVariantsGoWithNothingElse) {
  const std::string run = "--graph complete:9 --algo bfs --backend ";
  expect_error(run + "subway --cache 20", 2, std::to_string(64 * sizeof(VertexId)));
  EXPECT_EQ(graphrun(run + "subway --cache " + std::to_string(64 * sizeof(VertexId))).code, 0);
  expect_error(run + "subway --subway-variant later", 2, "sync, async");
  EXPECT_NE(graphrun(run + "emogi --subway-variant sync").err.find("--subway-variant has no effect on backend emogi"),
            std::string::npos);
  expect_error(run + "subway --preload", 2, "--preload");
  EXPECT_NE(graphrun(run + "gpuvm --queues 4").err.find("--queues has no effect on fabric auto, which is memory or sm"),
            std::string::npos);
}

TEST_F(CliErrors, RequestsAreCountedWhereAGpuSendsThem) {
  // The graph does not exist: it is not even looked for.
  const std::string run = "--graph '" + path("none.mtx") + "' --algo bfs --count-requests --backend ";
  expect_error(run + "emogi", 77, "--count-requests needs a GPU");
  for (const std::string backend : {"auto", "incore", "uvm", "bam", "gpuvm", "subway"}) {
    expect_error(run + backend, 2, "--count-requests goes with --backend emogi on a GPU, and not with backend " + backend);
  }
}

// Where kernels that count are left out, no other kernels run in their place, and the sentence says how to have them.
TEST(CountedKernels, ABuildWithoutThemSaysWhichOptionBringsThem) {
  BackendOptions counts;
  counts.kind = BackendKind::emogi;
  counts.count_requests = true;
  const std::string said = refusal([&] { check_countable({DeviceKind::cuda, 0}, counts); });
  EXPECT_EQ(said.find("-DGRAPHRUN_COUNTED_KERNELS=ON") != std::string::npos, !why_no_counted_kernels().empty()) << said;
}

TEST_F(CliErrors, PlacesThatCannotBeWrittenAreFoundBeforeTheRun) {
  // The graph does not exist: whoever complains of the output looked at it first.
  const std::string run = "--graph '" + path("none.mtx") + "' --algo bfs ";
  expect_error(run + "--json '" + path("no/such/folder.json") + "'", 1, "folder.json");
  expect_error(run + "--output '" + path("no/such/folder.txt") + "'", 1, "folder.txt");
  expect_error(run + "--json '" + directory_.string() + "'", 1, "directory");
  expect_error(run + "--json '" + std::string(300, 'a') + "'", 1, "aaa: File name too long");
  expect_error(run + "--output levels.xlsx", 2, ".txt");
  expect_error(run + "--parents", 2, "--output");
  expect_error(run + "--json '" + path("same.txt") + "' --output '" + path("same.txt") + "'", 2, "same file");
  expect_error(run + "--output '" + path("a.txt") + "' --sources 2 --source random:1", 2, "--sources");
  expect_error("--graph path:4 --algo cc --parents --output '" + path("a.txt") + "'", 2, "cc");
  EXPECT_FALSE(std::filesystem::exists(path("a.txt")));
}

TEST_F(CliErrors, AGraphThatIsWrittenToMeanwhileIsNoAnswer) {
  const std::string graph = path("graph.grf");
  ASSERT_EQ(graphconv("kron:12:16 " + graph + " --quiet").code, 0);
  const std::string writer = "(while [ -e " + graph + " ]; do touch -c " + graph + "; sleep 0.02; done) & ";
  expect_error("--graph " + graph + " --algo bfs --trials 8000", 1, "was written to", writer);
}

// It ran for minutes, and was killed.
TEST_F(CliErrors, WhatDoesNotFitInMemoryIsRefusedBeforeItIsBuilt) {
  expect_error("--graph kron:30:16 --algo bfs --memory 64GiB", 77, "GiB of memory, and 64.0 GiB are allowed");
  const std::string arcs = write("arcs.el", "0 1\n1 2\n");
  expect_error("--graph " + arcs + " --algo cc --memory 1MiB --backend incore", 77,
               "graphconv " + arcs + " OUT.grf --memory SIZE");
  EXPECT_EQ(graphrun("--graph " + arcs + " --algo cc --memory 1GiB").code, 0);
  ASSERT_EQ(graphconv("kron:16:16 " + path("k.grf") + " --quiet").code, 0);
  const std::string run = "--graph " + path("k.grf") + " --algo bfs --memory 16MiB --backend ";
  expect_error(run + "incore", 77, "choose --backend emogi or --backend bam");
  EXPECT_EQ(graphrun(run + "emogi").code, 0);
  EXPECT_EQ(graphrun(run + "bam --cache 1MiB").code, 0);
  expect_error(run + "bam", 77, "choose --backend emogi or a smaller --cache");
  // It advised both where the vertices alone do not fit.
  for (const char* backend : {"incore", "emogi", "bam", "uvm"}) {
    expect_error("--graph " + path("k.grf") + " --algo bfs --memory 9MiB --backend " + backend, 77,
                 "no backend takes less than 10.");
  }
}

TEST_F(CliErrors, AFullDiskIsAnErrorAndTheDeviceStaysADevice) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const Said said = graphrun("--graph path:4 --algo bfs --json /dev/full --quiet");
  EXPECT_EQ(said.code, 1);
  EXPECT_NE(said.err.find("/dev/full"), std::string::npos) << said.err;
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  const std::string piped =
      std::string(GRAPHRUN_PROGRAM) + " --graph path:4 --algo bfs --device cpu >/dev/full 2>'" + path("stderr") + "'";
  EXPECT_EQ(WEXITSTATUS(std::system(piped.c_str())), 1);
  EXPECT_NE(contents(path("stderr")).find("standard output"), std::string::npos);
}

}  // namespace
}  // namespace graphrun::test
