// SPDX-License-Identifier: Apache-2.0
// Graphs of ten times the memory allowed: the same bytes, and the process stays within its limit.
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "graphrun/core/types.hpp"
#include "graphrun/io/convert.hpp"
#include "run/cli.hpp"
#include "run/graphconv_child.hpp"

namespace graphrun::test {
namespace {

namespace fs = std::filesystem;

// Sanitizers take several times the memory and the time: there only the bytes count, of graphs a hundredth as large.
// With 64-bit ids fewer edges take as many bytes.

bool same_bytes(const std::string& a, const std::string& b) {
  std::ifstream one(a, std::ios::binary);
  std::ifstream other(b, std::ios::binary);
  std::vector<char> some(1 << 20);
  std::vector<char> same(some.size());
  bool equal = one && other && fs::file_size(a) == fs::file_size(b);
  while (equal && one) {
    one.read(some.data(), static_cast<std::streamsize>(some.size()));
    other.read(same.data(), static_cast<std::streamsize>(same.size()));
    equal = one.gcount() == other.gcount() && std::equal(some.begin(), some.begin() + one.gcount(), same.begin());
  }
  return equal;
}

/// Returns the least memory that a child seems to take: this process's at the fork.
std::uint64_t own_resident_bytes() {
  ::malloc_trim(0);
  std::uint64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

class GraphconvMemory : public CliTest {
 protected:
  void convert(std::vector<std::string> words) const {
    words.push_back("--quiet");
    EXPECT_TRUE(GraphconvChild(words).wait().well()) << fmt::format("{}", fmt::join(words, " "));
  }
  /// Within kLeastConvertMemory and `excess` bytes beside.
  void convert_within_the_least(std::vector<std::string> words, std::uint64_t excess = 0) const {
    if (!kSanitized) {
      ASSERT_LT(own_resident_bytes(), kLeastConvertMemory) << "a child seems to take no less than its parent does";
    }
    words.insert(words.end(), {"--quiet", "--memory", std::to_string(kLeastConvertMemory)});
    const auto ended = GraphconvChild(words).wait();
    EXPECT_TRUE(ended.well()) << fmt::format("{}", fmt::join(words, " "));
    if (!kSanitized) {
      EXPECT_LE(ended.most_resident_bytes, kLeastConvertMemory + excess) << fmt::format("{}", fmt::join(words, " "));
    }
  }
};

TEST_F(GraphconvMemory, TenTimesTheMemory) {
  const std::string graph = kSanitized ? "kron:13:40" : "kron:20:40";
  convert({graph, path("whole.grf"), "--weights", "random:1"});
  convert_within_the_least({graph, path("pieces.grf"), "--weights", "random:1"});
  EXPECT_TRUE(same_bytes(path("whole.grf"), path("pieces.grf")));
  if (!kSanitized) {
    EXPECT_GE(fs::file_size(path("whole.grf")), 10 * kLeastConvertMemory);
  }
  convert_within_the_least({path("whole.grf"), path("columns.bel")});
  convert_within_the_least({path("columns.bel"), path("pieces.grf")});
  EXPECT_TRUE(same_bytes(path("whole.grf"), path("pieces.grf")));
}

// Regression: released pages came back with the pages around the next touched ones.
TEST_F(GraphconvMemory, OfAContainerThatIsBuiltAnew) {
  const std::string graph = kSanitized ? "kron:13:16" : "kron:19:48";
  convert({graph, path("arcs.grf"), "--weights", "truth"});
  convert({path("arcs.grf"), path("whole.grf"), "--relabel", "degree"});
  constexpr std::uint64_t kNaming = 24;  // bytes a vertex, beside the limit
  convert_within_the_least({path("arcs.grf"), path("pieces.grf"), "--relabel", "degree"}, kNaming << 19);
  EXPECT_TRUE(same_bytes(path("whole.grf"), path("pieces.grf")));
}

// One list alone is larger than the memory. Only its pages of a file come on top.
TEST_F(GraphconvMemory, OfAHub) {
  constexpr std::uint64_t kNeighbours = kSanitized ? 100000 : 72000000 / sizeof(VertexId);
  convert_within_the_least({fmt::format("star:{}", kNeighbours), path("hub.grf")}, kNeighbours * sizeof(VertexId));
}

// Which of the ids occur took more than the memory, and that was found out after everything was read.
TEST_F(GraphconvMemory, OfSparseIds) {
  constexpr std::uint32_t kEntries = kSanitized ? 3000 : 600000;
  constexpr std::uint32_t kIds = 150'000'000;
  std::string lines;
  for (std::uint32_t i = 0; i < kEntries; ++i) lines += fmt::format("{} {}\n", i * 2654435761u % kIds, i * 2246822519u % kIds);
  write("sparse.el", lines);
  convert({path("sparse.el"), path("whole.grf")});
  convert_within_the_least({path("sparse.el"), path("pieces.grf")});
  EXPECT_TRUE(same_bytes(path("whole.grf"), path("pieces.grf")));
}

// Ranges of rows, of rows within them and of targets of one row each have 256 scratch files.
TEST_F(GraphconvMemory, AHubNeedsNoMoreOpenFilesThanUsual) {
  const std::string graph = kSanitized ? "star:70000" : "star:16777216";
  const Said said = graphconv(graph + " '" + path("hub.grf") + "' --memory 64MiB", "ulimit -n 1024; ");
  EXPECT_EQ(said.code, 0) << said.err;
}

// Records that a container has and its copy gets were not in the estimate, and memory ran out while they were sorted.
TEST_F(GraphconvMemory, RecordsMadeAnewWereNotEstimated) {
  if (kSanitized) GTEST_SKIP() << "sanitizers take memory of their own";
  std::string arcs;
  for (int i = 0; i < 1'000'000; ++i) arcs += fmt::format("{} {} {}\n", i % 1000, (i * 7919LL + i / 1000) % 1000, i % 9 + 1);
  const std::string list = write("arcs.el", arcs);
  for (const std::string sort : {"", " --sort weight"}) {
    ASSERT_EQ(graphconv(list + " '" + path("g.grf") + "' --quiet" + sort).code, 0);
    const Said said = graphconv("'" + path("g.grf") + "' '" + path("h.grf") + "' --relabel degree", "ulimit -d 69632; ");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(said.err.find("through scratch files") != std::string::npos, !sort.empty()) << said.err;
  }
}

}  // namespace
}  // namespace graphrun::test
