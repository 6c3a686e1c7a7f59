// SPDX-License-Identifier: Apache-2.0
// The backend gpuvm through the command line, on the CPU.
#include "graphrun/core/types.hpp"
#include "run/cli.hpp"

namespace graphrun::test {
namespace {

class CliGpuvm : public CliTest {
 protected:
  void expect_verified(const std::string& graph, const std::string& options) const {
    for (const char* algorithm : {"bfs", "sssp", "cc", "pagerank"}) {
      const auto result = json_of("--graph '" + graph + "' --backend gpuvm --device cpu --threads 2 --verify --quiet --algo " +
                                  algorithm + " " + options);
      EXPECT_EQ(result["verdict"], "verified") << algorithm << " on " << graph << " " << options;
      EXPECT_EQ(result["emulated"], false);
    }
  }
  /// Bytes moved over those of all edges, by one thread, whose order of work is always the same; and the number of steps.
  struct Traffic {
    double times_all;
    double steps;
  };
  Traffic with_small_cache(const std::string& graph, const std::string& options, std::size_t edge_bytes,
                           std::uint64_t cache_bytes = 104 << 10) const {
    const auto result = json_of("--graph " + graph + " --backend gpuvm --threads 1 --page 4KiB --cache " +
                                std::to_string(cache_bytes) + " --verify --quiet --algo " + options);
    EXPECT_EQ(result["verdict"], "verified") << options << " on " << graph;
    const auto& trial = result["trials"][0];
    const double all = result["graph"]["m"].get<double>() * static_cast<double>(edge_bytes);
    EXPECT_LT(static_cast<double>(cache_bytes), all * 0.6);
    return {trial["bytes_moved"].get<double>() / all, trial["iterations"].get<double>()};
  }
};

TEST_F(CliGpuvm, AnswersAreRightFromAContainerAndFromMemory) {
  ASSERT_EQ(graphconv("kron:10:8 '" + path("k.grf") + "' --weights random:1").code, 0);
  for (const char* options : {"", "--page 4KiB --cache 64KiB", "--page 64KiB --cache 192KiB --threads 2",
                              "--page 1MiB --cache 3MiB --threads 2", "--threads 1 --layout csr"}) {
    expect_verified(path("k.grf"), options);
    expect_verified("kron:10:8", options);
  }
}

// A push step of BFS that took vertices in the order in which they had joined brought in 3 to 7 times all edges.
TEST_F(CliGpuvm, NoStepBringsAPageInTwice) {
  for (const char* graph : {"kron:12:16", "urand:12:16"}) {
    for (const char* options : {"bfs --variant push", "bfs", "cc", "pagerank"}) {
      const Traffic traffic = with_small_cache(graph, options, sizeof(VertexId));
      EXPECT_LE(traffic.times_all, traffic.steps) << options << " on " << graph;
    }
  }
}

// 25 and 31 times with narrow buckets whose vertices were taken in the order in which they came; 7.5 and 7.0 now.
TEST_F(CliGpuvm, BucketsOfPathsAreInTheOrderOfPages) {
  for (const char* graph : {"kron:12:16", "urand:12:16"}) {
    const Traffic traffic = with_small_cache(graph, "sssp --weights random:1", sizeof(VertexId) + sizeof(std::uint32_t));
    EXPECT_LE(traffic.times_all, 10) << graph;
  }
}

// All in one direction would bring in 2.1 times the edges in steps of a search, and everything again for each sweep.
TEST_F(CliGpuvm, PassesTurnWhereHalfOfTheEdgesAreHere) {
  for (const char* graph : {"kron:12:16", "urand:12:16"}) {
    EXPECT_LE(with_small_cache(graph, "bfs --variant push", sizeof(VertexId), 65'536 * sizeof(VertexId)).times_all, 1.8) << graph;
  }
  const Traffic sweeps =
      with_small_cache("urand:16:16", "pagerank --tolerance 1e-6", sizeof(VertexId), 1'048'576 * sizeof(VertexId));
  EXPECT_GE(sweeps.steps, 4);
  EXPECT_LE(sweeps.times_all, 0.8 * sweeps.steps);
}

// Threads whose commands wait for a batch that never fills must ring for less.
TEST_F(CliGpuvm, DoorbellsOfABatchEndWithTheRightAnswer) {
  for (const char* batch : {"8", "64"})
    expect_verified("kron:9:16",
                    std::string("--fabric ofi:tcp --page 4KiB --cache 32KiB --queues 4 --threads 2 --doorbell-batch ") + batch);
}

TEST_F(CliGpuvm, TheListSaysWhichProvidersReadIntoGpus) {
  const std::string list = graphrun("--list").out;
  if (list.find("fabrics ofi:tcp") == std::string::npos) GTEST_SKIP() << "no libfabric here";
  EXPECT_NE(list.find("fabrics ofi:tcp (no FI_HMEM)"), std::string::npos) << list;  // sockets read into host memory alone
}

TEST_F(CliGpuvm, DefaultsAreThoseOfThePaper) {
  const auto result = json_of("--graph kron:8:8 --algo bfs --backend gpuvm --quiet");
  EXPECT_EQ(result["options"]["page_bytes"], 8192);
  EXPECT_EQ(result["options"]["layout"], "balanced");
  EXPECT_EQ(result["options"]["fabric"], "auto");
  EXPECT_EQ(result["placement"]["fabric"], "memory");
  EXPECT_EQ(json_of("--graph path:9 --algo bfs --backend gpuvm --fabric Me-mory --quiet")["options"]["fabric"], "memory");
  EXPECT_NE(graphrun("--graph kron:8:8 --algo bfs --backend gpuvm --quiet").out.find("fabric memory"), std::string::npos);
  EXPECT_EQ(result["options"]["queues"], 84);
  EXPECT_EQ(result["options"]["queue_depth"], 64);
  EXPECT_EQ(json_of("--graph kron:8:8 --algo bfs --backend bam --storage ram:unlimited --quiet")["options"]["page_bytes"], 4096);
}

TEST_F(CliGpuvm, WhatCannotBeIsRefused) {
  expect_error("--graph path:9 --algo bfs --backend gpuvm --page 2MiB", 2, "a page of 2097152 bytes");
  expect_error("--graph path:9 --algo bfs --backend gpuvm --fabric pigeons", 2, "--fabric: there is no fabric 'pigeons'");
  expect_error("--graph path:9 --algo bfs --backend gpuvm --fabric sm", 2, "one of a GPU");
  expect_error("--graph path:9 --algo bfs --backend gpuvm --fabric ofi", 2,
               "--fabric: 'ofi' is not complete: write ofi:PROVIDER");
  expect_error("--graph path:9 --algo bfs --backend gpuvm --fabric sm:tcp", 2, "only ofi:PROVIDER has something behind a colon");
  for (const char* option : {"--remote", "--token-file", "--fabric", "--fabric-addresses"}) {
    expect_error(std::string("--graph path:9 --algo bfs --backend gpuvm ") + option + " ''", 2, "was given nothing");
  }
  expect_error("--graph path:9 --algo bfs --backend gpuvm --fabric ofi:tcp --remote 127.0.0.1 --drop-self-loops", 2,
               "leave out what changes the graph");
  expect_error("--graph path:9 --algo bfs --backend gpuvm --page 3KiB", 2, "a page of 3072 bytes");
  expect_error("--graph path:9 --algo bfs --backend gpuvm --threads 2 --cache 8KiB", 2, "24576");
  expect_error("--graph path:9 --algo bfs --backend gpuvm --queues 0", 2, "--queues");
  expect_error("--graph path:9 --algo bfs --backend gpuvm --fabric ofi:tcp --queues 4096 --queue-depth 32768", 2,
               "--queues 4096 with --queue-depth 32768");
  for (const char* provider :
       {"", "t.c.p", "^tcp", "tcp,shm", "foo", "tpc"}) {  // libfabric would take all but the last, and mean others than we do
    expect_error(std::string("--graph path:9 --algo bfs --backend gpuvm --fabric 'ofi:") + provider + "'", 2,
                 fmt::format("'{}' is no provider", provider));
  }
}

}  // namespace
}  // namespace graphrun::test
