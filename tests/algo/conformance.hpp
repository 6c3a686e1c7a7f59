// SPDX-License-Identifier: Apache-2.0
// The conformance suite: what every executor and backend must get right. Where: arrangements.hpp.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algo/arrangements.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/run/trials.hpp"
#include "graphrun/verify/verify.hpp"
#include "support/arcs.hpp"
#include "support/refusal.hpp"
#include "support/sanitized.hpp"
#include "support/shapes.hpp"

namespace graphrun::test {

enum class Transpose { reach, leave };

/// A session, and the graph that it is over where that is not the one of the test.
struct Opened {
  std::unique_ptr<Graph> packed;
  std::unique_ptr<Session> session;

  Session& operator*() const { return *session; }
  Session* operator->() const { return session.get(); }
};

/// With packed lists alone.
inline std::unique_ptr<Graph> packed_copy(Graph graph) {
  ThreadPool pool(1);
  graph.out.packed = pack_lists(graph.out, graph.weight_kind, pool);
  if (graph.in) graph.in->packed = pack_lists(*graph.in, graph.weight_kind, pool);
  keep_lists(graph, true);
  return std::make_unique<Graph>(std::move(graph));
}

inline Opened open(const Graph& graph, const Arrangement& arrangement, Transpose transpose = Transpose::reach) {
  SessionOptions options = arrangement.options;
  options.backend.needs_transpose = transpose == Transpose::reach;
  options.backend.needs_weights = graph.weight_kind != WeightKind::none && !options.backend.records;
  // Ranks are dealt out over the GPUs that there are.
  const int gpus = options.device.others.empty() ? 1 : count_cuda_devices();
  for (std::size_t i = 0; i < options.device.others.size(); ++i) options.device.others[i] = static_cast<int>(i + 1) % gpus;
  Opened opened;
  if (arrangement.packed) opened.packed = packed_copy(graph);
  opened.session = open_session(opened.packed ? *opened.packed : graph, options);
  return opened;
}

/// For the suite of an algorithm: skips what this machine lacks, and GPUs with ids of which these do not run all algorithms.
class AlgorithmConformance : public ::testing::TestWithParam<Arrangement> {
 protected:
  void SetUp() override {
    const bool on_gpu = GetParam().options.device.kind == DeviceKind::cuda;
    const std::string missing = on_gpu ? why_no_cuda(0) : what_lacks(GetParam());
    if (!missing.empty()) GTEST_SKIP() << missing;
    if (on_gpu && !kGpusRunAll) GTEST_SKIP() << "GPUs do not run it with 64-bit ids";
  }
};

#define GR_CONFORMANCE_OF(Suite, name, arrangements) \
  INSTANTIATE_TEST_SUITE_P(name, Suite, ::testing::ValuesIn(arrangements()), arrangement_name)
#define GR_CONFORMANCE(Suite)                                   \
  GR_CONFORMANCE_OF(Suite, Cpu, cpu_arrangements_of_views);     \
  GR_CONFORMANCE_OF(Suite, Ranks, ranks_arrangements_of_views); \
  GR_CONFORMANCE_OF(Suite, Cuda, cuda_arrangements);            \
  GR_CONFORMANCE_OF(Suite, CudaRanks, cuda_ranks_arrangements)

/// The graphs of all shapes, and some more.
inline std::vector<Graph> graphs_and(std::initializer_list<Graph> more) {
  std::vector<Graph> graphs;
  for (const Shape& shape : all_shapes()) graphs.push_back(shape.make());
  graphs.insert(graphs.end(), more.begin(), more.end());
  return graphs;
}

/// All vertices of tiny graphs, else a few. Where tests are slow or run again, always a few: the others give other answers by the
/// same code. Threads race wherever a search begins: one is enough to look for that.
inline std::vector<VertexId> sources_of(const Graph& graph) {
  const VertexId n = graph.num_vertices();
  std::set<VertexId> sources;
  if (n == 0) return {};
  if (kThreadSanitized) return {n / 2};
  if (n <= 21 && !kFewCases) {
    for (VertexId v = 0; v < n; ++v) sources.insert(v);
  } else {
    sources = {0, n / 2, n - 1};
  }
  return {sources.begin(), sources.end()};
}

inline void expect_correct(const verify::Verdict& verdict, const std::string& what) {
  EXPECT_TRUE(verdict.correct) << what << ": " << verdict.reason;
}

inline void expect_bfs(const Graph& graph, Session& session,
                       std::initializer_list<BfsVariant> variants = {BfsVariant::direction_optimizing, BfsVariant::push}) {
  for (const auto variant : variants) {
    for (const VertexId source : sources_of(graph)) {
      BfsOutput output;
      run_bfs(session, source, {variant}, &output);
      expect_correct(verify::check_bfs(graph, output), graph.name + " from " + std::to_string(source));
    }
  }
}

inline void expect_cc(const Graph& graph, Session& session,
                      std::initializer_list<CcVariant> variants = {CcVariant::afforest, CcVariant::hooking}) {
  for (const auto variant : variants) {
    CcOutput output;
    run_cc(session, {variant}, &output);
    expect_correct(verify::check_cc(graph, output), graph.name);
  }
}

/// With a damping of a half the ranks converge in a quarter of the usual sweeps. A sweep runs the same code as the one before it.
inline void expect_pagerank(const Graph& graph, Session& session, PagerankVariant variant, double tolerance,
                            const std::vector<std::uint64_t>& restarts = {}, bool certify = false,
                            PagerankStop stop = PagerankStop::sum) {
  constexpr double kDamping = 0.5;
  PagerankOutput output;
  const PagerankOptions options{
      .variant = variant, .stop = stop, .damping = kDamping, .tolerance = tolerance, .restarts = restarts, .certify = certify};
  const bool converged = run_pagerank(session, options, &output).converged;
  const std::string what = graph.name + " by " + name_of(variant) + " with tolerance " + std::to_string(tolerance);
  const bool largest = stop == PagerankStop::largest;
  const double most = largest ? tolerance / graph.num_vertices() : std::numeric_limits<double>::infinity();
  const int bits = output.float_bits;
  EXPECT_EQ(bits, largest || tolerance < 1e-6 ? 64 : 32);
  EXPECT_EQ(output.certificate.has_value(), certify || largest);
  EXPECT_TRUE(converged) << what;
  expect_correct(verify::check_pagerank(graph, output, kDamping, tolerance, bits == 32, converged, restarts, most), what);
}

inline void expect_pagerank_sweeps(const Graph& graph, Session& session, const std::vector<std::uint64_t>& restarts) {
  for (const std::uint64_t sweeps : {1, 7}) {
    PagerankOutput output;
    const PagerankOptions options{
        .variant = PagerankVariant::synchronous, .damping = 0.85, .max_iterations = sweeps, .restarts = restarts};
    EXPECT_TRUE(run_pagerank(session, options, &output).converged);
    EXPECT_EQ(output.iterations, graph.num_vertices() == 0 ? 0 : sweeps);
    EXPECT_EQ(output.float_bits, 64);
    expect_correct(verify::check_pagerank_sweeps(graph, output, 0.85, sweeps, restarts), graph.name + " by sweeps");
  }
}

inline SsspVariant variant_of(const Arrangement& arrangement) {
  return arrangement.options.backend.records ? SsspVariant::prefix : SsspVariant::delta_stepping;
}

/// `delta` 0 leaves the choice to the algorithm.
inline void expect_sssp(const Graph& graph, const Arrangement& arrangement, const std::vector<double>& deltas) {
  const auto session = open(graph, arrangement);
  for (const double delta : deltas) {
    for (const VertexId source : sources_of(graph)) {
      SsspOutput output;
      run_sssp(*session, source, {delta, variant_of(arrangement)}, &output);
      expect_correct(verify::check_sssp(graph, output),
                     graph.name + " from " + std::to_string(source) + " with delta " + std::to_string(delta));
    }
  }
}

/// One graph under every kind of weights, each with its records. Which whole weights they are changes answers, and not which
/// thread reads what: over incore they are of every kind, elsewhere of one.
inline std::vector<Graph> weighted(const Graph& graph, const Arrangement& arrangement) {
  const bool one_kind = kFewCases || arrangement.options.backend.kind != BackendKind::incore;
  ThreadPool pool(1);
  std::vector<Graph> all;
  for (const char* source : {"random:3", "unit", "random:4:0:2", "truth"}) {
    Graph copy = graph;
    assign_weights(copy, parse_weight_source(source), pool);
    copy.name += std::string(" with weights ") + source;
    all.push_back(std::move(copy));
    if (one_kind) break;
  }
  all.push_back(with_weights(graph, WeightKind::u32, [](VertexId, VertexId, EdgeId) { return 0u; }));
  all.back().name += " with zero weights";
  all.push_back(with_weights(graph, WeightKind::f32, [](VertexId, VertexId, EdgeId e) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(splitmix64(e) % 1000) / 7.0f);
  }));
  all.back().name += " with float weights";
  for (Graph& each : all) add_records(each, pool);
  return all;
}

/// From each of sources_of() in one trial.
inline void expect_bc(const Graph& graph, Session& session, BcVariant variant, BcDefinition definition = BcDefinition::gap,
                      bool sampled = false) {
  const std::vector<VertexId> some = sources_of(graph);
  const std::vector<std::uint64_t> sources(some.begin(), some.end());
  BcOutput output;
  run_bc(session, {variant, sources, definition, sampled}, &output);
  expect_correct(verify::check_bc(graph, output, sources, definition, sampled),
                 graph.name + " by " + name_of(variant) + ", " + name_of(definition));
}

/// Layers of three vertices with parallel arcs from each to each of the next: 2^900 shortest paths lead from the first to the
/// last, and their counts differ.
inline std::vector<Graph> graphs_of_many_paths() {
  constexpr VertexId kLayers = 170;
  std::vector<Arc> arcs;
  for (VertexId v = 0; v < 3 * (kLayers - 1); ++v) {
    for (VertexId to = 0; to < 3; ++to) {
      const VertexId copies = 1 + 16 * ((v + to) % 3);
      for (VertexId i = 0; i < copies; ++i) arcs.emplace_back(v, v - v % 3 + 3 + to);
    }
  }
  std::vector<Graph> graphs;
  graphs.push_back(directed_graph("many paths", 3 * kLayers, arcs));
  graphs.push_back(undirected_graph("many paths both ways", 3 * kLayers, arcs));
  return graphs;
}

inline void expect_tc(const Graph& graph, Session& session, const TcOptions& options) {
  TcOutput output;
  run_tc(session, options, &output);
  const std::string what = graph.name + " by " + name_of(options.variant) + " with " + std::to_string(options.buffer_bytes);
  expect_correct(verify::check_tc(graph, output), what);
  if (options.variant == TcVariant::hybrid || graph.num_edges() == 0) return;
  EXPECT_EQ(output.by_degree, options.variant == TcVariant::by_degree) << what;
}

inline void expect_all_bfs(const Arrangement& arrangement) {
  for (const Shape& shape : all_shapes()) {
    const Graph graph = shape.make();
    expect_bfs(graph, *open(graph, arrangement));
  }
}

inline void expect_all_cc(const Arrangement& arrangement) {
  for (const Shape& shape : all_shapes()) {
    const Graph graph = shape.make();
    expect_cc(graph, *open(graph, arrangement));
  }
}

inline void expect_all_pagerank(const Arrangement& arrangement) {
  // PagerankStop::largest has floats of 64 bits, too.
  const bool tightly = !kFewCases && arrangement.options.backend.kind == BackendKind::incore;
  for (const Shape& shape : all_shapes()) {
    const Graph graph = shape.make();
    const auto session = open(graph, arrangement);
    for (const auto variant : {PagerankVariant::extrapolated, PagerankVariant::pull, PagerankVariant::push}) {
      expect_pagerank(graph, *session, variant, 1e-4);
      if (tightly) expect_pagerank(graph, *session, variant, 1e-12);
      if (kSanitized && variant == PagerankVariant::push) continue;  // the other stops, and restarts, run the same sweeps
      expect_pagerank(graph, *session, variant, 1e-4, {}, false, PagerankStop::largest);
    }
    expect_pagerank_sweeps(graph, *session, {});
    if (graph.num_vertices() == 0) continue;
    const std::vector<std::uint64_t> ends = {0, graph.num_vertices() - 1};
    expect_pagerank_sweeps(graph, *session, ends);
    expect_pagerank(graph, *session, PagerankVariant::extrapolated, 1e-4, ends, true);
    if (!kSanitized) expect_pagerank(graph, *session, PagerankVariant::push, 1e-4, ends);
  }
}

/// Whole weights, floats and weights of 64 bits, also with unequal restarts; some vertices have weights of 0 alone.
inline void expect_all_weighted_pagerank(const Arrangement& arrangement) {
  constexpr double kDamping = 0.5, kTolerance = kSanitized ? 1e-4 : 1e-6;
  const auto expect_scores = [&](const Graph& graph) {
    if (graph.num_vertices() == 0) return;
    const auto session = open(graph, arrangement);
    for (const bool everywhere : {true, graph.num_vertices() == 1}) {
      PagerankOptions options{.variant = PagerankVariant::push, .damping = kDamping, .tolerance = kTolerance, .weighted = true};
      if (!everywhere) options.restarts = {0, graph.num_vertices() - 1}, options.shares = {3, 0.5};
      PagerankOutput output;
      EXPECT_TRUE(run_pagerank(*session, options, &output).converged) << graph.name;
      EXPECT_EQ(output.float_bits, 64);
      const double any = std::numeric_limits<double>::infinity();
      expect_correct(
          verify::check_pagerank(graph, output, kDamping, kTolerance, false, true, options.restarts, any, true, options.shares),
          graph.name);
    }
  };
  const bool all = !kFewCases && arrangement.options.backend.kind == BackendKind::incore;
  for (const Shape& shape : all_shapes()) {
    const std::vector<Graph> graphs = weighted(shape.make(), arrangement);
    for (const Graph& graph : graphs) {
      if (all || &graph == &graphs.back()) expect_scores(graph);
    }
  }
  const auto some = [](VertexId u, VertexId v, EdgeId) {
    return u % 3 == 0 ? 0u : static_cast<std::uint32_t>(1 + (u * 7 + v) % 9);
  };
  expect_scores(with_weights(random_directed(300, 1500, 7), WeightKind::u32, some));
  expect_scores(with_wide_weights(random_directed(300, 1500, 8),
                                  [](VertexId, VertexId v, EdgeId) { return (std::uint64_t{1} << 40) + v; }));
}

inline void expect_all_bc(const Arrangement& arrangement) {
  for (const Shape& shape : all_shapes()) {
    const Graph graph = shape.make();
    const auto session = open(graph, arrangement);
    for (const auto variant : {BcVariant::direction_optimizing, BcVariant::push}) expect_bc(graph, *session, variant);
    expect_bc(graph, *session, BcVariant::direction_optimizing, BcDefinition::exact);
    expect_bc(graph, *session, BcVariant::push, BcDefinition::normalized, true);
  }
  for (const Graph& graph : graphs_of_many_paths()) expect_bc(graph, *open(graph, arrangement), BcVariant::direction_optimizing);
}

/// Lists that are made at once, and in up to 6 parts, and those of incore where they are.
inline void expect_all_tc(const Arrangement& arrangement) {
  for (const Shape& shape : all_shapes()) {
    const Graph graph = shape.make();
    const auto session = open(graph, arrangement);
    if (!graph.symmetric) {
      EXPECT_THROW(run_tc(*session, {}, nullptr), UsageError);
      continue;
    }
    const bool in_place = arrangement.options.backend.kind == BackendKind::incore;
    for (const auto variant : {TcVariant::hybrid, TcVariant::by_degree, TcVariant::by_id})
      expect_tc(graph, *session, {.variant = variant, .in_place = in_place});
    constexpr std::uint64_t kLongestTwice = 2 * 64 * sizeof(VertexId);
    const std::uint64_t third = graph.num_edges() / 6 * sizeof(VertexId);
    expect_tc(graph, *session, {.variant = TcVariant::by_degree, .buffer_bytes = std::max(kLongestTwice, third)});
  }
}

inline void expect_all_sssp(const Arrangement& arrangement) {
  for (const Shape& shape : all_shapes()) {
    for (const Graph& graph : weighted(shape.make(), arrangement)) expect_sssp(graph, arrangement, {0});
  }
}

/// Graphs that are dense enough for pulls: undirected, directed, and with weights that differ by direction.
inline void expect_pulls(const Arrangement& arrangement) {
  for (const Graph& graph : weighted(random_undirected(600, 9000, 5), arrangement)) expect_sssp(graph, arrangement, {0, 3});
  for (const Graph& graph : weighted(random_directed(600, 15000, 6), arrangement)) expect_sssp(graph, arrangement, {0, 3});
}

/// What pulls got wrong: sinks, which have no list to be counted by; vertices that only a chain reaches, where weights let all be
/// pushed; and distances just below 2^32, where bounds wrapped.
inline void expect_awkward_pulls(const Arrangement& arrangement) {
  constexpr VertexId kCore = 600;
  constexpr VertexId kRest = 600;
  const auto graph = [&](bool directed, VertexId chain, const auto& weight_of) {
    std::vector<Arc> arcs;
    std::uint64_t draw = 0;
    const auto random = [&](std::uint64_t below) { return static_cast<VertexId>(splitmix64(draw++) % below); };
    for (VertexId u = 0; u < kCore; ++u) {
      for (int i = 0; i < 16; ++i) arcs.emplace_back(u, random(kCore));
    }
    for (VertexId v = kCore; v < kCore + kRest; ++v) {
      arcs.emplace_back(v % chain == 0 ? random(kCore) : v - 1, v);
      if (chain == 1) arcs.emplace_back(random(kCore), v);
    }
    const VertexId n = kCore + kRest;
    Graph made = directed ? directed_graph("core and rest", n, arcs) : undirected_graph("core and rest", n, arcs);
    made = with_weights(std::move(made), WeightKind::u32, [&](VertexId u, VertexId v, EdgeId) {
      return weight_of(splitmix64(3, std::min(u, v), std::max(u, v)), std::max(u, v));
    });
    ThreadPool pool(1);
    add_records(made, pool);
    return made;
  };
  for (const bool directed : {true, false}) {
    const Graph sinks =
        graph(directed, 1, [](std::uint64_t hash, VertexId) { return static_cast<std::uint32_t>(1 + hash % 255); });
    expect_sssp(sinks, arrangement, {0, 5});
    constexpr std::uint32_t kSkewed[] = {1, 880, 1000};
    const Graph skewed = graph(directed, 6, [&](std::uint64_t hash, VertexId) { return kSkewed[hash % 3]; });
    expect_sssp(skewed, arrangement, {0, 900});
    const Graph far = graph(directed, 1, [](std::uint64_t hash, VertexId last) {
      return last == kCore + kRest - 1 ? 4294000000u : static_cast<std::uint32_t>(1 + hash % 10'000'000);
    });
    expect_sssp(far, arrangement, {0, 2e5, 1e6});
  }
}

/// Lists that a GPU cuts: more of them at once than it has room to publish, one of many thousand records, and some that pulling
/// vertices read to their ends, though the best that they offer comes first.
inline void expect_long_prefixes(const Arrangement& arrangement) {
  for (const Graph& graph : weighted(random_undirected(400, 120'000, 8), arrangement)) expect_sssp(graph, arrangement, {0, 100});
  for (const Graph& graph : weighted(star_graph(30'000, 3), arrangement)) expect_sssp(graph, arrangement, {0, 100});

  constexpr VertexId kCore = 2000;
  constexpr VertexId kLate = 40;
  std::vector<Arc> arcs;
  for (VertexId u = 1; u < kCore; ++u) {
    arcs.emplace_back(0, u);
    for (VertexId v = kCore; v < kCore + kLate; ++v) arcs.emplace_back(u, v);
  }
  for (VertexId v = kCore; v < kCore + kLate; ++v) arcs.emplace_back(v, 0);
  Graph late = with_weights(directed_graph("core and late vertices", kCore + kLate, arcs), WeightKind::u32,
                            [](VertexId, VertexId v, EdgeId) {
                              if (v >= kCore) return 1000u;
                              return v < 2 ? 1u : static_cast<std::uint32_t>(20 + v % 20);
                            });
  ThreadPool pool(1);
  add_records(late, pool);
  expect_sssp(late, arrangement, {0});
}

/// A graph that came without in-edges, and one that has them but whose backend was not asked to reach them.
inline void expect_all_without_transpose(const Arrangement& arrangement) {
  for (const Shape& shape : all_shapes()) {
    Graph graph = shape.make();
    for (int round = 0; round < 2; ++round) {
      const auto session = open(graph, arrangement, Transpose::leave);
      expect_bfs(graph, *session, {BfsVariant::push});
      expect_cc(graph, *session, {CcVariant::hooking});
      expect_pagerank(graph, *session, PagerankVariant::push, 1e-4);
      expect_bc(graph, *session, BcVariant::push);
      if (!graph.symmetric) {
        SCOPED_TRACE(graph.name);
        EXPECT_THROW(run_cc(*session, {CcVariant::afforest}, nullptr), UsageError);
        EXPECT_THROW(run_pagerank(*session, {.variant = PagerankVariant::pull}, nullptr), UsageError);
        EXPECT_THROW(run_pagerank(*session, {.variant = PagerankVariant::extrapolated}, nullptr), UsageError);
        EXPECT_THROW(run_bc(*session, {}, nullptr), UsageError);
        if (!corrects_labels(arrangement.options.backend) && graph.num_vertices() != 0) {
          EXPECT_THROW(run_bfs(*session, 0, {BfsVariant::direction_optimizing}, nullptr), UsageError);
        }
      }
      if (kThreadSanitized) break;  // in-edges that are not reached are as good as none
      graph.in.reset();
    }
  }
}

/// From a bucket a distance to one bucket for all.
inline void expect_extreme_deltas(const Arrangement& arrangement) {
  for (const Graph& graph : weighted(random_directed(300, 1500, 7), arrangement))
    expect_sssp(graph, arrangement, {1e-3, 1, 17, 1e12});
  for (const Graph& graph : weighted(path_graph(50), arrangement)) expect_sssp(graph, arrangement, {1e-3, 1, 17, 1e12});
}

/// 32 bits while they do, 64 when they do not, and a session that has changed over keeps working. All ones in 32 bits
/// means unreached, so a distance of that value needs 64.
inline void expect_wide_distances(const Arrangement& arrangement) {
  struct Chain {
    VertexId arcs;
    std::uint32_t weight;
    int bits;
  };
  for (const Chain& chain :
       {Chain{4, 0x3fffffffu, 32}, Chain{4, 0x40000000u, 64}, Chain{3, 0x55555555u, 64}, Chain{3, 0xffffffffu, 64}}) {
    std::vector<Arc> arcs;
    for (VertexId v = 0; v < chain.arcs; ++v) arcs.emplace_back(v, v + 1);
    Graph graph = with_weights(directed_graph("chain", chain.arcs + 1, arcs), WeightKind::u32,
                               [&](VertexId, VertexId, EdgeId) { return chain.weight; });
    ThreadPool pool(1);
    add_records(graph, pool);
    const auto session = open(graph, arrangement);
    for (int round = 0; round < 2; ++round) {
      SsspOutput output;
      run_sssp(*session, 0, {0, variant_of(arrangement)}, &output);
      EXPECT_EQ(output.distance_bits, chain.bits) << chain.weight;
      expect_correct(verify::check_sssp(graph, output), std::to_string(chain.weight));
    }
  }
}

/// The distances from a vertex, or what is refused.
inline std::vector<std::uint64_t> whole_distances(const Graph& graph, VertexId source, const Arrangement& arrangement) {
  SsspOutput output;
  run_sssp(*open(graph, arrangement), source, {0, variant_of(arrangement)}, &output);
  expect_correct(verify::check_sssp(graph, output), graph.name);
  return std::get<std::vector<std::uint64_t>>(output.distances);
}

/// Weights beyond 32 bits: distances that differ by 1 above 2^53, up to the largest that 64 bits hold. A larger one is named, and
/// never taken for unreached or for a sum that wrapped around; a path of that length beside a shorter one does no harm.
inline void expect_wide_weights(const Arrangement& arrangement) {
  const auto with_records = [](Graph graph, const auto& weight_of) {
    Graph wide = with_wide_weights(std::move(graph), weight_of);
    ThreadPool pool(1);
    add_records(wide, pool);
    return wide;
  };
  const auto by_hash = [](VertexId u, VertexId v, EdgeId) {
    return (std::uint64_t{1} << 54) + splitmix64(7, std::min(u, v), std::max(u, v)) % 1000;
  };
  expect_sssp(with_records(random_directed(600, 15000, 6), by_hash), arrangement, {0, 0x1p50});
  expect_sssp(with_records(random_undirected(600, 9000, 5), by_hash), arrangement, {0});

  constexpr std::uint64_t k53 = std::uint64_t{1} << 53, k63 = std::uint64_t{1} << 63;
  const std::vector<std::uint64_t> near = {k53, k53 + 1, 2, 0};
  const Graph diamond = with_records(directed_graph("diamond", 5, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}),
                                     [&](VertexId, VertexId, EdgeId e) { return near[e]; });
  EXPECT_EQ(whole_distances(diamond, 0, arrangement), (std::vector<std::uint64_t>{0, k53, k53 + 1, k53 + 1, kUnreachedDistance}));

  const std::vector<std::uint64_t> far = {k63, 7, k63 - 3, 9, 1};
  const Graph chain = with_records(directed_graph("far chain", 5, {{0, 1}, {0, 4}, {1, 2}, {1, 3}, {2, 3}}),
                                   [&](VertexId, VertexId, EdgeId e) { return far[e]; });
  EXPECT_EQ(whole_distances(chain, 0, arrangement), (std::vector<std::uint64_t>{0, k63, 2 * (k63 - 2) + 1, k63 + 9, 7}));
  const std::vector<std::uint64_t> farther = {k63, k63 - 3, 1};
  const Graph beyond = with_records(directed_graph("beyond", 4, {{0, 1}, {1, 2}, {2, 3}}),
                                    [&](VertexId, VertexId, EdgeId e) { return farther[e]; });
  const std::string reason = refusal([&] { whole_distances(beyond, 0, arrangement); });
  EXPECT_NE(reason.find("from vertex 0 to vertex 3 is not below 18446744073709551614"), std::string::npos) << reason;
  EXPECT_EQ(whole_distances(beyond, 1, arrangement), (std::vector<std::uint64_t>{kUnreachedDistance, 0, k63 - 3, k63 - 2}));
}

/// Floats from the smallest denormal to sums beyond the largest, which 64-bit distances hold. In 32 bits a vertex that far is
/// named, and never taken for unreached; backends that have no such distances refuse them.
inline void expect_float_extremes(const Arrangement& arrangement) {
  const auto chain = [](std::vector<float> weights) {
    std::vector<Arc> arcs;
    for (VertexId v = 0; v < weights.size(); ++v) arcs.emplace_back(v, v + 1);
    Graph graph = with_weights(directed_graph("float chain", static_cast<VertexId>(weights.size() + 2), arcs), WeightKind::f32,
                               [&](VertexId, VertexId, EdgeId e) { return std::bit_cast<std::uint32_t>(weights[e]); });
    ThreadPool pool(1);
    add_records(graph, pool);
    return graph;
  };
  const Graph near = chain({0.0f, 0x1p-149f, 0x1p-149f, 1e-40f});
  expect_sssp(near, arrangement, {0});
  const Graph far = chain({0.0f, 1e-40f, 3.4e38f, 3.4e38f, 1.0f});
  const auto session = open(far, arrangement);
  SsspOutput output;
  run_sssp(*session, 0, {0, variant_of(arrangement)}, &output);
  expect_correct(verify::check_sssp(far, output), "far");
  EXPECT_GT(std::get<std::vector<double>>(output.distances)[4], 6e38);
  const SsspOptions single{.variant = variant_of(arrangement), .distances = FloatDistances::f32};
  try {
    run_sssp(*session, 0, single, &output);
    ADD_FAILURE() << "a distance of 6.8e38 was taken for a float";
  } catch (const UsageError& error) {
    const std::string reason = error.what();
    if (reason.find("--distances f32 runs over") != std::string::npos) return;
    EXPECT_NE(reason.find("from vertex 0 to vertex 4 "), std::string::npos) << reason;
  }
  run_sssp(*session, 3, single, &output);
  EXPECT_EQ(output.distance_bits, 32);
  expect_correct(verify::check_sssp(far, output), "a source from which all fits");
  for (const Graph& graph : weighted(random_undirected(600, 9000, 5), arrangement)) {
    run_sssp(*open(graph, arrangement), 7, single, &output);
    expect_correct(verify::check_sssp(graph, output), "32-bit distances");
  }
}

}  // namespace graphrun::test
