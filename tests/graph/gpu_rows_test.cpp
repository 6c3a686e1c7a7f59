// SPDX-License-Identifier: Apache-2.0
// A GPU that has no room leaves all to the CPU. What one makes that has room: tests/cuda/ordering_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "graphrun/exec/arc_sorter.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/statistics.hpp"
#include "support/shapes.hpp"

namespace graphrun::test {
namespace {

class NoRoom final : public ArcSorter {
 public:
  bool is_required() const override { return false; }
  bool takes(std::uint64_t, std::uint64_t, bool) const override { return false; }
  std::uint64_t sort(const ArcSource&, WeightOrder, bool, ThreadPool&) override { throw std::logic_error("sort"); }
  void take(HostArray<void>, HostArray<void>, HostArray<void>, bool, ThreadPool&) override { throw std::logic_error("take"); }
  void sort_records(const ArcSource&, WeightOrder, HostArray<void>, ThreadPool&) override { throw std::logic_error("records"); }
  ArcSums examine(const ArcSource&, ThreadPool&) override { throw std::logic_error("examine"); }
  void order_by_degree(HostArray<const void>, std::uint64_t, HostArray<void>, ThreadPool&) override {
    throw std::logic_error("order");
  }
};

void expect_same(const Csr& a, const Csr& b) {
  ASSERT_EQ(a.num_edges(), b.num_edges());
  for (std::size_t v = 0; v < a.offsets.size(); ++v) ASSERT_EQ(a.offsets[v], b.offsets[v]);
  for (EdgeId e = 0; e < a.num_edges(); ++e) ASSERT_EQ(a.neighbours[e], b.neighbours[e]);
}

TEST(GpuRows, WithoutRoomTheCpuMakesTheSame) {
  ThreadPool pool(2);
  const Workspace space = Workspace::with_gpu(std::make_shared<NoRoom>());
  const Graph graph = random_directed(300, 2000, 5);
  expect_same(transpose(graph.out, pool, space), transpose(graph.out, pool));
  const BuildOptions both_ways{.symmetrise = true, .merge = MergeRule::min};
  expect_same(rebuild(Graph(graph), both_ways, pool, space).out, rebuild(Graph(graph), both_ways, pool).out);
  expect_same(relabel(Graph(graph), VertexOrder::degree, pool, space).out, relabel(Graph(graph), VertexOrder::degree, pool).out);
  Graph there = graph, here = graph;
  put_hubs_first(there, pool, space);
  put_hubs_first(here, pool);
  expect_same(there.out, here.out);
  EXPECT_TRUE(is_hub_first(there.out, pool, space));
  EXPECT_EQ(examine_lists(graph.out, pool, space).duplicates, examine_lists(graph.out, pool).duplicates);
  assign_weights(here, {.kind = WeightSource::Kind::random}, pool);
  there = here;
  add_records(there, pool, space);
  add_records(here, pool);
  EXPECT_TRUE(std::ranges::equal(there.out.records.span(), here.out.records.span()));
}

}  // namespace
}  // namespace graphrun::test
