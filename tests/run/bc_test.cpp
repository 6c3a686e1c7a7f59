// SPDX-License-Identifier: Apache-2.0
// Betweenness centrality from the command line: its definitions, meshes, and what its plan expects.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

#include "graphrun/core/types.hpp"
#include "run/cli.hpp"

namespace graphrun::test {
namespace {

class CliBc : public CliTest {
 protected:
  /// The most resident memory of graphrun run with `words`.
  std::uint64_t most_resident_bytes(std::vector<std::string> words) const {
    words.insert(words.begin(), GRAPHRUN_PROGRAM);
    if (kVertexBits == 64) words.insert(words.end(), {"--ids", "64"});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    int status = -1;
    rusage used{};
    while (::wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
    }
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << fmt::format("{}", fmt::join(words, " "));
    return static_cast<std::uint64_t>(used.ru_maxrss) << 10;
  }
};

TEST_F(CliBc, ScoresSayTheirDefinition) {
  const std::string run = "--graph path:5 --algo bc --verify ";
  EXPECT_EQ(json_of(run)["options"]["definition"], "gap");
  const auto exact = json_of(run + "--definition exact");
  EXPECT_EQ(exact["verdict"], "verified");
  EXPECT_EQ(exact["options"]["definition"], "exact");
  EXPECT_EQ(exact["options"]["sources"], 5);
  EXPECT_EQ(exact["chosen"]["sources"], "all");
  EXPECT_EQ(exact["result"]["sources"], 5);
  EXPECT_EQ(exact["result"]["top"][0]["vertex"], 2);
  EXPECT_EQ(exact["result"]["top"][0]["score"], 4.0);
  EXPECT_EQ(json_of(run + "--definition normalised")["result"]["top"][0]["score"].get<double>(), 8.0 / 12);
  const auto sample = json_of(run + "--definition normalized --sources 2 --source random:3");
  EXPECT_EQ(sample["verdict"], "verified");
  EXPECT_EQ(sample["chosen"]["sampled"], true);
  EXPECT_EQ(sample["chosen"]["sources"].size(), 2u);
  EXPECT_EQ(json_of(run + "--definition normalized --sources 9")["result"]["top"][0]["score"].get<double>(), 8.0 / 12);
  const auto said = [&](const std::string& how) { return graphrun(run + how + " --quiet").out; };
  EXPECT_NE(said("").find(", gap, from "), std::string::npos) << said("");
  EXPECT_NE(said("--definition exact").find(", exact, each pair of ends once, from all vertices"), std::string::npos);
  EXPECT_NE(said("--definition exact --source 0,3").find(", a partial sum, from 2 sources"), std::string::npos);
  EXPECT_NE(said("--definition normalized --sources 2").find(", normalized, from a sample of 2 vertices"), std::string::npos);
}

// The default asked for a source by --source: it draws sources among vertices with edges.
TEST_F(CliBc, AGraphWithoutEdgesHasScoresOfZero) {
  const std::string header = "%%MatrixMarket matrix coordinate pattern general\n";
  const std::string none = write("none.mtx", header + "0 0 0\n"), apart = write("apart.mtx", header + "5 5 0\n");
  for (const char* algorithm : {"bc", "bc --definition exact", "bc --source random:1", "closeness", "harmonic", "walks"}) {
    for (const std::string& graph : {std::string("path:1"), none, apart, apart + " --ranks 2"}) {
      const auto found = json_of("--graph " + graph + " --algo " + algorithm + " --verify --top 1");
      EXPECT_EQ(found["verdict"], "verified") << graph << " " << algorithm;
    }
  }
  EXPECT_EQ(json_of("--graph " + apart + " --algo bc")["result"]["largest"], 0.0);
}

// They were refused: more shortest paths than a double counts.
TEST_F(CliBc, MeshesHaveMorePathsThanADoubleCounts) {
  const std::string run = "--graph grid:600:600 --algo bc --sources 2 --verify ";
  EXPECT_EQ(json_of(run)["verdict"], "verified");
  EXPECT_EQ(json_of(run + "--ranks 2")["verdict"], "verified");
  EXPECT_EQ(json_of(run + "--backend emogi --variant push")["verdict"], "verified");
}

// A plan was one for a single source that reads the edges twice: 1.0 GiB in 7.9 s, where 7.4 GiB moved in 27 s.
TEST_F(CliBc, APlanExpectsWhatAllSourcesMove) {
  ASSERT_EQ(graphconv("kron:16:16 " + path("k.grf") + " --quiet").code, 0);
  const std::string run = path("k.grf") + " --algo bc --threads 2 --cache 1MiB";
  const auto plan = json_of(run)["plan"];
  auto choices = plan["others"];
  choices.push_back(plan["chosen"]);
  for (const char* backend : {"bam", "gpuvm"}) {
    const auto choice = std::ranges::find_if(choices, [&](const auto& each) { return each["backend"] == backend; });
    ASSERT_NE(choice, choices.end());
    const auto expected = (*choice)["moved_bytes"].get<double>();
    const auto moved = json_of(run + " --backend " + backend)["trials"][0]["bytes_moved"].get<double>();
    EXPECT_LT(expected, 1.5 * moved) << backend;
    EXPECT_GT(expected, moved / 1.5) << backend;
  }
  EXPECT_EQ(json_of(run + " --sources 4")["plan"]["passes"], plan["passes"]);
  const auto all = json_of("kron:6:4 --algo bc --definition exact")["plan"]["passes"].get<double>();
  EXPECT_EQ(json_of("kron:6:4 --algo bc --source 1,2")["plan"]["passes"].get<double>() * 32, all);
}

// Generated graphs, of which no page of a file counts: with wide counts in the mesh, and with doubles.
TEST_F(CliBc, TakesTheMemoryOfItsPlan) {
  if (kVertexBits == 64) GTEST_SKIP() << "plans are of 32-bit ids";
  for (const std::string graph : {"grid:1200:1200", "urand:20:2"}) {
    for (const char* verify : {"", "serial"}) {
      const std::string json = path("run.json");
      std::vector<std::string> run = {graph, "--algo",    "bc", "--source", "index:0", "--device",
                                      "cpu", "--threads", "2",  "--quiet",  "--json",  json};
      if (*verify != '\0') run.insert(run.end(), {"--verify", verify});
      const auto took = static_cast<double>(most_resident_bytes(run));
      const auto expected = nlohmann::json::parse(contents(json))["plan"]["chosen"]["memory_bytes"].get<double>();
      // The program itself has 15 to 24 MB of took, by what it is built with, and 8 of expected.
      EXPECT_NEAR(took, expected, std::max(0.05 * expected, double{10 << 20})) << graph << " " << verify;
    }
  }
}

}  // namespace
}  // namespace graphrun::test
