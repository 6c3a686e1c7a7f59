// SPDX-License-Identifier: Apache-2.0
// The backend subway through the command line, on the CPU.
#include "graphrun/core/types.hpp"
#include "run/cli.hpp"

namespace graphrun::test {
namespace {

class CliSubway : public CliTest {
 protected:
  nlohmann::json verified(const std::string& graph, const std::string& options) const {
    const auto result = json_of("--graph '" + graph + "' --backend subway --verify --quiet " + options);
    EXPECT_EQ(result["verdict"], "verified") << graph << " " << options;
    return result;
  }
};

TEST_F(CliSubway, AnswersAreRightFromAContainerAndFromMemory) {
  ASSERT_EQ(graphconv("kron:10:8 '" + path("k.grf") + "' --weights random:1").code, 0);
  for (const char* algorithm : {"bfs", "sssp", "cc", "pagerank", "pagerank --variant push"}) {
    for (const char* options : {"", " --subway-variant sync", " --cache 4KiB", " --cache 4KiB --layout csr --threads 1"}) {
      verified(path("k.grf"), std::string("--algo ") + algorithm + options);
    }
    verified("urand:9:8", std::string("--algo ") + algorithm + " --cache 2KiB");
  }
}

// The plan of a step took 20 bytes for each vertex of the graph, however small the buffer: under a limit it was killed.
TEST_F(CliSubway, SmallBuffersHaveSmallPlans) {
  ASSERT_EQ(graphconv("web:13:4 '" + path("w.grf") + "' --weights random:1").code, 0);  // two plans for all vertices
  for (const char* algorithm : {"bfs", "sssp", "cc", "pagerank", "pagerank --variant push --tolerance 1e-2"}) {
    for (const char* variant : {"async", "sync"}) {
      verified(path("w.grf"), fmt::format("--algo {} --cache 64KiB --subway-variant {}", algorithm, variant));
    }
  }
}

TEST_F(CliSubway, CountsWhatItGathers) {
  // A push looks at each list once when levels do not change, and each of its edges was gathered.
  const auto sync = verified("path:2000", "--algo bfs --source 0 --subway-variant sync --variant push")["trials"][0];
  EXPECT_EQ(sync["edges_examined"], 2 * 1999);
  EXPECT_EQ(sync["bytes_moved"], 2 * 1999 * sizeof(VertexId));
  EXPECT_EQ(sync["amplification"], 1.0);
  for (const char* phase : {"find", "gather", "copy"}) EXPECT_TRUE(sync["edges_ms"][phase].is_number()) << phase;
  // Nobody is left to pull when the leaves of a star have been reached, so that their lists are not gathered.
  const auto pull = verified("star:1000", "--algo bfs --source 0 --subway-variant sync")["trials"][0];
  EXPECT_EQ(pull["bytes_moved"], 999 * sizeof(VertexId));
}

TEST_F(CliSubway, AsynchronousSubgraphsAreWorkedOnToTheirEnd) {
  // Every vertex is active at first, so that the only subgraph there is holds everything.
  const std::string pagerank = "--algo pagerank --variant push --tolerance 1e-6 ";
  const auto sync = verified("urand:9:8", pagerank + "--subway-variant sync")["trials"][0];
  const auto async = verified("urand:9:8", pagerank + "--subway-variant async")["trials"][0];
  EXPECT_GT(sync["iterations"], 3);
  EXPECT_EQ(async["iterations"], 1);
  EXPECT_LT(async["bytes_moved"], sync["bytes_moved"]);
  EXPECT_LT(async["amplification"], 0.5);
}

// A step cost what the bitmaps of all vertices are, so that paths took time with the square of their length: this one minutes.
TEST_F(CliSubway, StepsOfLongPathsCostWhatTheirFrontiersAre) {
  for (const char* run :
       {"bfs --source 0", "bfs --source 0 --variant push --subway-variant sync", "sssp --source 0 --weights unit"})
    EXPECT_EQ(verified("path:200000", std::string("--algo ") + run)["trials"][0]["edges_examined"], 2 * 199999);
}

TEST_F(CliSubway, SaysWhichVariantRan) {
  const auto sssp = verified("kron:8:8", "--algo sssp --delta 3");
  EXPECT_EQ(sssp["variant"], "bellman-ford");
  EXPECT_EQ(sssp["chosen"]["delta"], nullptr);
  EXPECT_NE(graphrun("--graph kron:8:8 --algo sssp --backend subway --delta 3").err.find("--delta has no effect"),
            std::string::npos);
  EXPECT_EQ(verified("kron:8:8", "--algo bfs")["variant"], "push");
  EXPECT_EQ(verified("kron:8:8", "--algo bfs --subway-variant sync")["variant"], "direction-optimizing");
  EXPECT_EQ(json_of("--graph kron:8:8 --algo bfs --backend incore --quiet")["trials"][0]["edges_ms"], nullptr);
}

}  // namespace
}  // namespace graphrun::test
