// SPDX-License-Identifier: Apache-2.0
// Label propagation from the command line, and the graphs of LDBC Graphalytics.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "run/cli.hpp"
#include "support/shared.hpp"

namespace graphrun::test {
namespace {

class CliCdlp : public CliTest {
 protected:
  std::string triangles() const { return write("t.el", "10 11\n11 12\n12 10\n13 14\n14 15\n15 13\n12 13\n"); }
};

TEST_F(CliCdlp, SaysHowManyIterationsThereWereAndWhetherTheLastChangedNothing) {
  const std::string run = triangles() + " --undirected --algo cdlp --verify --vertices compact ";
  const Said said = graphrun(run);
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("cdlp, synchronous, 4 iterations, the last of which changed no label"), std::string::npos) << said.out;
  const auto json = json_of(run);
  EXPECT_EQ(json["result"]["labels"], 2);
  EXPECT_EQ(json["result"]["largest"], 3);
  EXPECT_EQ(json["result"]["sizes"], (nlohmann::json{{{"size", 3}, {"labels", 2}}}));
  EXPECT_EQ(json["chosen"]["stable"], true);
  EXPECT_EQ(json["options"]["max_iterations"], 10);
  EXPECT_EQ(json["trials"][0]["iterations"], 4);
  EXPECT_EQ(json["verdict"], "verified");
  const auto two = json_of(run + "--max-iterations 2");
  EXPECT_EQ(two["chosen"]["stable"], false);
  EXPECT_EQ(two["options"]["max_iterations"], 2);
  expect_error(run + "--max-iterations 0", 2, "--max-iterations");
}

TEST_F(CliCdlp, WritesLabelsAsTheInputCallsThem) {
  const std::string run = triangles() + " --undirected --algo cdlp --vertices compact -q -o ";
  ASSERT_EQ(graphrun(run + path("labels.csv")).code, 0);
  EXPECT_EQ(contents(path("labels.csv")), "vertex,label\n10,10\n11,10\n12,10\n13,12\n14,12\n15,12\n");
}

// Their options had one name, and the second row would have hidden the first.
TEST_F(CliCdlp, LeavesTheLimitOfPagerankAsItWas) {
  const std::string run = "path:9 --tolerance 1e-12 --algo pagerank ";
  EXPECT_EQ(json_of(run)["options"]["max_iterations"], 1000);
  EXPECT_EQ(json_of(run + "--max-iterations 2")["trials"][0]["iterations"], 2);
}

TEST_F(CliCdlp, GivesTheSameLabelsHoweverAContainerOrdersItsVertices) {
  ASSERT_EQ(graphconv("kron:8:8 " + path("a.grf")).code, 0);
  ASSERT_EQ(graphconv(path("a.grf") + " " + path("b.grf") + " --relabel degree").code, 0);
  std::map<std::string, std::set<std::string>> lines;
  for (const std::string name : {"a", "b"}) {
    ASSERT_EQ(graphrun(path(name + ".grf") + " --algo cdlp --verify -q -o " + path(name + ".csv")).code, 0);
    std::istringstream written(contents(path(name + ".csv")));
    for (std::string line; std::getline(written, line);) lines[name].insert(line);
  }
  EXPECT_EQ(lines["a"].size(), 257u);
  EXPECT_EQ(lines["a"], lines["b"]);
}

TEST_F(CliCdlp, GivesTheLabelsOfGraphalytics) {
  const auto datasets = shared_datasets();
  if (!datasets || !std::filesystem::is_directory(*datasets / "graphalytics")) GTEST_SKIP() << "no data sets beside the tree";
  const auto values_of = [](const std::string& text) {
    std::istringstream lines(text);
    std::map<std::uint64_t, std::uint64_t> values;
    for (std::uint64_t vertex = 0, value = 0; lines >> vertex >> value;) values[vertex] = value;
    return values;
  };
  int graphs = 0;
  for (const auto& file : std::filesystem::directory_iterator(*datasets / "graphalytics")) {
    if (!file.path().filename().string().ends_with("-CDLP")) continue;
    const std::string name = file.path().string().substr(0, file.path().string().size() - 5);
    const std::string properties = contents(name + ".properties");
    const auto property = [&](const std::string& key) {
      std::istringstream value(properties.substr(properties.find(key + " = ") + key.size() + 3));
      std::string word;
      value >> word;
      return word;
    };
    ASSERT_NE(properties.find(".cdlp.max-iterations = "), std::string::npos) << name;
    const std::string edges = write("g.el", contents(name + ".e"));
    const std::string undirected = property(".directed") == "true" ? "" : " --undirected";
    for (const char* ranks : {"", " --threads 2 --ranks 2", " --backend bam"}) {
      const std::string run = edges + undirected + " --vertices compact --algo cdlp --device cpu --verify --max-iterations " +
                              property(".cdlp.max-iterations") + ranks + " -q -o " + path("labels.tsv");
      const Said said = graphrun(run);
      ASSERT_EQ(said.code, 0) << said.err;
      const std::string written = contents(path("labels.tsv"));
      EXPECT_EQ(values_of(written.substr(written.find('\n'))), values_of(contents(file.path()))) << run;
    }
    ++graphs;
  }
  EXPECT_EQ(graphs, 4);
}

}  // namespace
}  // namespace graphrun::test
