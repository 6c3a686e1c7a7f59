// SPDX-License-Identifier: Apache-2.0
// The memory of a run, with and without a check of its result, beside its estimate.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "graphrun/core/random.hpp"
#include "graphrun/run/resolve.hpp"
#include "run/cli.hpp"
#include "run/memory_check.hpp"

namespace graphrun::test {
namespace {

constexpr std::uint64_t kMebibyte = 1 << 20;

/// Bytes that a process has in memory of no file.
std::uint64_t anonymous_bytes(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::stoull(line.substr(8)) << 10;
  }
  return 0;
}

class MemoryPeak : public CliTest {
 protected:
  /// Returns the peak of a successful graphrun, sampled two thousand times a second.
  std::uint64_t peak_of(std::vector<std::string> words) const {
    words.insert(words.begin(), GRAPHRUN_PROGRAM);
    words.push_back("--quiet");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      const int null = ::open("/dev/null", O_WRONLY);
      ::dup2(null, STDOUT_FILENO);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    std::uint64_t most = 0;
    int status = 0;
    bool begun = false;  // before, it has what this process has
    while (::waitpid(child, &status, WNOHANG) == 0) {
      std::error_code ended;
      begun = begun || std::filesystem::equivalent(fmt::format("/proc/{}/exe", child), GRAPHRUN_PROGRAM, ended);
      if (begun) most = std::max(most, anonymous_bytes(child));
      ::usleep(500);
    }
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << fmt::format("{}", fmt::join(words, " "));
    return most;
  }

  /// Returns graphrun's estimate before such a run.
  static std::uint64_t estimate(const std::vector<std::pair<std::string, std::string>>& given, const std::string& graph) {
    RunOptions options = usual_options();
    options.graph = graph;
    for (const auto& [name, text] : given) set_option(options, name, text);
    const ResolvedRun run = resolve(options);
    return memory_needed(run.options, DeviceKind::cpu, estimate_of(run.options));
  }

  void expect_estimated(const std::string& graph, const std::string& algorithm, const std::string& more = "") const {
    for (const char* verify : {"", "properties", "serial"}) {
      std::vector<std::pair<std::string, std::string>> given = {
          {"algo", algorithm}, {"backend", "emogi"}, {"device", "cpu"}, {"threads", "2"}};
      if (*verify != '\0') given.emplace_back("verify", verify);
      std::istringstream others(more);
      for (std::string name, text; others >> name >> text;) given.emplace_back(name, text);
      if (more.find("sources 64") != std::string::npos) given.emplace_back("batch", "");
      std::vector<std::string> words = {graph};
      for (const auto& [name, text] : given) {
        words.push_back("--" + name);
        if (!text.empty()) words.push_back(text);
      }
      const std::uint64_t peak = peak_of(words);
      const std::uint64_t expected = estimate(given, graph);
      const std::uint64_t slack = peak / 20;
      EXPECT_LE(peak, expected + std::max(5 * kMebibyte, slack)) << algorithm << " " << more << " --verify " << verify;
      EXPECT_LE(expected, peak + std::max(8 * kMebibyte, slack)) << algorithm << " " << more << " --verify " << verify;
    }
  }
};

// A check of triangles took 32 bytes a vertex that no estimate knew: a run was admitted that then read its pages for ever.
TEST_F(MemoryPeak, IsThatOfTheEstimateWithEveryCheck) {
  if (kFewCases) GTEST_SKIP() << "sanitizers take memory of their own, and estimates count 32-bit ids";
  ASSERT_EQ(graphconv("kron:17:8 " + path("k.grf") + " --weights random:1 --quiet").code, 0);
  for (const std::string_view algorithm : names_of<Algorithm>()) {
    if (algorithm != "topo") expect_estimated(path("k.grf"), std::string(algorithm));  // an undirected graph has cycles
  }
  ASSERT_EQ(graphconv("kron:18:8 " + path("t.grf") + " --quiet").code, 0);
  expect_estimated(path("t.grf"), "tc");  // 8 MiB of a check
  ASSERT_EQ(graphconv("web:17:16 " + path("w.grf") + " --quiet").code, 0);
  for (const char* const of_both : {"cdlp", "kcore", "scc"})
    expect_estimated(path("w.grf"), of_both);  // directions of a directed graph
  expect_estimated(path("k.grf"), "bfs", "sources 64");
  expect_estimated(path("k.grf"), "pagerank", "variant push");
  ASSERT_EQ(graphconv("urand:18:8 " + path("u.grf") + " --weights random:1 --quiet").code, 0);
  for (const char* const more : {"length 8 node2vec-q 2", "length 8 weights file", "length 8 weights file node2vec-q 2"})
    expect_estimated(path("u.grf"), "walks", more);
  expect_estimated(path("u.grf"), "sssp", "weights file");  // which is no reason to make any
}

// Their table is in memory beside the offsets, and copied out of a container.
TEST_F(MemoryPeak, KnowsTheTableOfWideWeights) {
  if (kFewCases) GTEST_SKIP() << "sanitizers take memory of their own, and estimates count 32-bit ids";
  std::string text;
  for (std::uint64_t i = 0; i < 1'000'000; ++i)
    text += fmt::format("{} {} {}\n", splitmix64(1, i, 0) % 50'000, splitmix64(2, i, 0) % 50'000, splitmix64(3, i, 0) >> 8);
  const std::string list = write("w.el", text);
  ASSERT_EQ(graphconv(list + " " + path("w.grf") + " --quiet").code, 0);
  expect_estimated(path("w.grf"), "sssp");
  expect_estimated(path("w.grf"), "bfs");
  expect_estimated(list, "sssp");
}

// Each of 73 pieces of a range of 2^20 rows, which had most of the arcs, had a cursor for each of its rows.
TEST_F(MemoryPeak, OfARangeOfRowsWithMostOfTheArcsIsThatOfTheEstimate) {
  if (kFewCases) GTEST_SKIP() << "sanitizers take memory of their own, and estimates count 32-bit ids";
  constexpr std::uint64_t kArcs = 1'200'000, kVertices = 1 << 24;
  std::string text = fmt::format("%%MatrixMarket matrix coordinate pattern general\n{} {} {}\n", kVertices, kVertices, kArcs);
  for (std::uint64_t i = 0; i < kArcs; ++i)
    text += fmt::format("{} {}\n", 1 + splitmix64(1, i, 0) % (kVertices / 16), 1 + splitmix64(2, i, 0) % kVertices);
  const std::string graph = write("range.mtx", text);
  const std::uint64_t peak = peak_of({graph, "--algo", "bfs", "--backend", "emogi", "--device", "cpu", "--threads", "64"});
  const auto expected = estimate({{"algo", "bfs"}, {"backend", "emogi"}, {"device", "cpu"}, {"threads", "64"}}, graph);
  EXPECT_LE(peak, expected + expected / 20);
}

// Levels of a mesh have more bits than those of a social network.
TEST_F(MemoryPeak, OfABatchKnowsThatMeshesAreDeep) {
  if (kFewCases) GTEST_SKIP() << "sanitizers take memory of their own, and estimates count 32-bit ids";
  ASSERT_EQ(graphconv("grid:512:512 " + path("g.grf") + " --quiet").code, 0);
  expect_estimated(path("g.grf"), "bfs", "sources 64");
  expect_estimated(path("g.grf"), "closeness", "sources 8");
}

}  // namespace
}  // namespace graphrun::test
