// SPDX-License-Identifier: Apache-2.0
// The output of successful runs.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "graphrun/core/build.hpp"
#include "graphrun/core/types.hpp"
#include "run/cli.hpp"

namespace graphrun::test {
namespace {

class CliResults : public CliTest {
 protected:
  // 0 -> 1 -> 2, 0 -> 2, and 3 -> 0, which nothing reaches.
  std::string triangle() const { return write("triangle.txt", "0 1 2\n1 2 3\n0 2 9\n3 0 1\n"); }
};

template <class T>
std::vector<T> words(const std::string& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

// Other digits than those of the number that was computed: 4294967300 reads back as the float, and as another double.
TEST_F(CliResults, FloatDistancesHaveAllDigitsOfWholeNumbers) {
  const Said said =
      graphrun("'" + write("w.el", "1 2 4294967296\n2 3 1.5\n") + "' --algo sssp --source 1 --device cpu --quiet --output -");
  EXPECT_NE(said.out.find("2,4294967296\n"), std::string::npos) << said.out;
  // The one float whose fewest digits read back as its neighbour where they are read as a double first.
  const Said rounded =
      graphrun("'" + write("r.el", "1 2 7.0385307e-26\n") + "' --algo sssp --source 1 --device cpu --quiet --output -");
  EXPECT_EQ(std::stod(rounded.out.substr(rounded.out.find("2,") + 2)), double{0x1.5c87fap-84f}) << rounded.out;
}

TEST_F(CliResults, DigestsHaveTheAgreedFields) {
  const auto bfs = json_of("--graph " + triangle() + " --algo bfs --source 0 --verify")["result"];
  EXPECT_EQ(bfs.dump(), R"({"checksum":"11","max_level":1,"reached":3,"source":0,"source_label":0,"sum_levels":2})");
  const auto sssp = json_of("--graph " + triangle() + " --algo sssp --source 0 --verify")["result"];
  EXPECT_EQ(sssp.dump(), R"({"checksum":"25","max_distance":5.0,"reached":3,"source":0,"source_label":0,"sum_distances":7.0})");
  const auto cc = json_of("--graph " + triangle() + " --algo cc --verify")["result"];
  EXPECT_EQ(cc.dump(), R"({"components":1,"largest":4,"sizes":[{"components":1,"size":4}]})");
  const auto pagerank = json_of("--graph " + triangle() + " --algo pagerank --tolerance 1e-10 --verify")["result"];
  EXPECT_NEAR(pagerank["sum"].get<double>(), 1, 1e-9);
  EXPECT_LT(pagerank["residual"].get<double>(), 1e-10);
  ASSERT_EQ(pagerank["top"].size(), 4u);
  EXPECT_EQ(pagerank["top"][0]["vertex"], 2);
  EXPECT_GT(pagerank["top"][0]["score"].get<double>(), pagerank["top"][1]["score"].get<double>());
}

TEST_F(CliResults, BatchesHaveADigestASourceAndNoRate) {
  const std::string usual = "kron:8:4 --algo bfs --sources 65 --source random:3 --verify";
  const auto all = json_of(usual + " --batch --trials 2");
  EXPECT_EQ(all["batch"], true);
  EXPECT_EQ(all["options"]["batch"], true);
  ASSERT_EQ(all["trials"].size(), 4u);
  EXPECT_EQ(all["trials"][0]["searches"], 64);
  EXPECT_EQ(all["trials"][3]["searches"], 1);
  for (const auto& trial : all["trials"]) {
    EXPECT_TRUE(trial["source"].is_null() && trial["gteps"].is_null()) << trial;
    EXPECT_EQ(trial["verdict"], "verified");
  }
  EXPECT_TRUE(all["summary"]["harmonic_mean_gteps"].is_null());
  EXPECT_EQ(all["results"], json_of(usual)["results"]);
}

TEST_F(CliResults, ABatchWritesAColumnASource) {
  const std::string sources = "--graph " + write("way.txt", "5 7\n7 9\n") + " --algo bfs --sources 2 --source random:9 --batch";
  const Said said = graphrun(sources + " --quiet --output -");
  EXPECT_EQ(said.out, "vertex,7,5\n5,,0\n7,0,1\n9,1,2\n");
  ASSERT_EQ(graphrun(sources + " --output " + path("levels.txt")).code, 0);
  EXPECT_EQ(contents(path("levels.txt")), "5 -1 0\n7 0 1\n9 1 2\n");
  ASSERT_EQ(graphrun(sources + " --output " + path("levels.bin")).code, 0);
  const std::uint32_t none = 0xffffffff;
  EXPECT_EQ(words<std::uint32_t>(contents(path("levels.bin"))), (std::vector<std::uint32_t>{none, 0, 0, 1, 1, 2}));
}

TEST_F(CliResults, JsonTellsWhereItComesFrom) {
  const auto all = json_of("--graph kron:8:4 --algo sssp --weights random:7:3:9 --threads 2 --verify --trials 3");
  EXPECT_EQ(all["program"]["vertex_bits"], kVertexBits);
  EXPECT_FALSE(all["program"]["version"].get<std::string>().empty());
  EXPECT_FALSE(all["program"]["compiler"].get<std::string>().empty());
  EXPECT_GT(all["machine"]["memory_bytes"].get<std::uint64_t>(), 0u);
  EXPECT_EQ(all["options"]["weights"], "random:7:3:9");
  EXPECT_EQ(all["graph"]["weights"], "u32");
  EXPECT_EQ(all["graph"]["n"], 256);
  EXPECT_EQ(all["backend"], "incore");
  EXPECT_EQ(all["instrumented"], false);
  EXPECT_EQ(all["verdict"], "verified");
  ASSERT_EQ(all["trials"].size(), 3u);
  for (const auto& trial : all["trials"]) {
    EXPECT_EQ(trial["emulated"], false);
    EXPECT_TRUE(trial.contains("link_requests") && trial["link_requests"].is_null());
    EXPECT_EQ(trial["verdict"], "verified");
    EXPECT_GT(trial["edges_examined"].get<std::uint64_t>(), 0u);
  }
  EXPECT_LE(all["summary"]["min_ms"].get<double>(), all["summary"]["median_ms"].get<double>());
  EXPECT_FALSE(all["teps_definition"].get<std::string>().empty());
}

TEST_F(CliResults, JsonHasEveryOptionThatSaysWhatIsRun) {
  const auto described = nlohmann::json::parse(graphrun("--describe").out)["options"];
  const auto options = json_of("--graph path:4 --algo bfs --quiet")["options"];
  std::size_t fields = 0;
  for (const auto& option : described) {
    const bool says_what_is_run = option["group"] != "Results" && option["group"] != "Other";
    EXPECT_TRUE(!says_what_is_run || option["field"].is_string()) << option["name"];
    if (!option["field"].is_string()) continue;
    ++fields;
    EXPECT_TRUE(options.contains(option["field"].get<std::string>())) << option["name"];
  }
  EXPECT_GT(fields, 50u);
  EXPECT_EQ(options.size(), fields);
}

TEST_F(CliResults, VariantsHaveBritishSpellings) {
  for (const char* const algorithm : {"bfs", "bc"}) {
    const auto found = json_of(fmt::format("path:4 --quiet --algo {} --variant direction-optimising", algorithm));
    EXPECT_EQ(found["variant"], "direction-optimizing") << algorithm;
  }
}

// The log alone said that loading had made one, which takes time and memory.
TEST_F(CliResults, JsonSaysWhereInEdgesComeFrom) {
  const std::string arcs = write("arcs.el", "0 1\n1 2\n2 0\n0 2\n");
  const auto transpose = [&](const std::string& graph, const std::string& options) {
    return json_of("'" + graph + "' --quiet --algo " + options)["graph"]["transpose"].get<std::string>();
  };
  EXPECT_EQ(transpose(arcs, "bfs"), "made");
  EXPECT_EQ(transpose(arcs, "bfs --variant push"), "none");
  EXPECT_EQ(transpose(arcs, "bfs --undirected"), "itself");
  const std::string log = graphrun("'" + arcs + "' --algo bfs").err;
  EXPECT_NE(log.find("[I] arcs has no in-edges: the transpose was made"), std::string::npos) << log;  // it had no name
  for (const auto& [options, in_file] : {std::pair{"", "stored"}, std::pair{" --no-transpose", "made"}}) {
    ASSERT_EQ(graphconv("'" + arcs + "' '" + path("arcs.grf") + "'" + options).code, 0);
    EXPECT_EQ(transpose(path("arcs.grf"), "pagerank"), in_file);
    EXPECT_EQ(transpose(path("arcs.grf"), "pagerank --drop-self-loops"), "made");  // other lists, and theirs
  }
}

// They stood there as those of bfs, which is no default of --algo, and of whose variants sssp and others have none.
TEST_F(CliResults, DescriptionHasNoDefaultWhereEachAlgorithmHasItsOwn) {
  const auto described = nlohmann::json::parse(graphrun("--describe").out);
  for (const auto& option : described["options"]) {
    if (option["name"] != "algo" && option["name"] != "variant") continue;
    EXPECT_TRUE(option["default"].is_null()) << option["name"] << ": " << option["default"];
    if (option["name"] == "algo") continue;
    for (const auto& algorithm : described["algorithms"]) {
      for (const auto& variant : algorithm["variants"])
        EXPECT_NE(std::find(option["names"].begin(), option["names"].end(), variant), option["names"].end()) << variant;
    }
  }
}

// Help, warnings and graphbench read one table: what it says of an option is what a run does.
TEST_F(CliResults, DescriptionSaysWhatOptionsTakeAndWhatReadsThem) {
  const auto described = nlohmann::json::parse(graphrun("--describe").out);
  std::map<std::string, nlohmann::json> options;
  for (const auto& option : described["options"]) options[option["name"]] = option;
  EXPECT_EQ(options["layout"]["names"], (std::vector<std::string>{"csr", "balanced"}));
  EXPECT_EQ(options["layout"]["default"], "balanced");
  EXPECT_EQ(options["delivery"]["names"], (std::vector<std::string>{"auto", "landing", "copies", "cufile"}));
  EXPECT_EQ(options["delivery"]["kind"], "name");
  EXPECT_EQ(options["fabric"]["names"], (std::vector<std::string>{"auto", "memory", "sm", "proxy", "ofi:PROVIDER"}));
  EXPECT_EQ(options["fabric"]["kind"], "text");
  for (const char* name : {"algo", "backend", "device", "format", "hot", "storage", "variant", "weights"})
    EXPECT_TRUE(options[name]["names"].is_array()) << name;
  EXPECT_EQ(options["trials"]["least"], 1);
  EXPECT_EQ(options["trust-file"]["default"], false);
  EXPECT_TRUE(options["threads"]["default"].is_null());
  EXPECT_EQ(options["bam-cache"]["default"], "on");
  EXPECT_EQ(options["page"]["read_by"]["backends"], (std::vector<std::string>{"bam", "gpuvm"}));
  EXPECT_EQ(options["delta"]["read_by"]["algorithms"], std::vector<std::string>{"sssp"});
  for (const auto& backend : described["backends"]) {
    const std::string name = backend["name"];
    const Said said = graphrun("path:9 --algo cc --quiet --page 8KiB --uvm-block 64KiB --device cpu --backend " + name);
    EXPECT_EQ(said.err.find("--page has no effect on backend") == std::string::npos, name == "bam" || name == "gpuvm")
        << said.err;
    EXPECT_EQ(said.err.find("--uvm-block has no effect on backend") == std::string::npos, name == "uvm") << said.err;
  }
  for (const auto& algorithm : described["algorithms"]) {
    for (const auto& variant : algorithm["variants"]) {
      const char* const graph = algorithm["name"] == "topo" ? "path:1" : "path:9";  // an edge both ways is a cycle
      const std::string run = fmt::format("{} --quiet --algo {} --variant {}", graph, algorithm["name"].get<std::string>(),
                                          variant.get<std::string>());
      EXPECT_EQ(json_of(run)["variant"] == variant, variant != "auto") << run;
    }
  }
}

TEST_F(CliResults, JsonTellsHowTheGraphWasToBeReadAndWhatChoicesCameTo) {
  const std::string arcs = write("arcs", "0 7\n7 3\n");
  const auto result =
      json_of("--graph '" + arcs + "' --algo bfs --format el --vertices compact --trust-file --threads 2 --quiet");
  EXPECT_EQ(result["options"]["format"], "el");
  EXPECT_EQ(result["options"]["vertices"], "compact");
  EXPECT_EQ(result["options"]["trust_file"], true);
  EXPECT_EQ(result["options"]["float_weights"], false);
  EXPECT_TRUE(result["options"]["raw_offset_in"].is_null());
  EXPECT_EQ(result["placement"]["threads"], 2);
  EXPECT_TRUE(result["placement"]["fabric"].is_null());
}

TEST_F(CliResults, RatesCountInputEdgesOfTheComponent) {
  // A path of 10 vertices has 9 edges and 18 arcs; only 3 of the 4 directed arcs can be reached from vertex 0.
  EXPECT_EQ(json_of("--graph path:10 --algo bfs")["trials"][0]["input_edges"], 9.0);
  EXPECT_EQ(json_of("--graph path:10 --algo cc")["trials"][0]["input_edges"], 9.0);
  EXPECT_EQ(json_of("--graph " + triangle() + " --algo sssp --source 0")["trials"][0]["input_edges"], 3.0);
  const auto pagerank = json_of("--graph path:10 --algo pagerank")["trials"][0];
  EXPECT_EQ(pagerank["input_edges"].get<double>(), 18 * pagerank["iterations"].get<double>());
  EXPECT_EQ(json_of("--graph path:1 --algo cc")["trials"][0]["gteps"], nullptr);
}

TEST_F(CliResults, SeveralSourcesAreDrawnAmongVerticesWithOutEdges) {
  std::string text;
  for (int v = 0; v < 40; ++v) text += std::to_string(v < 20 ? 2 * v : 0) + " " + std::to_string(v) + "\n";
  const std::string graph = write("even.txt", text);  // only even ids have out-edges
  const auto all = json_of("--graph " + graph + " --algo bfs --source random:5 --sources 12 --trials 2 --verify");
  ASSERT_EQ(all["results"].size(), 12u);
  ASSERT_EQ(all["trials"].size(), 24u);
  EXPECT_EQ(all["result"], all["results"][0]);
  std::set<int> sources;
  for (const auto& digest : all["results"]) sources.insert(digest["source"].get<int>());
  for (const int source : sources) EXPECT_EQ(source % 2, 0);
  EXPECT_GT(sources.size(), 3u);
  EXPECT_EQ(all["results"], json_of("--graph " + graph + " --algo bfs --source random:5 --sources 12 --threads 1")["results"]);
  EXPECT_EQ(json_of("--graph " + graph + " --algo bfs --sources 3")["results"],
            json_of("--graph " + graph + " --algo bfs --source random --sources 3")["results"]);
}

TEST_F(CliResults, TheDefaultSourceHasTheLargestOutDegree) {
  EXPECT_EQ(json_of("--graph " + triangle() + " --algo bfs")["result"]["source"], 0);
  EXPECT_EQ(json_of("--graph star:9 --algo bfs")["result"]["reached"], 9);
}

TEST_F(CliResults, ValuesAsText) {
  const std::string run = "--graph " + triangle() + " --source 1 --quiet --output '" + path("v.txt") + "' ";
  ASSERT_EQ(graphrun(run + "--algo bfs").code, 0);
  EXPECT_EQ(contents(path("v.txt")), "-1\n0\n1\n-1\n");
  ASSERT_EQ(graphrun(run + "--algo bfs --parents").code, 0);
  EXPECT_EQ(contents(path("v.txt")), "-1\n1\n1\n-1\n");
  ASSERT_EQ(graphrun(run + "--algo sssp").code, 0);
  EXPECT_EQ(contents(path("v.txt")), "-1\n0\n3\n-1\n");
  ASSERT_EQ(graphrun("--graph " + triangle() + " --algo pagerank --tolerance 1e-12 --output '" + path("v.txt") + "'").code, 0);
  std::istringstream ranks(contents(path("v.txt")));
  double sum = 0;
  int count = 0;
  for (double rank; ranks >> rank; ++count) sum += rank;
  EXPECT_EQ(count, 4);
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST_F(CliResults, ValuesAsWords) {
  const std::string run = "--graph " + triangle() + " --quiet --output '" + path("v.bin") + "' ";
  ASSERT_EQ(graphrun(run + "--algo bfs --source 1").code, 0);
  EXPECT_EQ(words<std::uint32_t>(contents(path("v.bin"))), (std::vector<std::uint32_t>{0xffffffff, 0, 1, 0xffffffff}));
  ASSERT_EQ(graphrun(run + "--algo bfs --source 1 --parents").code, 0);
  EXPECT_EQ(words<VertexId>(contents(path("v.bin"))), (std::vector<VertexId>{kNoVertex, 1, 1, kNoVertex}));
  ASSERT_EQ(graphrun(run + "--algo sssp --source 0").code, 0);
  EXPECT_EQ(words<std::uint64_t>(contents(path("v.bin"))), (std::vector<std::uint64_t>{0, 2, 5, ~std::uint64_t{0}}));
  ASSERT_EQ(graphrun(run + "--algo cc").code, 0);
  const auto labels = words<VertexId>(contents(path("v.bin")));
  ASSERT_EQ(labels.size(), 4u);
  EXPECT_EQ(std::set<VertexId>(labels.begin(), labels.end()).size(), 1u);
  ASSERT_EQ(graphrun(run + "--algo pagerank").code, 0);
  EXPECT_EQ(contents(path("v.bin")).size(), 4 * sizeof(double));
}

TEST_F(CliResults, FloatDistancesAreInfiniteWhereUnreached) {
  const std::string graph = write("float.txt", "0 1 0.5\n1 2 0.25\n3 0 1.5\n");
  ASSERT_EQ(graphrun("--graph " + graph + " --algo sssp --source 0 --verify --output '" + path("v.bin") + "'").code, 0);
  const auto distances = words<double>(contents(path("v.bin")));
  ASSERT_EQ(distances.size(), 4u);
  EXPECT_EQ(distances[2], 0.75);
  EXPECT_TRUE(std::isinf(distances[3]));
  ASSERT_EQ(graphrun("--graph " + graph + " --algo sssp --source 0 --output '" + path("v.txt") + "'").code, 0);
  EXPECT_EQ(contents(path("v.txt")), "0\n0.5\n0.75\n-1\n");
}

// Of an undirected graph it ran cc without saying so.
TEST_F(CliResults, SayWhyAnotherAlgorithmRan) {
  const std::string why = "the graph is undirected: cc labels its components";
  EXPECT_EQ(json_of("kron:6:4 --algo scc --device cpu")["chosen"]["why_variant"], why);
  EXPECT_NE(graphrun("kron:6:4 --algo scc --device cpu").out.find("forward-backward (" + why + ")"), std::string::npos);
  const std::string directed = write("cycle.el", "0 1\n1 2\n2 0\n2 3\n");
  EXPECT_EQ(json_of("'" + directed + "' --algo scc --device cpu")["chosen"]["why_variant"], nullptr);
}

// A path of a million edges of 0.1 was 100958.34 long, and verified: sums were 32-bit floats, and nothing said so.
TEST_F(CliResults, DistancesOfFloatWeightsAreDoublesAndFloatsSayTheirError) {
  std::string lines;
  for (int v = 0; v < 20000; ++v) lines += fmt::format("{} {} 0.1\n", v, v + 1);
  const std::string run = "'" + write("deep.wel", lines) + "' --algo sssp --source 0 --device cpu ";
  const auto doubles = json_of(run + "--verify serial");
  EXPECT_EQ(doubles["chosen"]["distance_bits"], 64);
  EXPECT_EQ(doubles["chosen"]["relative_error"], nullptr);
  EXPECT_EQ(doubles["result"]["max_distance"].get<double>(), 20000 * double{0.1F});
  for (const std::string how : {"", "serial"}) {
    const auto floats = json_of(run + "--distances f32 --verify " + how);
    EXPECT_EQ(floats["chosen"]["distance_bits"], 32);
    EXPECT_EQ(floats["chosen"]["longest_path"], 20000);
    EXPECT_EQ(floats["chosen"]["relative_error"].get<double>(), 20000 * 0x1p-24);
    EXPECT_NE(floats["result"]["max_distance"].get<double>(), 20000 * double{0.1F});
    EXPECT_NEAR(floats["result"]["max_distance"].get<double>(), 2000, 2000 * 20000 * 0x1p-24);
  }
  ASSERT_EQ(graphrun(run + "--distances f32 --output '" + path("v.bin") + "'").code, 0);
  EXPECT_EQ(words<float>(contents(path("v.bin"))).size(), 20001u);
  EXPECT_NE(graphrun(run + "--distances f32 --quiet").out.find("relative error up to 2^-24 for each edge"), std::string::npos);
  EXPECT_NE(graphrun("path:9 --algo sssp --distances f32").err.find("--distances f32 has no effect"), std::string::npos);
}

TEST_F(CliResults, FilesReplaceTheirTargetAndLeaveNothingBeside) {
  std::filesystem::create_directory(path("only"));
  const std::string target = write("only/r.json", "old");
  std::filesystem::create_symlink(target, path("link.json"));
  ASSERT_EQ(graphrun("--graph path:4 --algo bfs --json '" + path("link.json") + "'").code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.json")));
  EXPECT_EQ(nlohmann::json::parse(contents(target))["result"]["reached"], 4);
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path("only"))) ++files;
  EXPECT_EQ(files, 1);
  ASSERT_EQ(graphrun("--graph '" + path("none.mtx") + "' --algo bfs --json '" + target + "'").code, 1);
  EXPECT_EQ(nlohmann::json::parse(contents(target))["result"]["reached"], 4) << "a failed run must leave the old result";
}

TEST_F(CliResults, TheTableShowsVerdictsAndCollapsesManyTrials) {
  const Said few = graphrun("--graph path:4 --algo bfs --trials 2");
  EXPECT_EQ(few.code, 0);
  EXPECT_NE(few.out.find("unverified"), std::string::npos);
  EXPECT_EQ(few.out.find("median"), std::string::npos);
  const Said many = graphrun("--graph path:4 --algo bfs --trials 9 --verify");
  EXPECT_NE(many.out.find("median"), std::string::npos);
  EXPECT_NE(many.out.find("verified"), std::string::npos);
}

TEST_F(CliResults, SayWhatVerifiedThem) {
  for (const std::string algorithm : {"bfs", "sssp", "cc", "pagerank"}) {
    const std::string run = "kron:8:4 --quiet --algo " + algorithm;
    EXPECT_TRUE(json_of(run)["verified_by"].is_null());
    for (const auto& [given, how] :
         {std::pair{" --verify", "properties"}, {" --verify serial", "serial"}, {" --verify=Serial", "serial"}}) {
      const auto all = json_of(run + given);
      EXPECT_EQ(all["verdict"], "verified") << algorithm << given;
      EXPECT_EQ(all["verified_by"], how);
      EXPECT_EQ(all["options"]["verify"], how);
    }
  }
  const Said table = graphrun("--algo bfs --verify kron:8:4");  // a graph is no way to verify
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("(properties)"), std::string::npos) << table.out;
}

// Ranks that the iteration limit had ended were called verified.
TEST_F(CliResults, PagerankThatTheIterationLimitEndedIsNotConverged) {
  const std::string run = "--graph " + triangle() + " --algo pagerank --tolerance 1e-12 --trials 2 --max-iterations ";
  for (const char* verify : {"", " --verify"}) {
    const auto ended = json_of(run + "2" + verify);
    EXPECT_EQ(ended["verdict"], "not converged");
    for (const auto& trial : ended["trials"]) EXPECT_EQ(trial["verdict"], "not converged");
    EXPECT_EQ(ended["chosen"]["converged"], false);
    const Said table = graphrun(run + "2" + verify);
    EXPECT_EQ(table.code, 0);
    EXPECT_NE(table.out.find("  not converged\n"), std::string::npos) << table.out;
    EXPECT_EQ(table.out.find("verified"), std::string::npos) << table.out;
    EXPECT_EQ(table.out.find("checked    the ranks sum to 1") != std::string::npos, *verify != 0) << table.out;
  }
  EXPECT_EQ(json_of(run + "1000 --verify")["verdict"], "verified");
}

TEST_F(CliResults, ACertificateIsShownAndDecidesWhetherRanksConverged) {
  const std::string run = "--graph " + triangle() + " --algo pagerank --tolerance 1e-9 --certify";
  for (const char* variant : {"extrapolated", "push"}) {
    const auto all = json_of(run + " --verify --variant " + variant);
    EXPECT_EQ(all["variant"], variant);
    EXPECT_EQ(all["verdict"], "verified");
    EXPECT_LT(all["result"]["certificate"]["residual"].get<double>(), 1e-9);
    EXPECT_LE(all["result"]["certificate"]["largest"], all["result"]["certificate"]["residual"]);
  }
  const Said table = graphrun(run);
  EXPECT_NE(table.out.find(", certificate residual "), std::string::npos) << table.out;
  const auto ended = json_of(run + " --verify --max-iterations 1");
  EXPECT_EQ(ended["verdict"], "not converged");
  EXPECT_GT(ended["result"]["certificate"]["residual"].get<double>(), 1e-9);
  EXPECT_TRUE(json_of("--graph " + triangle() + " --algo pagerank")["result"]["certificate"].is_null());
}

TEST_F(CliResults, ATolerancePutOnTheLargestResidualIsCertified) {
  const std::string run = "--graph grid:20:30 --algo pagerank --stop largest --verify serial";
  for (const char* how : {"", " --variant pull", " --variant push"}) {
    const auto all = json_of(run + how);
    EXPECT_EQ(all["verdict"], "verified") << how;
    EXPECT_LT(all["result"]["certificate"]["largest"].get<double>(), 1e-4 / 600) << how;
    EXPECT_EQ(all["chosen"]["float_bits"], 64) << how;
  }
  EXPECT_EQ(json_of(run + " --max-iterations 1 --tolerance 1e-9")["verdict"], "not converged");
}

TEST_F(CliResults, ScoresAreOfPathsFromASetOfVertices) {
  const std::string run = "--graph kron:8:4 --algo bc --verify ";
  const auto drawn = json_of(run);
  EXPECT_EQ(drawn["verdict"], "verified");
  EXPECT_EQ(drawn["verified_by"], "serial");
  EXPECT_EQ(drawn["options"]["source"], "random:27491095");
  EXPECT_EQ(drawn["options"]["sources"], 4);
  EXPECT_EQ(drawn["chosen"]["sources"].size(), drawn["result"]["sources"].get<std::size_t>());
  EXPECT_EQ(drawn["result"]["top"][0]["score"], 1.0);
  const auto two = json_of(run + "--source 7,3,7 --variant push");
  EXPECT_EQ(two["verdict"], "verified");
  EXPECT_EQ(two["chosen"]["sources"], nlohmann::json::array({3, 7}));
  EXPECT_EQ(json_of(run + "--sources 2 --source random:2")["result"]["sources"], 2);
  EXPECT_EQ(json_of("--graph kron:8:4 --algo bc --source max-degree")["result"]["sources"], 1);
  EXPECT_EQ(json_of("--graph kron:8:4 --algo bfs")["options"]["sources"], 1);
  const Said values = graphrun("--graph path:3 --algo bc --source 0 --device cpu --quiet --output -");
  EXPECT_EQ(values.out, "vertex,score\n0,1\n1,0.5\n2,0\n");
}

TEST_F(CliResults, TrianglesAreTheSameWhereverTheirListsAreMade) {
  const std::string run = "--graph kron:10:8 --algo tc --verify";
  const auto near = json_of(run);
  EXPECT_EQ(near["verdict"], "verified");
  EXPECT_EQ(near["chosen"]["order"], "degree");
  const auto parts = json_of(run + " --backend bam --cache 16KiB");
  EXPECT_GT(parts["chosen"]["parts"], 1);
  EXPECT_EQ(parts["result"], near["result"]);
  const auto in_place = json_of(run + " --variant by-id --drop-duplicates");
  EXPECT_EQ(in_place["chosen"]["parts"], 0);
  EXPECT_EQ(in_place["result"], near["result"]);
}

TEST_F(CliResults, RanksCanRestartAtASetOfVertices) {
  const std::string run = "--graph " + triangle() + " --algo pagerank --tolerance 1e-10 --verify --source ";
  const auto two = json_of(run + "0,2");
  EXPECT_EQ(two["verdict"], "verified");
  EXPECT_EQ(two["chosen"]["restart_vertices"], 2);
  EXPECT_EQ(two["options"]["source"], "0,2");
  EXPECT_EQ(json_of(run + "index:2,0,0,index:0")["result"], two["result"]);
  EXPECT_EQ(json_of(run + "random:3 --sources 2")["verdict"], "verified");
  EXPECT_EQ(json_of(run + "max-degree --variant push")["chosen"]["restart_vertices"], 1);
  EXPECT_NE(graphrun(run + "0,2").out.find(", restarts at 2 vertices"), std::string::npos);
  const auto everywhere = json_of("--graph " + triangle() + " --algo pagerank");
  EXPECT_TRUE(everywhere["chosen"]["restart_vertices"].is_null());
  EXPECT_TRUE(everywhere["options"]["source"].is_null());
  EXPECT_EQ(json_of("--graph " + triangle() + " --algo bfs")["options"]["source"], "max-degree");
}

TEST_F(CliResults, TheLogGoesToStderrAndCanBeQuiet) {
  const std::string run = "--graph " + triangle() + " --algo bfs --delta 3";
  const Said said = graphrun(run);
  EXPECT_NE(said.err.find("graphconv"), std::string::npos) << said.err;
  EXPECT_NE(said.err.find("--delta has no effect on bfs"), std::string::npos) << said.err;
  const Said quiet = graphrun(run + " --quiet");
  EXPECT_EQ(quiet.err.find("graphconv"), std::string::npos) << quiet.err;
  EXPECT_NE(quiet.err.find("--delta"), std::string::npos) << quiet.err;
}

// Random weights were drawn for a file without weights: distances that other tools do not have.
TEST_F(CliResults, MissingWeightsAreOneAndThatIsSaidOnce) {
  const std::string file = "'" + write("bare.el", "0 1\n1 2\n2 3\n0 3\n") + "' --algo sssp --source 0 --trials 2 --verify";
  const Said said = graphrun(file + " --quiet");
  EXPECT_EQ(said.code, 0);
  const std::size_t told = said.err.find("has no weights: sssp takes 1 for each edge");
  EXPECT_NE(told, std::string::npos) << said.err;
  EXPECT_EQ(said.err.find("has no weights", told + 20), std::string::npos) << said.err;
  const auto json = json_of(file);
  EXPECT_EQ(json["graph"]["weight_source"], "unit");
  EXPECT_EQ(json["result"]["sum_distances"], 4);
  EXPECT_EQ(json_of(file + " --weights random")["graph"]["weight_source"], "random:1");
  EXPECT_EQ(graphrun(file + " --quiet --weights unit").err, kSaidOfBuild);
}

// A generator's name, and those of options' values, were refused in capitals and in the forms that are usual elsewhere.
TEST_F(CliResults, NamesAreTakenAsPeopleWriteThemAndSaidAsTheyAreCalled) {
  const auto pagerank =
      json_of("KRON:6:4 --algo PR --backend BaM --layout CSR --cache '1 gb' --page 4kb --storage RAM:Unlimited");
  EXPECT_EQ(pagerank["algorithm"], "pagerank");
  EXPECT_EQ(pagerank["backend"], "bam");
  EXPECT_EQ(pagerank["graph"]["name"], "kron:6:4");
  EXPECT_EQ(pagerank["options"]["layout"], "csr");
  EXPECT_EQ(pagerank["options"]["cache_bytes"], 1 << 30);
  EXPECT_EQ(pagerank["options"]["page_bytes"], 4096);
  EXPECT_EQ(pagerank["options"]["storage"], "ram:unlimited");
  const auto sssp = json_of("path:9 --algo Sssp --variant delta_stepping --weights Random:3 --device Cpu");
  EXPECT_EQ(sssp["variant"], "delta-stepping");
  EXPECT_EQ(sssp["graph"]["weight_source"], "random:3");
  EXPECT_EQ(sssp["options"]["device"], "cpu");
}

TEST_F(CliResults, TheGraphMayStandWithoutItsOption) {
  EXPECT_EQ(json_of("--algo cc path:9 --quiet")["graph"]["name"], "path:9");
  EXPECT_EQ(json_of("--graph path:9 --algo cc --quiet")["graph"]["name"], "path:9");
}

TEST_F(CliResults, HelpListAndVersion) {
  EXPECT_EQ(graphrun("-h").out, graphrun("--help").out);
  EXPECT_EQ(graphrun("-V").out, graphrun("--version").out);
  const Said help = graphrun("--help all");
  EXPECT_EQ(help.code, 0);
  for (const char* word : {"--backend", "--uvm-advise", "kron:SCALE", "Examples:", "Exit codes"}) {
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
  }
  const std::string common = graphrun("--help").out;
  EXPECT_NE(common.find("--backend"), std::string::npos);
  EXPECT_EQ(common.find("--uvm-advise"), std::string::npos);
  EXPECT_LE(std::count(common.begin(), common.end(), '\n'), 48);  // two screens
  const std::string bam = graphrun("--help backend BaM").out;
  EXPECT_NE(bam.find("--storage"), std::string::npos);
  EXPECT_EQ(bam.find("--fabric"), std::string::npos);
  expect_error("--help backend", 2, "--help backend needs the name of one backend");
  expect_error("--help aal", 2, "there is no help on 'aal' (did you mean 'all'?)");
  expect_error("--help foo", 2, "there is no help on 'foo': choose among all, man, markdown, bash, backend, names");
  expect_error("--quiet -h path:4", 2, "there is no help on 'path:4'");
  for (const char* command : {"path:4 --algo bfs --help", "calibrate --help"})
    EXPECT_EQ(graphrun(command).out, common) << command;
  expect_error("--list path:4", 2, "--list takes no graph");
  const Said list = graphrun("--list");
  EXPECT_EQ(list.code, 0);
  EXPECT_NE(list.out.find("emogi"), std::string::npos);
  const Said version = graphrun("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out, version_text("graphrun"));
  const std::string facts = version.out.substr(version.out.find('\n'));
  for (const char* fact : {"CUDA", "\nfeatures: io_uring", "\nnot built: ", "\nvertex ids: 32"})
    EXPECT_NE(facts.find(fact), std::string::npos) << fact;
  EXPECT_EQ(version.out.rfind(fmt::format("graphrun {} (commit ", build().version), 0), 0u) << version.out;
}

// There was a program for either width, and no way from a container of 32-bit ids to 64.
TEST_F(CliResults, IdsAreAsWideAsTheGraphNeeds) {
  const auto convert = [&](const std::string& names) { return say(std::string(GRAPHCONV_PROGRAM) + " " + names); };
  const auto search = [&](const std::string& graph) { return json_of("'" + path(graph) + "' --algo bfs --verify --quiet"); };
  ASSERT_EQ(convert("web:7:4 '" + path("narrow.grf") + "' --balanced 8").code, 0);
  const Said wide = convert("'" + path("narrow.grf") + "' '" + path("wide.grf") + "' --ids 64");
  if (!GRAPHRUN_HAS_WIDE) {
    EXPECT_EQ(wide.code, 77);
    EXPECT_NE(wide.err.find("built without 64-bit ids"), std::string::npos) << wide.err;
    return;
  }
  ASSERT_EQ(wide.code, 0) << wide.err;
  EXPECT_EQ(convert("check '" + path("wide.grf") + "'").code, 0);
  ASSERT_EQ(convert("web:7:4 '" + path("direct.grf") + "' --balanced 8 --ids 64").code, 0);
  EXPECT_EQ(contents(path("wide.grf")), contents(path("direct.grf")));
  const auto narrow = search("narrow.grf");
  const auto picked = search("wide.grf");
  EXPECT_EQ(narrow["program"]["vertex_bits"], kVertexBits);
  EXPECT_EQ(picked["program"]["vertex_bits"], 64);
  EXPECT_EQ(picked["result"], narrow["result"]);
  EXPECT_EQ(picked["verdict"], "verified");
  const Said many = graphrun("path:5000000000 --algo bfs --memory 1GiB");  // more than 32 bits can name
  EXPECT_EQ(many.code, 77) << many.err;
  EXPECT_NE(many.err.find("GiB"), std::string::npos) << many.err;
}

// A line that programs share stands once.
TEST_F(CliResults, ThePageOfOptionsIsWhatProgramsSay) {
  const std::string page = contents(GRAPHRUN_SOURCE_DIR "/docs/options.md");
  for (const std::string program : {GRAPHRUN_PROGRAM, GRAPHCONV_PROGRAM, GRAPHMEMD_PROGRAM}) {
    const Said said = say(program + " --help markdown");
    ASSERT_EQ(said.code, 0) << said.err;
    std::istringstream lines(said.out);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_NE(page.find(line + "\n"), std::string::npos) << program << ": run tools/options_reference.sh for\n" << line;
    }
  }
}

// Bash takes the completions, and man the page.
TEST_F(CliResults, CompletionsAndManualPages) {
  for (const std::string program : {GRAPHRUN_PROGRAM, GRAPHCONV_PROGRAM, GRAPHMEMD_PROGRAM}) {
    const Said script = say(program + " --help bash");
    ASSERT_EQ(script.code, 0) << script.err;
    write("completions", script.out);
    const Said checked = say("bash -n '" + path("completions") + "'");
    EXPECT_EQ(checked.code, 0) << checked.err;
    const Said page = say(program + " --help man");
    EXPECT_EQ(page.out.rfind(".TH GRAPH", 0), 0u) << page.out;
    EXPECT_NE(page.out.find("\\fB\\-\\-verbose\\fR"), std::string::npos);
  }
  const auto offered = [&](const std::string& program, const std::string& name, const std::string& words) {
    write("completions", say(program + " --help bash").out);
    return say(fmt::format(
                   "cd '{}' && bash -c \"source completions; COMP_WORDS=({} {}); COMP_CWORD=\\$((\\${{#COMP_WORDS[@]}} - 1)); "
                   "_{}; echo \\${{COMPREPLY[@]}}\"",
                   directory_.string(), name, words, name))
        .out;
  };
  EXPECT_EQ(offered(GRAPHRUN_PROGRAM, "graphrun", "--layout b"), "balanced\n");
  EXPECT_EQ(offered(GRAPHRUN_PROGRAM, "graphrun", "--delivery c"), "copies cufile\n");
  EXPECT_EQ(offered(GRAPHRUN_PROGRAM, "graphrun", "--fabric o"), "ofi:\n");
  EXPECT_EQ(offered(GRAPHRUN_PROGRAM, "graphrun", "--device c"), "cpu cuda cuda: cuda:all\n");
  EXPECT_EQ(offered(GRAPHRUN_PROGRAM, "graphrun", "--variant b"), "bellman-ford by-degree by-id boruvka\n");
  write("gaps.el", "0 1\n");
  EXPECT_EQ(offered(GRAPHRUN_PROGRAM, "graphrun", "ga"), "gaps.el gather\n");
  EXPECT_EQ(offered(GRAPHRUN_PROGRAM, "graphrun", "gather ga"), "gaps.el\n");
  EXPECT_EQ(offered(GRAPHRUN_PROGRAM, "graphrun", "cal"), "calibrate\n");
  EXPECT_EQ(offered(GRAPHCONV_PROGRAM, "graphconv", "ch"), "check\n");
}

}  // namespace
}  // namespace graphrun::test
