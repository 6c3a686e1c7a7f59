// SPDX-License-Identifier: Apache-2.0
// The static tier in device memory: what it holds, and that what it holds is not read over the link.
#include "backend/cuda/device_prefix_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "backend/cuda/device_rows.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/run/trials.hpp"
#include "support/shapes.hpp"

namespace graphrun::test {
namespace {

class DevicePrefixCache : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
    exec_ = std::make_unique<CudaExecutor>(0);
  }
  template <class T>
  std::vector<T> download(const T* from, std::size_t count) {
    std::vector<T> words(count);
    exec_->copy_to_host(words.data(), from, count * sizeof(T));
    return words;
  }
  /// What is in device memory within `bytes`, held against the lists. Returns the lead.
  EdgeId expect_beginnings(const Graph& graph, EdgeId unit, std::uint64_t bytes) {
    ThreadPool pool(2);
    const cuda::DeviceRows rows(graph, graph.out, {}, *exec_, pool);
    DeviceArray<VertexId> column(graph.out.neighbours.size());
    exec_->copy_to_device(column.data(), graph.out.neighbours.data(), column.bytes());
    const cuda::DevicePrefixCache prefixes(*exec_, rows.rows(), column.data(), 1, unit, bytes);
    EXPECT_LE(prefixes.bytes(), bytes);
    CachedPrefixes view = prefixes.view();
    if (view.lead == 0) return 0;
    std::uint64_t room = prefixes.bytes() / sizeof(VertexId);
    std::vector<std::uint32_t> starts;
    if (view.starts != nullptr) {
      starts = download(view.starts, std::size_t{graph.num_vertices()} + 1);
      view.starts = starts.data();
      room = starts.back();
    }
    const std::vector<VertexId> words = download(view.words, room);
    for (VertexId v = 0; v < graph.num_vertices(); ++v) {
      const EdgeId begin = graph.out.offsets[v];
      const EdgeId count = view.end_of(begin, graph.out.offsets[v + 1]) - begin;
      EXPECT_LE(count, view.lead);
      EXPECT_TRUE(
          std::equal(words.begin() + view.start(v), words.begin() + view.start(v) + count, graph.out.neighbours.data() + begin))
          << v;
    }
    return view.lead;
  }
  /// Edges of `graph` behind the link, and device memory for `bytes` of them.
  static SessionOptions options(std::uint64_t bytes) {
    SessionOptions options;
    options.device = {DeviceKind::cuda, 0};
    options.backend.kind = BackendKind::emogi;
    options.backend.cache_bytes = bytes;
    return options;
  }

  std::unique_ptr<CudaExecutor> exec_;
};

TEST_F(DevicePrefixCache, AreTheBeginningsOfLists) {
  const Graph graph = random_undirected(500, 4000, 7);
  const std::uint64_t all = graph.out.neighbours.bytes();
  EdgeId shorter = 0;
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{100}, all / 8, all / 2, 2 * all}) {
    const EdgeId lead = expect_beginnings(graph, 1, bytes);
    EXPECT_GE(lead, shorter);
    shorter = lead;
    expect_beginnings(graph, 8, bytes);
  }
  EXPECT_GT(shorter, 8u);
}

// Where lists are equally long, there is no room to lose, and where each begins need not be kept.
TEST_F(DevicePrefixCache, OfEqualListsHaveEqualRoom) {
  const Graph graph = complete_graph(64);
  EXPECT_EQ(expect_beginnings(graph, 1, 64 * 4 * sizeof(VertexId)), 4u);
}

TEST_F(DevicePrefixCache, AnswerAllThatTheyHold) {
  const Graph graph = random_undirected(3000, 40000, 3);
  const auto session = open_session(graph, options(graph.out.neighbours.bytes() * 2));
  EXPECT_GT(session->static_tier().bytes, graph.out.neighbours.bytes());
  EXPECT_EQ(session->static_tier().bytes, session->fast_tier_bytes());
  for (int trial = 0; trial < 2; ++trial) {  // a cold trial finds them again
    const Trial cc = run_cc(*session, {}, nullptr);
    EXPECT_EQ(cc.moved.bytes, 0u);
    EXPECT_EQ(cc.moved.hot_bytes, cc.stats.edges_examined * sizeof(VertexId));
    const Trial bfs = run_bfs(*session, 0, {}, nullptr);
    EXPECT_EQ(bfs.moved.bytes, 0u);
    EXPECT_GT(bfs.moved.hot_bytes, 0u);
  }
}

TEST_F(DevicePrefixCache, SaveBytesOfTheLink) {
  const Graph graph = random_undirected(20000, 400000, 3);
  const std::uint64_t edges = graph.out.neighbours.bytes();
  const auto moved = [&](std::uint64_t cache, auto&& run) { return *run(*open_session(graph, options(cache))).moved.bytes; };
  const auto cc = [](Session& session) { return run_cc(session, {}, nullptr); };
  const auto bfs = [](Session& session) { return run_bfs(session, 0, {}, nullptr); };
  const auto pagerank = [](Session& session) { return run_pagerank(session, {.max_iterations = 1}, nullptr); };
  EXPECT_LT(moved(edges / 4, cc) * 10, moved(0, cc));
  EXPECT_LT(moved(edges / 4, bfs), moved(0, bfs));
  EXPECT_LT(moved(edges / 4, pagerank), moved(0, pagerank));
}

TEST_F(DevicePrefixCache, AreNotKeptWhereNothingReadsThem) {
  Graph graph = with_weights(karate(), WeightKind::u32, [](VertexId, VertexId, EdgeId) { return 1u; });
  SessionOptions weighted = options(4096);
  weighted.backend.needs_weights = true;
  EXPECT_EQ(open_session(graph, weighted)->static_tier().bytes, 0u);
  weighted.backend.hot = HotEdges::prefix;
  EXPECT_THROW(open_session(graph, weighted), UsageError);
  SessionOptions none = options(4096);
  none.backend.hot = HotEdges::nothing;
  EXPECT_EQ(open_session(graph, none)->static_tier().bytes, 0u);
  SessionOptions capless = options(0);
  capless.backend.cache_bytes.reset();
  capless.backend.hot = HotEdges::prefix;
  EXPECT_THROW(open_session(graph, capless), UsageError);
  if (!why_no_counted_kernels().empty()) return;
  SessionOptions counted = options(4096);
  counted.backend.count_requests = true;
  EXPECT_EQ(open_session(graph, counted)->static_tier().bytes, 0u);
  counted.backend.hot = HotEdges::prefix;
  EXPECT_THROW(open_session(graph, counted), UsageError);
}

}  // namespace
}  // namespace graphrun::test
