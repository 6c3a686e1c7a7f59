// SPDX-License-Identifier: Apache-2.0
// Searches that run at once: over every arrangement of the suite, and what only batches have.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "algo/conformance.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/verify/properties.hpp"

namespace graphrun::test {
namespace {

/// Every vertex in turn, again from the first where the graph has fewer: isolated ones, and the same one twice.
std::vector<VertexId> sources_in_turn(VertexId n, std::size_t count) {
  std::vector<VertexId> sources;
  for (std::size_t i = 0; i < count; ++i) sources.push_back(static_cast<VertexId>((i * 7) % n));
  return sources;
}

void expect_batches(const Graph& graph, Session& session, BfsVariant variant) {
  ThreadPool pool(1);
  for (const std::size_t count : {std::size_t{1}, std::size_t{3}, kMostSearches}) {
    if (kFewCases && count == 1) continue;
    if (kSanitized && count != kMostSearches) continue;
    BfsBatchOutput output;
    run_bfs_batch(session, sources_in_turn(graph.num_vertices(), count), {variant}, &output);
    const std::string what = graph.name + " from " + std::to_string(count) + " sources";
    if (!kSanitized) expect_correct(verify::check_bfs_batch(graph, output), what);
    expect_correct(verify::check_bfs_batch_properties(graph, output, {.pool = pool}), what);
  }
}

void expect_all_batches(const Arrangement& arrangement) {
  for (const Shape& shape : all_shapes()) {
    const Graph graph = shape.make();
    if (graph.num_vertices() == 0) continue;
    const auto session = open(graph, arrangement);
    for (const auto variant : {BfsVariant::direction_optimizing, BfsVariant::push}) expect_batches(graph, *session, variant);
  }
}

class CpuBatch : public ::testing::TestWithParam<Arrangement> {};
TEST_P(CpuBatch, Bfs) {
  if (const std::string missing = what_lacks(GetParam()); !missing.empty()) GTEST_SKIP() << missing;
  expect_all_batches(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Cpu, CpuBatch, ::testing::ValuesIn(cpu_arrangements()), arrangement_name);
INSTANTIATE_TEST_SUITE_P(Ranks, CpuBatch, ::testing::ValuesIn(ranks_arrangements()), arrangement_name);

class CudaBatch : public ::testing::TestWithParam<Arrangement> {};
TEST_P(CudaBatch, Bfs) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  if (!kGpusRunAll) GTEST_SKIP() << "a GPU runs no batches of 64-bit ids";
  expect_all_batches(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Cuda, CudaBatch, ::testing::ValuesIn(cuda_arrangements()), arrangement_name);
INSTANTIATE_TEST_SUITE_P(CudaRanks, CudaBatch, ::testing::ValuesIn(cuda_ranks_arrangements()), arrangement_name);

TEST(Batch, MoreThanAWordHasBitsAndInEdgesThatAreMissingAreRefused) {
  Graph graph = random_directed(100, 400, 3);
  graph.in.reset();
  const auto session = open_session(graph, {});
  EXPECT_THROW(run_bfs_batch(*session, sources_in_turn(100, 65), {BfsVariant::push}, nullptr), UsageError);
  EXPECT_THROW(run_bfs_batch(*session, {}, {BfsVariant::push}, nullptr), UsageError);
  EXPECT_THROW(run_bfs_batch(*session, sources_in_turn(100, 2), {}, nullptr), UsageError);
  EXPECT_NO_THROW(run_bfs_batch(*session, sources_in_turn(100, 2), {BfsVariant::push}, nullptr));
}

// A search of many levels, then one of few, by the same state.
TEST(Batch, DeepSearchesLeaveNothingBehind) {
  const Graph graph = path_graph(300);
  const auto session = open(graph, cpu_arrangements().front());
  for (const std::vector<VertexId>& sources : {std::vector<VertexId>{0, 299, 0}, {150}, {7, 8}}) {
    BfsBatchOutput output;
    run_bfs_batch(*session, sources, {}, &output);
    expect_correct(verify::check_bfs_batch(graph, output), "path");
  }
}

/// Hubs that come first in all lists have all searches after one level, and bring them to every vertex in the next.
void expect_lists_are_left(const Arrangement& arrangement) {
  constexpr VertexId kHubs = 8, kVertices = 2000;
  constexpr std::uint64_t kOthers = 64'000;
  std::vector<Arc> edges;
  for (VertexId hub = 0; hub < kHubs; ++hub) {
    for (VertexId v = kHubs; v < kVertices; ++v) edges.emplace_back(hub, v);
  }
  for (std::uint64_t i = 0; i < kOthers; ++i) {
    const std::uint64_t hash = splitmix64(i);
    edges.emplace_back(kHubs + hash % (kVertices - kHubs), kHubs + (hash >> 32) % (kVertices - kHubs));
  }
  const Graph graph = undirected_graph("hubs", kVertices, edges);
  const auto session = open(graph, arrangement);
  BfsBatchOutput output;
  const Trial trial = run_bfs_batch(*session, sources_in_turn(kVertices, kMostSearches), {}, &output);
  expect_correct(verify::check_bfs_batch(graph, output), graph.name);
  EXPECT_LT(trial.stats.edges_examined, graph.out.num_edges() / 2);
}

// In every level a GPU read the lists of all vertices that lacked a search to their ends.
TEST(Batch, ListsAreLeftOnceNothingIsMissing) { expect_lists_are_left(cpu_arrangements().front()); }
TEST(Batch, ListsAreLeftOnceNothingIsMissingOnAGpu) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  if (!kGpusRunAll) GTEST_SKIP() << "a GPU runs no batches of 64-bit ids";
  expect_lists_are_left(cuda_arrangements().front());
}

// Each way in which the levels of one search may be wrong among right ones.
TEST(Batch, WrongLevelsAreFoundByBothChecks) {
  const Graph graph = karate();
  BfsBatchOutput right;
  run_bfs_batch(*open(graph, cpu_arrangements().front()), std::vector<VertexId>{0, 33, 16}, {}, &right);
  ThreadPool pool(2);
  const auto expect_wrong = [&](const BfsBatchOutput& output, const char* what) {
    EXPECT_FALSE(verify::check_bfs_batch(graph, output)) << what;
    EXPECT_FALSE(verify::check_bfs_batch_properties(graph, output, {.pool = pool})) << what;
  };
  for (std::size_t v = 0; v < right.num_vertices(); ++v) {
    for (std::size_t search = 0; search < right.sources.size(); ++search) {
      for (std::size_t k = 0; k <= right.planes; ++k) {
        BfsBatchOutput output = right;
        output.words[v * right.words_a_vertex() + k] ^= std::uint64_t{1} << search;
        expect_wrong(output, "a bit is wrong");
      }
    }
  }
  BfsBatchOutput cut = right;
  cut.words.pop_back();
  expect_wrong(cut, "a word is missing");
  BfsBatchOutput other = right;
  other.sources[1] = 5;
  expect_wrong(other, "another source");
}

}  // namespace
}  // namespace graphrun::test
