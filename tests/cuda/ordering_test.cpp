// SPDX-License-Identifier: Apache-2.0
// Every phase of preparing a graph on a GPU gives the bytes that the CPU gives.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "graph/naive.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/exec/arc_sorter.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/statistics.hpp"

namespace graphrun::test {
namespace {

constexpr WeightKind kKinds[] = {WeightKind::none, WeightKind::u32, WeightKind::f32};

template <class T>
bool same(const Column<T>& a, const Column<T>& b) {
  return std::equal(a.span().begin(), a.span().end(), b.span().begin(), b.span().end());
}

void expect_same(const Csr& gpu, const Csr& cpu) {
  EXPECT_TRUE(same(gpu.offsets, cpu.offsets));
  EXPECT_TRUE(same(gpu.neighbours, cpu.neighbours));
  EXPECT_TRUE(same(gpu.weights, cpu.weights));
}

void expect_same(const Graph& gpu, const Graph& cpu) {
  expect_same(gpu.out, cpu.out);
  EXPECT_EQ(gpu.in.has_value(), cpu.in.has_value());
  EXPECT_EQ(gpu.symmetric, cpu.symmetric);
  EXPECT_EQ(gpu.hub_first, cpu.hub_first);
  EXPECT_TRUE(gpu.names == cpu.names);
}

struct Input {
  std::string name;
  VertexId n;
  naive::Arcs arcs;
};

/// Small ids are hubs in the random ones (naive::random_arcs). The last is of several pieces that are copied.
std::vector<Input> inputs(WeightKind kind) {
  std::vector<Input> all = {
      {"no vertices", 0, {}},
      {"a vertex", 1, {}},
      {"a loop", 1, {{0, 0, 1}}},
      {"loops", 1, {{0, 0, 2}, {0, 0, 1}, {0, 0, 2}}},
      {"no edges", 100, {}},
      {"two vertices", 2, {{1, 0, 3}, {1, 0, 2}, {0, 1, 1}, {1, 1, 1}}},
      {"parallel edges", 7, naive::random_arcs(7, 5000, 1, kind)},
      {"random", 1000, naive::random_arcs(1000, 20000, 2, kind)},
      {"all bits of ids", 1 << 10, naive::random_arcs(1 << 10, 30000, 3, kind)},
      {"isolated vertices", 100000, naive::random_arcs(100000, 5000, 4, kind)},
      {"many", 1 << 17, naive::random_arcs(1 << 17, 1'500'000, 5, kind)},
  };
  Input star{"a star", 5000, {}};
  for (VertexId v = 4999; v > 0; --v) star.arcs.push_back({v % 2 == 0 ? 0 : v, v % 2 == 0 ? v : 0, 1});
  all.push_back(star);
  if (kind == WeightKind::f32) {  // with what only bits tell apart
    Input odd{"odd weights", 2, {}};
    constexpr float kInfinite = std::numeric_limits<float>::infinity();
    for (const float weight : {0.0f, -0.0f, 1.5f, -1.5f, kInfinite, -kInfinite, std::numeric_limits<float>::quiet_NaN()}) {
      odd.arcs.push_back({0, 1, std::bit_cast<std::uint32_t>(weight)});
      odd.arcs.push_back({0, 1, std::bit_cast<std::uint32_t>(-weight)});
    }
    all.push_back(odd);
  }
  return all;
}

class OrderingOnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
    gpu_ = Workspace::with_gpu(open_arc_sorter(0, true));
  }
  /// Calls body(graph) with each input as a graph whose lists are in the order of the input, and as one whose lists ascend.
  template <class Body>
  void for_each_graph(const Body& body) {
    for (const WeightKind kind : kKinds) {
      for (const Input& input : inputs(kind)) {
        for (const bool sorted : {false, true}) {
          SCOPED_TRACE(input.name + ", weights " + std::string(name_of(kind)) + (sorted ? ", sorted" : ""));
          body(build_graph(naive::list_of(input.n, input.arcs, Arcs::directed, kind), {.sort_lists = sorted}, pool_));
        }
      }
    }
  }

  ThreadPool pool_{4};
  Workspace gpu_;
};

TEST_F(OrderingOnGpu, RowsOfLists) {
  for (const WeightKind kind : kKinds) {
    for (const Input& input : inputs(kind)) {
      for (const Arcs arcs : {Arcs::directed, Arcs::mirror, Arcs::mirrored}) {
        for (const MergeRule merge : {MergeRule::keep, MergeRule::min, MergeRule::max, MergeRule::sum, MergeRule::first}) {
          SCOPED_TRACE(input.name + ", weights " + std::string(name_of(kind)) + ", rule " +
                       std::to_string(static_cast<int>(merge)));
          const BuildOptions options{.drop_self_loops = merge != MergeRule::keep, .merge = merge};
          const auto build = [&](const Workspace& space) {
            return build_graph(naive::list_of(input.n, input.arcs, arcs, kind), options, pool_, space);
          };
          expect_same(build(gpu_), build({}));
        }
      }
    }
  }
}

TEST_F(OrderingOnGpu, Records) {
  for (const WeightKind kind : {WeightKind::u32, WeightKind::f32}) {
    std::vector<Input> all = inputs(kind);
    std::erase_if(all, [](const Input& input) { return input.name == "odd weights"; });  // shortest paths take none below 0
    all.push_back({"extreme weights", 3, {}});
    for (const std::uint32_t weight : {0x80000000u, 0u, 1u, 0x7f7fffffu})  // of f32, the first is minus zero
      for (const VertexId target : {2, 0, 1}) all.back().arcs.push_back({1, target, weight});
    for (const Input& input : all) {
      for (const Arcs arcs : {Arcs::directed, Arcs::mirror}) {
        SCOPED_TRACE(input.name + ", weights " + std::string(name_of(kind)));
        Graph gpu = build_graph(naive::list_of(input.n, input.arcs, arcs, kind), {}, pool_);
        Graph cpu = gpu;
        add_records(gpu, pool_, gpu_);
        add_records(cpu, pool_);
        EXPECT_TRUE(same(gpu.out.records, cpu.out.records));
        ASSERT_EQ(gpu.by_target.has_value(), cpu.by_target.has_value());
        if (cpu.by_target) EXPECT_TRUE(same(gpu.by_target->records, cpu.by_target->records));
      }
    }
  }
}

TEST_F(OrderingOnGpu, RowsOfGraphs) {
  for_each_graph([&](const Graph& graph) {
    for (const BuildOptions& options : {BuildOptions{}, BuildOptions{.symmetrise = true}, BuildOptions{.drop_self_loops = true},
                                        BuildOptions{.symmetrise = true, .merge = MergeRule::min}}) {
      expect_same(rebuild(Graph(graph), options, pool_, gpu_), rebuild(Graph(graph), options, pool_));
    }
  });
}

TEST_F(OrderingOnGpu, Transposes) {
  for_each_graph([&](const Graph& graph) {
    const Csr reversed = transpose(graph.out, pool_, gpu_);
    expect_same(reversed, transpose(graph.out, pool_));
    EXPECT_TRUE(is_transpose(graph.out, reversed, pool_, gpu_));
    expect_same(transpose_with_weights(graph.out, graph.weight_kind, gpu_, pool_),
                transpose_with_weights(graph.out, graph.weight_kind, {}, pool_));
  });
}

TEST_F(OrderingOnGpu, NewNamesByDegree) {
  for_each_graph([&](const Graph& graph) {
    expect_same(relabel(Graph(graph), VertexOrder::degree, pool_, gpu_), relabel(Graph(graph), VertexOrder::degree, pool_));
  });
}

TEST_F(OrderingOnGpu, HubsFirst) {
  for_each_graph([&](const Graph& graph) {
    EXPECT_EQ(is_hub_first(graph.out, pool_, gpu_), is_hub_first(graph.out, pool_));
    Graph on_gpu = rebuild(Graph(graph), {}, pool_);  // with columns of its own
    Graph on_cpu = rebuild(Graph(graph), {}, pool_);
    put_hubs_first(on_gpu, pool_, gpu_);
    put_hubs_first(on_cpu, pool_);
    expect_same(on_gpu, on_cpu);
    EXPECT_TRUE(is_hub_first(on_gpu.out, pool_, gpu_));
  });
}

// Parallel arcs keep the input's order; weights do not sort them.
TEST_F(OrderingOnGpu, HubsFirstLeavesParallelArcsAsTheyAre) {
  const naive::Arcs arcs = {{0, 1, 9}, {0, 2, 8}, {0, 1, 3}, {0, 2, 7}, {0, 1, 5}, {2, 0, 1}};
  const auto make = [&] {
    return build_graph(naive::list_of(3, arcs, Arcs::directed, WeightKind::u32), {.sort_lists = false}, pool_);
  };
  Graph on_gpu = make();
  Graph on_cpu = make();
  put_hubs_first(on_gpu, pool_, gpu_);
  put_hubs_first(on_cpu, pool_);
  expect_same(on_gpu, on_cpu);
}

TEST_F(OrderingOnGpu, Statistics) {
  for_each_graph([&](const Graph& graph) {
    const ListStatistics gpu = examine_lists(graph.out, pool_, gpu_);
    const ListStatistics cpu = examine_lists(graph.out, pool_);
    EXPECT_EQ(gpu.max_degree, cpu.max_degree);
    EXPECT_EQ(gpu.empty_lists, cpu.empty_lists);
    EXPECT_EQ(gpu.self_loops, cpu.self_loops);
    EXPECT_EQ(gpu.duplicates, cpu.duplicates);
    EXPECT_EQ(gpu.sorted, cpu.sorted);
    EXPECT_EQ(gpu.lists_by_degree_bits, cpu.lists_by_degree_bits);
    EXPECT_EQ(count_isolated(graph, pool_, gpu_), count_isolated(graph, pool_));
    EXPECT_EQ(has_all_opposites(graph.out, pool_, gpu_), has_all_opposites(graph.out, pool_));
    EXPECT_TRUE(has_all_opposites(rebuild(Graph(graph), {.symmetrise = true}, pool_, gpu_).out, pool_, gpu_));
  });
}

TEST_F(OrderingOnGpu, WhatDoesNotFitIsRefusedOrLeftToTheCpu) {
  constexpr std::uint64_t kTooMany = std::uint64_t{1} << 50;
  for (const auto& [vertices, arcs] : {std::pair{kTooMany, std::uint64_t{0}}, std::pair{std::uint64_t{8}, kTooMany}}) {
    EXPECT_THROW(gpu_.sorter()->takes(vertices, arcs, true), UnavailableError);
    EXPECT_FALSE(open_arc_sorter(0, false)->takes(vertices, arcs, true));
  }
}

}  // namespace
}  // namespace graphrun::test
