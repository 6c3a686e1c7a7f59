// The backend gpuvm through the command line, on the CPU.
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
};

TEST_F(CliGpuvm, AnswersAreRightFromAContainerAndFromMemory) {
  ASSERT_EQ(graphconv("kron:10:8 '" + path("k.grf") + "' --weights random:1").code, 0);
  for (const char* options :
       {"", "--page 4KiB --cache 64KiB", "--page 64KiB --cache 192KiB --threads 2", "--threads 1 --layout csr"}) {
    expect_verified(path("k.grf"), options);
    expect_verified("kron:10:8", options);
  }
}

TEST_F(CliGpuvm, DefaultsAreThoseOfThePaper) {
  const auto result = json_of("--graph kron:8:8 --algo bfs --backend gpuvm --quiet");
  EXPECT_EQ(result["options"]["page_bytes"], 8192);
  EXPECT_EQ(result["options"]["layout"], "balanced");
  EXPECT_EQ(result["options"]["fabric"], "auto");
  EXPECT_EQ(result["placement"]["fabric"], "memory");
  EXPECT_NE(graphrun("--graph kron:8:8 --algo bfs --backend gpuvm --quiet").out.find("fabric memory"), std::string::npos);
  EXPECT_EQ(result["options"]["queues"], 84);
  EXPECT_EQ(result["options"]["queue_depth"], 64);
  EXPECT_EQ(json_of("--graph kron:8:8 --algo bfs --backend bam --storage ram:unlimited --quiet")["options"]["page_bytes"], 4096);
}

TEST_F(CliGpuvm, WhatCannotBeIsRefused) {
  expect_error("--graph path:9 --algo bfs --backend gpuvm --fabric pigeons", 2, "there is no fabric 'pigeons'");
  expect_error("--graph path:9 --algo bfs --backend gpuvm --fabric sm", 2, "one of a GPU");
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
       {"", "TCP", "^tcp", "tcp,shm"}) {  // libfabric would take all but the last, and mean others than we do
    expect_error(std::string("--graph path:9 --algo bfs --backend gpuvm --fabric 'ofi:") + provider + "'", 2,
                 fmt::format("'{}' is no provider", provider));
  }
}

}  // namespace
}  // namespace graphrun::test
