// SPDX-License-Identifier: Apache-2.0
// --backend auto: what is chosen for a graph and a machine, and that what is chosen runs.
#include "graphrun/run/plan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "graphrun/core/error.hpp"
#include "graphrun/graphrun.hpp"
#include "graphrun/run/calibrate.hpp"
#include "run/cli.hpp"

namespace graphrun::test {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

/// A container of 2^20 vertices and 2^25 arcs, which are 128 MiB of neighbours of 32 bits.
LoadEstimate container() {
  LoadEstimate graph;
  graph.vertices = std::uint64_t{1} << 20;
  graph.arcs = std::uint64_t{1} << 25;
  graph.directed = false;
  graph.weighted = graph.mapped = true;
  graph.file_bytes = 8 * graph.vertices + 8 * graph.arcs;
  return graph;
}
constexpr std::uint64_t kEdges = (std::uint64_t{1} << 25) * sizeof(VertexId);

Machine machine(std::uint64_t memory_bytes) {
  Machine made;
  made.memory_bytes = memory_bytes;
  made.threads = 2;
  return made;
}

RunOptions asked(Algorithm algorithm = Algorithm::bfs) {
  RunOptions options = usual_options();
  options.graph = "k.grf";
  options.algorithm = algorithm;
  return options;
}

RunPlan plan_of(const RunOptions& options, const LoadEstimate& graph, const Machine& with) {
  return make_plan(options, DeviceKind::cpu, graph, with);
}

std::string unavailable(const auto& act) {
  try {
    act();
  } catch (const UnavailableError& error) {
    return error.what();
  }
  return "it was accepted";
}

constexpr std::uint64_t kPlenty = 64 * kEdges;

/// PageRank over four times the edges of container(), more than memory has, from a slow disk.
struct PassesOverADisk {
  explicit PassesOverADisk(std::uint64_t memory_bytes) {
    options.memory_bytes = memory_bytes;
    graph.arcs *= 4;
    disk.rates.storage_bytes_s = 0.2e9;
    disk.rates.mapped_bytes_s = 0.19e9;
  }
  RunPlan::Choice choice() const { return plan_of(options, graph, disk).chosen; }

  RunOptions options = asked(Algorithm::pagerank);
  LoadEstimate graph = container();
  Machine disk = machine(kPlenty);
};

/// A run in little memory, whose cache has an eighth of the edges.
RunOptions asked_for_a_cache(Algorithm algorithm = Algorithm::bfs) {
  RunOptions options = asked(algorithm);
  options.memory_bytes = 160 * kMiB;
  options.backend.cache_bytes = kEdges / 8;
  return options;
}

/// The same sizes as container(), most lists shorter than half of the mean.
LoadEstimate uneven_container() {
  LoadEstimate graph = container();
  graph.lengths.short_share = 0.7;
  return graph;
}

TEST(Plan, ADmaForEachRowPaysFromTheSizeThatTakesItsSetupOverTheLink) {
  Machine papers;
  papers.link_bytes_s = 27.06e9;
  EXPECT_NEAR(static_cast<double>(dma_row_bytes(papers)), 85'500, 100) << "Min, dissertation, section 3.5";
  papers.dma_setup_s /= 2;
  EXPECT_NEAR(static_cast<double>(dma_row_bytes(papers)), 42'750, 100);
}

TEST(Plan, KeepsAllEdgesWhereTheyFit) {
  const RunPlan plan = plan_of(asked(), container(), machine(kPlenty));
  EXPECT_EQ(plan.chosen.kind, BackendKind::incore);
  EXPECT_EQ(plan.chosen.moved_bytes, 0u);
  EXPECT_GE(plan.chosen.memory_bytes, kEdges);
  EXPECT_EQ(plan.others.size(), 3u);
}

TEST(Plan, StaysBelowTheCapOfTheCache) {
  RunOptions options = asked();
  for (const std::uint64_t cap : {std::uint64_t{0}, 64 * kMiB / 1024, kEdges / 8, kEdges / 2, kEdges - 1}) {
    options.backend.cache_bytes = cap;
    const RunPlan plan = plan_of(options, container(), machine(kPlenty));
    EXPECT_NE(plan.chosen.kind, BackendKind::incore) << cap;
    if (preset_of(plan.chosen.kind).tier == EdgeTier::pages) {
      EXPECT_LE(plan.chosen.cache_bytes, cap);
    }
  }
  options.backend.cache_bytes = kEdges;
  EXPECT_EQ(plan_of(options, container(), machine(kPlenty)).chosen.kind, BackendKind::incore);
}

// The page cache cannot hold the edges, nor can memory; a cache has what is left.
TEST(Plan, ReadsTheFileThroughACacheWhereLittleIsLeft) {
  const RunOptions options = asked();
  const std::uint64_t half = plan_of(options, container(), machine(kPlenty)).chosen.memory_bytes - kEdges / 2;
  const RunPlan plan = plan_of(options, container(), machine(half));
  EXPECT_EQ(plan.chosen.kind, BackendKind::bam) << choice_text(plan.chosen);
  EXPECT_LT(plan.chosen.cache_bytes, kEdges);
  EXPECT_LE(plan.chosen.memory_bytes, plan.memory_bytes);
  EXPECT_GT(plan.chosen.moved_bytes, kEdges);
}

TEST(Plan, MemoryThatIsAllowedCountsAndNotWhatIsFree) {
  RunOptions options = asked();
  options.memory_bytes = kEdges;
  const RunPlan plan = plan_of(options, container(), machine(kPlenty));
  EXPECT_NE(plan.chosen.kind, BackendKind::incore);
  EXPECT_EQ(plan.memory_bytes, kEdges);
}

TEST(Plan, SaysAtOnceWhatTheVerticesTake) {
  const std::string said = unavailable([&] { plan_of(asked(), container(), machine(8 * kMiB)); });
  EXPECT_NE(said.find("for its 1,048,576 vertices alone, with every backend"), std::string::npos) << said;
  LoadEstimate generated = container();
  generated.mapped = false;
  generated.held_bytes = generated.peak_bytes = 4 * kEdges;
  const std::string built = unavailable([&] { plan_of(asked(), generated, machine(2 * kEdges)); });
  EXPECT_NE(built.find("graphconv k.grf OUT.grf --memory SIZE"), std::string::npos) << built;
}

TEST(Plan, AddressesAreCountedWhereTheyAreLimited) {
  Machine limited = machine(kPlenty);
  limited.address_bytes = kEdges / 2;
  const std::string said = unavailable([&] { plan_of(asked(), container(), limited); });
  EXPECT_NE(said.find("ulimit -v"), std::string::npos) << said;
}

TEST(Plan, EdgesThatWereBuiltInMemoryStayThere) {
  LoadEstimate generated = container();
  generated.mapped = false;
  generated.held_bytes = generated.peak_bytes = 2 * kEdges;
  RunOptions options = asked();
  EXPECT_EQ(plan_of(options, generated, machine(kPlenty)).chosen.kind, BackendKind::incore);
  options.backend.cache_bytes = kMiB;
  const RunPlan capped = plan_of(options, generated, machine(kPlenty));
  EXPECT_EQ(capped.chosen.kind, BackendKind::emogi);
  EXPECT_EQ(capped.chosen.moved_bytes, 0u);
}

TEST(Plan, WeightsTransposesAndRecordsAreEdgesToo) {
  RunOptions options = asked(Algorithm::sssp);
  options.backend.cache_bytes = kEdges;
  EXPECT_NE(plan_of(options, container(), machine(kPlenty)).chosen.kind, BackendKind::incore);
  options.backend.cache_bytes = kEdges + (std::uint64_t{1} << 25) * sizeof(std::uint32_t);
  EXPECT_EQ(plan_of(options, container(), machine(kPlenty)).chosen.kind, BackendKind::incore);
  options = asked();
  LoadEstimate directed = container();
  directed.directed = true;
  options.backend.cache_bytes = 2 * kEdges - 1;
  EXPECT_NE(plan_of(options, directed, machine(kPlenty)).chosen.kind, BackendKind::incore);
  options.backend.cache_bytes = 2 * kEdges;
  EXPECT_EQ(plan_of(options, directed, machine(kPlenty)).chosen.kind, BackendKind::incore);
  options = asked(Algorithm::sssp);
  set_option(options, "variant", "prefix");
  EXPECT_GT(plan_of(options, container(), machine(kPlenty)).chosen.memory_bytes, 2 * kEdges);
}

TEST(Plan, FollowsWhatTheDiskGives) {
  PassesOverADisk passes(128 * kMiB);
  passes.disk.rates.mapped_bytes_s = 1e12;
  EXPECT_EQ(passes.choice().kind, BackendKind::emogi);
  passes.disk.rates.mapped_bytes_s = 1e6;
  EXPECT_EQ(passes.choice().kind, BackendKind::bam);
}

// bam was said to wait for all edges before it computes, so that emogi was taken where it reads more slowly.
TEST(Plan, PassesInOrderComputeWhilePagesCome) {
  const PassesOverADisk passes(128 * kMiB);
  const RunPlan::Choice chosen = passes.choice();
  EXPECT_EQ(chosen.kind, BackendKind::bam);
  EXPECT_NEAR(chosen.time_ms, 1000 * static_cast<double>(chosen.moved_bytes) / passes.disk.rates.storage_bytes_s, 1);
}

// bam was said to read all edges in each pass.
TEST(Plan, PassesInOrderKeepWhatReadAheadLeavesOfTheCache) {
  const auto bam = [](std::uint64_t cache) {
    PassesOverADisk passes(160 * kMiB);
    passes.options.backend.cache_bytes = cache;
    const RunPlan::Choice chosen = passes.choice();
    EXPECT_EQ(chosen.kind, BackendKind::bam);
    return chosen;
  };
  const RunPlan::Choice small = bam(64 * kMiB);  // all of it is read ahead by two threads
  const RunPlan::Choice large = bam(96 * kMiB);
  const double sweeps = static_cast<double>(small.moved_bytes) / (4.0 * kEdges);
  EXPECT_GT(sweeps, 3);
  EXPECT_NEAR(static_cast<double>(small.moved_bytes - large.moved_bytes), (sweeps - 1) * 32 * kMiB, kMiB);
}

TEST(Plan, BeginningsOfListsTakeMostOfTheCacheWhereTrialsReadTheMore) {
  RunOptions options = asked_for_a_cache();
  const LoadEstimate uneven = uneven_container();
  const auto plan = [&] { return plan_of(options, uneven, machine(kPlenty)); };
  EXPECT_EQ(plan().chosen.kind, BackendKind::bam);
  EXPECT_TRUE(plan().chosen.caches_prefixes);  // one search reads the edges more often than filling: it had none
  EXPECT_FALSE(plan_of(options, container(), machine(kPlenty)).chosen.caches_prefixes);  // here it saves a third of a read
  const double filling = plan().chosen.filling_ms;  // the choice beside emogi left it out
  EXPECT_NEAR(filling, 1000 * static_cast<double>(kEdges) / machine(kPlenty).rates.storage_bytes_s, filling / 2);
  EXPECT_NE(plan_text(options, plan()).find(" a search for filling\n"), std::string::npos);
  options.num_sources = 16;
  EXPECT_TRUE(plan().chosen.caches_prefixes);
  EXPECT_NEAR(plan().chosen.filling_ms, filling / 16, filling / 1000);
  EXPECT_LT(plan().chosen.moved_bytes, kEdges / 2);
  EXPECT_EQ(planned(options.backend, plan()).hot, HotEdges::prefix);
  EXPECT_NE(plan_text(options, plan()).find("most of it leading edges"), std::string::npos);
  options.batch = true;
  EXPECT_FALSE(plan().chosen.caches_prefixes);
  options.batch = false;
  options.backend.hot = HotEdges::nothing;
  EXPECT_FALSE(plan().chosen.caches_prefixes);
  EXPECT_EQ(planned(options.backend, plan()).hot, HotEdges::nothing);
  options = asked_for_a_cache(Algorithm::cc);
  EXPECT_FALSE(plan().chosen.caches_prefixes);
  options.trials = 3;
  EXPECT_TRUE(plan().chosen.caches_prefixes);
  EXPECT_EQ(plan().chosen.moved_bytes, 0u);  // both samples
}

// The comparison with emogi ignored the filling.
TEST(Plan, FillingThatTakesLongerThanEmogiIsNotBegun) {
  const RunOptions options = asked_for_a_cache();
  const LoadEstimate uneven = uneven_container();
  Machine quick = machine(kPlenty);
  const auto choice_of = [&](BackendKind kind) {
    const RunPlan plan = plan_of(options, uneven, quick);
    if (plan.chosen.kind == kind) return plan.chosen;
    return *std::ranges::find(plan.others, kind, &RunPlan::Choice::kind);
  };
  const RunPlan::Choice filled = choice_of(BackendKind::bam);
  ASSERT_TRUE(filled.caches_prefixes);
  const auto between = filled.time_ms + filled.filling_ms / 2;
  for (int i = 0; i < 200 && choice_of(BackendKind::emogi).time_ms > between; ++i) quick.rates.mapped_bytes_s *= 1.1;
  EXPECT_LT(choice_of(BackendKind::emogi).time_ms, between);
  EXPECT_GT(choice_of(BackendKind::emogi).time_ms, choice_of(BackendKind::bam).time_ms);
  const RunPlan plan = plan_of(options, uneven, quick);
  EXPECT_EQ(plan.chosen.kind, BackendKind::emogi);
  EXPECT_NE(plan_text(options, plan).find(" a search for filling\n"), std::string::npos);
}

// Plans of --stop largest were those of --stop sum.
TEST(Plan, ThePassThatCertifiesRanksIsCounted) {
  RunOptions options = asked(Algorithm::pagerank);
  const double sweeps = plan_of(options, container(), machine(kPlenty)).passes;
  options.pagerank.stop = PagerankStop::largest;
  EXPECT_EQ(plan_of(options, container(), machine(kPlenty)).passes, sweeps + 1);
  options.pagerank.stop = PagerankStop::sum;
  options.pagerank.certify = true;
  EXPECT_EQ(plan_of(options, container(), machine(kPlenty)).passes, sweeps + 1);
}

TEST(Plan, OnAGpuEdgesAreInDeviceMemoryElseBehindTheLinkElseInTheFile) {
  const auto kind = [&](std::uint64_t device, std::uint64_t host) {
    Machine with = machine(host);
    with.device_bytes = device;
    return make_plan(asked(), DeviceKind::cuda, container(), with).chosen.kind;
  };
  EXPECT_EQ(kind(kPlenty, kPlenty), BackendKind::incore);
  EXPECT_EQ(kind(kEdges, kPlenty), BackendKind::emogi);
  if (kGpusRunAll) {
    EXPECT_EQ(kind(kEdges, kEdges), BackendKind::bam);
  } else {
    EXPECT_NE(unavailable([&] { kind(kEdges, kEdges); }).find("bam: a GPU does not run it with 64-bit ids"), std::string::npos);
  }
}

TEST(Plan, OnAGpuBeginningsOfListsAreInWhatDeviceMemoryHasLeft) {
  Machine with = machine(kPlenty);
  with.device_bytes = kEdges;
  const auto plan = [&](RunOptions options) { return make_plan(options, DeviceKind::cuda, container(), with); };
  const RunPlan near = plan(asked());
  ASSERT_EQ(near.chosen.kind, BackendKind::emogi);
  ASSERT_TRUE(near.chosen.caches_prefixes);
  EXPECT_GT(*near.chosen.cache_bytes, 0u);
  EXPECT_LT(*near.chosen.cache_bytes + near.parts.front().bytes, with.device_bytes);
  EXPECT_EQ(planned({}, near).cache_bytes, near.chosen.cache_bytes);
  RunOptions none = asked();
  none.backend.hot = HotEdges::nothing;
  EXPECT_FALSE(plan(none).chosen.caches_prefixes);
  EXPECT_GT(plan(none).chosen.moved_bytes, near.chosen.moved_bytes);
  RunOptions weighted = asked(Algorithm::sssp);  // weights have no beginnings, and records do
  for (const SsspVariant variant : {SsspVariant::delta_stepping, SsspVariant::prefix}) {
    weighted.sssp.variant = variant;
    RunPlan made = plan(weighted);
    made.others.push_back(made.chosen);
    const auto emogi = std::ranges::find(made.others, BackendKind::emogi, &RunPlan::Choice::kind);
    EXPECT_EQ(emogi->caches_prefixes, variant == SsspVariant::prefix);
  }
}

#if GRAPHRUN_VERTEX_BITS == 32  // as was measured
/// Shares of the edges that emogi moved over the link of an H100, medians of four to eight sources, with 0, 1/8 and 1/2 of them
/// near; for graphs of scale 21, and meshes of scale 20 (docs/storage.md).
struct MovedOverLink {
  const char* graph;
  Algorithm algorithm;
  bool records;
  double shares[3];
};
constexpr MovedOverLink kMovedOverLink[] = {
    {"kron", Algorithm::bfs, false, {0.148, 0.0141, 0.0136}}, {"kron", Algorithm::sssp, true, {0.261, 0.0608, 0.0187}},
    {"kron", Algorithm::sssp, false, {1.11, 1.11, 1.11}},     {"kron", Algorithm::cc, false, {0.0739, 0, 0}},
    {"kron", Algorithm::pagerank, false, {6.16, 5.77, 3.24}}, {"urand", Algorithm::bfs, false, {0.223, 0.059, 0.0139}},
    {"urand", Algorithm::sssp, true, {0.334, 0.199, 0.0161}}, {"urand", Algorithm::sssp, false, {1.76, 1.76, 1.76}},
    {"urand", Algorithm::cc, false, {0.281, 0, 0}},           {"urand", Algorithm::pagerank, false, {3.35, 3.13, 2.25}},
    {"web", Algorithm::bfs, false, {0.297, 0.143, 0.0135}},   {"web", Algorithm::sssp, true, {0.451, 0.29, 0.0557}},
    {"web", Algorithm::sssp, false, {1.21, 1.21, 1.21}},      {"web", Algorithm::cc, false, {0.281, 0, 0}},
    {"web", Algorithm::pagerank, false, {5.39, 5.16, 3.74}},  {"grid", Algorithm::bfs, false, {3.0, 3.0, 2.5}},
    {"grid", Algorithm::sssp, false, {7.36, 7.36, 7.36}},     {"grid", Algorithm::cc, false, {1.05, 1.05, 1.05}},
    {"grid", Algorithm::pagerank, false, {4.25, 4.25, 4.19}},
};

TEST(Plan, OnAGpuExpectsWhatMovedOverALink) {
  int near = 0, all = 0;
  for (const MovedOverLink& seen : kMovedOverLink) {
    const std::string name = seen.graph;
    const bool grid = name == "grid";
    LoadEstimate graph = container();
    graph.vertices = std::uint64_t{1} << (grid ? 20 : 21);
    graph.arcs = std::uint64_t{1} << (grid ? 22 : 26);
    graph.lengths = name == "kron" ? ListLengths{0.82, 2.9} : ListLengths{0, grid ? 4.0 : 8.0};
    graph.records = seen.records;
    RunOptions options = asked(seen.algorithm);
    if (seen.algorithm == Algorithm::sssp)
      options.sssp.variant = seen.records ? SsspVariant::prefix : SsspVariant::delta_stepping;
    Machine with = machine(kPlenty);
    with.device_bytes = kPlenty;
    const std::uint64_t edge_bytes = sizeof(VertexId) + (seen.records                        ? sizeof(VertexId)
                                                         : seen.algorithm == Algorithm::sssp ? 4
                                                                                             : 0);
    const std::uint64_t edges = graph.arcs * edge_bytes;
    for (const int which : {0, 1, 2}) {
      const std::uint64_t caches[] = {64 * kMiB / 1024, edges / 8, edges / 2};
      options.backend.cache_bytes = caches[which];
      const RunPlan plan = make_plan(options, DeviceKind::cuda, graph, with);
      std::vector<RunPlan::Choice> choices = plan.others;
      choices.push_back(plan.chosen);
      const auto emogi = std::ranges::find(choices, BackendKind::emogi, &RunPlan::Choice::kind);
      const double moved = seen.shares[which] * static_cast<double>(edges);
      const auto expected = static_cast<double>(emogi->moved_bytes);
      SCOPED_TRACE(
          fmt::format("{}, {}, cache {}: {:.3g} expected of {:.3g}", name, name_of(seen.algorithm), which, expected, moved));
      EXPECT_LE(expected, 2 * moved);
      EXPECT_GE(expected, moved / 2);
      near += expected <= 1.5 * moved && expected >= moved / 1.5 ? 1 : 0;
      ++all;
      // Passes over lists of like lengths went faster over gpuvm, by a tenth to a third.
      const bool pages = seen.algorithm == Algorithm::pagerank && name != "kron" && which != 0;
      EXPECT_EQ(plan.chosen.kind, pages ? BackendKind::gpuvm : BackendKind::emogi) << choice_text(plan.chosen);
    }
  }
  EXPECT_GE(near, all - 3) << "of " << all << " are within a factor of 1.5";
}
#endif

TEST(Plan, OnAGpuBothColumnsOfADirectedGraphShareTheCache) {
  LoadEstimate directed = container();
  directed.directed = true;
  Machine with = machine(kPlenty);
  with.device_bytes = kPlenty;
  RunOptions options = asked(Algorithm::cc);
  for (const int edges_a_list : {3, 6}) {
    options.backend.cache_bytes = directed.vertices * sizeof(VertexId) * static_cast<std::uint64_t>(edges_a_list);
    const RunPlan plan = make_plan(options, DeviceKind::cuda, directed, with);
    ASSERT_EQ(plan.chosen.kind, BackendKind::emogi);
    EXPECT_EQ(plan.chosen.moved_bytes == 0, edges_a_list == 6);
  }
}

class CliPlan : public CliTest {
 protected:
  /// A container of a generated graph with weights.
  std::string container(const std::string& generator) const {
    EXPECT_EQ(graphconv(generator + " " + path("k.grf") + " --weights random:1 --quiet").code, 0);
    return path("k.grf");
  }
  /// No calibration of this machine but those of the test.
  std::string cache() const { return "export XDG_CACHE_HOME='" + directory_.string() + "'; "; }
};

TEST_F(CliPlan, IsTheDefaultAndNamesWhatItChose) {
  container("kron:12:16");
  const auto near = json_of("--graph " + path("k.grf") + " --algo bfs --quiet");
  EXPECT_EQ(near["options"]["backend"], "auto");
  EXPECT_EQ(near["backend"], "incore");
  EXPECT_EQ(near["plan"]["chosen"]["backend"], "incore");
  const auto capped = json_of("--graph " + path("k.grf") + " --algo bfs --quiet --cache 64KiB");
  EXPECT_NE(capped["backend"], "incore");
  EXPECT_EQ(capped["result"], near["result"]);
  const auto named = json_of("--graph " + path("k.grf") + " --algo bfs --quiet --backend incore");
  EXPECT_TRUE(named["plan"].is_null());
  EXPECT_EQ(named["result"], near["result"]);
  EXPECT_NE(graphrun("--graph " + path("k.grf") + " --algo bfs --quiet").out.find("auto: incore"), std::string::npos);
}

TEST_F(CliPlan, RunsEachAlgorithmInAFewMegabytesOfMemory) {
  container("kron:16:16");
  for (const char* algo : {"bfs", "cc", "pagerank", "sssp"}) {
    if (kSanitized && std::string(algo) != "sssp") continue;
    const std::string run = "--graph " + path("k.grf") + " --quiet --verify --algo " + algo;
    const auto all = json_of(run);
    const auto little = json_of(run + " --memory 15MiB");
    EXPECT_NE(little["backend"], "incore") << algo;
    EXPECT_EQ(little["verdict"], "verified") << algo;
    if (std::string(algo) != "pagerank") {
      EXPECT_EQ(little["result"], all["result"]) << algo;
    }
  }
  expect_error("--graph " + path("k.grf") + " --algo bfs --memory 9MiB", 77, "vertices alone, with every backend");
}

TEST_F(CliPlan, WhatNeverFitsIsRefusedAtOnce) {
  expect_error("kron:30:16 --algo bfs --memory 23GiB", 77, "for its 1,073,741,824 vertices alone");
  expect_error("kron:24:16 --algo bfs --memory 1GiB", 77, "graphconv kron:24:16 OUT.grf --memory SIZE");
}

TEST_F(CliPlan, PrintsThePlanAndRunsNothing) {
  const Said said = graphrun(container("kron:12:16") + " --algo pagerank --plan --quiet --memory 15MiB", cache());
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* words : {"plan ", ", for pagerank over ", "of edges in", "moved in", "instead of", "built in"})
    EXPECT_NE(said.out.find(words), std::string::npos) << said.out;
  EXPECT_EQ(said.out.find("digest"), std::string::npos);
  expect_error("path:9 --algo bfs --plan --backend bam", 2, "--plan prints the plan of --backend auto, and bam needs none");
  expect_error("path:9 --algo bfs --plan --json -", 2, "--plan runs nothing");
  expect_error("path:9 --algo bfs --preload", 2, "--preload goes with --backend uvm or bam or gpuvm, and not with backend auto");
  EXPECT_NE(graphrun("path:9 --algo bfs --page 8KiB").err.find("--page has no effect on backend auto"), std::string::npos);
}

// Engines took the cache of such a plan, and kept pages in it.
TEST_F(CliPlan, BeginningsOfListsAreKeptWherePlannedAndWhereAskedFor) {
  container("kron:14:8");
  const std::string cache = fmt::format("{}KiB", 48 * sizeof(VertexId));
  const std::string run =
      fmt::format("{} --algo bfs --quiet --device cpu --threads 2 --cache {} --sources 16 --verify", path("k.grf"), cache);
  const auto kept = [](const auto& result) -> bool {
    EXPECT_EQ(result["verdict"], "verified");
    EXPECT_EQ(result["static_tier"]["bytes"] > 0, result["plan"].dump().find("leading edges") != std::string::npos);
    return result["static_tier"]["bytes"] > 0;
  };
  EXPECT_TRUE(kept(json_of(run)));
  EXPECT_FALSE(kept(json_of(run + " --hot none")));
  EXPECT_TRUE(kept(json_of(run + " --sources 1 --hot prefix")));
  EXPECT_EQ(graphrun(run + " --hot prefix").err.find("no effect"), std::string::npos);
  expect_error(run + " --hot degree", 2, "--hot degree chooses rows of features");
  Engine engine(open(path("k.grf")), {.device = "cpu", .cache = cache, .threads = 2});
  RunOptions search;
  set_option(search, "algo", "bfs");
  set_option(search, "sources", "16");
  EXPECT_GT(engine.run(search).static_tier.bytes, 0u);
  engine.run(PageRank{});
  EXPECT_GT(engine.run(search).static_tier.bytes, 0u);
}

TEST_F(CliPlan, PackedListsCountAsTheyAreStored) {
  for (const char* how : {"", " --pack"}) {
    ASSERT_EQ(graphconv("kron:12:16 " + path("k.grf") + how).code, 0);
    const auto edges = [&](const char* cache) {
      const auto plan = json_of(path("k.grf") + " --algo bfs --variant push --device cpu --cache " + cache)["plan"];
      EXPECT_EQ(plan["parts"].back()["what"], "edges");
      std::uint64_t near = 0;  // vertices counted what the check unpacks
      for (const auto& part : plan["parts"]) near += part["where"] == "memory" ? part["bytes"].get<std::uint64_t>() : 0;
      EXPECT_LE(near, plan["chosen"]["memory_bytes"]);
      return plan["parts"].back()["bytes"].get<std::uint64_t>();
    };
    const bool packed = *how != '\0';
    const std::uint64_t plain = edges("1GiB");  // incore, which unpacks them
    EXPECT_EQ(edges("64KiB") < plain, packed);
    EXPECT_EQ(plain % sizeof(VertexId), 0u);
  }
}

TEST_F(CliPlan, WhatCannotBeReadHasNoPlan) {
  container("kron:8:8");
  std::filesystem::resize_file(path("k.grf"), 5000);
  for (const char* plan : {" --algo bfs --plan", " --algo bfs --backend bam"}) {
    expect_error(path("k.grf") + plan, 1, "truncated: the header says");
    expect_error(path("none.grf") + plan, 1, "No such file");
  }
  expect_error(write("empty.txt", "") + " --algo bfs --plan", 1, "empty.txt");
}

TEST_F(CliPlan, CalibrationIsKeptAndUsedOnThisMachineOnly) {
  container("kron:8:8");
  const Said said = say(cache() + "export TMPDIR='" + directory_.string() + "'; " GRAPHRUN_PROGRAM " calibrate --quiet");
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("reads/s"), std::string::npos) << said.out;
  const std::string kept = path("graphrun/calibration-" + identify_machine(path("k.grf")).disk + ".json");
  auto all = nlohmann::json::parse(std::ifstream(kept));
  EXPECT_GT(all["rates"]["storage_bytes_s"], 0);
  const std::string plan = path("k.grf") + " --algo bfs --plan --quiet";
  EXPECT_NE(graphrun(plan, cache()).out.find("measured on "), std::string::npos);
  auto of_another = all;
  of_another["machine"]["kernel"] = "another";
  std::ofstream(kept) << of_another;
  const std::string loud = path("k.grf") + " --algo bfs --plan";
  EXPECT_NE(graphrun(loud, cache()).err.find("measuring again"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(kept))["machine"], all["machine"]) << "the new rates were not kept";
  all["rates"]["mapped_bytes_s"] = -1;
  std::ofstream(kept) << all;
  EXPECT_NE(graphrun(plan, cache()).out.find("built in"), std::string::npos);
  std::ofstream(kept) << "{";
  EXPECT_NE(graphrun(plan, cache()).out.find("built in"), std::string::npos);
  std::filesystem::remove(kept);
  std::filesystem::create_directory(kept);  // ended with "basic_filebuf::underflow error"
  const Said folder = graphrun(plan, cache());
  EXPECT_NE(folder.out.find("built in"), std::string::npos) << folder.err;
  EXPECT_NE(folder.err.find("is no calibration, and is passed over"), std::string::npos) << folder.err;
  expect_error("calibrate a b", 2, "takes one file");
  const auto refused = [&](const std::string& file, const std::string& words) {
    const Said ended = say(GRAPHRUN_PROGRAM " calibrate --quiet " + file);
    EXPECT_EQ(ended.code, 1) << file;
    EXPECT_NE(ended.err.find(words), std::string::npos) << ended.err;
  };
  refused("/dev/null", "/dev/null is not a regular file");
  refused("'" + path("none") + "'", "No such file");
  refused("'" + write("small", "x") + "'", "small has 1 B, and calibrating takes a file of 128 MiB or more");
  std::filesystem::resize_file(path("small"), 200 * kMiB);  // read at the speed of memory, which was kept as the disk's
  refused("'" + path("small") + "'", "small has holes in its first 128 MiB");
  write("file", "");
  const Said no_place = say("XDG_CACHE_HOME='" + path("file") + "' " GRAPHRUN_PROGRAM " calibrate --quiet");
  EXPECT_EQ(no_place.code, 1);
  EXPECT_NE(no_place.err.find("file/graphrun"), std::string::npos) << no_place.err;
  expect_error("calibrate --algo bfs", 2, "--algo means nothing to graphrun calibrate");
}

TEST(EnginePlan, IsMadeWheneverEdgesArePlaced) {
  Graph graph = open("kron:10:8");
  Engine engine(graph, {.device = "cpu", .threads = 2});
  const auto search = engine.run(Bfs{.verify = true});
  EXPECT_TRUE(search.verified());
  ASSERT_TRUE(search.result().run->plan);
  EXPECT_EQ(search.result().run->plan->chosen.kind, search.result().run->options.backend.kind);
  EXPECT_TRUE(engine.run(Sssp{.verify = true}).verified());
  EXPECT_TRUE(engine.run(PageRank{.verify = true}).verified());
}

}  // namespace
}  // namespace graphrun::test
