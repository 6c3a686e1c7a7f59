// SPDX-License-Identifier: Apache-2.0
// "graphrun gather", as a user calls it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "run/cli.hpp"

namespace graphrun::test {
namespace {

class CliGather : public CliTest {
 protected:
  nlohmann::json gather(const std::string& arguments) {
    const Said said = graphrun("gather --device cpu --threads 2 --quiet --verify --json - " + arguments);
    EXPECT_EQ(said.code, 0) << arguments << said.err;
    return said.code == 0 ? nlohmann::json::parse(said.out) : nlohmann::json();
  }
};

TEST_F(CliGather, RowsOfMemoryAndOfAFileAreRight) {
  for (const char* row : {"1", "37", "512", "5000"}) {
    const std::string rows = std::string("--rows 1000 --gathered 3000 --trials 2 --row-bytes ") + row;
    const auto memory = gather(rows);
    EXPECT_EQ(memory["verdict"], "verified");
    EXPECT_EQ(memory["trials"].size(), 2u);
    EXPECT_EQ(memory["trials"][0]["host_bytes"], 3000 * std::stoull(row));
    const auto file = gather(rows + " --backend bam --cache 8MiB");
    EXPECT_EQ(file["verdict"], "verified");
    EXPECT_EQ(file["trials"][0]["host_bytes"], 0);
    EXPECT_GT(file["trials"][1]["storage_bytes"], 0) << "the cache is empty before each trial";
  }
}

TEST_F(CliGather, AWarmCacheThatHoldsAllReadsNothing) {
  const auto file = gather("--rows 100 --row-bytes 512 --gathered 5000 --backend bam --warm");
  EXPECT_EQ(file["trials"][0]["storage_bytes"], 0);
}

TEST_F(CliGather, RowsOfAGraphAreThoseThatArcsLeadTo) {
  // All arcs of a star lead to or from its middle: half of the gathered rows are one row, so fewer pages are read.
  const auto star = gather("star:4000 --row-bytes 4096 --gathered 200 --backend bam --cache 32MiB");
  EXPECT_EQ(star["rows"], 4000);
  EXPECT_LT(star["trials"][0]["storage_bytes"], 150 * 4096);
  const auto uniform = gather("--rows 4000 --row-bytes 4096 --gathered 200 --backend bam --cache 32MiB");
  EXPECT_GT(uniform["trials"][0]["storage_bytes"], 150 * 4096);
}

TEST_F(CliGather, HotRowsOfAFileAreInMemory) {
  // A half of the arcs leads to the middle of a star, which is a row in 4000.
  const std::string of = "--row-bytes 512 --page 512 --gathered 1000 --backend bam --cache 1MiB --hot-share 0.0004 ";
  for (const char* hot :
       {"", "--hot degree", "--hot pagerank", "--hot weighted --source index:9", "--hot personalised --source index:9"}) {
    const auto star = gather("star:4000 " + of + hot);
    EXPECT_EQ(star["hot_rows"], 1) << hot;
    EXPECT_NEAR(static_cast<double>(star["trials"][0]["host_bytes"]), 500 * 512, 80 * 512) << hot;
    EXPECT_NEAR(static_cast<double>(star["trials"][0]["amplification"]), 0.5, 0.15) << hot;
  }
}

TEST_F(CliGather, WalksFromTheSourcesFindTheRowsThatTheirBatchesGather) {
  // Batches that begin at one end of a path come to its first three vertices. One arc leads to that end, and two to the next.
  const std::string of = "path:1000 --fanouts 2,1 --source index:0 --gathered 400 --row-bytes 512 --page 512 --backend bam ";
  const auto personalised = gather(of + "--hot-share 0.004 --hot personalised");
  EXPECT_EQ(personalised["trials"][0]["storage_bytes"], 0);
  EXPECT_EQ(personalised["trials"][0]["host_bytes"], 400 * 512);
  const auto degree = gather(of + "--hot-share 0.004 --hot degree");
  EXPECT_GT(degree["trials"][0]["storage_bytes"], 0);
}

TEST_F(CliGather, AMemcpyStandsForADmaWhereThereIsNoGpu) {
  for (const char* delivery : {"zero-copy", "staged", "dma"}) {
    const auto rows = gather(std::string("--rows 1000 --row-bytes 1028 --gathered 3000 --row-delivery ") + delivery);
    EXPECT_EQ(rows["verdict"], "verified") << delivery;
    EXPECT_EQ(rows["chosen"]["delivery"], delivery);
    EXPECT_EQ(rows["emulated"], true);
  }
  const auto plain = gather("--rows 10 --row-bytes 200000 --gathered 30");
  EXPECT_EQ(plain["chosen"]["delivery"], "zero-copy");
  EXPECT_EQ(plain["chosen"]["dma_row_bytes"], nullptr) << "there is no DMA to plan with";
  EXPECT_EQ(plain["emulated"], false);
}

TEST_F(CliGather, HelpIsOfTheOptionsThatItReads) {
  const std::string help = graphrun("gather --help").out;
  for (const char* word : {"graphrun gather [GRAPH]", "--row-bytes", "--hot-share", "--cache", "--undirected", "Examples:"})
    EXPECT_NE(help.find(word), std::string::npos) << word;
  for (const char* word : {"--algo ", "--damping", "--fabric"}) EXPECT_EQ(help.find(word), std::string::npos) << word;
  for (const char* command : {"gather -h --quiet", "--help gather", "gather --rows 5 --help all"})
    EXPECT_EQ(graphrun(command).out, help) << command;
  for (const std::string topic : {"backend bam", "bash"})
    expect_error("gather --help " + topic, 2, fmt::format("there is no help on '{}'", topic.substr(0, topic.find(' '))));
}

TEST_F(CliGather, ErrorsAreSentences) {
  expect_error("gather a b", 2, "takes one graph");
  expect_error("gather --algo bfs", 2, "--algo means nothing to graphrun gather");
  expect_error("gather path:9 --rows 5", 2, "--rows has no effect on rows of a graph");
  expect_error("gather --device cpu --backend subway", 2, "not with backend subway");
  expect_error("gather --device cpu --cache 1MiB", 2, "--cache has no effect");
  expect_error("gather --device cpu --hot-share 0.5", 2, "--hot-share has no effect");
  const std::string file = "gather path:9 --backend bam --hot-share 0.5 ";
  expect_error("gather path:9 --backend bam --hot pagerank", 2,
               "--hot has no effect on rows of which --hot-share keeps none near");
  expect_error("gather --backend bam --hot-share 0.5 --hot degree", 2, "--hot has no effect on rows without a graph");
  expect_error("gather --fanouts 2", 2, "--fanouts has no effect on rows without a graph");
  expect_error(file + "--hot prefix", 2, "by --hot degree, pagerank, weighted or personalised, not prefix");
  expect_error(file + "--hot weighted", 2, "choose --hot pagerank");
  expect_error(file + "--sources 3", 2, "goes with --fanouts and with --hot weighted");
  expect_error(file + "--hot weighted --source index:1 --sources 3", 2, "goes with --source random:SEED, not with index:1");
  expect_error("gather path:9 --fanouts 2,0", 2, "--fanouts");
  expect_error("gather path:9 --fanouts 2,,2", 2, "--fanouts");
  expect_error("gather --hot-share 2", 2, "from 0 to 1");
  expect_error("gather --device cpu --load-bytes 4", 2, "--load-bytes has no effect");
  expect_error("gather --device cpu --replicated-share 0.1", 2, "--replicated-share has no effect");
  expect_error("gather --device cpu --backend bam --row-delivery staged", 2, "--row-delivery has no effect on rows in a file");
  expect_error("gather --device cpu --row-delivery mail", 2, "zero-copy");
  expect_error("gather --row-bytes 0", 2, "from 1 byte");
  expect_error("gather --device cpu --rows 4000000000 --row-bytes 64MiB", 77, "are free");
  expect_error("gather --device cpu --backend bam --cache 1 --rows 60000000000", 2, "is too small");  // before they are written
  expect_error("gather none.grf", 1, "none.grf");
  const std::string arcs = write("arcs.el", "0 1\n1 2\n");
  expect_error("gather " + arcs + " --json " + arcs, 2, "results would replace it");
  expect_error("path:9 --algo bfs --rows 5", 2, "--rows goes with graphrun gather");
}

}  // namespace
}  // namespace graphrun::test
