// SPDX-License-Identifier: Apache-2.0
// Beginnings of lists in the static tier of bam and gpuvm on a CPU: how long they are, and that answers stay the same.
#include "backend/prefix_cache.hpp"

#include <gtest/gtest.h>

#include <set>

#include "algorithms/algorithm.hpp"
#include "run/engine_parts.hpp"
#include "support/refusal.hpp"
#include "support/shapes.hpp"

namespace graphrun::test {
namespace {

RunOptions keeping(const std::string& backend, Algorithm algorithm) {
  RunOptions options;
  for (const auto& [name, text] : {std::pair<std::string, std::string>{"backend", backend},
                                   {"device", "cpu"},
                                   {"threads", "2"},
                                   {"page", "512"},
                                   {"cache", "12KiB"},
                                   {"hot", "prefix"}})
    set_option(options, name, text);
  if (backend == "bam") set_option(options, "storage", "ram:unlimited");
  options.algorithm = algorithm;
  options.verify = VerifyBy::serial;
  return options;
}

RunResult verified(const Graph& graph, const RunOptions& options) {
  RunResult result = Engine::Parts(graph, options).run(options);
  EXPECT_EQ(result.verification, Verification::verified) << graph.name << " " << name_of(options.algorithm);
  return result;
}

TEST(PrefixCache, GiveTheSameAnswersToAllAlgorithms) {
  std::vector<Graph> graphs;
  graphs.push_back(random_undirected(300, 4500, 5));
  graphs.push_back(random_directed(300, 6000, 6));
  for (Graph& graph : graphs) {
    graph = with_weights(std::move(graph), WeightKind::u32, [](VertexId u, VertexId v, EdgeId) { return (u ^ v) % 64 + 1; });
    ThreadPool pool(2);
    add_records(graph, pool);
    for (const auto& [name, algorithm] : ChoicesOf<Algorithm>::kAll) {
      // Both have cycles.
      if (algorithm == Algorithm::topo || (info_of(algorithm).facts.needs_undirected && !graph.symmetric)) continue;
      for (const char* backend : {"bam", "gpuvm"}) {
        RunOptions options = keeping(backend, algorithm);
        if (algorithm == Algorithm::sssp) set_option(options, "variant", "delta-stepping");
        const RunResult result = verified(graph, options);
        EXPECT_EQ(result.static_tier.holds, HotEdges::prefix);
        EXPECT_GT(result.static_tier.bytes, 0u);
        EXPECT_LE(result.static_tier.bytes, (12u << 10) * 9 / 10);
        EXPECT_LE(result.fast_tier_bytes, 12u << 10);
        EXPECT_GT(result.static_tier.fill_bytes, 0u);
        EXPECT_TRUE(result.trials.front().moved.hot_bytes);
        if (algorithm != Algorithm::sssp) continue;
        set_option(options, "variant", "prefix");
        EXPECT_GT(verified(graph, options).static_tier.bytes, 0u);
      }
    }
  }
}

/// A head for each list of a part, of `lead` edges, and nothing of the others.
void expect_beginnings(const Graph& graph, const CachedPrefixes& prefixes, const RankPart& part) {
  for (VertexId v = 0; v < graph.num_vertices(); ++v) {
    if (!part.owns(v)) continue;
    const EdgeId begin = graph.out.offsets[v];
    const EdgeId end = graph.out.offsets[v + 1];
    ASSERT_EQ(prefixes.end_of(v, begin, end), std::min(begin + prefixes.lead, end));
    for (EdgeId e = begin; e < std::min(begin + prefixes.lead, end); ++e) {
      ASSERT_EQ(prefixes.of(v)[e - begin], graph.out.neighbours[e]) << v;
      const std::uint32_t weight = graph.out.weights[e];
      ASSERT_EQ(prefixes.weights != nullptr ? prefixes.weights[prefixes.start(v) + e - begin] : weight, weight) << v;
    }
  }
}

// To the byte, from plain lists and packed ones, with weights and without, of all lists and of a rank's.
TEST(PrefixCache, AreAsLongAsTheirBytesAllow) {
  ThreadPool pool(2);
  const Graph graph = with_weights(random_undirected(300, 4500, 5), WeightKind::u32,
                                   [](VertexId u, VertexId v, EdgeId) { return (u ^ v) % 64 + 1; });
  Graph packed = graph;
  packed.out.packed = pack_lists(packed.out, packed.weight_kind, pool);
  const Rows rows{.offsets = graph.out.offsets.data(), .num_vertices = graph.num_vertices()};
  RankPart half;
  half.first = 100, half.last = 200;
  std::set<EdgeId> leads;
  for (const Graph* from : {&graph, static_cast<const Graph*>(&packed)}) {
    for (const auto what : {ListColumn::Reads::neighbours, ListColumn::Reads::weights_too}) {
      for (const RankPart& part : {RankPart(), half}) {
        for (const std::uint64_t most : {1204u, 1500u, 2404u, 5000u, 20000u, 90000u}) {
          PrefixCache prefixes;
          prefixes.keep(ListColumn(rows, from->out, what), 1, most, part, pool);
          ASSERT_LE(prefixes.bytes(), most);
          if (prefixes.lead() != 0) expect_beginnings(graph, prefixes.view(), part);
          leads.insert(prefixes.lead());
        }
      }
    }
  }
  EXPECT_TRUE(leads.contains(0) && leads.contains(1) && leads.size() > 6);
}

TEST(PrefixCache, OfGraphsWithoutEdgesAndCachesWithoutRoom) {
  EXPECT_EQ(verified(random_undirected(5, 0, 1), keeping("gpuvm", Algorithm::cc)).static_tier.bytes, 0u);
  const Graph graph = random_undirected(300, 4500, 5);
  RunOptions least = keeping("gpuvm", Algorithm::bfs);
  least.backend.cache_bytes = 3 * 512;  // as many pages as there must be
  EXPECT_EQ(verified(graph, least).static_tier.bytes, 0u);
  RunOptions all = keeping("gpuvm", Algorithm::bfs);
  all.backend.cache_bytes = 1 << 20;  // pages stay
  EXPECT_EQ(verified(graph, all).static_tier.bytes, 0u);
}

TEST(PrefixCache, RefuseChoicesOfRows) {
  RunOptions options = keeping("gpuvm", Algorithm::cc);
  set_option(options, "hot", "pagerank");
  EXPECT_NE(refusal([&] { Engine::Parts(path_graph(9), options).run(options); }).find("--hot pagerank chooses rows of features"),
            std::string::npos);
}

}  // namespace
}  // namespace graphrun::test
