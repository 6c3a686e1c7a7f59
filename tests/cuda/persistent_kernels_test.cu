// SPDX-License-Identifier: Apache-2.0
// Steps that a kernel makes one after another without the host: that they stop where they should, and count what they did.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/bfs/bfs_impl.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_search.cuh"
#include "graphrun/run/trials.hpp"
#include "graphrun/verify/verify.hpp"
#include "support/shapes.hpp"

namespace graphrun::test {
namespace {

/// Marks vertices that were not marked, until `most` have joined in a call.
struct MarkOn {
  using Weight = NoWeight;
  using Can = Capabilities<can::GoOn>;
  std::uint32_t* marks;
  std::uint64_t most;
  bool again = false;  // marks also those that were marked
  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD bool operator()(VertexId, VertexId v, NoWeight) const { return atomics::exchange(marks[v], 1u) == 0 || again; }
  GR_HD bool goes_on(std::uint64_t joined, EdgeId) const { return joined < most; }
};

class PersistentKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
    exec_ = std::make_unique<CudaExecutor>(0);
  }
  /// Vertex 0 of `graph` in a frontier, marked.
  void place(const Graph& graph) {
    offsets_ = copy_of(graph.out.offsets.data(), graph.out.offsets.size());
    neighbours_ = copy_of(graph.out.neighbours.data(), graph.out.neighbours.size());
    rows_ = {.offsets = offsets_.data(), .num_vertices = graph.num_vertices()};
    marks_ = exec_->make_array<std::uint32_t>(graph.num_vertices());
    fill(*exec_, marks_, 0u);
    exec_->store(marks_, 0, 1u);
    const std::uint64_t pieces = graph.num_edges() / kSearchPiece + graph.num_vertices();
    frontier_ = std::make_unique<CudaFrontier>(*exec_, rows_, pieces);
    next_ = std::make_unique<CudaFrontier>(*exec_, rows_);
    frontier_->insert(*exec_, 0);
  }
  EdgeMapStats push(std::uint64_t most, bool again = false) {
    const DirectView view{.neighbours = neighbours_.data()};
    return edge_map_push(*exec_, rows_, view, *frontier_, MarkOn{marks_.data(), most, again}, *next_);
  }
  /// Searches the placed graph, which is connected, from vertex 0, `most` steps a kernel. A directed one is pushed along only.
  BfsOutput search(const Graph& graph, std::uint64_t most, bool pushes_only) {
    const VertexId n = graph.num_vertices();
    GraphView<DirectView> view;
    view.out = view.in = rows_;
    view.out_edges = view.in_edges = {.neighbours = neighbours_.data()};
    view.symmetric = view.has_in = graph.symmetric;
    view.num_edges = graph.num_edges();
    std::vector<std::uint32_t> bits(2 * BitmapRef::words_for(n));
    for (VertexId v = 0; v < n; ++v) bits[v / 32] |= 1u << (v % 32);
    DeviceArray<std::uint32_t> open = copy_of(bits.data(), bits.size());
    DeviceArray<VertexId> parents(n);
    const SearchChoice choice{.costs = {.push_edge = 1, .pull_edge = 0.5, .pull_vertex = 1},
                              .reachable = {n, graph.num_edges()},
                              .num_edges = graph.num_edges(),
                              .pushes_only = pushes_only,
                              .knows_all = graph.symmetric};
    frontier_->clear();
    std::uint64_t steps = 0;
    do {
      const EdgeMapStats done =
          search_on(*exec_, view, 0, choice, bfs::Search{parents.data()}, open.data(), *frontier_, *next_, most);
      EXPECT_LE(done.steps, most);
      steps += done.steps;
    } while (!frontier_->empty());
    ThreadPool pool(1);
    BfsOutput found{.source = 0, .parents = exec_->download(parents), .levels = {}};
    found.levels = levels_from_parents(found.parents, 0, pool);
    EXPECT_EQ(steps, 1 + *std::max_element(found.levels.begin(), found.levels.end()));  // the last one finds none
    return found;
  }
  std::vector<VertexId> joined() {
    DeviceArray<VertexId> list(next_->size());
    next_->copy_to(*exec_, list.data());
    return exec_->download(list);
  }

  std::unique_ptr<CudaExecutor> exec_;
  std::unique_ptr<CudaFrontier> frontier_;
  std::unique_ptr<CudaFrontier> next_;

 private:
  template <class T>
  DeviceArray<T> copy_of(const T* from, std::size_t count) {
    DeviceArray<T> copy(count);
    exec_->copy_to_device(copy.data(), from, copy.bytes());
    return copy;
  }

  DeviceArray<EdgeId> offsets_;
  DeviceArray<VertexId> neighbours_;
  DeviceArray<std::uint32_t> marks_;
  Rows rows_;
};

TEST_F(PersistentKernels, StopWhereTheFunctorSays) {
  for (const VertexId steps : {1, 2, 3, 8}) {
    place(path_graph(100));
    const EdgeMapStats stats = push(steps);
    EXPECT_EQ(stats.steps, steps);
    EXPECT_EQ(stats.edges, 2 * steps - 1);
    EXPECT_EQ(stats.passed, steps - 1);
    EXPECT_EQ(stats.passed_edges, 2 * (steps - 1));
    EXPECT_EQ(next_->edges(), 2);
    EXPECT_EQ(joined(), std::vector<VertexId>{steps});
  }
}

TEST_F(PersistentKernels, LetTheHostLookUp) {
  constexpr VertexId kLength = 3 * cuda::kMostSteps + 10;
  place(path_graph(kLength));
  std::uint64_t steps = 0, calls = 0;
  for (; !frontier_->empty(); ++calls) {
    const EdgeMapStats stats = push(kLength);
    EXPECT_LE(stats.steps, cuda::kMostSteps);
    steps += stats.steps;
    std::swap(frontier_, next_);
  }
  EXPECT_EQ(steps, kLength);
  EXPECT_EQ(calls, 4);
}

TEST_F(PersistentKernels, StopAtAFrontierThatIsNotSmall) {
  constexpr VertexId kLeaves = cuda::kSmallItems + 1;
  place(star_graph(kLeaves + 1, 0));
  EXPECT_EQ(push(10 * kLeaves).steps, 1);
  EXPECT_EQ(next_->size(), kLeaves);
}

TEST_F(PersistentKernels, NoticeAQueueThatIsTooShort) {
  place(complete_graph(40));
  EXPECT_THROW(push(1 << 30, true), RunError);
}

/// Two paths with a bulge of `leaves` vertices side by side between them.
Graph bulge_graph(VertexId length, VertexId leaves) {
  std::vector<Arc> edges;
  for (VertexId v = 1; v < length; ++v) {
    edges.emplace_back(v - 1, v);
    edges.emplace_back(length + v - 1, length + v);
  }
  for (VertexId i = 0; i < leaves; ++i) {
    edges.emplace_back(length - 1, 2 * length + i);
    edges.emplace_back(length, 2 * length + i);
  }
  return undirected_graph("bulge", 2 * length + leaves, edges);
}

TEST_F(PersistentKernels, SearchOnWhereTheLastOneEnded) {
  const Graph ends_in_a_sink = directed_graph("arcs", 5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 2}});
  for (const Graph& graph : {path_graph(300), star_graph(3000, 7), complete_graph(700), bulge_graph(20, 70000),
                             bulge_graph(300, 9000), ends_in_a_sink}) {
    place(graph);
    for (const std::uint64_t most : {1, 2, 7, 4096}) {
      for (const bool pushes_only : {false, true}) {
        if (!pushes_only && !graph.symmetric) continue;
        const verify::Verdict verdict = verify::check_bfs(graph, search(graph, most, pushes_only));
        EXPECT_TRUE(verdict.correct) << graph.num_vertices() << " vertices, " << most << " steps: " << verdict.reason;
      }
    }
  }
}

// Hundreds of small steps, two large ones, and small ones again.
TEST_F(PersistentKernels, CountAsOtherStepsDo) {
  constexpr VertexId kLength = 2 * cuda::kMostSteps + 77;
  const Graph graph =
      with_weights(bulge_graph(kLength, 2 * cuda::kSmallItems), WeightKind::u32, [](VertexId, VertexId, EdgeId) { return 1u; });
  for (const BackendKind kind : {BackendKind::incore, BackendKind::emogi}) {
    SessionOptions options;
    options.device = {DeviceKind::cuda, 0};
    options.backend.kind = kind;
    options.backend.needs_weights = true;
    options.backend.needs_transpose = true;
    const auto session = open_session(graph, options);
    for (const auto variant : {BfsVariant::push, BfsVariant::direction_optimizing}) {
      BfsOutput output;
      const Trial trial = run_bfs(*session, 0, {variant}, &output);
      EXPECT_TRUE(verify::check_bfs(graph, output).correct);
      EXPECT_EQ(trial.stats.iterations, 2 * kLength + 1);
      if (variant == BfsVariant::push) EXPECT_EQ(trial.stats.edges_examined, graph.num_edges());
      if (kind == BackendKind::emogi && variant == BfsVariant::push)
        EXPECT_GE(trial.moved.bytes, graph.num_edges() * sizeof(VertexId));
    }
    SsspOutput output;
    const Trial trial = run_sssp(*session, 0, {1, SsspVariant::delta_stepping}, &output);
    EXPECT_TRUE(verify::check_sssp(graph, output).correct);
    EXPECT_EQ(trial.stats.iterations, 2 * kLength + 1);
    EXPECT_EQ(trial.stats.edges_examined, graph.num_edges());
  }
}

}  // namespace
}  // namespace graphrun::test
