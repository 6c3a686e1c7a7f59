// Whole lists in the static tier of bam and gpuvm on a CPU: which are chosen, within which bytes, and that answers stay the same.
#include "backend/hot_lists.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "backend/list_heads.hpp"
#include "graphrun/io/generate.hpp"
#include "graphrun/run/plan.hpp"
#include "graphrun/run/run.hpp"
#include "support/quick_folder.hpp"
#include "support/refusal.hpp"
#include "support/shapes.hpp"

namespace graphrun::test {
namespace {

class HotLists : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(profile()); }
  static std::string profile() { return (quick_folder() / fmt::format("graphrun_profile_{}", ::getpid())).string(); }

  static RunOptions options(const std::string& backend, Algorithm algorithm, const std::string& hot) {
    RunOptions options;
    for (const auto& [name, text] : {std::pair<std::string, std::string>{"backend", backend},
                                     {"device", "cpu"},
                                     {"threads", "2"},
                                     {"page", "512"},
                                     {"cache", "12KiB"},
                                     {"hot", hot}})
      set_option(options, name, text);
    if (backend == "bam") set_option(options, "storage", "ram:unlimited");
    options.algorithm = algorithm;
    options.verify = VerifyBy::serial;
    return options;
  }
  /// A choice that `algorithm` has what it takes for: searches begin somewhere.
  static std::vector<std::string> choices(Algorithm algorithm) {
    std::vector<std::string> all = {"degree", "pagerank", "profile:" + profile(), "prefix"};
    if (algorithm != Algorithm::cc && algorithm != Algorithm::tc) all.emplace_back("weighted");
    return all;
  }
  static RunResult verified(const Graph& graph, const RunOptions& options) {
    RunResult result = run(graph, options);
    EXPECT_EQ(result.verification, Verification::verified)
        << graph.name << " " << name_of(options.algorithm) << " " << name_of(options.backend.hot);
    return result;
  }

  static BackendOptions by(HotEdges hot, std::vector<std::uint64_t> sources = {}) {
    BackendOptions how;
    how.hot = hot;
    how.hot_sources = std::move(sources);
    return how;
  }

  ThreadPool pool_{2};
  /// The order of `graph`'s out-lists.
  std::vector<VertexId> order(const Graph& graph, const BackendOptions& how, const std::vector<std::uint64_t>& profile = {}) {
    std::uint64_t read = 0;
    return hottest_lists(lists(graph), profile, how, {}, pool_, read);
  }
  static ListColumn lists(const Graph& graph) {
    return {{.offsets = graph.out.offsets.data(), .num_vertices = graph.num_vertices()}, graph.out};
  }
};

TEST_F(HotLists, GiveTheSameAnswersToAllAlgorithms) {
  std::vector<Graph> graphs;
  graphs.push_back(random_undirected(300, 4500, 5));
  graphs.push_back(random_directed(300, 6000, 6));
  graphs.push_back(star_graph(5000, 3));  // whose hub has no room
  for (Graph& graph : graphs) {
    graph = with_weights(std::move(graph), WeightKind::u32, [](VertexId u, VertexId v, EdgeId) { return (u ^ v) % 64 + 1; });
    ThreadPool pool(2);
    add_records(graph, pool);
    for (const Algorithm algorithm :
         {Algorithm::bfs, Algorithm::sssp, Algorithm::cc, Algorithm::pagerank, Algorithm::bc, Algorithm::tc}) {
      if (algorithm == Algorithm::tc && !graph.symmetric) continue;
      for (const char* backend : {"bam", "gpuvm"}) {
        RunOptions counted = options(backend, algorithm, "none");
        if (algorithm == Algorithm::sssp) set_option(counted, "variant", "delta-stepping");
        if (algorithm == Algorithm::pagerank) set_option(counted, "source", "index:3");
        RunOptions counting = counted;
        counting.profile = profile();
        verified(graph, counting);
        for (const std::string& hot : choices(algorithm)) {
          if (hot == "prefix" && graph.num_vertices() >= 5000) continue;  // where lists begin alone takes more
          RunOptions asked = counted;
          set_option(asked, "hot", hot);
          const RunResult result = verified(graph, asked);
          EXPECT_EQ(result.static_tier.holds, asked.backend.hot);
          EXPECT_GT(result.static_tier.bytes, 0u);
          EXPECT_LE(result.static_tier.bytes, (12u << 10) * 9 / 10);
          EXPECT_LE(result.fast_tier_bytes, 12u << 10);
          EXPECT_GT(result.static_tier.fill_bytes, 0u);
          EXPECT_TRUE(result.trials.front().moved.hot_bytes);
          const bool unprofiled = hot.starts_with("profile") && !graph.symmetric;  // of lists against the arcs
          if (algorithm != Algorithm::sssp || unprofiled) continue;
          set_option(asked, "variant", "prefix");
          EXPECT_EQ(verified(graph, asked).static_tier.holds, asked.backend.hot);
        }
      }
    }
  }
}

/// A head for each list of a part, of `lead` edges, and nothing of the others.
void expect_beginnings(const Graph& graph, const Heads& heads, const RankPart& part) {
  for (VertexId v = 0; v < graph.num_vertices(); ++v) {
    if (!part.owns(v)) continue;
    const EdgeId begin = graph.out.offsets[v];
    const EdgeId end = graph.out.offsets[v + 1];
    ASSERT_EQ(heads.end_of(v, begin, end), std::min(begin + heads.lead, end));
    for (EdgeId e = begin; e < std::min(begin + heads.lead, end); ++e) {
      ASSERT_EQ(heads.of(v)[e - begin], graph.out.neighbours[e]) << v;
      const std::uint32_t weight = graph.out.weights[e];
      ASSERT_EQ(heads.weights != nullptr ? heads.weights[heads.start_of(v) + e - begin] : weight, weight) << v;
    }
  }
}

// To the byte, from plain lists and packed ones, with weights and without, of all lists and of a rank's.
TEST_F(HotLists, BeginningsAreAsLongAsTheirBytesAllow) {
  const Graph graph = with_weights(random_undirected(300, 4500, 5), WeightKind::u32,
                                   [](VertexId u, VertexId v, EdgeId) { return (u ^ v) % 64 + 1; });
  Graph packed = graph;
  packed.out.packed = pack_lists(packed.out, packed.weight_kind, pool_);
  const Rows rows{.offsets = graph.out.offsets.data(), .num_vertices = graph.num_vertices()};
  RankPart half;
  half.first = 100, half.last = 200;
  std::set<EdgeId> leads;
  for (const Graph* from : {&graph, static_cast<const Graph*>(&packed)}) {
    for (const auto what : {ListColumn::Reads::neighbours, ListColumn::Reads::weights_too}) {
      for (const RankPart& part : {RankPart(), half}) {
        for (const std::uint64_t most : {1204u, 1500u, 2404u, 5000u, 20000u, 90000u}) {
          ListHeads heads;
          heads.keep_beginnings(ListColumn(rows, from->out, what), 1, most, part, pool_);
          ASSERT_LE(heads.bytes(), most);
          if (heads.lead() != 0) expect_beginnings(graph, heads.view(), part);
          leads.insert(heads.lead());
        }
      }
    }
  }
  EXPECT_TRUE(leads.contains(0) && leads.contains(1) && leads.size() > 6);
}

TEST_F(HotLists, AreTheSameOverRanksAndFilledWithinTheClock) {
  const Graph graph = random_undirected(300, 4500, 5);
  RunOptions over_ranks = options("gpuvm", Algorithm::bfs, "degree");
  over_ranks.ranks = 2;
  over_ranks.backend.cache_bytes = 24 << 10;
  over_ranks.profile = profile();
  const RunResult result = verified(graph, over_ranks);
  EXPECT_GT(result.static_tier.lists, 0u);
  EXPECT_LE(result.static_tier.bytes, (24u << 10) * 9 / 10);
  RunOptions cold = options("bam", Algorithm::bfs, "profile:" + profile());
  cold.trials = 3;
  set_option(cold, "cold-tier", "");
  const RunResult filled = verified(graph, cold);
  EXPECT_EQ(filled.trials[0].moved.hot_bytes.has_value(), true);
  for (const TrialRecord& trial : filled.trials) EXPECT_GT(*trial.moved.hot_bytes, 0u);
}

// To the byte: with one less, what was kept last has no room.
TEST_F(HotLists, TakeNoMoreThanTheirBytes) {
  const Graph graph = random_undirected(200, 3000, 9);
  const auto kept = order(graph, by(HotEdges::degree));
  std::set<std::uint64_t> sizes;
  for (std::uint64_t most = 0; most < 3000; ++most) {
    ListHeads heads;
    heads.keep_lists(lists(graph), kept, most, pool_);
    ASSERT_LE(heads.bytes(), most);
    if (heads.bytes() == most) sizes.insert(most);
  }
  EXPECT_GT(sizes.size(), 20u);
  ListHeads all;
  all.keep_lists(lists(graph), kept, 1 << 20, pool_);
  EXPECT_EQ(all.edge_bytes(), graph.out.neighbours.bytes());
  const Heads heads = all.view();
  for (const VertexId v : kept) {
    ASSERT_TRUE(heads.has_list(v));
    EXPECT_TRUE(std::equal(heads.of(v), heads.of(v) + graph.out.degree(v), graph.out.neighbours.data() + graph.out.offsets[v]));
  }
  const VertexId* const before = heads.words;
  all.keep_lists(lists(graph), kept, 1 << 20, pool_);
  EXPECT_EQ(all.view().words, before);
}

TEST_F(HotLists, ComeInTheOrderOfTheirChoice) {
  const Graph tied = complete_graph(20);
  for (const HotEdges hot : {HotEdges::degree, HotEdges::pagerank}) {
    const auto ascending = order(tied, by(hot));
    EXPECT_TRUE(std::is_sorted(ascending.begin(), ascending.end()));
    EXPECT_EQ(ascending.size(), 20u);
  }
  EXPECT_EQ(order(star_graph(9, 4), by(HotEdges::degree)).front(), 4u);
  EXPECT_EQ(order(star_graph(9, 4), by(HotEdges::pagerank)).front(), 4u);
  // From one end of a path surfers come to what is near, and never to what is six steps away.
  const auto near = order(path_graph(40), by(HotEdges::weighted, {0}));
  EXPECT_LE(*std::max_element(near.begin(), near.begin() + 5), 5u);
  std::vector<std::uint64_t> reads(40, 0);
  reads[17] = 2, reads[39] = 3;
  const auto profiled = order(path_graph(40), by(HotEdges::profile), reads);
  EXPECT_EQ(profiled[0], 39u);  // its one edge three times
  EXPECT_EQ(profiled[1], 17u);  // two once
  EXPECT_EQ(profiled[2], 1u);   // unread: the longer, then the smaller id
  const Graph random = random_undirected(500, 3000, 2);
  ThreadPool one(1);
  std::uint64_t read = 0;
  EXPECT_EQ(order(random, by(HotEdges::pagerank)), hottest_lists(lists(random), {}, by(HotEdges::pagerank), {}, one, read));
}

TEST_F(HotLists, OfGraphsWithoutAnyAndCachesWithoutRoom) {
  const Graph edgeless = random_undirected(5, 0, 1);
  EXPECT_TRUE(order(edgeless, by(HotEdges::pagerank)).empty());
  EXPECT_TRUE(order(Graph{}, by(HotEdges::degree)).empty());
  EXPECT_EQ(verified(edgeless, options("gpuvm", Algorithm::cc, "degree")).static_tier.bytes, 0u);
  const Graph graph = random_undirected(300, 4500, 5);
  RunOptions least = options("gpuvm", Algorithm::bfs, "degree");
  least.backend.cache_bytes = 3 * 512;  // as many pages as there must be
  EXPECT_EQ(verified(graph, least).static_tier.bytes, 0u);
  RunOptions all = options("gpuvm", Algorithm::bfs, "degree");
  all.backend.cache_bytes = 1 << 20;  // pages stay
  EXPECT_EQ(verified(graph, all).static_tier.bytes, 0u);
}

TEST_F(HotLists, RefuseProfilesThatAreDamagedOrOfAnotherGraph) {
  const Graph graph = random_undirected(300, 4500, 5);
  RunOptions counting = options("gpuvm", Algorithm::bfs, "none");
  counting.profile = profile();
  verified(graph, counting);
  const auto said = [&](const Graph& of) -> std::string {
    try {
      read_list_reads(profile(), of);
    } catch (const DataError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(said(graph), "");
  const auto misuse = [&](const Graph& of) { return refusal([&] { read_list_reads(profile(), of); }); };
  EXPECT_NE(misuse(random_undirected(300, 4500, 6)).find("of another graph"), std::string::npos);
  EXPECT_NE(misuse(random_undirected(301, 4500, 5)).find("of another graph"), std::string::npos);
  const auto size = std::filesystem::file_size(profile());
  const auto write_at = [&](std::uint64_t at, char byte) {
    std::fstream file(profile(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
  };
  write_at(size, 'x');
  EXPECT_NE(said(graph).find("is damaged"), std::string::npos);
  std::filesystem::resize_file(profile(), size);
  EXPECT_EQ(said(graph), "");
  write_at(size - 3, 'x');
  EXPECT_NE(said(graph).find("is damaged"), std::string::npos);
  std::filesystem::resize_file(profile(), size - 1);
  EXPECT_NE(said(graph).find("is cut off"), std::string::npos);
  write_at(0, 'x');
  EXPECT_NE(said(graph).find("is no profile"), std::string::npos);
  std::filesystem::remove(profile());
  EXPECT_NE(said(graph).find("cannot open"), std::string::npos);
}

TEST_F(HotLists, RefuseWhatTheyCannotKeep) {
  const Graph graph = random_undirected(300, 4500, 5);
  EXPECT_NE(refusal([&] { run(graph, options("gpuvm", Algorithm::cc, "weighted")); }).find("begins nowhere"), std::string::npos);
  EXPECT_NE(refusal([] { options("gpuvm", Algorithm::cc, "profile"); }).find("profile:FILE"), std::string::npos);
  EXPECT_NE(refusal([] { options("gpuvm", Algorithm::cc, "degree:x"); }).find("only profile"), std::string::npos);
  EXPECT_EQ(planned(by(HotEdges::degree), {}).hot, HotEdges::automatic);
  RunOptions warm = options("gpuvm", Algorithm::cc, "degree");
  warm.warm = warm.backend.cold_tier = true;
  EXPECT_NE(refusal([&] { run(graph, warm); }).find("--warm"), std::string::npos);
  RunOptions placed = options("gpuvm", Algorithm::cc, "degree");
  placed.backend.kind = BackendKind::emogi;
  placed.backend.cold_tier = true;
  EXPECT_NE(refusal([&] { run(graph, placed); }).find("bam or gpuvm"), std::string::npos);
}

}  // namespace
}  // namespace graphrun::test
