// SPDX-License-Identifier: Apache-2.0
// Warps decode packed lists to what host threads packed, wherever lists, lines and pieces end; damaged ones end with a sentence.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graphrun/backend/backend.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/graph/packed.hpp"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_packed_reader.cuh"
#include "graphrun/run/session.hpp"
#include "graphrun/run/trials.hpp"
#include "graphrun/view/device_packed_view.hpp"

namespace graphrun::test {
namespace {

constexpr VertexId kVertices = 1 << 20;
using NeighbourLists = std::vector<std::vector<VertexId>>;

GR_HD std::uint64_t mark_of(VertexId u) { return (std::uint64_t{u} + 1) * 0x9e3779b97f4a7c15ull >> 20; }

/// Adds up marks of neighbours; sums are the same in any order.
struct AddMarks {
  using Can = Capabilities<can::Want>;
  unsigned long long* sums;
  GR_HD bool wants(VertexId v) const { return v % 7 != 3; }
  __device__ void operator()(VertexId v, VertexId u) const { atomicAdd(&sums[v], static_cast<unsigned long long>(mark_of(u))); }
};
/// In whole numbers that a double holds.
struct AddValues {
  using Value = double;
  double* sums;
  GR_HD double value(VertexId u) const { return static_cast<double>(mark_of(u) % 4096); }
  GR_HD double finish(VertexId v, double sum) const {
    sums[v] = sum;
    return sum;
  }
};

std::vector<VertexId> ascending_list(std::mt19937_64& random, std::size_t degree) {
  const auto most_gap = static_cast<VertexId>(1 + random() % (kVertices / std::max<std::size_t>(degree, 2)));
  std::vector<VertexId> list(degree);
  VertexId id = 0;
  for (VertexId& u : list) u = id = static_cast<VertexId>(std::min<std::uint64_t>(id + random() % most_gap, kVertices - 1));
  return list;
}

/// Of every kind: short ones that share lines, some that do not ascend or are all the same, and some that are cut.
NeighbourLists lists_of_all_kinds(unsigned seed) {
  constexpr std::size_t kDegrees[] = {0,   1,   2,   30,  31,   32,   33,   63,   64,   65,   127,
                                      128, 129, 256, 257, 1000, 4095, 4096, 4097, 8192, 8193, 20'000};
  std::mt19937_64 random(seed);
  NeighbourLists lists;
  for (int round = 0; round < 6; ++round) {
    for (const std::size_t degree : kDegrees) {
      std::vector<VertexId> list = ascending_list(random, degree);
      if (round == 4) std::ranges::shuffle(list, random);
      if (round == 5) std::ranges::fill(list, 17);
      lists.push_back(std::move(list));
      while (random() % 3 != 0) lists.push_back(ascending_list(random, random() % 40));
    }
  }
  for (VertexId v = static_cast<VertexId>(lists.size()), last = v + 3000; v < last; ++v) {
    lists.push_back(v % 5 == 0 ? std::vector<VertexId>{} : std::vector<VertexId>{v - 9, v - 1, v + 1, v + 9});
    if (v % 17 == 0) lists.back().resize(1);
  }
  for (int i = 0; i < 30; ++i) lists.push_back(ascending_list(random, 2 * i));
  return lists;
}

Graph packed_graph_of(const NeighbourLists& lists, ThreadPool& pool) {
  Graph graph;
  graph.out.offsets = Column<EdgeId>::allocate(kVertices + 1);
  for (std::size_t v = 0; v < kVertices; ++v)
    graph.out.offsets[v + 1] = graph.out.offsets[v] + (v < lists.size() ? lists[v].size() : 0);
  graph.out.neighbours = Column<VertexId>::allocate(graph.out.offsets[kVertices]);
  for (std::size_t v = 0; v < lists.size(); ++v) std::ranges::copy(lists[v], graph.out.neighbours.data() + graph.out.offsets[v]);
  graph.out.packed = pack_lists(graph.out, WeightKind::none, pool);
  keep_lists(graph, true);
  return graph;
}

std::unique_ptr<BackendOf<DevicePackedView>> place_packed(const Graph& graph, EdgeId chunk_edges, CudaExecutor& exec,
                                                          std::uint64_t cached_bytes = 0) {
  BackendOptions options{.kind = BackendKind::emogi, .chunk_edges = chunk_edges};
  if (cached_bytes != 0) options.cache_bytes = cached_bytes;
  if (chunk_edges == kUncut) options.layout = Layout::csr;
  CudaBackend placed = place_edges(graph, options, exec);
  return std::move(std::get<std::unique_ptr<BackendOf<DevicePackedView>>>(placed));
}

std::uint64_t marks_of(std::span<const VertexId> list) {
  std::uint64_t sum = 0;
  for (const VertexId u : list) sum += mark_of(u);
  return sum;
}

TEST(PackedOnGpu, WarpsDecodeWhatWasPacked) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  ThreadPool pool(2);
  CudaExecutor exec(0);
  const NeighbourLists lists = lists_of_all_kinds(4);
  const Graph graph = packed_graph_of(lists, pool);
  const std::uint64_t bytes = graph.out.packed.lines.bytes();
  const std::pair<EdgeId, std::uint64_t> chunks[] = {{4, 0},     {32, 0},         {1000, 0},      {0, 0},    {kUncut, 0},
                                                     {4, bytes}, {32, bytes / 2}, {0, bytes / 3}, {0, 4096}, {0, 100}};
  for (const auto& [chunk, cached_bytes] : chunks) {
    SCOPED_TRACE("chunks of " + std::to_string(chunk) + ", " + std::to_string(cached_bytes) + " bytes near");
    const auto backend = place_packed(graph, chunk, exec, cached_bytes);
    const StaticTier tier = backend->static_tier();
    EXPECT_EQ(tier.bytes, cached_bytes / 128 * 128);
    EXPECT_EQ(tier.lists != 0, cached_bytes >= 4096);
    const GraphView<DevicePackedView> view = backend->view();
    auto marks = exec.make_array<unsigned long long>(kVertices);
    for (const EdgeId skip : {0, 1, 2, 70}) {
      SCOPED_TRACE(skip);
      exec.fill_words(marks.data(), 0, 2 * marks.size());
      edge_map_all(exec, view.out, view.out_edges, skip, AddMarks{marks.data()});
      const auto skipped = exec.download(marks);
      exec.fill_words(marks.data(), 0, 2 * marks.size());
      edge_map_leading(exec, view.out, view.out_edges, skip, AddMarks{marks.data()});
      const auto leading = exec.download(marks);
      for (std::size_t v = 0; v < lists.size(); ++v) {
        const std::span<const VertexId> list = lists[v];
        const std::size_t middle = std::min<std::size_t>(skip, list.size());
        ASSERT_EQ(leading[v], marks_of(list.first(middle))) << "vertex " << v << " of degree " << list.size();
        ASSERT_EQ(skipped[v], v % 7 != 3 ? marks_of(list.subspan(middle)) : 0) << "vertex " << v << " of degree " << list.size();
      }
    }
    auto sums = exec.make_array<double>(kVertices);
    const double total = edge_reduce_pull(exec, view.out, view.out_edges, AddValues{sums.data()});
    const auto found = exec.download(sums);
    double expected_total = 0;
    for (std::size_t v = 0; v < lists.size(); ++v) {
      double expected = 0;
      for (const VertexId u : lists[v]) expected += static_cast<double>(mark_of(u) % 4096);
      ASSERT_EQ(found[v], expected) << "vertex " << v << " of degree " << lists[v].size();
      expected_total += expected;
    }
    EXPECT_EQ(total, expected_total);
    backend->throw_if_failed();
    // Each pass reads the lines about once, the first of them in device memory.
    backend->reset_counters();
    edge_reduce_pull(exec, view.out, view.out_edges, AddValues{sums.data()});
    const Moved moved = backend->moved();
    const std::uint64_t near = moved.hot_bytes.value_or(0);
    EXPECT_EQ(moved.hot_bytes.has_value(), tier.bytes != 0);
    EXPECT_GE(near, tier.bytes / 2);
    EXPECT_GE(*moved.bytes + 128, (bytes - tier.bytes) / 2);
    if (chunk == 0) EXPECT_LT(*moved.bytes, (bytes - tier.bytes) * 3 / 2);
    if (chunk == 0) EXPECT_LT(near, tier.bytes * 3 / 2 + 128);
  }
}

// The memory checker sees reads of anything else.
TEST(PackedOnGpu, DamagedLinesEndWithASentence) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  ThreadPool pool(2);
  CudaExecutor exec(0);
  std::mt19937_64 random(3);
  const Graph sound = packed_graph_of(lists_of_all_kinds(5), pool);
  int refused = 0;
  for (int i = 0; i < 24; ++i) {
    Graph graph = sound;
    graph.out.packed.lines = Column<std::byte>::allocate(sound.out.packed.lines.size());
    std::ranges::copy(sound.out.packed.lines.span(), graph.out.packed.lines.data());
    graph.out.packed.groups = Column<packed::Group>::allocate(sound.out.packed.groups.size());
    std::ranges::copy(sound.out.packed.groups.span(), graph.out.packed.groups.data());
    if (i % 2 == 0) {
      for (int k = 0; k < 200; ++k)
        graph.out.packed.lines[random() % graph.out.packed.lines.size()] = static_cast<std::byte>(random());
    } else {
      auto* const bytes = reinterpret_cast<std::byte*>(graph.out.packed.groups.data());
      for (int k = 0; k < 10; ++k) bytes[random() % 4000] = static_cast<std::byte>(random());
    }
    const auto backend = place_packed(graph, i % 3 == 0 ? 0 : 32, exec);
    const GraphView<DevicePackedView> view = backend->view();
    auto marks = exec.make_array<unsigned long long>(kVertices);
    auto sums = exec.make_array<double>(kVertices);
    edge_map_all(exec, view.out, view.out_edges, 0, AddMarks{marks.data()});
    edge_map_leading(exec, view.out, view.out_edges, 3, AddMarks{marks.data()});
    edge_reduce_pull(exec, view.out, view.out_edges, AddValues{sums.data()});
    exec.synchronize();
    try {
      backend->throw_if_failed();
    } catch (const DataError& error) {
      ++refused;
      EXPECT_NE(std::string(error.what()).find("the packed list of vertex index:"), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(refused, 12);
}

TEST(PackedOnGpu, AlgorithmsThatDecodeNoneSayIt) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  ThreadPool pool(1);
  Graph graph = packed_graph_of({{1}, {0}}, pool);
  graph.symmetric = true;
  SessionOptions options;
  options.device = {DeviceKind::cuda, 0};
  options.backend.kind = BackendKind::emogi;
  EXPECT_THROW(run_bfs(*open_session(graph, options), 0, {}, nullptr), UsageError);
  for (const BackendKind kind : {BackendKind::incore, BackendKind::uvm, BackendKind::gpuvm, BackendKind::subway}) {
    options.backend.kind = kind;
    EXPECT_THROW(open_session(graph, options), UsageError) << name_of(kind);
  }
}

}  // namespace
}  // namespace graphrun::test
