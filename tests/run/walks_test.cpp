// SPDX-License-Identifier: Apache-2.0
// Random walks from the command line: their files, and what is refused.
#include <string>

#include "graphrun/core/types.hpp"
#include "run/cli.hpp"

namespace graphrun::test {
namespace {

class CliWalks : public CliTest {
 protected:
  std::string written(const std::string& name) const {
    const std::string run = "'" + write("line.el", "a b\nb c\n") + "' --algo walks --length 3 --device cpu --verify --output ";
    EXPECT_EQ(graphrun(run + path(name)).code, 0);
    return contents(path(name));
  }
};

TEST_F(CliWalks, AreALineEachUpToTheirEnd) {
  EXPECT_EQ(written("w.txt"), "a b c\nb c\nc\n");
  EXPECT_EQ(written("w.csv"), "step_0,step_1,step_2,step_3\na,b,c,\nb,c,,\nc,,,\n");
  EXPECT_EQ(written("w.jsonl"), "[\"a\", \"b\", \"c\"]\n[\"b\", \"c\"]\n[\"c\"]\n");
  EXPECT_EQ(written("w.bin").size(), 12 * sizeof(VertexId));
}

TEST_F(CliWalks, CountStepsAndEnds) {
  const auto found = json_of("star:5 --algo walks --length 10 --walks 3 --source 0 --node2vec-p 4 --verify")["result"];
  EXPECT_EQ(found["walks"], 3);
  EXPECT_EQ(found["steps"], 30);
  EXPECT_EQ(found["dead_ends"], 0);
  EXPECT_EQ(json_of("path:2 --algo walks --sources 1 --verify")["result"]["distinct"], 2);
  const std::string weighted = "kron:8 --algo walks --weights random:1 --length 5 --node2vec-q 0.5 --verify";
  EXPECT_EQ(json_of(weighted)["result"], json_of(weighted + " --backend bam --cache 16KiB --page 4096")["result"]);
}

TEST_F(CliWalks, TopListsTheMostVisited) {
  const auto top = json_of("star:5 --algo walks --length 10 --source 0 --top 1")["top"];
  EXPECT_EQ(top[0]["vertex"], 0);
}

TEST_F(CliWalks, RefuseWhatTheyCannotDo) {
  expect_error("path:9 --algo walks --node2vec-p 0", 2, "--node2vec-p");
  expect_error("path:9 --algo walks --node2vec-q 1e-320", 2, "--node2vec-q");
  expect_error("path:9 --algo walks --node2vec-p 1001", 2, "at most 1,000 times");
  expect_error("path:9 --algo walks --node2vec-p 0.01 --node2vec-q 100", 2, "10000 times the least");
  expect_error("path:9 --algo walks --node2vec-p 1e-300", 2, " 1e+300 times the least");
  expect_error("path:9 --algo walks --output " + path("w.graphalytics"), 2, "gives rows of vertices");
  expect_error("path:9 --algo walks --length 0", 2, "--length");
  expect_error("path:9 --algo walks --weights unit --ranks 2", 2, "leave --ranks out");
  expect_error("kron:20 --algo walks --length 1000000 --walks 100 --backend bam", 77, "memory");
}

}  // namespace
}  // namespace graphrun::test
