#include "algo/conformance.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <tuple>
#include <variant>

#include "cache/userfault.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/exec/cuda_device.hpp"

namespace graphrun::test {
namespace {

struct LayoutChoice {
  const char* name;
  Layout layout;
  EdgeId chunk_edges;
};

// Four edges are less than any lane group takes at once, 32 exactly a warp.
constexpr LayoutChoice kLayouts[] = {
    {"csr", Layout::csr, 0}, {"chunks_of_4", Layout::balanced, 4}, {"chunks_of_32", Layout::balanced, 32}};

Arrangement make_arrangement(DeviceKind device, int threads, BackendKind backend, const LayoutChoice& layout) {
  Arrangement arrangement;
  arrangement.name =
      (device == DeviceKind::cuda ? "cuda" : "cpu" + std::to_string(threads)) + "_" + name_of(backend) + "_" + layout.name;
  arrangement.options.device = {device, 0};
  arrangement.options.threads = threads;
  arrangement.options.backend.kind = backend;
  arrangement.options.backend.layout = layout.layout;
  arrangement.options.backend.chunk_edges = layout.chunk_edges;
  return arrangement;
}

Arrangement paged_arrangement(BackendKind backend, int pages, int page_bytes) {
  Arrangement arrangement = make_arrangement(DeviceKind::cpu, 2, backend, pages == 16 ? kLayouts[1] : kLayouts[2]);
  arrangement.name += fmt::format("_{}_pages_of_{}", pages, page_bytes);
  arrangement.options.backend.page_bytes = static_cast<std::uint32_t>(page_bytes);
  arrangement.options.backend.cache_bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
  return arrangement;
}

/// With room for as many edges and their weights.
Arrangement subway_arrangement(DeviceKind device, int threads, SubwayVariant variant, std::uint64_t edges,
                               const LayoutChoice& layout) {
  Arrangement arrangement = make_arrangement(device, threads, BackendKind::subway, layout);
  arrangement.name += fmt::format("_{}_{}_edges", name_of(variant), edges);
  arrangement.options.backend.subway_variant = variant;
  arrangement.options.backend.cache_bytes = edges * (sizeof(VertexId) + sizeof(std::uint32_t));
  return arrangement;
}

std::vector<Arrangement> cpu_arrangements() {
  std::vector<Arrangement> arrangements;
  for (const int threads : {1, 2, 5}) {
    for (const auto backend : {BackendKind::incore, BackendKind::emogi}) {
      for (const auto& layout : kLayouts) {
        // More threads than processors are slow, and one layout is enough to see them race.
        if (threads == 5 && layout.chunk_edges != 4) continue;
        arrangements.push_back(make_arrangement(DeviceKind::cpu, threads, backend, layout));
      }
    }
  }
  for (const auto access : {Access::naive, Access::merged}) {
    Arrangement arrangement = make_arrangement(DeviceKind::cpu, 2, BackendKind::emogi, kLayouts[2]);
    arrangement.name += std::string("_") + name_of(access);
    arrangement.options.backend.access = access;
    arrangements.push_back(arrangement);
  }
  // From a cache in which a list has no room and every page is fetched many times, to one that holds everything.
  for (const auto& [pages, page_bytes] : {std::pair{3, 512}, {16, 512}, {64, 4096}, {2048, 4096}}) {
    Arrangement arrangement = paged_arrangement(BackendKind::bam, pages, page_bytes);
    arrangement.options.backend.storage = "ram:unlimited";  // a disk would take minutes
    arrangements.push_back(arrangement);
  }
  for (const auto& [pages, page_bytes] : {std::pair{3, 512}, {16, 512}, {3, 4096}, {64, 8192}, {5, 65536}, {2048, 8192}}) {
    arrangements.push_back(paged_arrangement(BackendKind::gpuvm, pages, page_bytes));
  }
  // From the smallest caps, where threads take pages from each other all the time, to everything.
  struct Uvm {
    int threads;
    std::uint64_t prefetch_pages;
    std::uint64_t block_pages;
    std::uint64_t cap_blocks;
  };
  constexpr std::uint64_t kPage = 4096;
  for (const Uvm& uvm : {Uvm{1, 1, 1, 4}, Uvm{4, 1, 1, 10}, Uvm{1, 2, 4, 2}, Uvm{4, 2, 16, 2}, Uvm{2, 16, 512, 2}}) {
    Arrangement arrangement =
        make_arrangement(DeviceKind::cpu, uvm.threads, BackendKind::uvm, kLayouts[uvm.threads == 4 ? 1 : 2]);
    arrangement.name += fmt::format("_{}_blocks_of_{}_pages", uvm.cap_blocks, uvm.block_pages);
    arrangement.options.backend.uvm_prefetch_bytes = uvm.prefetch_pages * kPage;
    arrangement.options.backend.uvm_block_bytes = uvm.block_pages * kPage;
    arrangement.options.backend.cache_bytes = uvm.cap_blocks * uvm.block_pages * kPage;
    arrangements.push_back(arrangement);
  }
  // From the smallest subgraphs there are, which long lists have no room in, to a buffer for all edges.
  for (const auto variant : {SubwayVariant::sync, SubwayVariant::async}) {
    for (const auto& [edges, threads, layout] :
         {std::tuple{64, 2, 0}, {64, 2, 2}, {100, 1, 0}, {1000, 2, 1}, {1 << 20, 5, 0}, {1 << 20, 2, 1}}) {
      arrangements.push_back(
          subway_arrangement(DeviceKind::cpu, threads, variant, static_cast<std::uint64_t>(edges), kLayouts[layout]));
    }
  }
#if defined(__SANITIZE_THREAD__)
  // A thread alone races with nobody, and takes the longest.
  std::erase_if(arrangements, [](const Arrangement& arrangement) { return arrangement.options.threads == 1; });
#endif
  return arrangements;
}

std::vector<Arrangement> cuda_arrangements() {
  std::vector<Arrangement> arrangements;
  for (const auto& layout : kLayouts) {
    arrangements.push_back(make_arrangement(DeviceKind::cuda, 2, BackendKind::incore, layout));
    for (const auto access : {Access::naive, Access::merged, Access::aligned}) {
      Arrangement arrangement = make_arrangement(DeviceKind::cuda, 2, BackendKind::emogi, layout);
      arrangement.name += std::string("_") + name_of(access);
      arrangement.options.backend.access = access;
      arrangements.push_back(arrangement);
    }
  }
  for (const auto access : {Access::naive, Access::aligned}) {  // the kernels that count requests
    Arrangement arrangement = make_arrangement(DeviceKind::cuda, 2, BackendKind::emogi, kLayouts[2]);
    arrangement.name += std::string("_counted_") + name_of(access);
    arrangement.options.backend.access = access;
    arrangement.options.backend.count_requests = true;
    arrangements.push_back(arrangement);
  }
  for (const auto advise : {UvmAdvise::none, UvmAdvise::read_mostly, UvmAdvise::accessed_by, UvmAdvise::prefetch}) {
    Arrangement arrangement = make_arrangement(DeviceKind::cuda, 2, BackendKind::uvm, kLayouts[2]);
    arrangement.name += "_advise_" + std::to_string(static_cast<int>(advise));
    arrangement.options.backend.uvm_advise = advise;
    arrangements.push_back(arrangement);
  }
  // Caches that hold next to nothing, some, and everything; and each of what warps do for speed left out.
  struct Cache {
    const char* name;
    std::uint64_t pages;
    std::uint32_t page_bytes;
    bool coalesce;
    bool reuse;
    bool cached;
  };
  for (const Cache& cache : {Cache{"small", 64, 512, true, true, true}, Cache{"medium", 256, 512, true, true, true},
                             Cache{"whole", 4096, 4096, true, true, true}, Cache{"large_pages", 64, 65536, true, true, true},
                             Cache{"no_coalescing", 100, 512, false, true, true}, Cache{"no_reuse", 100, 512, true, false, true},
                             Cache{"no_cache", 64, 512, true, true, false}}) {
    Arrangement arrangement =
        make_arrangement(DeviceKind::cuda, 2, BackendKind::bam, cache.page_bytes == 512 ? kLayouts[1] : kLayouts[2]);
    arrangement.name += std::string("_") + cache.name;
    arrangement.options.backend.page_bytes = cache.page_bytes;
    arrangement.options.backend.cache_bytes = cache.pages * cache.page_bytes;
    arrangement.options.backend.bam_coalesce = cache.coalesce;
    arrangement.options.backend.bam_reuse = cache.reuse;
    arrangement.options.backend.bam_cached = cache.cached;
    arrangement.options.backend.storage = "ram:unlimited";
    arrangements.push_back(arrangement);
  }
  for (const auto& [fabric, pages, page_bytes] : {std::tuple{"sm", 64u, 512u}, std::tuple{"sm", 4096u, 8192u},
                                                  std::tuple{"proxy", 64u, 4096u}, std::tuple{"proxy", 4096u, 8192u}}) {
    Arrangement arrangement = make_arrangement(DeviceKind::cuda, 2, BackendKind::gpuvm, kLayouts[2]);
    arrangement.name += std::string("_") + fabric + (pages == 64 ? "_small" : "_whole");
    arrangement.options.backend.fabric.name = fabric;
    arrangement.options.backend.page_bytes = page_bytes;
    arrangement.options.backend.cache_bytes = std::uint64_t{pages} * page_bytes;
    arrangements.push_back(arrangement);
  }
  Arrangement copies = make_arrangement(DeviceKind::cuda, 2, BackendKind::bam, kLayouts[2]);
  copies.name += "_copies";
  copies.options.backend.page_bytes = 512;
  copies.options.backend.cache_bytes = 100 * 512;
  copies.options.backend.storage = "ram:unlimited";
  copies.options.backend.bam_delivery = "copies";
  arrangements.push_back(copies);
  for (const auto variant : {SubwayVariant::sync, SubwayVariant::async}) {
    for (const auto& [edges, layout] : {std::pair{128, 0}, {128, 2}, {200, 1}, {4096, 1}, {1 << 20, 0}, {1 << 20, 2}}) {
      arrangements.push_back(
          subway_arrangement(DeviceKind::cuda, 2, variant, static_cast<std::uint64_t>(edges), kLayouts[layout]));
    }
  }
  return arrangements;
}

/// What this machine lacks for an arrangement of the CPU; empty when it lacks nothing.
std::string what_lacks(const Arrangement& arrangement) {
  return arrangement.options.backend.kind == BackendKind::uvm ? why_no_userfault() : "";
}

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
TEST_P(CpuConformance, WithoutTranspose) { expect_all_without_transpose(GetParam()); }
TEST_P(CpuConformance, ExtremeDeltas) { expect_extreme_deltas(GetParam()); }
TEST_P(CpuConformance, WideDistances) { expect_wide_distances(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Cpu, CpuConformance, ::testing::ValuesIn(cpu_arrangements()), arrangement_name);

/// One test a arrangement, so that a machine without a GPU counts one skip for each.
class CudaConformance : public ::testing::TestWithParam<Arrangement> {};

TEST_P(CudaConformance, Everything) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  expect_all_bfs(GetParam());
  expect_all_sssp(GetParam());
  expect_all_cc(GetParam());
  expect_all_pagerank(GetParam());
  expect_all_without_transpose(GetParam());
  expect_extreme_deltas(GetParam());
  expect_wide_distances(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Cuda, CudaConformance, ::testing::ValuesIn(cuda_arrangements()), arrangement_name);

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
    session->bfs(1, {}, &bfs);
    session->sssp(1, {}, &sssp, nullptr);
    session->cc({}, &cc);
    session->pagerank({.tolerance = 1e-12}, &pagerank, nullptr, nullptr);
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
    open(graph, cpu_arrangements().front())->sssp(0, {.delta = delta}, &output, nullptr);
    expect_correct(verify::check_sssp(graph, output), "far beyond delta");
  }
}

TEST(Answers, ChunksLongerThanAnyListCutNothing) {
  const Graph graph = karate();
  Arrangement arrangement = cpu_arrangements().front();
  arrangement.options.backend.layout = Layout::balanced;
  arrangement.options.backend.chunk_edges = ~EdgeId{0} - 1;
  BfsOutput output;
  open(graph, arrangement)->bfs(33, {.variant = BfsVariant::push}, &output);
  expect_correct(verify::check_bfs(graph, output), "huge chunks");
}

TEST(Answers, PagerankStopsAtTheIterationLimitAndSaysSo) {
  const Graph graph = karate();
  const auto session = open(graph, cpu_arrangements().front());
  for (const auto variant : {PagerankVariant::pull, PagerankVariant::push}) {
    PagerankOutput output;
    bool converged = true;
    const Trial trial =
        session->pagerank({.variant = variant, .tolerance = 1e-12, .max_iterations = 2}, &output, nullptr, &converged);
    EXPECT_FALSE(converged);
    EXPECT_EQ(trial.stats.iterations, 2u);
    EXPECT_EQ(output.iterations, 2u);
    expect_correct(verify::check_pagerank(graph, output, 0.85, 1e-12, false, converged), "two iterations");
  }
}

TEST(Answers, DampingNearItsEndsStillConverges) {
  const Graph graph = random_directed(200, 900, 5);
  const auto session = open(graph, cpu_arrangements().front());
  for (const double damping : {0.01, 0.5, 0.99}) {
    for (const auto variant : {PagerankVariant::pull, PagerankVariant::push}) {
      PagerankOutput output;
      bool converged = false;
      session->pagerank({.variant = variant, .damping = damping, .tolerance = 1e-9, .max_iterations = 100000}, &output, nullptr,
                        &converged);
      EXPECT_TRUE(converged) << damping;
      expect_correct(verify::check_pagerank(graph, output, damping, 1e-9, false, converged),
                     "damping " + std::to_string(damping));
    }
  }
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
  for (const char* wrong : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "CPU"})
    EXPECT_THROW(parse_device(wrong), UsageError) << wrong;
}

}  // namespace
}  // namespace graphrun::test
