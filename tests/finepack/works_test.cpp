// SPDX-License-Identifier: Apache-2.0
// Programs on ranks give what one rank's serial loops give: their stores are those of real runs.
#include <gtest/gtest.h>

#include <limits>
#include <queue>
#include <set>
#include <vector>

#include "finepack/methods.hpp"
#include "finepack/warps.hpp"
#include "finepack/work.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/io/load.hpp"

namespace graphrun::bench::finepack {
namespace {

Graph load(const std::string& name, bool undirected = false) {
  ThreadPool pool(1);
  LoadOptions options;
  options.undirected = undirected;
  return std::move(load_graph(name, options, pool).graph);
}

std::vector<double> answer_of(Work& work) {
  while (work.step()) {
  }
  return work.answer();
}

WorkOptions on(int ranks) {
  WorkOptions options;
  options.ranks = ranks;
  options.resident_warps = 40;
  options.grid = {8, 6, 20};
  return options;
}

VertexId largest(const Graph& graph) {
  VertexId found = 0;
  for (VertexId v = 0; v < graph.out.num_vertices(); ++v) found = graph.out.degree(v) > graph.out.degree(found) ? v : found;
  return found;
}

TEST(FinePackWorks, HopsAreThoseOfASerialSearch) {
  const Graph graph = load("web:10:8");
  std::vector<double> hops(graph.out.num_vertices(), std::numeric_limits<double>::infinity());
  std::queue<VertexId> queue({largest(graph)});
  for (hops[queue.front()] = 0; !queue.empty(); queue.pop()) {
    for (EdgeId edge = graph.out.offsets[queue.front()]; edge < graph.out.offsets[queue.front() + 1]; ++edge) {
      const VertexId v = graph.out.neighbours[edge];
      if (hops[v] != std::numeric_limits<double>::infinity()) continue;
      hops[v] = hops[queue.front()] + 1;
      queue.push(v);
    }
  }
  for (const int ranks : {2, 4, 16}) EXPECT_EQ(answer_of(*graph_work("bfs", graph, on(ranks))), hops) << ranks;
}

TEST(FinePackWorks, ComponentsAreTheSmallestVerticesOfTheirs) {
  const Graph graph = load("urand:9:1", true);
  const VertexId n = graph.out.num_vertices();
  std::vector<double> labels(n);
  for (VertexId v = 0; v < n; ++v) labels[v] = static_cast<double>(v);
  for (VertexId round = 0; round < n; ++round) {
    for (VertexId u = 0; u < n; ++u) {
      for (EdgeId edge = graph.out.offsets[u]; edge < graph.out.offsets[u + 1]; ++edge) {
        labels[graph.out.neighbours[edge]] = std::min(labels[graph.out.neighbours[edge]], labels[u]);
      }
    }
  }
  EXPECT_GT(std::set<double>(labels.begin(), labels.end()).size(), 1u);
  for (const int ranks : {2, 8}) EXPECT_EQ(answer_of(*graph_work("cc", graph, on(ranks))), labels) << ranks;
  Graph directed = load("web:6:4");
  directed.symmetric = false;
  EXPECT_THROW(graph_work("cc", directed, on(2)), UsageError);
}

TEST(FinePackWorks, DistancesAreTheSameOnAnyRanksAndNoEdgeLowersOne) {
  const Graph graph = load("grid:20:20");
  const std::vector<double> two = answer_of(*graph_work("sssp", graph, on(2)));
  for (const int ranks : {4, 16}) EXPECT_EQ(answer_of(*graph_work("sssp", graph, on(ranks))), two) << ranks;
  for (VertexId u = 0; u < graph.out.num_vertices(); ++u) {
    double nearest = std::numeric_limits<double>::infinity();
    for (EdgeId edge = graph.out.offsets[u]; edge < graph.out.offsets[u + 1]; ++edge) {
      EXPECT_LE(std::abs(two[u] - two[graph.out.neighbours[edge]]), 64);
      nearest = std::min(nearest, two[graph.out.neighbours[edge]]);
    }
    EXPECT_TRUE(u == largest(graph) || two[u] > nearest) << u;  // some neighbour is nearer
  }
}

TEST(FinePackWorks, ScoresAreThoseOfASerialLoopWithStoresAndWithAdditions) {
  const Graph graph = load("kron:8:8");
  const VertexId n = graph.out.num_vertices();
  constexpr std::uint64_t kOne = std::uint64_t{1} << 48;
  std::vector<std::uint64_t> scores(n, kOne / n);
  for (int step = 0; step < 3; ++step) {
    std::vector<std::uint64_t> sums(n);
    for (VertexId u = 0; u < n; ++u) {
      for (EdgeId edge = graph.out.offsets[u]; edge < graph.out.offsets[u + 1]; ++edge) {
        sums[graph.out.neighbours[edge]] += scores[u] / graph.out.degree(u);
      }
    }
    for (VertexId v = 0; v < n; ++v) scores[v] = kOne / n / 20 * 3 + sums[v] / 20 * 17;
  }
  const std::vector<double> expected(scores.begin(), scores.end());
  for (const int ranks : {2, 4, 16}) {
    EXPECT_EQ(answer_of(*graph_work("pagerank", graph, on(ranks))), expected) << ranks;
    EXPECT_EQ(answer_of(*graph_work("pagerank-atomics", graph, on(ranks))), expected) << ranks;
  }
}

TEST(FinePackWorks, GridsAreTheSameOnAnyRanks) {
  for (const char* name : {"jacobi", "diffusion2d", "diffusion3d"}) {
    const std::vector<double> one = answer_of(*grid_work(name, on(1)));
    EXPECT_EQ(one.size(), 8u * 6 * 20);
    for (const int ranks : {2, 4, 16}) EXPECT_EQ(answer_of(*grid_work(name, on(ranks))), one) << name << ", " << ranks;
  }
  // By hand: a Jacobi step from 0 gives 1/5, the next 1/5 + (number of neighbours) / 25.
  WorkOptions two = on(2);
  two.steps = 2;
  const std::vector<double> found = answer_of(*grid_work("jacobi", two));
  EXPECT_DOUBLE_EQ(found[0], 0.2 + 2 * 0.04);
  EXPECT_DOUBLE_EQ(found[480], 0.2 + 4 * 0.04);
  two.grid = {8, 6, 1};
  EXPECT_THROW(grid_work("jacobi", two), UsageError);
  EXPECT_EQ(grid_work("pagerank", two), nullptr);
}

TEST(FinePackWorks, WarpsTakeTurnsAndThenTheNextList) {
  std::vector<std::pair<int, std::uint64_t>> order;
  for_each_instruction(
      std::vector<int>{70, 0, 10, 40}, 2, [](int list) { return static_cast<std::uint64_t>(list); },
      [&](int list, std::uint64_t first, std::uint64_t last) {
        EXPECT_EQ(last, std::min<std::uint64_t>(first + 32, static_cast<std::uint64_t>(list)));
        order.emplace_back(list, first);
      });
  EXPECT_EQ(order, (std::vector<std::pair<int, std::uint64_t>>{{70, 0}, {10, 0}, {70, 32}, {40, 0}, {70, 64}, {40, 32}}));
}

TEST(FinePackWorks, LanesOfALineLeaveAsOneStoreAndTheLastOfAnElementCounts) {
  Channel channel;
  channel.base = 1 << 20;
  channel.memory.resize(512);
  Lanes<std::uint32_t> lanes;
  for (const std::uint64_t offset : {124, 128, 0, 4, 132, 4, 12})
    lanes.add(offset, static_cast<std::uint32_t>(offset + channel.stores.size()));
  lanes.put(channel, 3, false);
  std::vector<std::pair<std::uint64_t, int>> found;
  for (const Store& store : channel.stores) found.emplace_back(store.address - channel.base, store.bytes);
  EXPECT_EQ(found, (std::vector<std::pair<std::uint64_t, int>>{{0, 8}, {12, 4}, {124, 4}, {128, 8}}));
  EXPECT_EQ(distinct_bytes(channel), 24u);
}

// By hand: two stores of 4 bytes to one word and one of 8, from rank 0 to 1, and a copy of 64 bytes, over PCIe 4.
TEST(FinePackMethods, BytesAndTimesAreThoseComputedByHand) {
  Traffic traffic(2);
  Channel& channel = traffic.channel(0, 1);
  channel.base = 1 << 21, channel.bulk_bytes = 64;
  channel.memory.resize(64);
  const std::vector<std::vector<std::uint8_t>> before{{}, channel.memory, {}, {}};
  const std::vector<std::uint8_t> data{1, 2, 3, 4, 5, 6, 7, 8};
  channel.put(0, data.data(), 4, 0, 0), channel.put(0, data.data() + 4, 4, 1, 0), channel.put(16, data.data(), 8, 2, 0);
  traffic.compute_bytes = {900e3, 450e3};  // 1 us and half of it
  const std::vector<std::uint64_t> useful{0, 12, 0, 0};
  struct Expected {
    Method method;
    std::uint64_t wire, redundant, overhead, packets;
  };
  for (const Expected& expected : {Expected{Method::plain, 32 + 32 + 36, 4, 84, 3}, Expected{Method::bulk, 28 + 64, 52, 28, 1},
                                   Expected{Method::combined, 32 + 36, 0, 56, 2}, Expected{Method::finepack, 28 + 24, 0, 40, 1},
                                   Expected{Method::config, 28 + 24 + 20, 0, 60, 1}}) {
    Contender contender(expected.method, link_named("pcie4"), {}, {});
    contender.add(traffic, before, useful);
    const Contender::Totals& found = contender.totals();
    const char* const name = kMethodNames[static_cast<std::size_t>(expected.method)];
    EXPECT_EQ(found.wire_bytes, expected.wire) << name;
    EXPECT_EQ(found.redundant_bytes(), expected.redundant) << name;
    EXPECT_EQ(found.overhead_bytes(), expected.overhead) << name;
    EXPECT_EQ(found.packets, expected.packets) << name;
    EXPECT_EQ(found.wrong_bytes, 0u) << name;
    // 1 us of computing, 5 of a launch, 2 of a fence; a copy adds 10 us and its time on the link.
    EXPECT_NEAR(found.ms, expected.method == Method::bulk ? 0.018 + 92 / 31.508e6 : 0.008, 1e-8) << name;
  }
  EXPECT_NEAR(one_gpu_ms(traffic, {}), 0.0065, 1e-9);
  channel.memory[20] ^= 1;  // what the packets do not give is seen
  Contender contender(Method::finepack, link_named("pcie4"), {}, {});
  contender.add(traffic, before, useful);
  EXPECT_EQ(contender.totals().wrong_bytes, 1u);
}

}  // namespace
}  // namespace graphrun::bench::finepack
