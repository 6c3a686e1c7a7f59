// SPDX-License-Identifier: Apache-2.0
// The memory of each process of a run over ranks, beside the table of docs/many.md.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "run/cli.hpp"

namespace graphrun::test {
namespace {

class RankMemory : public CliTest {
 protected:
  static constexpr double kVertices = 1 << 20;

  /// Returns the entry of a line of a process's status, in bytes.
  static std::uint64_t status_bytes(int process, const std::string& name) {
    std::ifstream status(fmt::format("/proc/{}/status", process));
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with(name)) return std::stoull(line.substr(name.size())) << 10;
    }
    return 0;
  }

  /// Returns the peaks of memory of no file of a run's processes, by rank: the launcher starts them in this order.
  std::vector<double> peaks_of(int ranks, const std::string& arguments) const {
    const std::string command = fmt::format(
        "exec mpirun --allow-run-as-root --oversubscribe -n {} {} {} --device cpu --backend emogi --threads 1 --quiet", ranks,
        GRAPHRUN_PROGRAM, arguments);
    const pid_t child = ::fork();
    if (child == 0) {
      const int null = ::open("/dev/null", O_WRONLY);
      ::dup2(null, STDOUT_FILENO);
      ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);  // a huge page has two bytes for each vertex of this graph
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    std::map<int, std::uint64_t> peaks;
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
      std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", child));
      for (int process = 0; children >> process;) {
        std::error_code ended;
        if (std::filesystem::equivalent(fmt::format("/proc/{}/exe", process), GRAPHRUN_PROGRAM, ended))
          peaks[process] = std::max(peaks[process], status_bytes(process, "RssAnon:"));
      }
      ::usleep(500);
    }
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << command;
    std::vector<double> found;
    for (const auto& [process, peak] : peaks) found.push_back(static_cast<double>(peak));
    EXPECT_EQ(found.size(), static_cast<std::size_t>(ranks)) << command;
    found.resize(static_cast<std::size_t>(ranks));
    return found;
  }
};

// Ranks bought processors and links, but no memory: each held the state of all vertices.
TEST_F(RankMemory, IsThatOfTheTable) {
  if (kSanitized) GTEST_SKIP() << "sanitizers take memory of their own";
  if (say("command -v mpirun").code != 0 ||
      graphrun("kron:4:2 --algo cc", "mpirun --allow-run-as-root -n 1 ").err.find("without MPI") != std::string::npos)
    GTEST_SKIP() << "no mpirun, or graphrun was built without MPI";
  ASSERT_EQ(graphconv("kron:20:4 " + path("k.grf") + " --weights random:1 --quiet").code, 0);
  ASSERT_EQ(graphconv("kron:4:2 " + path("t.grf") + " --weights random:1 --quiet").code, 0);
  for (const Algorithm algorithm : {Algorithm::bfs, Algorithm::sssp, Algorithm::cc, Algorithm::pagerank}) {
    RunOptions options = usual_options();
    options.algorithm = algorithm;
    const RankBytes bytes = info_of(options).rank_state(options);
    for (const int ranks : kFewCases ? std::vector{7} : std::vector{2, 4, 7}) {
      const auto run = [&](const std::string& graph) {
        return peaks_of(ranks, fmt::format("{} --algo {} --trust-file", path(graph), name_of(algorithm)));
      };
      const std::vector<double> program = run("t.grf");
      const std::vector<double> peaks = run("k.grf");
      double others = 0;
      for (std::size_t rank = 0; rank < peaks.size(); ++rank) {
        const double taken = (peaks[rank] - program[rank]) / kVertices;
        if (rank == 0) {
          EXPECT_LE(taken, 1.1 * (bytes.of_a_rank(ranks) + bytes.answer) + 2) << name_of(algorithm) << ", rank 0 of " << ranks;
        } else {
          others += taken / (ranks - 1);
        }
      }
      EXPECT_LE(others, 1.1 * bytes.of_a_rank(ranks) + 0.5) << name_of(algorithm) << ", of " << ranks;
      EXPECT_GE(others, 0.9 * bytes.of_a_rank(ranks) - 0.5) << name_of(algorithm) << ", of " << ranks << ": the table says more";
    }
  }
}

}  // namespace
}  // namespace graphrun::test
