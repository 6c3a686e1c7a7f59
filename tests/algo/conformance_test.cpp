// SPDX-License-Identifier: Apache-2.0

#include "algo/conformance.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <thread>

#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/exec/exchange.hpp"
#include "graphrun/io/readers.hpp"
#include "support/quick_folder.hpp"
#include "support/refusal.hpp"

namespace graphrun::test {
namespace {

class CpuConformance : public ::testing::TestWithParam<Arrangement> {
 protected:
  void SetUp() override {
    if (const std::string missing = what_lacks(GetParam()); !missing.empty()) GTEST_SKIP() << missing;
  }
};

TEST_P(CpuConformance, Bfs) { expect_all_bfs(GetParam()); }
TEST_P(CpuConformance, Sssp) { expect_all_sssp(GetParam()); }
TEST_P(CpuConformance, Cc) { expect_all_cc(GetParam()); }
TEST_P(CpuConformance, Pagerank) { expect_all_pagerank(GetParam()); }
TEST_P(CpuConformance, WeightedPagerank) { expect_all_weighted_pagerank(GetParam()); }
TEST_P(CpuConformance, Bc) { expect_all_bc(GetParam()); }
TEST_P(CpuConformance, Tc) { expect_all_tc(GetParam()); }
TEST_P(CpuConformance, WithoutTranspose) { expect_all_without_transpose(GetParam()); }
TEST_P(CpuConformance, ExtremeDeltas) { expect_extreme_deltas(GetParam()); }
TEST_P(CpuConformance, WideDistances) { expect_wide_distances(GetParam()); }
TEST_P(CpuConformance, WideWeights) { expect_wide_weights(GetParam()); }
TEST_P(CpuConformance, FloatExtremes) { expect_float_extremes(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Cpu, CpuConformance, ::testing::ValuesIn(cpu_arrangements()), arrangement_name);

/// Over backends that walk lists where they are, which subway does not. One thread that faults a page at a time takes long, and
/// sees what two see.
std::vector<Arrangement> walking(std::vector<Arrangement> arrangements) {
  std::erase_if(arrangements, [](const Arrangement& arrangement) {
    const EdgeDelivery delivery = preset_of(arrangement.options.backend.kind).delivery;
    return arrangement.packed || delivery == EdgeDelivery::gather ||
           (delivery == EdgeDelivery::fault && arrangement.options.threads == 1);
  });
  for (Arrangement& arrangement : arrangements) arrangement.options.backend.records = true;
  return arrangements;
}

class PrefixConformance : public CpuConformance {};

TEST_P(PrefixConformance, Sssp) { expect_all_sssp(GetParam()); }
TEST_P(PrefixConformance, Pulls) { expect_pulls(GetParam()); }
TEST_P(PrefixConformance, SinksChainsAndFarVerticesThatPullsGotWrong) { expect_awkward_pulls(GetParam()); }
TEST_P(PrefixConformance, ExtremeDeltas) { expect_extreme_deltas(GetParam()); }
TEST_P(PrefixConformance, WideDistances) { expect_wide_distances(GetParam()); }
TEST_P(PrefixConformance, WideWeights) { expect_wide_weights(GetParam()); }
TEST_P(PrefixConformance, FloatExtremes) { expect_float_extremes(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Cpu, PrefixConformance, ::testing::ValuesIn(walking(cpu_arrangements())), arrangement_name);

INSTANTIATE_TEST_SUITE_P(Ranks, PrefixConformance, ::testing::ValuesIn(walking(ranks_arrangements())), arrangement_name);

class RanksConformance : public CpuConformance {};

// More ranks than processors meet slowly: one source a graph, whole weights and floats.
void expect_bfs_and_sssp_of_ranks(const Arrangement& arrangement) {
  for (const Shape& shape : all_shapes()) {
    const Graph plain = shape.make();
    if (plain.num_vertices() == 0) continue;
    const VertexId source = plain.num_vertices() / 2;
    const auto session = open(plain, arrangement);
    for (const auto variant : {BfsVariant::direction_optimizing, BfsVariant::push}) {
      BfsOutput output;
      run_bfs(*session, source, {variant}, &output);
      expect_correct(verify::check_bfs(plain, output), plain.name);
    }
    const std::vector<Graph> all = weighted(plain, arrangement);
    for (const Graph* graph : {&all.front(), &all.back()}) {
      SsspOutput output;
      run_sssp(*open(*graph, arrangement), source, {}, &output);
      expect_correct(verify::check_sssp(*graph, output), graph->name);
    }
  }
}

void expect_exchanges_after_errors(const Arrangement& arrangement) {
  const Graph graph = karate();
  const auto session = open(graph, arrangement);
  EXPECT_THROW(run_bc(*session, {.sources = {graph.num_vertices()}}, nullptr), UsageError);
  expect_bfs(graph, *session, {BfsVariant::push});
}

TEST_P(RanksConformance, BfsAndSssp) { expect_bfs_and_sssp_of_ranks(GetParam()); }
TEST_P(RanksConformance, Cc) { expect_all_cc(GetParam()); }
TEST_P(RanksConformance, Pagerank) { expect_all_pagerank(GetParam()); }
TEST_P(RanksConformance, WeightedPagerank) { expect_all_weighted_pagerank(GetParam()); }
TEST_P(RanksConformance, Bc) { expect_all_bc(GetParam()); }
TEST_P(RanksConformance, Tc) { expect_all_tc(GetParam()); }
TEST_P(RanksConformance, WithoutTranspose) {
  if (kSanitized) GTEST_SKIP() << "ranks meet slowly there, and the other cases push, too";
  expect_all_without_transpose(GetParam());
}
TEST_P(RanksConformance, WideDistances) { expect_wide_distances(GetParam()); }
TEST_P(RanksConformance, WideWeights) { expect_wide_weights(GetParam()); }
TEST_P(RanksConformance, FloatExtremes) { expect_float_extremes(GetParam()); }
TEST_P(RanksConformance, MeetAgainAfterAnError) { expect_exchanges_after_errors(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Cpu, RanksConformance, ::testing::ValuesIn(ranks_arrangements()), arrangement_name);

/// Caches that pages stay in and that they do not, of which cached prefixes take from nothing to the longest list.
std::vector<Arrangement> arrangements_with_prefixes() {
  std::vector<Arrangement> arrangements;
  for (const std::uint64_t kib : {2, 16, 60}) {
    for (const BackendKind kind : {BackendKind::bam, BackendKind::gpuvm}) {
      Arrangement arrangement = make_arrangement(DeviceKind::cpu, 2, kind, kLayouts[0]);
      arrangement.options.backend.storage = "ram:unlimited";
      arrangement.options.backend.page_bytes = 512;
      arrangement.options.backend.cache_bytes = kib << 10;
      arrangement.options.backend.hot = HotEdges::prefix;
      arrangement.options.backend.records = true;
      arrangements.push_back(arrangement);
    }
  }
  return arrangements;
}

// Over graphs that are large enough for cached prefixes, which most of the suites' are not: of packed lists, of plain ones, and
// of ranks.
TEST(CachedPrefixes, OfPackedListsAndOfRanksGiveTheSameAnswers) {
  const std::vector<Graph> graphs = [] {
    std::vector<Graph> made;
    if (!kSanitized) made.push_back(random_undirected(1000, 30000, 5));
    made.push_back(random_directed(1000, 60000, 6));
    return made;
  }();
  for (const BackendKind kind : {BackendKind::bam, BackendKind::gpuvm}) {
    for (const bool packed : {false, true}) {
      for (const int ranks : {1, 2}) {
        Arrangement arrangement = make_arrangement(DeviceKind::cpu, 2, kind, kLayouts[2]);
        arrangement.packed = packed;
        arrangement.options.ranks = ranks;
        if (kind == BackendKind::bam) arrangement.options.backend.storage = "ram:unlimited";
        arrangement.options.backend.page_bytes = 4096;
        arrangement.options.backend.cache_bytes = static_cast<std::uint64_t>(ranks) * 9 * 4096;
        arrangement.options.backend.hot = HotEdges::prefix;
        for (const Graph& graph : graphs) {
          SCOPED_TRACE(fmt::format("{} {} {} ranks {}", graph.name, name_of(kind), packed, ranks));
          const StaticTier tier = open(graph, arrangement)->static_tier();
          EXPECT_EQ(tier.holds, HotEdges::prefix);
          EXPECT_GT(tier.bytes, 0u);
          for (const auto variant : {BfsVariant::direction_optimizing, BfsVariant::push})
            expect_bfs(graph, *open(graph, arrangement), {variant});
          for (const Graph& with_weights : weighted(graph, arrangement)) expect_sssp(with_weights, arrangement, {0});
        }
      }
    }
  }
}

// A head that ends within a list, with it, or before it begins; from weights in which most of a list is due at once to those
// where nothing is.
TEST(Prefixes, AreTheSameFromPrefixesOfEveryLength) {
  std::set<EdgeId> lengths;
  for (const Arrangement& arrangement : arrangements_with_prefixes()) {
    if (!what_lacks(arrangement).empty()) continue;
    SCOPED_TRACE(arrangement.options.backend.cache_bytes.value());
    for (const Graph& graph : weighted(random_undirected(300, 4500, 5), arrangement)) expect_sssp(graph, arrangement, {0, 3});
    for (const Graph& graph : weighted(random_directed(300, 6000, 6), arrangement)) {
      lengths.insert(open(graph, arrangement)->static_tier().edges_a_list);
      expect_sssp(graph, arrangement, {0});
    }
    for (const Graph& graph : weighted(star_graph(70, 3), arrangement)) expect_sssp(graph, arrangement, {0});
  }
  EXPECT_GE(lengths.size(), 3u);
}

// Seeded graphs of any shape, with weights of any kind, through a file and back, under any delta.
TEST(Prefixes, AreRightOverStoredRecordsOfRandomGraphs) {
  ThreadPool pool(2);
  const std::string path = (quick_folder() / ("graphrun_records_" + std::to_string(::getpid()) + ".grf")).string();
  const auto draw = [](std::uint64_t seed, std::uint64_t what, std::uint64_t below) { return splitmix64(seed, what, 0) % below; };
  for (std::uint64_t seed = 0; seed < (kFewCases ? 8 : 24); ++seed) {
    SCOPED_TRACE(seed);
    const auto n = static_cast<VertexId>(2 + draw(seed, 0, 400));
    const std::size_t m = 1 + draw(seed, 1, 12) * n;
    Graph graph = draw(seed, 2, 2) == 0 ? random_directed(n, m, seed) : random_undirected(n, m, seed);
    const std::uint64_t most = std::uint64_t{1} << draw(seed, 3, 32);
    const bool floats = draw(seed, 4, 2) == 0;
    const bool by_direction = draw(seed, 5, 2) == 0;
    graph = with_weights(std::move(graph), floats ? WeightKind::f32 : WeightKind::u32, [&](VertexId u, VertexId v, EdgeId) {
      const std::uint64_t word = by_direction ? splitmix64(seed, u, v) : splitmix64(seed, std::min(u, v), std::max(u, v));
      const auto weight = static_cast<std::uint32_t>(word % most);
      return floats ? std::bit_cast<std::uint32_t>(static_cast<float>(weight) * 0x1p-20f) : weight;
    });
    add_records(graph, pool);
    write_native(graph, path, pool);
    const Graph stored = read_native(path, true, pool);
    Arrangement arrangement = make_arrangement(DeviceKind::cpu, 2, BackendKind::bam, kLayouts[0]);
    arrangement.options.backend.records = true;
    arrangement.options.backend.page_bytes = 512;
    arrangement.options.backend.cache_bytes = std::uint64_t{2} << (10 + draw(seed, 6, 6));
    const double delta = draw(seed, 7, 2) == 0 ? 0 : static_cast<double>(1 + draw(seed, 8, most));
    expect_sssp(stored, arrangement, {delta});
    arrangement.options.backend.kind = BackendKind::emogi;
    expect_sssp(stored, arrangement, {delta});
  }
  std::filesystem::remove(path);
}

/// One test a arrangement, so that a machine without a GPU counts one skip for each.
class CudaConformance : public ::testing::TestWithParam<Arrangement> {};

/// Whether GPUs run it with the ids of this build. Where they do not, opening it is refused.
bool gpus_run(const Arrangement& arrangement) {
  const BackendOptions& backend = arrangement.options.backend;
  if (kGpusRunAll || (has_gpu_views(preset_of(backend.kind)) && !backend.records && !arrangement.packed)) return true;
  const std::string said = refusal([&] { open(karate(), arrangement); });
  EXPECT_NE(said.find(arrangement.packed ? "packed" : "with 64-bit ids"), std::string::npos) << said;
  return false;
}

TEST_P(CudaConformance, Everything) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  if (!gpus_run(GetParam())) return;
  expect_all_bfs(GetParam());
  expect_all_sssp(GetParam());
  expect_all_cc(GetParam());
  expect_all_pagerank(GetParam());
  expect_all_weighted_pagerank(GetParam());
  if (kGpusRunAll) {
    expect_all_bc(GetParam());
    expect_all_tc(GetParam());
    expect_all_without_transpose(GetParam());
  }
  expect_extreme_deltas(GetParam());
  expect_wide_distances(GetParam());
  expect_wide_weights(GetParam());
  expect_float_extremes(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Cuda, CudaConformance, ::testing::ValuesIn(cuda_arrangements()), arrangement_name);

class CudaPackedConformance : public CudaConformance {};

TEST_P(CudaPackedConformance, Passes) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  if (!gpus_run(GetParam())) return;
  expect_all_cc(GetParam());
  expect_all_pagerank(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Cuda, CudaPackedConformance, ::testing::ValuesIn(packed_arrangements_of_cuda()), arrangement_name);

class CudaRanksConformance : public CudaConformance {};

TEST_P(CudaRanksConformance, Everything) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  if (!gpus_run(GetParam())) return;
  expect_bfs_and_sssp_of_ranks(GetParam());
  expect_all_cc(GetParam());
  expect_all_pagerank(GetParam());
  expect_all_weighted_pagerank(GetParam());
  if (kGpusRunAll) {
    expect_all_bc(GetParam());
    expect_all_tc(GetParam());
  }
  expect_wide_distances(GetParam());
  expect_wide_weights(GetParam());
  expect_float_extremes(GetParam());
  if (kGpusRunAll) expect_exchanges_after_errors(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Cuda, CudaRanksConformance, ::testing::ValuesIn(cuda_ranks_arrangements()), arrangement_name);

/// A rank that is a thread, and says that it is a process of a host of its own.
class OfAnotherHost final : public Exchange {
 public:
  explicit OfAnotherHost(Exchange& thread) : thread_(thread) {}
  int rank() const override { return thread_.rank(); }
  int size() const override { return thread_.size(); }
  RankPlace place() const override { return {.on_host = 0, .one_host = false, .one_process = false}; }
  bool counted_elsewhere() const override { return false; }
  std::span<const std::span<const std::byte>> all_gather(std::span<const std::byte> mine) override {
    const auto all = thread_.all_gather(mine);
    counts_ = thread_.counts();
    return all;
  }
  void leave(const std::string& why, int code) noexcept override { thread_.leave(why, code); }
  void start_over() override { thread_.start_over(); }

 private:
  Exchange& thread_;
};

TEST(CudaProcesses, OfSeveralHostsSendThroughHostMemory) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  ThreadPool pool(1);
  Graph graph = random_undirected(20'000, 90'000, 5);
  assign_weights(graph, parse_weight_source("random:1"), pool);
  add_records(graph, pool);
  auto threads = exchange_of_threads(3);
  const auto answer = [&](Exchange& host) {
    Arrangement arrangement = make_arrangement(DeviceKind::cuda, 2, BackendKind::incore, kLayouts[0]);
    arrangement.options.processes = &host;
    const auto session = open(graph, arrangement);
    BfsOutput bfs;
    SsspOutput sssp, by_prefix;
    CcOutput cc;
    PagerankOutput pagerank;
    run_bfs(*session, 7, {}, &bfs);
    run_sssp(*session, 7, {}, &sssp);
    run_cc(*session, {}, &cc);
    run_pagerank(*session, {.tolerance = 1e-5}, &pagerank);
    if (kGpusRunAll) {
      arrangement.options.backend.records = true;
      const auto of_records = open(graph, arrangement);
      run_sssp(*of_records, 7, {.variant = SsspVariant::prefix}, &by_prefix);
    }
    if (host.rank() != 0) return;
    EXPECT_GT(host.counts().bytes(), graph.num_vertices());
    expect_correct(verify::check_bfs(graph, bfs), "bfs");
    expect_correct(verify::check_sssp(graph, sssp), "sssp");
    if (kGpusRunAll) expect_correct(verify::check_sssp(graph, by_prefix), "sssp by prefixes");
    expect_correct(verify::check_cc(graph, cc), "cc");
    expect_correct(verify::check_pagerank(graph, pagerank, 0.85, 1e-5, true, true), "pagerank");
  };
  std::vector<std::jthread> hosts;
  for (auto& thread : threads) {
    hosts.emplace_back([&answer, &thread] {
      OfAnotherHost host(*thread);
      try {
        answer(host);
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
        host.leave(error.what(), 1);
      }
    });
  }
}

/// Records are read the same way for each access, and lists are cut by their own rule: one arrangement for each kind of view,
/// and for caches that lose pages and that do not.
std::vector<Arrangement> prefix_arrangements_of_cuda() {
  auto arrangements = walking(cuda_arrangements());
  const auto of_ranks = walking(cuda_ranks_arrangements());
  std::erase_if(arrangements, [](const Arrangement& arrangement) {
    const BackendOptions& backend = arrangement.options.backend;
    const bool usual = backend.access == Access::aligned && backend.uvm_advise == UvmAdvise::read_mostly &&
                       backend.bam_coalesce && backend.bam_reuse && backend.bam_cache == BamCache::on;
    const bool by_loads = preset_of(backend.kind).delivery == EdgeDelivery::load;
    return !usual || backend.page_bytes == 65536 || (by_loads && backend.chunk_edges != 32);
  });
  arrangements.insert(arrangements.end(), of_ranks.begin(), of_ranks.end());
  return arrangements;
}

class CudaPrefixConformance : public CudaConformance {};

TEST_P(CudaPrefixConformance, Everything) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  if (!gpus_run(GetParam())) return;
  expect_all_sssp(GetParam());
  expect_pulls(GetParam());
  expect_awkward_pulls(GetParam());
  expect_long_prefixes(GetParam());
  expect_extreme_deltas(GetParam());
  expect_wide_distances(GetParam());
  expect_wide_weights(GetParam());
  expect_float_extremes(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Cuda, CudaPrefixConformance, ::testing::ValuesIn(prefix_arrangements_of_cuda()), arrangement_name);

// They ran another variant, and did not say so.
TEST(Answers, VariantsThatReadInEdgesAreRefusedWithoutThem) {
  Graph graph = random_directed(50, 200, 1);
  graph.in.reset();
  const auto session = open_session(graph, {});
  EXPECT_THROW(run_bfs(*session, 0, {}, nullptr), UsageError);
  EXPECT_THROW(run_cc(*session, {}, nullptr), UsageError);
  EXPECT_THROW(run_pagerank(*session, {}, nullptr), UsageError);
  EXPECT_NO_THROW(run_bfs(*session, 0, {BfsVariant::push}, nullptr));
  EXPECT_NO_THROW(run_cc(*session, {CcVariant::hooking}, nullptr));
}

TEST(Answers, DoNotDependOnThreadsBackendOrLayout) {
  ThreadPool pool(1);
  Graph graph = random_directed(3000, 20000, 11);
  assign_weights(graph, parse_weight_source("random:2"), pool);
  BfsOutput bfs;
  SsspOutput sssp;
  CcOutput cc;
  PagerankOutput pagerank;
  const auto answer = [&](const Arrangement& arrangement) {
    const auto session = open(graph, arrangement);
    run_bfs(*session, 1, {}, &bfs);
    run_sssp(*session, 1, {}, &sssp);
    run_cc(*session, {}, &cc);
    run_pagerank(*session, {.tolerance = 1e-12}, &pagerank);
  };
  const auto arrangements = cpu_arrangements();
  answer(arrangements.front());
  const auto levels = bfs.levels;
  const auto distances = sssp.distances;
  const auto labels = cc.labels;
  const auto ranks = pagerank.ranks;
  for (const Arrangement& arrangement : arrangements) {
    if (!what_lacks(arrangement).empty()) continue;
    SCOPED_TRACE(arrangement.name);
    answer(arrangement);
    EXPECT_EQ(bfs.levels, levels);
    EXPECT_EQ(sssp.distances, distances);
    EXPECT_EQ(cc.labels, labels);
    ASSERT_EQ(pagerank.ranks.size(), ranks.size());
    for (std::size_t v = 0; v < ranks.size(); ++v) ASSERT_NEAR(pagerank.ranks[v], ranks[v], 1e-13) << v;
  }
}

// A quotient of distance and delta beyond 2^64 used to count as "no bucket" where conversions saturate.
TEST(Answers, FloatDistancesFarBeyondDeltaAreStillSettled) {
  ThreadPool pool(1);
  Graph graph = path_graph(4);
  assign_weights(graph, {.kind = WeightSource::Kind::unit}, pool);
  graph.weight_kind = WeightKind::f32;
  for (EdgeId e = 0; e < graph.num_edges(); ++e) graph.out.weights[e] = std::bit_cast<std::uint32_t>(1e10f);
  for (const double delta : {1e-20, 1e-60, 1e30}) {
    SsspOutput output;
    run_sssp(*open(graph, cpu_arrangements().front()), 0, {.delta = delta}, &output);
    expect_correct(verify::check_sssp(graph, output), "far beyond delta");
  }
}

TEST(Answers, ChunksLongerThanAnyListCutNothing) {
  const Graph graph = karate();
  Arrangement arrangement = cpu_arrangements().front();
  arrangement.options.backend.layout = Layout::balanced;
  arrangement.options.backend.chunk_edges = ~EdgeId{0} - 1;
  BfsOutput output;
  run_bfs(*open(graph, arrangement), 33, {.variant = BfsVariant::push}, &output);
  expect_correct(verify::check_bfs(graph, output), "huge chunks");
}

TEST(Answers, PagerankStopsAtTheIterationLimitAndSaysSo) {
  const Graph graph = karate();
  const auto session = open(graph, cpu_arrangements().front());
  for (const auto variant : {PagerankVariant::extrapolated, PagerankVariant::pull, PagerankVariant::push}) {
    PagerankOutput output;
    const Trial trial = run_pagerank(*session, {.variant = variant, .tolerance = 1e-12, .max_iterations = 2}, &output);
    EXPECT_FALSE(trial.converged);
    EXPECT_EQ(trial.stats.iterations, 2u);
    EXPECT_EQ(output.iterations, 2u);
    expect_correct(verify::check_pagerank(graph, output, 0.85, 1e-12, false, trial.converged), "two iterations");
  }
}

TEST(Answers, DampingNearItsEndsStillConverges) {
  const Graph graph = random_directed(200, 900, 5);
  const auto session = open(graph, cpu_arrangements().front());
  for (const double damping : {0.01, 0.5, 0.99}) {
    for (const auto variant : {PagerankVariant::extrapolated, PagerankVariant::pull, PagerankVariant::push}) {
      PagerankOutput output;
      const bool converged =
          run_pagerank(*session, {.variant = variant, .damping = damping, .tolerance = 1e-9, .max_iterations = 100000}, &output)
              .converged;
      EXPECT_TRUE(converged) << damping;
      expect_correct(verify::check_pagerank(graph, output, damping, 1e-9, false, converged),
                     "damping " + std::to_string(damping));
    }
  }
}

// Counts overflowed: a grid has as many shortest paths between its corners as there are ways right and down.
TEST(Answers, MorePathsThanADoubleCounts) {
  constexpr VertexId kSide = 600;
  std::vector<Arc> arcs;
  for (VertexId v = 0; v < kSide * kSide; ++v) {
    if (v % kSide + 1 < kSide) arcs.emplace_back(v, v + 1);
    if (v + kSide < kSide * kSide) arcs.emplace_back(v, v + kSide);
  }
  const Graph grid = directed_graph("grid", kSide * kSide, arcs);
  for (const int ranks : {1, 2}) {
    Arrangement arrangement = make_arrangement(DeviceKind::cpu, ranks, BackendKind::incore, kLayouts[0]);
    arrangement.options.ranks = ranks;
    const auto session = open(grid, arrangement);
    const std::vector<std::uint64_t> sources = {kSide * kSide / 2, 0, 1};  // the first has fewer
    BcOutput output;
    run_bc(*session, {.sources = sources}, &output);
    expect_correct(verify::check_bc(grid, output, sources), grid.name);
    EXPECT_THROW(run_bc(*session, {.sources = {kSide * kSide}}, &output), UsageError);
  }
}

TEST(Answers, TrianglesWhoseListsDoNotFitNameWhatDoes) {
  const Graph graph = complete_graph(40);
  const auto session = open(graph, make_arrangement(DeviceKind::cpu, 1, BackendKind::emogi, kLayouts[0]));
  EXPECT_EQ(refusal([&] { run_tc(*session, {.buffer_bytes = 8}, nullptr); }).substr(0, 20), "the lists need a --c");
}

TEST(Placement, IncoreKeepsToItsCap) {
  const Graph graph = karate();
  Arrangement arrangement = make_arrangement(DeviceKind::cpu, 1, BackendKind::incore, kLayouts[0]);
  const std::uint64_t needed = graph.num_edges() * sizeof(VertexId);
  arrangement.options.backend.cache_bytes = needed - 1;
  try {
    open(graph, arrangement);
    FAIL() << "a cap one byte too small must be refused";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(needed)), std::string::npos) << error.what();
  }
  arrangement.options.backend.cache_bytes = needed;
  EXPECT_EQ(open(graph, arrangement)->fast_tier_bytes(), needed);
}

TEST(Placement, SubwayKeepsToItsCapAndNamesTheSmallest) {
  const Graph graph = karate();
  Arrangement arrangement = subway_arrangement(DeviceKind::cpu, 1, SubwayVariant::async, 64, kLayouts[0]);
  const std::uint64_t least = 64 * sizeof(VertexId);
  arrangement.options.backend.cache_bytes = least - 1;
  try {
    open(graph, arrangement);
    FAIL() << "a cap one byte too small must be refused";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(least)), std::string::npos) << error.what();
  }
  arrangement.options.backend.cache_bytes = least;
  EXPECT_EQ(open(graph, arrangement)->fast_tier_bytes(), least);
  arrangement.options.backend.cache_bytes = least * 1000;
  EXPECT_EQ(open(graph, arrangement)->fast_tier_bytes(), graph.num_edges() * sizeof(VertexId));
}

TEST(Placement, EmogiKeepsNothing) {
  const Graph graph = karate();
  Arrangement arrangement = make_arrangement(DeviceKind::cpu, 1, BackendKind::emogi, kLayouts[0]);
  arrangement.options.backend.cache_bytes = 0;
  EXPECT_EQ(open(graph, arrangement)->fast_tier_bytes(), 0u);
}

TEST(Devices, NamesAreParsedStrictly) {
  EXPECT_EQ(parse_device("cpu").kind, DeviceKind::cpu);
  EXPECT_EQ(parse_device("CPU").kind, DeviceKind::cpu);
  EXPECT_EQ(canonical_device("GPU:01"), "cuda:1");
  EXPECT_EQ(canonical_device("cuda:0,1,2,5"), "cuda:0-2,5");
  EXPECT_EQ(canonical_device("CUDA:0-3"), "cuda:0-3");
  EXPECT_EQ(canonical_device("cuda:2,0"), "cuda:2,0");
  EXPECT_EQ(canonical_device("cuda:0,0"), "cuda:0,0");
  EXPECT_EQ(canonical_device("cuda:ALL"), "cuda:all");
  EXPECT_EQ(to_string({DeviceKind::cuda, 0, {1, 3}}), "cuda:0-1,3");
  EXPECT_EQ(to_string(of_process({DeviceKind::cuda, 0, {1, 3}}, {.on_host = 5})), "cuda:3");
  EXPECT_EQ(to_string(of_process({DeviceKind::cuda, 2}, {.on_host = 1})), "cuda:2");
  for (const char* wrong : {"", "gp", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cpu:0", "auto:0", "cuda:1-0", "cuda:0,",
                            "cuda:,0", "cuda:0-", "cuda:0--1", "cuda:0-1-2", "cuda:all,0", "cuda:1000", "cuda:0-64", "cpu:all"})
    EXPECT_THROW(parse_device(wrong), UsageError) << wrong;
}

}  // namespace
}  // namespace graphrun::test
