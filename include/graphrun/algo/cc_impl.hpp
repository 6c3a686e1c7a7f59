// Weakly connected components, both executors. State is a forest: parents[v] <= v, roots point to themselves. Linking an
// edge hooks the larger of two roots under the smaller; compressing makes every vertex point to its root.
//
// Sampling skips most edges: after two edges a vertex, nearly all of a graph with a giant component is in one tree, and
// an edge with an end in that tree needs no look if its other end looks at it (which is why a directed graph needs its
// transpose to skip anything).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graphrun/algo/cc.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/operators.hpp"

namespace graphrun::cc::inline GR_IDS {

inline constexpr EdgeId kSampledEdges = 2;        // a vertex, before the largest component is guessed
inline constexpr std::size_t kSampleSize = 1024;  // vertices asked for their root to guess it

/// The root above v; on the way every vertex is made to point one further up, so that later walks are short (intermediate
/// pointer jumping; Jaiganesh and Burtscher, HPDC 2018). A store may undo a longer jump of another worker; both are right.
GR_HD inline VertexId find(VertexId* parents, VertexId v) {
  VertexId current = atomics::load(parents[v]);
  if (current == v) return v;
  VertexId below = v;
  for (VertexId above; (above = atomics::load(parents[current])) != current;) {
    atomics::store(parents[below], above);
    below = current;
    current = above;
  }
  return current;
}

GR_HD inline void link(VertexId* parents, VertexId u, VertexId v) {
  VertexId a = find(parents, u);
  VertexId b = find(parents, v);
  while (a != b) {
    const VertexId high = a > b ? a : b;
    const VertexId low = a > b ? b : a;
    if (atomics::compare_exchange(parents[high], high, low)) return;
    a = find(parents, high);
    b = find(parents, low);
  }
}

struct Link {
  VertexId* parents;
  GR_HD bool wants(VertexId) const { return true; }
  GR_HD void operator()(VertexId v, VertexId u) const { link(parents, v, u); }
  GR_HD VertexId state(VertexId v) const { return parents[v]; }
  GR_HD void take(VertexId v, VertexId parent) const {
    if (parent != atomics::load(parents[v])) link(parents, v, parent);
  }
};

struct LinkOutside : Link {
  VertexId largest;
  GR_HD bool wants(VertexId v) const { return atomics::load(parents[v]) != largest; }
};

struct Compress {
  VertexId* parents;
  GR_HD void operator()(std::size_t v) const {
    VertexId root = atomics::load(parents[v]);
    for (VertexId above; (above = atomics::load(parents[root])) != root;) root = above;
    atomics::store(parents[v], root);
  }
};

struct SelfParent {
  VertexId* parents;
  GR_HD void operator()(std::size_t v) const { parents[v] = static_cast<VertexId>(v); }
};

struct Sample {
  const VertexId* parents;
  VertexId* sample;
  std::uint64_t num_vertices;
  GR_HD void operator()(std::size_t i) const {
    const std::uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15ull;
    sample[i] = parents[(mixed ^ (mixed >> 29)) % num_vertices];
  }
};

}  // namespace graphrun::cc::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
CcRun<Exec, View>::CcRun(Exec& exec, const GraphView<View>& graph, const CcOptions& options)
    : exec_(exec),
      graph_(graph),
      options_(options),
      parents_(exec.template make_array<VertexId>(graph.num_vertices())),
      sample_(exec.template make_array<VertexId>(cc::kSampleSize)) {
  if (options_.variant == CcVariant::afforest) graph_.require_in("cc by afforest");
}

template <class Exec, class View>
void CcRun<Exec, View>::compress() {
  vertex_map(exec_, graph_.num_vertices(), cc::Compress{parents_.data()});
}

template <class Exec, class View>
VertexId CcRun<Exec, View>::sample_most_frequent() {
  vertex_map(exec_, cc::kSampleSize, cc::Sample{parents_.data(), sample_.data(), graph_.num_vertices()});
  std::vector<VertexId> roots = exec_.download(sample_);
  std::sort(roots.begin(), roots.end());
  VertexId best = roots[0];
  std::size_t best_count = 0;
  for (std::size_t i = 0; i < roots.size();) {
    const auto begin = roots.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = static_cast<std::size_t>(std::upper_bound(begin, roots.end(), roots[i]) - roots.begin());
    if (end - i > best_count) best = roots[i], best_count = end - i;
    i = end;
  }
  return best;
}

template <class Exec, class View>
AlgoStats CcRun<Exec, View>::run() {
  AlgoStats stats;
  Progress progress("components", 0, "pass");
  const auto count = [&](const EdgeMapStats& step) {
    stats.edges_examined += step.edges;
    ++stats.iterations;
    progress.end_round(step.edges);
  };
  if (graph_.num_vertices() == 0) return stats;
  vertex_map(exec_, graph_.num_vertices(), cc::SelfParent{parents_.data()});
  bool compressed = false;
  if (options_.variant == CcVariant::hooking) {
    count(edge_map_all(exec_, graph_.out, graph_.out_edges, 0, cc::Link{parents_.data()}));
  } else {
    count(edge_map_leading(exec_, graph_.out, graph_.out_edges, cc::kSampledEdges, cc::Link{parents_.data()}));
    compress();
    const std::uint64_t sampled = stats.edges_examined;
    const cc::LinkOutside link{{parents_.data()}, sample_most_frequent()};
    count(edge_map_all(exec_, graph_.out, graph_.out_edges, cc::kSampledEdges, link));
    if (!graph_.symmetric) count(edge_map_all(exec_, graph_.in, graph_.in_edges, 0, link));
    compressed = stats.edges_examined == sampled;
  }
  if (!compressed) compress();
  exec_.synchronize();
  return stats;
}

template <class Exec, class View>
CcOutput CcRun<Exec, View>::output() {
  return {exec_.download(parents_)};
}

}  // namespace graphrun::inline GR_IDS
