// The backend bam through the command line, on the CPU.
#include "run/cli.hpp"

namespace graphrun::test {
namespace {

class CliBam : public CliTest {
 protected:
  void expect_verified(const std::string& graph, const std::string& options) const {
    for (const char* algorithm : {"bfs", "sssp", "cc", "pagerank"}) {
      const auto result =
          json_of("--graph '" + graph + "' --backend bam --cache 64KiB --verify --quiet --algo " + algorithm + " " + options);
      EXPECT_EQ(result["verdict"], "verified") << algorithm << " on " << graph << " " << options;
      EXPECT_EQ(result["emulated"], options.find("ram:") != std::string::npos);
    }
  }
};

TEST_F(CliBam, AnswersAreRightFromAContainer) {
  ASSERT_EQ(graphconv("kron:10:8 '" + path("k.grf") + "' --weights random:1").code, 0);
  for (const char* options :
       {"", "--page 512", "--page 64KiB --cache 1MiB", "--storage ram:980pro", "--threads 1 --layout csr"}) {
    expect_verified(path("k.grf"), options);
  }
}

// Formats that align nothing used to be read from the wrong places.
TEST_F(CliBam, AnswersAreRightFromFilesWhoseColumnsLieAnywhere) {
  for (const char* format : {"bcsr", "galois", "liberator", "sg", "bel", "mtx"}) {
    const std::string graph = path(std::string("k.") + format);
    ASSERT_EQ(graphconv("kron:10:8 '" + graph + "' --to " + format).code, 0);
    expect_verified(graph, "--storage ram:unlimited");
  }
}

TEST_F(CliBam, ReadsAreSpreadOverCopies) {
  ASSERT_EQ(graphconv("kron:12:8 '" + path("k.grf") + "' --weights random:1").code, 0);
  std::filesystem::copy(path("k.grf"), path("copy.grf"));
  expect_verified(path("k.grf"), "--stripe '" + path("copy.grf") + "," + path("copy.grf") + "'");
  const std::string run = "--graph '" + path("k.grf") + "' --algo bfs --backend bam --stripe ";
  ASSERT_EQ(graphconv("kron:12:8 '" + path("other.grf") + "' --weights random:2").code, 0);
  expect_error(run + "'" + path("other.grf") + "'", 1, "is no copy of");
  expect_error(run + "'" + path("none.grf") + "'", 1, "cannot open");
  expect_error(run + "'" + path("copy.grf") + "' --storage ram:unlimited", 2, "does not go with");
  expect_error("--graph path:9 --algo bfs --backend bam --stripe '" + path("copy.grf") + "'", 2, "are in none");
}

TEST_F(CliBam, WhatCannotBeIsRefused) {
  expect_error("--graph path:9 --algo bfs --backend bam --page 1000", 2, "a page of 1000 bytes");
  expect_error("--graph path:9 --algo bfs --backend bam --storage tape", 2, "choose file or ram:PROFILE");
  expect_error("--graph path:9 --algo bfs --backend bam --storage ram:drum", 2, "optane-p5800x");
  expect_error("--graph path:9 --algo bfs --backend bam --threads 2 --cache 8KiB", 2, "12288");
}

}  // namespace
}  // namespace graphrun::test
