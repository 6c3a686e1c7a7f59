// SPDX-License-Identifier: Apache-2.0
// The front door: what a program that includes graphrun/graphrun.hpp alone gets.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "graphrun/core/names.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/graphrun.hpp"
#include "graphrun/io/readers.hpp"
#include "graphrun/verify/verify.hpp"
#include "support/refusal.hpp"
#include "support/shapes.hpp"

namespace graphrun::test {
namespace {

class EngineOver : public ::testing::TestWithParam<BackendKind> {
 protected:
  EngineOptions options(const std::string& cache = "512KiB") const {
    return {.backend = name_of(GetParam()), .device = "cpu", .cache = cache, .threads = 2};
  }
};

TEST_P(EngineOver, AnswersAreRightOneAfterTheOtherInAnyOrder) {
  const Graph graph = open("kron:11:8");
  const VertexId hub = graph.max_degree_vertex();
  try {
    Engine engine(graph, options());
    for (int round = 0; round < 2; ++round) {
      const BfsAnswer search = engine.run(Bfs{.source = hub, .verify = true});
      EXPECT_TRUE(search.verified());
      EXPECT_EQ(search.values(), verify::serial_bfs_levels(graph.out, hub));
      EXPECT_EQ(search.parents()[hub], hub);
      const SsspAnswer paths = engine.run(Sssp{.source = hub, .weights = "random:1", .verify = true});
      EXPECT_TRUE(paths.verified());
      EXPECT_EQ(paths.reached(), search.reached());
      EXPECT_EQ(paths.values()[hub], 0);
      const ComponentsAnswer parts = engine.run(ConnectedComponents{.verify = true});
      EXPECT_TRUE(parts.verified());
      const auto labels = verify::serial_components(graph.out);
      EXPECT_EQ(parts.components(), std::set<VertexId>(labels.begin(), labels.end()).size());
      const PageRankAnswer ranks = engine.run(PageRank{.tolerance = 1e-8, .trials = 2, .verify = true});
      EXPECT_TRUE(ranks.verified() && ranks.converged());
      EXPECT_EQ(ranks.trials().size(), 2u);
      EXPECT_LE(ranks.residual(), 1e-8);
      EXPECT_FALSE(ranks.certificate());
      double sum = 0;
      for (const double rank : ranks.values()) sum += rank;
      EXPECT_NEAR(sum, 1, 1e-9);
      const PageRankAnswer around =
          engine.run(PageRank{.tolerance = 1e-8, .verify = true, .restarts = {hub, 0}, .certify = true});
      EXPECT_TRUE(around.verified());
      EXPECT_LT(around.certificate()->residual, 1e-8);
      const BetweennessAnswer scores = engine.run(Betweenness{.sources = {hub, 0}, .trials = 2, .verify = true});
      EXPECT_TRUE(scores.verified());
      EXPECT_EQ(scores.trials().size(), 2u);
      EXPECT_EQ(*std::max_element(scores.values().begin(), scores.values().end()), 1);
      EXPECT_TRUE(engine.run(Betweenness{.variant = "push", .verify = true}).verified());
      const TrianglesAnswer triangles = engine.run(Triangles{.verify = true});
      EXPECT_TRUE(triangles.verified());
      EXPECT_EQ(triangles.triangles(), verify::serial_triangles(graph.out));
    }
  } catch (const UnavailableError& error) {
    GTEST_SKIP() << error.what();
  }
}

// A search by pull used to push without a word when the transpose was missing.
TEST_P(EngineOver, ADirectedGraphGetsItsTransposeWhenOneIsRead) {
  Graph graph = random_directed(500, 3000, 7);
  graph.in.reset();
  try {
    Engine engine(graph, options("64KiB"));
    EXPECT_TRUE(engine.run(Bfs{.source = 1, .variant = "push", .verify = true}).verified());
    EXPECT_TRUE(engine.run(Bfs{.source = 1, .verify = true}).verified());
    EXPECT_TRUE(engine.run(PageRank{.verify = true}).verified());
    EXPECT_TRUE(engine.run(Betweenness{.verify = true}).verified());
    EXPECT_NE(refusal([&] { engine.run(Triangles{}); }).find("tc needs an undirected graph"), std::string::npos);
  } catch (const UnavailableError& error) {
    GTEST_SKIP() << error.what();
  }
  EXPECT_EQ(graph.transpose(), nullptr);
}

// It counted twice, from Python and C++.
TEST(Engine, ASourceThatIsNamedTwiceCountsOnce) {
  Engine engine(path_graph(5), {.device = "cpu"});
  const BetweennessAnswer twice =
      engine.run(Betweenness{.sources = {4, 0, 4}, .definition = BcDefinition::exact, .verify = true});
  EXPECT_TRUE(twice.verified());
  EXPECT_EQ(twice.values(), (std::vector<double>{0, 2, 2, 2, 0}));
  EXPECT_EQ(twice.result().run->options.bc.sources, (std::vector<std::uint64_t>{0, 4}));
}

INSTANTIATE_TEST_SUITE_P(Backends, EngineOver,
                         ::testing::Values(BackendKind::incore, BackendKind::emogi, BackendKind::uvm, BackendKind::bam,
                                           BackendKind::gpuvm, BackendKind::subway),
                         [](const auto& backend) { return std::string(name_of(backend.param)); });

TEST(Engine, TakesTheOptionsOfTheProgramAndKeepsItsPlacement) {
  const Graph graph = open("kron:8");
  Engine engine(graph, {.backend = "bam", .device = "cpu", .cache = "64KiB", .threads = 2});
  RunOptions what;
  for (const auto& [name, text] : std::map<std::string, std::string>{{"algo", "sssp"},
                                                                     {"source", "index:3"},
                                                                     {"trials", "2"},
                                                                     {"weights", "unit"},
                                                                     {"backend", "incore"},
                                                                     {"threads", "1"}}) {
    set_option(what, name, text);
  }
  const RunResult paths = engine.run(what);
  EXPECT_EQ(paths.trials.size(), 2u);
  EXPECT_EQ(paths.trials[0].source, 3u);
  EXPECT_EQ(paths.graph.weight_source, "unit");
  EXPECT_EQ(paths.run->options.backend.kind, BackendKind::bam);
  EXPECT_EQ(paths.run->options.threads, 2);
  const auto& distances = std::get<std::vector<std::uint64_t>>(paths.answer.as<SsspOutput>()->distances);
  const SsspAnswer same = engine.run(Sssp{.source = 3, .weights = "unit"});
  EXPECT_EQ(std::get<std::vector<std::uint64_t>>(same.distances()), distances);
}

// Threads met after every step of a search of a few vertices, which took 30 times as long on a busy machine.
TEST(Engine, TinyGraphsTakeOneThreadWhereNoneAreAskedFor) {
  const auto threads = [](const char* graph, int asked) {
    Engine engine(open(graph), {.backend = "incore", .device = "cpu", .threads = asked});
    return engine.run(Bfs{}).result().run->placement.threads;
  };
  EXPECT_EQ(threads("path:10", 0), 1);
  EXPECT_EQ(threads("path:10", 2), 2);
  EXPECT_EQ(threads("star:43691", 0), 1);  // 131,071 vertices and edges
  EXPECT_EQ(threads("star:43692", 0), ThreadPool::size_for(0));
}

// Regression: a session allocated and copied on the current device, which was the last opened session's.
TEST_P(EngineOver, EnginesOnTwoGpusTakeTurnsAndRunAtATime) {
  if (const std::string missing = why_no_cuda(1); !missing.empty()) GTEST_SKIP() << missing;
  if (!has_gpu_views(preset_of(GetParam()))) GTEST_SKIP() << "a GPU does not run it with 64-bit ids";
  const Graph graph = open("kron:12:8");
  const VertexId hub = graph.max_degree_vertex();
  const auto made_on = [&](const char* device) {
    return Engine(graph, {.backend = name_of(GetParam()), .device = device, .cache = "16MiB", .threads = 2});
  };
  Engine first = made_on("cuda:0");
  Engine second = made_on("cuda:1");
  const auto expect_right = [&](Engine& engine) {
    EXPECT_TRUE(engine.run(Bfs{.source = hub, .verify = true}).verified());
    EXPECT_TRUE(engine.run(Sssp{.source = hub, .weights = "random:1", .verify = true}).verified());
    EXPECT_TRUE(engine.run(ConnectedComponents{.verify = true}).verified());
    EXPECT_TRUE(engine.run(PageRank{.verify = true}).verified());
  };
  for (Engine* engine : {&first, &second, &first, &second}) expect_right(*engine);
  std::jthread beside([&] { expect_right(second); });
  expect_right(first);
}

TEST(Engine, WeightsAreTheGraphsOwnUnlessOthersAreAskedFor) {
  ThreadPool pool(1);
  Graph graph = open("path:9");
  Engine bare(graph, {.device = "cpu"});
  const SsspAnswer hops = bare.run(Sssp{});
  EXPECT_EQ(hops.result().graph.weight_source, "unit");
  EXPECT_EQ(hops.values()[8], 8);
  assign_weights(graph, parse_weight_source("random:1:5:5"), pool);
  Engine engine(graph, {.device = "cpu"});
  EXPECT_EQ(engine.run(Sssp{}).values()[8], 40);
  EXPECT_EQ(engine.run(Sssp{.variant = "prefix"}).values()[8], 40);
  EXPECT_EQ(engine.run(Sssp{.weights = "unit", .variant = "prefix"}).values()[8], 8);
  EXPECT_EQ(engine.run(Sssp{.weights = "unit"}).values()[8], 8);
  EXPECT_EQ(engine.run(Sssp{.weights = "random:1:2:2"}).values()[8], 16);
  EXPECT_EQ(engine.run(Sssp{}).values()[8], 40);
  EXPECT_EQ(engine.run(Sssp{.source = 8}).values()[0], 40);
}

TEST(Engine, AnswersForEverySourceWhereAnswersAreKept) {
  const Graph graph = open("kron:8");
  Engine engine(graph, {.backend = "incore", .device = "cpu", .threads = 2});
  RunOptions what;
  what.starts = {3, 5, 3};
  what.keep_answers = true;
  const RunResult result = engine.run(what);
  ASSERT_EQ(result.earlier.size(), 2u);
  EXPECT_EQ(result.earlier[1].as<BfsOutput>()->levels, verify::serial_bfs_levels(graph.out, 5));
  EXPECT_EQ(result.answer.as<BfsOutput>()->levels, verify::serial_bfs_levels(graph.out, 3));
  what.starts = {graph.num_vertices()};
  EXPECT_THROW(engine.run(what), UsageError);
}

TEST(Engine, SaysWhereInEdgesComeFrom) {
  Graph graph = random_directed(200, 900, 3);
  graph.in.reset();
  Engine engine(graph, {.device = "cpu"});
  EXPECT_EQ(engine.run(Bfs{.variant = "push"}).result().graph.transpose, "none");
  EXPECT_EQ(engine.run(PageRank{}).result().graph.transpose, "made");
  EXPECT_EQ(Engine(open("path:9"), {.device = "cpu"}).run(PageRank{}).result().graph.transpose, "itself");
}

// A request that was refused used to leave the engine with half of what it would have needed.
TEST(Engine, GoesOnAfterARequestThatWasRefused) {
  Graph graph = random_directed(200, 900, 3);
  graph.in.reset();
  Engine engine(graph, {.device = "cpu"});
  const auto levels = engine.run(Bfs{.variant = "push"}).values();
  EXPECT_THROW(engine.run(PageRank{.damping = 2}), UsageError);
  const auto distances = engine.run(Sssp{}).values();
  EXPECT_THROW(engine.run(Sssp{.weights = "file"}), UsageError);
  EXPECT_EQ(engine.run(Sssp{}).values(), distances);
  EXPECT_EQ(engine.run(Bfs{.variant = "push"}).values(), levels);
  EXPECT_TRUE(engine.run(PageRank{.verify = true}).verified());
}

TEST(Engine, ADamagedContainerIsNotOpenedWhateverIsSaidOfIt) {
  const auto file = std::filesystem::temp_directory_path() / ("engine_test_" + std::to_string(::getpid()) + ".grf");
  ThreadPool pool(1);
  write_native(open("kron:8:8"), file.string(), pool);
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(4096 + 8 + 7).put('\x10');
  EXPECT_THROW(open(file.string()), DataError);
  EXPECT_THROW(open(file.string(), {.undirected = true}), DataError);
  std::filesystem::remove(file);
}

// The program found out, an engine did not.
TEST(Engine, AGraphWhoseFileWasWrittenToGivesNoAnswer) {
  const auto file = std::filesystem::temp_directory_path() / ("engine_changed_" + std::to_string(::getpid()) + ".grf");
  ThreadPool pool(1);
  write_native(open("kron:8:8"), file.string(), pool);
  const Graph graph = open(file.string());
  Engine engine(graph, {.backend = "emogi", .device = "cpu"});
  EXPECT_TRUE(engine.run(Bfs{.verify = true}).verified());
  std::ofstream(file, std::ios::binary | std::ios::app) << "more";
  EXPECT_THROW(engine.run(Bfs{}), DataError);
  std::filesystem::remove(file);
}

TEST(Engine, TakesOnlyOptionsOfPlacement) {
  const Graph graph = open("path:9");
  for (const char* name : {"trials", "algo", "verify", "weights", "backend", "undirected", "memory"}) {
    EXPECT_NE(refusal([&] { Engine(graph, {.more = {{name, "1"}}}); }), "it was accepted") << name;
  }
  EXPECT_NE(refusal([&] { Engine(graph, {.more = {{"warm", "false"}}}); }).find("is a switch"), std::string::npos);
  EXPECT_NE(refusal([&] { Engine(graph, {.more = {{"hot", "weighted"}}}); }).find("rows of features"), std::string::npos);
  EXPECT_NE(refusal([&] { Engine(graph, {.cache = "12parsecs"}); }).find("is not a size"), std::string::npos);
  EXPECT_NE(refusal([&] {
              Engine(graph, {.backend = "gpuvm", .device = "cpu", .more = {{"fabric", "ofi:tcp"}, {"queue-depth", "32768"}}});
            }).find("commands out at a time"),
            std::string::npos);
}

TEST(Engine, WhatCannotBeIsOneSentence) {
  const Graph graph = open("path:9");
  Engine engine(graph, {.device = "cpu"});
  EXPECT_EQ(refusal([&] { engine.run(Bfs{.source = 9}); }), "vertex 9 is not in the graph, which has 9 vertices");
  EXPECT_NE(refusal([&] { engine.run(Bfs{.variant = "pull"}); }).find("there is no variant of bfs 'pull'"), std::string::npos);
  EXPECT_NE(refusal([&] { engine.run(PageRank{.damping = 2}); }).find("--damping"), std::string::npos);
  EXPECT_NE(refusal([&] { Engine(graph, {.backend = "bma"}); }).find("did you mean 'bam'?"), std::string::npos);
  EXPECT_NE(refusal([&] { Engine(graph, {.more = {{"pgae", "4KiB"}}}); }).find("did you mean 'page'?"), std::string::npos);
  EXPECT_NE(refusal([&] { Engine(graph, {.backend = "bam", .cache = "12parsecs"}); }).find("is not a size"), std::string::npos);
  EXPECT_THROW(open("none.mtx"), DataError);
  EXPECT_THROW(open("kron:31:65536"), UnavailableError);
}

// Through the library gpuvm had pages of 4 KiB, because only the program's options knew its own.
TEST(Engine, PagesAreThoseOfTheBackendsPaper) {
  const Graph graph = open("kron:8:8");
  const auto page_of = [&](const std::string& backend) {
    return Engine(graph, {.backend = backend, .device = "cpu"}).run(Bfs{}).result().run->options.backend.page_bytes;
  };
  EXPECT_EQ(page_of("gpuvm"), 8192u);
  EXPECT_EQ(page_of("bam"), 4096u);
  Engine small(graph, {.backend = "gpuvm", .device = "cpu", .more = {{"page", "512"}}});
  EXPECT_EQ(small.run(Bfs{}).result().run->options.backend.page_bytes, 512u);
}

TEST(Engine, TwoLiveBesideEachOtherAndMayBeMoved) {
  const Graph graph = open("kron:9:8");
  Engine one(graph, {.device = "cpu"});
  Engine other(graph, {.backend = "gpuvm", .device = "cpu", .cache = "64KiB"});
  const auto levels = one.run(Bfs{}).values();
  EXPECT_EQ(other.run(Bfs{}).values(), levels);
  Engine moved(std::move(one));
  EXPECT_EQ(moved.run(Bfs{}).values(), levels);
}

}  // namespace
}  // namespace graphrun::test
