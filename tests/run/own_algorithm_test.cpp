// SPDX-License-Identifier: Apache-2.0
// Algorithms that a program brings: what the engine places for them. tests/package/k_core.cpp is one whole.
#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "graphrun/exec/cuda_device.hpp"
#include "support/own_algorithms.hpp"
#include "support/refusal.hpp"

namespace graphrun::test {
namespace {

struct UndirectedOnly : CountInEdges {
  static constexpr const char* kName = "picky";
  static constexpr Reads kReads = {.undirected = true};
  template <class Exec, class View>
  using On = CountInEdges::On<Exec, View>;
};

/// Lets a vertex join for each of its edges.
struct JoinsForEveryEdge {
  static constexpr const char* kName = "joins-for-every-edge";
  static constexpr Reads kReads = {};
  using Output = std::vector<VertexId>;

  struct Join {
    using Weight = NoWeight;
    GR_HD VertexId source(VertexId u) const { return u; }
    GR_HD bool operator()(VertexId, VertexId, NoWeight) const { return true; }
  };

  template <class Exec, class View>
  struct On {
    On(Exec& on, const GraphView<View>& of, const JoinsForEveryEdge&) : exec(on), graph(of), all(on, of.out), next(on, of.out) {}
    AlgoStats run() {
      all.insert_all(exec);
      return {1, edge_map_push(exec, graph.out, graph.out_edges, all, Join{}, next).edges};
    }
    Output output() { return {}; }

    Exec& exec;
    GraphView<View> graph;
    FrontierOf<Exec> all, next;
  };
};

class OwnAlgorithmOver : public ::testing::TestWithParam<BackendKind> {};

TEST_P(OwnAlgorithmOver, GetsWhatItReadsAndCountsTrials) { expect_own_algorithms(name_of(GetParam()), "cpu"); }

// An engine of several ranks refused it, and named the compiler.
TEST_P(OwnAlgorithmOver, RunsOnRanks) {
  expect_own_algorithms(name_of(GetParam()), "cpu", {{"ranks", "3"}, {"subway-variant", "sync"}});
}

INSTANTIATE_TEST_SUITE_P(Backends, OwnAlgorithmOver,
                         ::testing::Values(BackendKind::incore, BackendKind::emogi, BackendKind::uvm, BackendKind::bam,
                                           BackendKind::gpuvm, BackendKind::subway),
                         [](const auto& backend) { return std::string(name_of(backend.param)); });

TEST(OwnAlgorithm, WhatItCannotReadIsOneSentence) {
  Graph directed = random_directed(50, 300, 7);
  directed.weight_kind = WeightKind::f32;
  directed.out.weights = Column<std::uint32_t>::allocate(directed.num_edges());
  for (EdgeId e = 0; e < directed.num_edges(); ++e) directed.out.weights[e] = std::bit_cast<std::uint32_t>(0.5f);
  Engine engine(directed, {.device = "cpu"});
  EXPECT_NE(refusal([&] { engine.run(AddWeights{}); }).find("reads weights that are u32, and those of"), std::string::npos);
  EXPECT_NE(refusal([&] { engine.run(UndirectedOnly{}); }).find("picky needs an undirected graph"), std::string::npos);
  EXPECT_NE(refusal([&] { engine.run(AddWeights{.trials = 0}); }).find("at least 1 trial, not 0"), std::string::npos);
  EXPECT_EQ(engine.run(CountInEdges{}).trials().size(), 1u);
  Engine weightless(open("path:9", {.float_weights = true}), {.device = "cpu"});
  EXPECT_EQ(weightless.run(AddWeights{}).values().size(), 9u);
}

// It wrote beyond the end of the frontier.
TEST(OwnAlgorithm, LettingAVertexJoinTwiceIsOneSentence) {
  for (const char* backend : {"incore", "bam"}) {
    Engine engine(open("kron:12:16"), {.backend = backend, .device = "cpu", .threads = 2});
    EXPECT_NE(refusal([&] { engine.run(JoinsForEveryEdge{}); }).find("more than once for a vertex"), std::string::npos);
  }
}

TEST(OwnAlgorithm, WhatGxxCompiledIsNotForGpus) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  Engine engine(open("path:9"), {.device = "cuda"});
  EXPECT_NE(refusal([&] { engine.run(CountInEdges{}); }).find("compile its source with nvcc"), std::string::npos);
}

}  // namespace
}  // namespace graphrun::test
