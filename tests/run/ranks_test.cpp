// SPDX-License-Identifier: Apache-2.0
// Runs that are divided into ranks: threads of one process, and processes that mpirun starts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "graphrun/core/checkpoint.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/exec/exchange.hpp"
#include "graphrun/run/run.hpp"
#include "run/cli.hpp"

namespace graphrun::test {
namespace {

class Ranks : public CliTest {
 protected:
  /// mpirun with what it wants of root, and of a machine with fewer processors than ranks; "" where runs of it are skipped.
  std::string mpirun(int processes) const {
    if (kSanitized) return "";  // MPI's own leaks and races are reported there
    const std::string start = fmt::format("mpirun --allow-run-as-root --oversubscribe -n {} ", processes);
    if (say("command -v mpirun").code != 0) return "";
    return graphrun("kron:4:2 --algo cc", start).err.find("built without MPI") == std::string::npos ? start : "";
  }
  static void expect_bytes_by_pair(const nlohmann::json& exchange) {
    const nlohmann::json& ranks = exchange["ranks"];
    std::uint64_t bytes = 0;
    double longest_wait = 0;
    ASSERT_EQ(ranks.size(), 3u);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const auto from = ranks[rank]["bytes_from"].get<std::vector<std::uint64_t>>();
      ASSERT_EQ(from.size(), ranks.size());
      EXPECT_EQ(from[rank], 0u);
      bytes += std::accumulate(from.begin(), from.end(), std::uint64_t{0});
      longest_wait = std::max(longest_wait, ranks[rank]["waited_ms"].get<double>());
    }
    EXPECT_EQ(bytes, exchange["bytes"]);
    EXPECT_EQ(longest_wait, exchange["waited_ms"]);
  }
};

TEST_F(Ranks, OfOneProcessGiveTheDigestsOfOneRank) {
  if (kThreadSanitized) GTEST_SKIP() << "the conformance of each algorithm has these threads";
  for (const std::string algorithm : {"bfs",
                                      "bfs --sources 9 --batch",
                                      "sssp",
                                      "sssp --variant prefix",
                                      "cc",
                                      "tc",
                                      "lcc",
                                      "cdlp",
                                      "louvain",
                                      "louvain --weights random:1",
                                      "kcore",
                                      "scc",
                                      "mis",
                                      "msf",
                                      "hits",
                                      "eigenvector",
                                      "katz --damping 0.001",
                                      "bc",
                                      "closeness",
                                      "harmonic --sources 70",
                                      "walks --node2vec-p 2 --length 9",
                                      "pagerank --tolerance 1e-9",
                                      "pagerank --variant push",
                                      "pagerank --weights random:1",
                                      "pagerank --variant synchronous --max-iterations 9",
                                      "pagerank --stop largest"}) {
    const std::string run = fmt::format("kron:10:8 --verify --threads 2 --algo {}", algorithm);
    const nlohmann::json one = json_of(run);
    const nlohmann::json three = json_of(run + " --ranks 3");
    EXPECT_EQ(three["placement"]["ranks"], 3);
    EXPECT_EQ(three["trials"][0]["verdict"], "verified");
    EXPECT_GT(three["trials"][0]["exchange"]["meetings"], 2);
    EXPECT_GT(three["trials"][0]["exchange"]["bytes"], 0);
    expect_bytes_by_pair(three["trials"][0]["exchange"]);
    EXPECT_TRUE(one["trials"][0]["exchange"].is_null());
    if (algorithm == "bc" || one["result"].contains("residual")) continue;  // sums in another order
    EXPECT_EQ(three["result"], one["result"]) << algorithm;
  }
}

TEST_F(Ranks, ReadEachListOnceInAll) {
  ASSERT_EQ(graphconv("kron:12:16 " + path("k.grf")).code, 0);
  const std::string run = path("k.grf") + " --algo cc --variant hooking --backend bam --cache 8KiB --page 512 --threads 2";
  const auto one = json_of(run)["trials"][0];
  const auto two = json_of(run + " --ranks 2")["trials"][0];
  EXPECT_EQ(two["edges_examined"], one["edges_examined"]);
  EXPECT_LT(two["bytes_moved"], 1.1 * one["bytes_moved"].get<double>());
}

// The first rank has single vertices alone. What it took for the largest tree was one of these.
TEST_F(Ranks, SkipTheLargestTreeThatAnyOfThemHas) {
  constexpr int kAlone = 18'000, kVertices = 20'000;
  std::string edges = fmt::format("%%MatrixMarket matrix coordinate pattern general\n{0} {0} {1}\n", kVertices, 3 * 2000);
  for (int v = kAlone; v < kVertices; ++v) {
    for (const int times : {7, 13, 17}) edges += fmt::format("{} {}\n", v + 1, kAlone + times * (v + 1) % 1999 + 1);
  }
  const std::string run = write("late.mtx", edges) + " --undirected --algo cc --verify --threads 2 --ranks 2";
  EXPECT_LT(json_of(run)["trials"][0]["edges_examined"], 3 * 2000);
}

// A vertex that joined on two ranks was counted twice.
TEST_F(Ranks, CountEachEdgeOnce) {
  const std::string run = "urand:10:8 --algo bc --variant push --backend incore --threads 2";
  EXPECT_EQ(json_of(run + " --ranks 2")["trials"][0]["edges_examined"], json_of(run)["trials"][0]["edges_examined"]);
}

TEST_F(Ranks, HaveEqualSharesOfTheRoomForListsOfTriangles) {
  const std::string run = "kron:12:16 --algo tc --backend bam --cache 64KiB --threads 2 --ranks ";
  EXPECT_GT(json_of(run + "2")["chosen"]["parts"], json_of(run + "1")["chosen"]["parts"]);
}

// Paths were counted twice where a message came in pieces: states are those before other ranks' are added.
TEST_F(Ranks, AddStatesOfLongMessagesOnce) {
  EXPECT_EQ(graphrun("kron:18:8 --algo bc --verify --threads 2 --ranks 2 --quiet").code, 0);
}

// The others waited for rank 0's outputs, and ended it within long ones.
TEST_F(Ranks, LeaveSavedStatesToRankZero) {
  const auto processes = exchange_of_threads(2, 50);
  for (const std::size_t rank : {0, 1})
    Checkpoint(path("state"), "a run", rank, 2).save([](const Checkpoint::Write& write) { write("x", 1); });
  const auto saves = [&] {
    const std::filesystem::directory_iterator entries(path("state"));
    return std::distance(begin(entries), end(entries));
  };
  const auto remove = [&](std::size_t rank, Verification verification) {
    ResolvedRun run;
    run.options.checkpoint = path("state");
    run.options.processes = processes[rank].get();
    RunResult result;
    result.run = std::make_shared<ResolvedRun>(run);
    result.verification = verification;
    remove_saves(result);
  };
  remove(1, Verification::verified);
  remove(0, Verification::wrong);
  EXPECT_EQ(saves(), 2);
  remove(0, Verification::verified);
  EXPECT_EQ(saves(), 0);
}

// Each small round brought all residuals together.
TEST_F(Ranks, OfAMeshSettleLittleByLittle) {
  const auto settled = json_of("grid:300:300 --algo pagerank --stop largest --verify --threads 2 --ranks 2")["trials"][0];
  EXPECT_LT(settled["exchange"]["bytes"], 64 << 20);
}

TEST_F(Ranks, OfOneProcessEachTakeMemoryForTheirState) {
  ASSERT_EQ(graphconv("kron:19:2 " + path("k.grf")).code, 0);
  const std::string run = path("k.grf") + " --algo cc --backend emogi --memory 60MiB --quiet";
  EXPECT_EQ(graphrun(run).code, 0);
  const Said said = graphrun(run + " --ranks 40");
  EXPECT_EQ(said.code, 77);
  EXPECT_NE(said.err.find("of memory"), std::string::npos) << said.err;
}

TEST_F(Ranks, OfSeveralProcessesGiveTheDigestsOfOneRank) {
  const std::string start = mpirun(3);
  if (start.empty()) GTEST_SKIP() << "no mpirun, or graphrun was built without MPI";
  for (const char* algorithm :
       {"bfs", "bfs --sources 9 --batch", "sssp", "cc", "tc", "lcc", "cdlp", "louvain", "kcore", "scc", "mis", "msf"}) {
    const std::string run = fmt::format("kron:10:8 --verify --threads 1 --algo {} --json ", algorithm);
    ASSERT_EQ(graphrun(run + path("one.json")).code, 0);
    const Said said = graphrun(run + path("three.json"), start);
    ASSERT_EQ(said.code, 0) << said.err;
    const auto one = nlohmann::json::parse(contents(path("one.json")));
    const auto three = nlohmann::json::parse(contents(path("three.json")));
    EXPECT_EQ(three["placement"]["ranks"], 3);
    EXPECT_EQ(three["trials"][0]["verdict"], "verified");
    EXPECT_EQ(three["result"], one["result"]) << algorithm;
    expect_bytes_by_pair(three["trials"][0]["exchange"]);
    EXPECT_EQ(said.out.find("digest", said.out.find("digest") + 1), std::string::npos) << "more than one rank reports";
  }
}

// Rank 0 verifies every trial, and the others would have collected the last one alone.
TEST_F(Ranks, OfSeveralProcessesVerifyEveryTrial) {
  const std::string start = mpirun(3);
  if (start.empty()) GTEST_SKIP() << "no mpirun, or graphrun was built without MPI";
  for (const char* const algorithm : {"bfs", "cc", "pagerank"}) {
    const Said said = graphrun(fmt::format("kron:10:8 --algo {} --trials 3 --verify --quiet", algorithm), start);
    EXPECT_EQ(said.code, 0) << said.err;
  }
}

// Regression: results had only rank 0's counts of routes and read-ahead.
TEST_F(Ranks, OfSeveralProcessesAddUpWhatEachRead) {
  const std::string start = mpirun(3);
  if (start.empty()) GTEST_SKIP() << "no mpirun, or graphrun was built without MPI";
  ASSERT_EQ(graphconv("kron:14:16 " + path("k.grf")).code, 0);
  const auto trial_by = [&](const std::string& route) {
    const std::string run = path("k.grf") + " --threads 1 --algo pagerank --backend bam --cache 64KiB --quiet --route " + route;
    const Said said = graphrun(run + " --json " + path("k.json"), start);
    EXPECT_EQ(said.code, 0) << said.err;
    return nlohmann::json::parse(contents(path("k.json")))["trials"][0];
  };
  const auto of = [](const nlohmann::json& counted, const char* name) { return counted[name].get<std::uint64_t>(); };
  const nlohmann::json direct = trial_by("direct");
  EXPECT_GT(of(direct, "bytes_moved"), 0u);
  EXPECT_GE(of(direct["read_ahead"], "hit_bytes"), of(direct, "bytes_moved") / 2);
  const nlohmann::json buffered = trial_by("page-cache");
  EXPECT_GT(of(buffered, "bytes_moved"), 0u);
  EXPECT_GE(of(buffered["routed"], "cached_bytes"), of(buffered, "bytes_moved"));
}

TEST_F(Ranks, OfSeveralProcessesTakeTheGpusOfTheirHostInTurn) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  const std::string start = mpirun(3);
  if (start.empty()) GTEST_SKIP() << "no mpirun, or graphrun was built without MPI";
  for (const char* algorithm : {"bfs", "sssp", "cc", "pagerank"}) {
    const std::string run = fmt::format("kron:12:8 --verify --threads 1 --device cuda:all --backend emogi --algo {}", algorithm);
    const Said said = say(fmt::format("{}{} {} --json {}", start, GRAPHRUN_PROGRAM, run, path("three.json")));
    ASSERT_EQ(said.code, 0) << said.err;
    const auto three = nlohmann::json::parse(contents(path("three.json")));
    EXPECT_EQ(three["trials"][0]["verdict"], "verified") << algorithm;
    EXPECT_GT(three["trials"][0]["exchange"]["bytes"], 0) << algorithm;
    expect_bytes_by_pair(three["trials"][0]["exchange"]);
  }
}

TEST_F(Ranks, ProcessesWithOtherOptionsOrGraphsAreNamed) {
  if (mpirun(2).empty()) GTEST_SKIP() << "no mpirun, or graphrun was built without MPI";
  const auto two_kinds = [&](const std::string& first, const std::string& second) {
    return say(fmt::format("mpirun --allow-run-as-root --oversubscribe -n 1 {0} {1} --device cpu : -n 1 {0} {2} --device cpu",
                           GRAPHRUN_PROGRAM, first, second));
  };
  const Said graphs = two_kinds("kron:8:8 --algo bfs", "kron:9:8 --algo bfs");
  EXPECT_NE(graphs.code, 0);
  EXPECT_NE(graphs.err.find("rank 1 has another graph than rank 0"), std::string::npos) << graphs.err;
  // Of the same sizes and degrees.
  for (const char* seed : {"1", "2"})
    ASSERT_EQ(graphconv(fmt::format("kron:8:8 {} --weights random:{}", path(fmt::format("{}.grf", seed)), seed)).code, 0);
  const Said weights = two_kinds(path("1.grf") + " --algo sssp", path("2.grf") + " --algo sssp");
  EXPECT_NE(weights.err.find("rank 1 has another graph than rank 0"), std::string::npos) << weights.err;
  const Said options = two_kinds("kron:8:8 --algo bfs", "kron:8:8 --algo bfs --variant push");
  EXPECT_NE(options.code, 0);
  EXPECT_NE(options.err.find("rank 1 has another set of options than rank 0"), std::string::npos) << options.err;
  const Said gather = graphrun("gather kron:8:8 --device cpu", mpirun(2));
  EXPECT_NE(gather.code, 0);
  EXPECT_NE(gather.err.find("gather is not divided among processes"), std::string::npos) << gather.err;
}

// Each of srun's processes took itself for the only one.
TEST_F(Ranks, OfSrunThatDoNotMeetAreRefused) {
  if (kSanitized) GTEST_SKIP() << "MPI's own leaks are reported";
  const std::string run = "kron:4:2 --algo cc --device cpu";
  const Said alone = graphrun(run, "env SLURM_STEP_NUM_TASKS=2 ");
  EXPECT_EQ(alone.code, 77) << alone.err;
  EXPECT_NE(alone.err.find("MPI"), std::string::npos) << alone.err;
  EXPECT_EQ(graphrun(run, "env SLURM_STEP_NUM_TASKS=2 SLURM_PTY_PORT=1 ").code, 0) << "in a shell of srun --pty";
}

// An error that only rank 0 finds, before the first collective, ends the others.
TEST_F(Ranks, APlaceThatRankZeroCannotWriteEndsAllProcesses) {
  const std::string start = mpirun(2);
  if (start.empty()) GTEST_SKIP() << "no mpirun, or graphrun was built without MPI";
  const Said said = graphrun("kron:4:2 --algo bfs --json " + path("missing/x.json"), "timeout 60 " + start);
  EXPECT_TRUE(said.code == 1 || said.code == 2) << said.code << " " << said.err;
}

// Rank 0, which checks the answer, had unpacked the lists, and so "another graph".
TEST_F(Ranks, OfPackedListsHaveOneGraphWhicheverVerifies) {
  const std::string start = mpirun(2);
  if (start.empty()) GTEST_SKIP() << "no mpirun, or graphrun was built without MPI";
  ASSERT_EQ(graphconv("kron:8 " + path("pk.grf") + " --pack --weights random:1 --sort weight").code, 0);
  for (const char* options : {"bfs --backend bam", "bfs --backend gpuvm", "sssp --backend bam", "cc"}) {
    const Said said = graphrun(fmt::format("{} --threads 1 --verify --algo {}", path("pk.grf"), options), start);
    EXPECT_EQ(said.code, 0) << options << "\n" << said.err;
    EXPECT_NE(said.out.find("verified"), std::string::npos) << options << "\n" << said.out;
  }
}

TEST_F(Ranks, IncoreKeepsEachListOnce) {
  ASSERT_EQ(graphconv("kron:10:8 " + path("k.grf")).code, 0);
  const std::string run = path("k.grf") + " --algo bfs --backend incore --device cpu --ranks ";
  EXPECT_EQ(json_of(run + "3")["fast_tier_bytes"], json_of(run + "1")["fast_tier_bytes"]);
}

TEST_F(Ranks, ACacheForAllEdgesIsEnoughHoweverTheyAreDealt) {
  ASSERT_EQ(graphconv("kron:10:8 " + path("k.grf") + " --weights random:1 --sort weight").code, 0);
  for (const char* algorithm : {"bfs", "sssp"}) {
    const std::string run = path("k.grf") + " --device cpu --algo " + algorithm;
    const auto all = json_of(run + " --backend incore")["fast_tier_bytes"].get<std::uint64_t>();
    const auto enough = json_of(fmt::format("{} --backend incore --ranks 7 --cache {} --verify", run, all));
    EXPECT_EQ(enough["verdict"], "verified");
    EXPECT_EQ(enough["fast_tier_bytes"], all);
    expect_error(fmt::format("{} --backend incore --ranks 7 --cache {}", run, all - 1), 2, "needs --cache");
    for (const std::uint64_t cache : {all, all - 1, std::uint64_t{8192}}) {
      const Said planned = graphrun(fmt::format("{} --ranks 7 --cache {} --verify", run, cache));
      EXPECT_EQ(planned.code, 0) << planned.err;
    }
  }
}

TEST_F(Ranks, WhatCannotBeIsNamed) {
  expect_error("path:100 --algo cc --backend bam --device cpu --ranks 2 --cache 8KiB", 2,
               "for one rank: each of 2 has an equal share of --cache");
}

// A thread that cannot be started ends the run: the other ranks do not wait for it.
TEST_F(Ranks, ALimitOnAddressesEndsTheRunAtOnce) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need more addresses";
  int least = 60'000;  // KiB in which the program and its libraries have room
  while (least < 1'000'000 && graphrun("--version", fmt::format("ulimit -v {}; ", least)).code == 127) least += 10'000;
  for (int kib = least; kib <= least + 150'000; kib += 30'000) {
    const Said said = graphrun("kron:8:8 --algo bfs --backend incore --device cpu --ranks 6 --threads 6",
                               fmt::format("ulimit -v {}; timeout 20 ", kib));
    EXPECT_TRUE(said.code == 0 || said.code == 1 || said.code == 77) << kib << " KiB: " << said.code << " " << said.err;
  }
}

}  // namespace
}  // namespace graphrun::test
