// SPDX-License-Identifier: Apache-2.0
// Algorithms that a program brings, and what an engine must give them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/algorithm.hpp"
#include "support/refusal.hpp"
#include "support/shapes.hpp"

namespace graphrun::test {

/// For each vertex, the sum of what its edges weigh. It does not say how ranks merge that.
struct AddWeights {
  static constexpr const char* kName = "weights-of-vertices";
  static constexpr Reads kReads = {.weights = WeightKind::u32};
  using Output = std::vector<std::uint64_t>;

  struct Add {
    using Weight = std::uint32_t;
    std::uint64_t* sums;
    GR_HD VertexId source(VertexId u) const { return u; }
    GR_HD bool operator()(VertexId u, VertexId, Weight weight) const {
      atomics::fetch_add(sums[u], std::uint64_t{weight});
      return false;
    }
  };

  template <class Exec, class View>
  struct On {
    On(Exec& on, const GraphView<View>& of, const AddWeights&)
        : exec(on),
          graph(of),
          sums(on.template make_array<std::uint64_t>(of.num_vertices())),
          all(on, of.out),
          none(on, of.out) {}
    AlgoStats run() {
      fill(exec, sums, std::uint64_t{0});
      all.insert_all(exec);
      return {1, edge_map_push(exec, graph.out, graph.out_edges, all, Add{sums.data()}, none).edges};
    }
    Output output() { return exec.download(sums); }

    Exec& exec;
    GraphView<View> graph;
    typename Exec::template Array<std::uint64_t> sums;
    FrontierOf<Exec> all, none;
  };

  int trials = 2;
};

/// For each vertex, the smallest vertex of its component. A step changes some labels more than once.
struct SmallestVertices {
  static constexpr const char* kName = "smallest-vertices";
  static constexpr Reads kReads = {.undirected = true};
  using Output = std::vector<VertexId>;

  struct Lower {
    using Weight = NoWeight;
    using Can = Capabilities<can::Correct, can::Share>;
    VertexId* labels;
    GR_HD VertexId source(VertexId u) const { return state(u); }
    GR_HD bool operator()(VertexId label, VertexId v, NoWeight) const { return take(v, label); }
    GR_HD VertexId state(VertexId v) const { return atomics::load(labels[v]); }
    GR_HD bool take(VertexId v, VertexId label) const { return atomics::fetch_min(labels[v], label) > label; }
  };
  struct Own {
    VertexId* labels;
    GR_HD void operator()(std::size_t v) const { labels[v] = static_cast<VertexId>(v); }
  };

  template <class Exec, class View>
  struct On {
    On(Exec& on, const GraphView<View>& of, const SmallestVertices&)
        : exec(on),
          graph(of),
          labels(on.template make_array<VertexId>(of.num_vertices())),
          frontier(on, of.out),
          next(on, of.out) {}
    AlgoStats run() {
      vertex_map(exec, graph.num_vertices(), Own{labels.data()});
      frontier.insert_all(exec);
      AlgoStats stats;
      for (; !frontier.empty(); std::swap(frontier, next)) {
        ++stats.iterations;
        const Lower lower{labels.data()};
        stats.edges_examined += edge_map_push(exec, graph.out, graph.out_edges, frontier, lower, next).edges;
      }
      return stats;
    }
    Output output() { return exec.download(labels); }

    Exec& exec;
    GraphView<View> graph;
    typename Exec::template Array<VertexId> labels;
    FrontierOf<Exec> frontier, next;
  };
};

/// For each vertex, its in-edges.
struct CountInEdges {
  static constexpr const char* kName = "in-degrees";
  static constexpr Reads kReads = {.in_edges = true};
  using Output = std::vector<std::uint32_t>;

  struct Count {
    using Value = double;
    using Can = Capabilities<can::Share>;
    std::uint32_t* counts;
    GR_HD double value(VertexId) const { return 1; }
    GR_HD double finish(VertexId v, double sum) const {
      counts[v] = static_cast<std::uint32_t>(sum);
      return sum;
    }
    GR_HD std::uint32_t state(VertexId v) const { return counts[v]; }
    GR_HD void take(VertexId v, std::uint32_t count) const { counts[v] = count; }
  };

  template <class Exec, class View>
  struct On {
    On(Exec& on, const GraphView<View>& of, const CountInEdges&)
        : exec(on), graph(of), counts(on.template make_array<std::uint32_t>(of.num_vertices())) {}
    AlgoStats run() {
      const double edges = edge_reduce_pull(exec, graph.in, graph.in_edges, Count{counts.data()});
      return {1, static_cast<std::uint64_t>(edges)};
    }
    Output output() { return exec.download(counts); }

    Exec& exec;
    GraphView<View> graph;
    typename Exec::template Array<std::uint32_t> counts;
  };
};

/// Weights, transposes and trials over one backend; skips where that is not available. `more`: placement of several ranks.
inline void expect_own_algorithms(const std::string& backend, const std::string& device,
                                  const std::map<std::string, std::string>& more = {}) {
  Graph graph = random_directed(500, 3000, 7);
  graph.in.reset();
  std::vector<std::uint32_t> in_degrees(500);
  for (EdgeId e = 0; e < graph.num_edges(); ++e) ++in_degrees[graph.out.neighbours[e]];
  try {
    const char* const cache = device != "cpu" ? "" : more.empty() ? "64KiB" : "192KiB";  // warps and ranks need more of it
    const EngineOptions how{.backend = backend, .device = device, .cache = cache, .threads = 2, .more = more};
    Engine engine(graph, how);
    if (more.empty() && device.find(',') == std::string::npos) {
      const auto sums = engine.run(AddWeights{});
      EXPECT_EQ(sums.trials().size(), 2u);
      EXPECT_EQ(sums.trial().stats.edges_examined, graph.num_edges());
      for (VertexId v = 0; v < 500; ++v) ASSERT_EQ(sums.values()[v], graph.out.degree(v)) << v;  // each edge weighs 1
    } else {
      EXPECT_NE(refusal([&] { engine.run(AddWeights{}); }).find("does not say how ranks merge"), std::string::npos);
    }
    EXPECT_EQ(engine.run(CountInEdges{}).values(), in_degrees);
    EXPECT_TRUE(engine.run(Bfs{.source = 1, .verify = true}).verified());
    EXPECT_EQ(engine.run(CountInEdges{}).values(), in_degrees);

    Engine undirected(open("kron:9:8"), how);
    const auto components = undirected.run(ConnectedComponents{.verify = true});
    std::vector<VertexId> smallest(components.values().size(), kNoVertex);
    for (VertexId v = 0; v < smallest.size(); ++v) {
      VertexId& least = smallest[components.values()[v]];
      least = std::min(least, v);
    }
    const auto labels = undirected.run(SmallestVertices{});
    for (VertexId v = 0; v < smallest.size(); ++v) ASSERT_EQ(labels.values()[v], smallest[components.values()[v]]) << v;
  } catch (const UnavailableError& error) {
    GTEST_SKIP() << error.what();
  }
}

}  // namespace graphrun::test
