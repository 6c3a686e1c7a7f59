// SPDX-License-Identifier: Apache-2.0
// The k-cores of an undirected graph, as an algorithm that its user brings: docs/extending.md says how it is made. g++ compiles
// it for host threads, nvcc for GPUs too. The k-core is what is left when vertices of fewer than k neighbours are taken out until
// there is none (Seidman, Social Networks 1983); peeling one k after another finds all of them (Matula and Beck, JACM 1983).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <graphrun/algorithm.hpp>
#include <string>
#include <utility>
#include <vector>

using graphrun::EdgeId, graphrun::NoWeight, graphrun::Rows, graphrun::VertexId;

constexpr VertexId kNotPeeled = graphrun::kNoVertex;

struct Start {
  Rows rows;
  VertexId* left;
  VertexId* cores;
  GR_HD void operator()(std::size_t v) const {
    left[v] = static_cast<VertexId>(rows.degree(static_cast<VertexId>(v)));
    cores[v] = kNotPeeled;
  }
};

struct IsLeft {
  const VertexId* cores;
  GR_HD std::uint64_t operator()(std::size_t v) const { return cores[v] == kNotPeeled; }
};

/// Vertices left with at most k edges.
struct HasFew {
  const VertexId* left;
  const VertexId* cores;
  VertexId k;
  GR_HD bool operator()(VertexId v) const { return cores[v] == kNotPeeled && left[v] <= k; }
};

/// Takes a vertex out, and with it an edge of each neighbour. The neighbour that keeps k of them is next.
struct Peel {
  using Weight = NoWeight;
  using Can = graphrun::Capabilities<graphrun::can::Prepare, graphrun::can::Add>;
  VertexId* left;
  VertexId* cores;
  VertexId k;

  GR_HD void prepare(VertexId u) const { cores[u] = k; }
  GR_HD VertexId source(VertexId u) const { return u; }
  GR_HD VertexId operator()(VertexId, VertexId, NoWeight) const { return 1; }
  GR_HD bool add(VertexId v, VertexId edges) const {
    const VertexId before = graphrun::atomics::fetch_add(left[v], 0 - edges);
    return before > k && before - edges <= k;
  }
};

struct KCore {
  static constexpr const char* kName = "k-core";
  static constexpr graphrun::Reads kReads = {.undirected = true};
  using Output = std::vector<VertexId>;  ///< of each vertex: the largest k whose core it is in

  template <class Exec, class View>
  class On;

  int trials = 1;
};

template <class Exec, class View>
class KCore::On {
 public:
  On(Exec& exec, const graphrun::GraphView<View>& graph, const KCore&)
      : exec_(exec),
        graph_(graph),
        left_(exec.template make_array<VertexId>(graph.num_vertices())),
        cores_(exec.template make_array<VertexId>(graph.num_vertices())),
        frontier_(exec, graph.out),
        next_(exec, graph.out) {}

  graphrun::AlgoStats run() {
    const VertexId n = graph_.num_vertices();
    graphrun::AlgoStats stats;
    vertex_map(exec_, n, Start{graph_.out, left_.data(), cores_.data()});
    for (VertexId k = 0; graphrun::vertex_sum<std::uint64_t>(exec_, n, IsLeft{cores_.data()}) != 0; ++k) {
      vertex_filter(exec_, n, HasFew{left_.data(), cores_.data(), k}, frontier_);
      for (; !frontier_.empty(); std::swap(frontier_, next_)) {
        const Peel peel{left_.data(), cores_.data(), k};
        stats.edges_examined += edge_map_push(exec_, graph_.out, graph_.out_edges, frontier_, peel, next_).edges;
        ++stats.iterations;
      }
    }
    exec_.synchronize();
    return stats;
  }

  Output output() { return exec_.download(cores_); }

 private:
  Exec& exec_;
  graphrun::GraphView<View> graph_;
  typename Exec::template Array<VertexId> left_;  // edges that are left of each vertex
  typename Exec::template Array<VertexId> cores_;
  graphrun::FrontierOf<Exec> frontier_;
  graphrun::FrontierOf<Exec> next_;
};

/// The same by one thread, which takes out a vertex of fewest edges again and again: to check with.
static std::vector<VertexId> serial_cores(const graphrun::Graph& graph) {
  const VertexId n = graph.num_vertices();
  std::vector<VertexId> left(n);
  std::vector<std::vector<VertexId>> with;  // of so many edges, once
  const auto put = [&](VertexId v) {
    if (left[v] >= with.size()) with.resize(left[v] + 1);
    with[left[v]].push_back(v);
  };
  for (VertexId v = 0; v < n; ++v) left[v] = static_cast<VertexId>(graph.out.degree(v)), put(v);
  std::vector<VertexId> cores(n, kNotPeeled);
  VertexId core = 0;
  for (std::size_t few = 0; few < with.size();) {
    if (with[few].empty()) {
      ++few;
      continue;
    }
    const VertexId u = with[few].back();
    with[few].pop_back();
    if (cores[u] != kNotPeeled || left[u] != few) continue;
    cores[u] = core = std::max(core, static_cast<VertexId>(few));
    for (EdgeId e = graph.out.offsets[u]; e < graph.out.offsets[u + 1]; ++e) {
      const VertexId v = graph.out.neighbours[e];
      if (cores[v] != kNotPeeled) continue;
      --left[v], put(v);
      few = std::min<std::size_t>(few, left[v]);
    }
  }
  return cores;
}

// k_core GRAPH [BACKEND [DEVICE [RANKS]]]
int main(int argc, char** argv) try {
  if (argc < 2) return std::fprintf(stderr, "usage: k_core GRAPH [BACKEND [DEVICE [RANKS]]]\n"), 2;
  const graphrun::Graph graph = graphrun::open(argv[1], {.undirected = true, .drop_self_loops = true, .drop_duplicates = true});
  graphrun::EngineOptions how{.backend = argc > 2 ? argv[2] : "emogi", .device = argc > 3 ? argv[3] : "cpu"};
  if (argc > 4) how.more = {{"ranks", argv[4]}};
  graphrun::Engine engine(graph, how);
  const auto cores = engine.run(KCore{.trials = 2});
  const auto deepest = std::max_element(cores.values().begin(), cores.values().end());
  const bool right = cores.values() == serial_cores(graph);
  std::printf("%s: deepest core %llu in %.2f ms, %llu edges examined, %s\n", graph.name.c_str(),
              static_cast<unsigned long long>(deepest == cores.values().end() ? 0 : *deepest), cores.trial().elapsed_ms,
              static_cast<unsigned long long>(cores.trial().stats.edges_examined), right ? "right" : "WRONG");
  return right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
