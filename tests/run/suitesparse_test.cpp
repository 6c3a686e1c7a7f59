// SPDX-License-Identifier: Apache-2.0
// Every real graph that is found (support/found_graphs.hpp), through all algorithms over all backends. Each answer is checked
// by the serial oracles, and against what is known about the graph where somebody wrote that down. A graph that cannot be read
// fails.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <variant>

#include "graphrun/core/error.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/io/readers.hpp"
#include "run/engine_parts.hpp"
#include "support/found_graphs.hpp"

namespace graphrun::test {
namespace {

namespace fs = std::filesystem;

constexpr int kThreads = 2;
constexpr BackendKind kBackends[] = {BackendKind::incore, BackendKind::emogi, BackendKind::uvm,
                                     BackendKind::bam,    BackendKind::gpuvm, BackendKind::subway};

// Where another build has run the largest graphs they would take hours, or as long again, and show nothing that smaller ones do
// not.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr EdgeId kMostArcs = 20'000;
#else
constexpr EdgeId kMostArcs = sizeof(VertexId) == 8 ? 100'000 : std::numeric_limits<EdgeId>::max();
#endif

/// Why this build leaves the graph to others; empty when it does not.
std::string why_too_large(const Graph& graph) {
  if (graph.num_edges() <= kMostArcs) return "";
  return fmt::format("with sanitizers or 64-bit ids only graphs of up to {} edges are run: this one has {}", kMostArcs,
                     graph.num_edges());
}

/// On a CPU, backends that have a cache get one that not everything fits into, but for small graphs. On a GPU the least that
/// works grows with its warps: there they get their default.
BackendOptions backend_options(BackendKind kind, const std::string& device, const Graph& graph) {
  constexpr std::uint64_t kLeast = 512 << 10;
  BackendOptions options;
  options.kind = kind;
  if (device != "cpu" || kind == BackendKind::incore || kind == BackendKind::emogi) return options;
  // Of the 8 bytes an arc that sssp reads. A page fault costs a hundred times what others take for a page: uvm gets more room.
  options.cache_bytes = std::max(kLeast, graph.num_edges() * (kind == BackendKind::uvm ? 7 : 1));
  options.uvm_block_bytes = 64 << 10;  // of 2 MiB a small cache would hold none
  return options;
}

/// `value`: "level" or "distance".
void expect_search(const Digest& found, const std::string& value, const ExpectedSearch& expected) {
  EXPECT_EQ(found.count("reached"), expected.reached);
  EXPECT_EQ(found.number("max_" + value), expected.farthest);
  EXPECT_EQ(found.checksum, expected.checksum);
  if (expected.sum) {
    EXPECT_EQ(found.number("sum_" + value + "s"), *expected.sum);
  }
}

void expect_ranks(const Digest& found, const ExpectedRanks& expected) {
  ASSERT_GE(found.top->size(), expected.top.size());
  for (std::size_t i = 0; i < expected.top.size(); ++i) {
    const auto& [vertex, rank] = expected.top[i];
    EXPECT_NEAR((*found.top)[i].second, rank, expected.tolerance) << "place " << i + 1;
    if (vertex) {
      EXPECT_EQ((*found.top)[i].first, *vertex) << "place " << i + 1;
    }
  }
}

/// Why the device cannot be used; empty when it can.
std::string why_not(const std::string& device) { return device == "cuda" ? why_no_cuda(0) : ""; }

class SuiteSparse : public ::testing::TestWithParam<FoundGraph> {
 protected:
  void SetUp() override {
    ASSERT_EQ(GetParam().problem, "");
    container_ = (fs::path(::testing::TempDir()) / fmt::format("graphrun_suitesparse_{}.grf", ::getpid())).string();
  }
  void TearDown() override {
    if (!container_.empty()) fs::remove(container_);
  }

  /// With weights and, unless it is symmetric, its transpose, in a container: so backends over files read one.
  Graph load(bool undirected) const {
    LoadOptions how;
    how.undirected = undirected;
    how.bipartite = true;
    how.need_transpose = true;
    how.check = true;
    ThreadPool pool(kThreads);
    Graph graph = load_graph(GetParam().file.string(), how, pool).graph;
    assign_weights(graph, {.kind = WeightSource::Kind::truth}, pool);
    write_native(graph, container_, pool);
    return read_native(container_, true, pool);
  }

  RunOptions options_for(Algorithm algorithm) const {
    RunOptions options;
    options.algorithm = algorithm;
    options.device = device_;
    options.threads = kThreads;
    options.backend = backend_;
    options.pagerank.tolerance = 1e-12;
    options.verify = VerifyBy::serial;
    return options;
  }
  static Digest digest_of(const Graph& graph, const RunOptions& options) {
    SCOPED_TRACE(name_of(options.algorithm));
    const RunResult result = Engine::Parts(graph, options).run(options);
    EXPECT_EQ(result.verification, Verification::verified) << result.trials.front().reason;
    return result.digests.front();
  }

  void expect_all(const Graph& graph) const {
    const auto bfs = digest_of(graph, options_for(Algorithm::bfs));
    const auto sssp = digest_of(graph, options_for(Algorithm::sssp));
    const auto cc = digest_of(graph, options_for(Algorithm::cc));
    const auto ranks = digest_of(graph, options_for(Algorithm::pagerank));
    const auto& expected = GetParam().expected;
    if (!expected) return;
    EXPECT_EQ(bfs.source, expected->bfs.source);
    expect_search(bfs, "level", expected->bfs);
    EXPECT_EQ(sssp.source, expected->sssp.source);
    expect_search(sssp, "distance", expected->sssp);
    EXPECT_EQ(cc.count("components"), expected->cc.count);
    EXPECT_EQ(cc.count("largest"), expected->cc.largest);
    expect_ranks(ranks, expected->ranks);
  }

  /// Runs `check` over every backend. What this machine lacks is told at the end, as a skip; the others have run by then.
  template <class Check>
  void over_all_backends(const Graph& graph, const Check& check) {
    std::string missing;
    for (const BackendKind kind : kBackends) {
      if (device_ != "cpu" && !has_gpu_views(preset_of(kind))) continue;
      SCOPED_TRACE(name_of(kind));
      backend_ = backend_options(kind, device_, graph);
      try {
        check(graph);
      } catch (const UnavailableError& error) {
        missing += fmt::format("{}: {}; ", name_of(kind), error.what());
      }
    }
    if (!missing.empty()) GTEST_SKIP() << missing << "all others agree";
  }

  void agrees_on(const std::string& device) {
    if (const std::string missing = why_not(device); !missing.empty()) GTEST_SKIP() << missing;
    device_ = device;
    const Graph graph = load(false);
    if (const std::string why = why_too_large(graph); !why.empty()) GTEST_SKIP() << why;
    if (const auto& expected = GetParam().expected) {
      EXPECT_EQ(graph.num_vertices(), expected->n);
      EXPECT_EQ(graph.num_edges(), expected->m);
    } else {
      fmt::print("{}: no digests are known; the oracles check the answers\n", GetParam().file.string());
    }
    over_all_backends(graph, [&](const Graph& loaded) { expect_all(loaded); });
  }

  std::string device_ = "cpu";
  BackendOptions backend_;
  std::string container_;
};

TEST_P(SuiteSparse, AgreesOnTheCpu) { agrees_on("cpu"); }

TEST_P(SuiteSparse, AgreesOnTheGpu) { agrees_on("cuda"); }

/// A search of the symmetrised graph, where its answer is known.
TEST_P(SuiteSparse, SymmetrisedAgrees) {
  const auto& expected = GetParam().expected;
  if (!expected || !expected->bfs_symmetrised) GTEST_SKIP() << "its answer is not known";
  const Graph graph = load(true);
  if (const std::string why = why_too_large(graph); !why.empty()) GTEST_SKIP() << why;
  ASSERT_TRUE(graph.symmetric);
  over_all_backends(graph, [&](const Graph& loaded) {
    RunOptions options = options_for(Algorithm::bfs);
    options.source = SourceSpec{.kind = SourceSpec::Kind::index, .name = {}, .index = expected->bfs_symmetrised->source};
    expect_search(digest_of(loaded, options), "level", *expected->bfs_symmetrised);
  });
}

INSTANTIATE_TEST_SUITE_P(Found, SuiteSparse, ::testing::ValuesIn(find_graphs()),
                         [](const ::testing::TestParamInfo<FoundGraph>& graph) { return graph.param.name; });

}  // namespace
}  // namespace graphrun::test
