// Steps that a kernel makes one after another without the host: that they stop where they should, and count what they did.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/ops/cuda_operators.cuh"
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

class StayingKernels : public ::testing::Test {
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
    frontier_ = std::make_unique<CudaFrontier>(*exec_, rows_);
    next_ = std::make_unique<CudaFrontier>(*exec_, rows_);
    frontier_->insert(*exec_, 0);
  }
  EdgeMapStats push(std::uint64_t most, bool again = false) {
    const DirectView view{.neighbours = neighbours_.data()};
    return edge_map_push(*exec_, rows_, view, *frontier_, MarkOn{marks_.data(), most, again}, *next_);
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

TEST_F(StayingKernels, StopWhereTheFunctorSays) {
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

TEST_F(StayingKernels, LetTheHostLookUp) {
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

TEST_F(StayingKernels, StopAtAFrontierThatIsNotSmall) {
  constexpr VertexId kLeaves = cuda::kSmallItems + 1;
  place(star_graph(kLeaves + 1, 0));
  EXPECT_EQ(push(10 * kLeaves).steps, 1);
  EXPECT_EQ(next_->size(), kLeaves);
}

TEST_F(StayingKernels, NoticeAQueueThatIsTooShort) {
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

// Hundreds of small steps, two large ones, and small ones again.
TEST_F(StayingKernels, CountAsOtherStepsDo) {
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
    const Trial trial = run_sssp(*session, 0, {1, SsspVariant::delta_stepping}, &output, nullptr);
    EXPECT_TRUE(verify::check_sssp(graph, output).correct);
    EXPECT_EQ(trial.stats.iterations, 2 * kLength + 1);
    EXPECT_EQ(trial.stats.edges_examined, graph.num_edges());
  }
}

/// A vertex from which kPaths paths of kLength vertices go out, with leaves at some: so that there are lists of 2, 22 and 42
/// edges. index(path, place) is what a vertex of a path is called. Weights are 1 and 2.
struct Brush {
  static constexpr VertexId kPaths = 5000, kLength = 2 * cuda::kMostSteps + 100, kRoot = kPaths * kLength;

  template <class Index>
  static Graph make(Index&& index) {
    std::vector<Arc> edges;
    VertexId leaf = kRoot;
    for (VertexId path = 0; path < kPaths; ++path) {
      edges.emplace_back(kRoot, index(path, 0));
      for (VertexId place = 1; place < kLength; ++place) {
        edges.emplace_back(index(path, place - 1), index(path, place));
        const VertexId leaves = place % 50 != 0 || path % 100 != 0 ? 0 : path % 200 == 0 ? 40 : 20;
        for (VertexId k = 0; k < leaves; ++k) edges.emplace_back(index(path, place), ++leaf);
      }
    }
    const Graph graph = undirected_graph("brush", leaf + 1, edges);
    return with_weights(graph, WeightKind::u32,
                        [](VertexId u, VertexId v, EdgeId) { return static_cast<std::uint32_t>(1 + (u ^ v) % 2); });
  }
};

/// Searches and distances from the root over a link are right. Returns how many times as many bytes they moved as the edges have.
std::pair<double, double> times_moved(const Graph& graph, EdgeId chunk = 0, Access access = Access::aligned) {
  SessionOptions options;
  options.device = {DeviceKind::cuda, 0};
  options.backend.kind = BackendKind::emogi;
  options.backend.needs_weights = true;
  options.backend.chunk_edges = chunk;
  options.backend.access = access;
  const auto session = open_session(graph, options);
  BfsOutput levels;
  const Trial search = run_bfs(*session, Brush::kRoot, {BfsVariant::push}, &levels);
  EXPECT_TRUE(verify::check_bfs(graph, levels).correct);
  EXPECT_EQ(search.stats.edges_examined, graph.num_edges());
  SsspOutput distances;
  const Trial paths = run_sssp(*session, Brush::kRoot, {2, SsspVariant::delta_stepping}, &distances, nullptr);
  EXPECT_TRUE(verify::check_sssp(graph, distances).correct);
  const double bytes = static_cast<double>(graph.num_edges()) * sizeof(VertexId);
  return {static_cast<double>(search.moved.bytes.value()) / bytes, static_cast<double>(paths.moved.bytes.value()) / (2 * bytes)};
}

// Each step goes to the next vertex of every path, which is beside the one before. Lines are kept after the first 256 steps: a
// list of two edges takes 32 bytes without them, four times its own.
TEST_F(StayingKernels, KeepLinesOfListsThatLieOneAfterAnother) {
  const Graph graph = Brush::make([](VertexId path, VertexId place) { return path * Brush::kLength + place; });
  const auto [search_without, paths_without] = times_moved(graph, 0, Access::merged);
  for (const EdgeId chunk : {0, 16}) {
    const auto [search, paths] = times_moved(graph, chunk);
    EXPECT_LT(search, 0.8 * search_without);
    EXPECT_LT(paths, 0.8 * paths_without);
  }
}

// All vertices of a step are neighbours, more than have seats.
TEST_F(StayingKernels, ShareTheQueueWhereSeatsAreTaken) {
  times_moved(Brush::make([](VertexId path, VertexId place) { return place * Brush::kPaths + path; }));
}

// By a prime that does not divide their number the vertices of paths lie anywhere, so lines do not pay.
TEST_F(StayingKernels, GiveUpLinesOfListsThatAreFarFromEachOther) {
  const auto anywhere = [](VertexId path, VertexId place) {
    return static_cast<VertexId>((std::uint64_t{path} * Brush::kLength + place) * 1'000'003 % Brush::kRoot);
  };
  const Graph graph = Brush::make(anywhere);
  const auto [search_without, paths_without] = times_moved(graph, 0, Access::merged);
  const auto [search, paths] = times_moved(graph);
  EXPECT_LT(search, 5 * search_without);  // one call of 256 steps brings lines, two of 128 bytes a list instead of 32
  EXPECT_LT(paths, 5 * paths_without);
}

}  // namespace
}  // namespace graphrun::test
