// SPDX-License-Identifier: Apache-2.0
// Graphs written as lists of arcs, built one arc at a time and without build_graph, so that both can be tested apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/graph.hpp"

namespace graphrun::test {

using Arc = std::pair<VertexId, VertexId>;

/// Lists keep the order of `arcs`. Every id must be below `n`.
inline Csr csr_from_arcs(VertexId n, const std::vector<Arc>& arcs) {
  Csr csr;
  csr.offsets = Column<EdgeId>::allocate(std::size_t{n} + 1);
  csr.neighbours = Column<VertexId>::allocate(arcs.size());
  for (const Arc& arc : arcs) ++csr.offsets[std::size_t{arc.first} + 1];
  for (std::size_t v = 0; v < n; ++v) csr.offsets[v + 1] += csr.offsets[v];
  std::vector<EdgeId> next(csr.offsets.data(), csr.offsets.data() + n);
  for (const Arc& arc : arcs) csr.neighbours[next[arc.first]++] = arc.second;
  return csr;
}

/// With its transpose.
inline Graph directed_graph(std::string name, VertexId n, const std::vector<Arc>& arcs) {
  std::vector<Arc> opposite;
  for (const Arc& arc : arcs) opposite.emplace_back(arc.second, arc.first);
  Graph graph;
  graph.name = std::move(name);
  graph.out = csr_from_arcs(n, arcs);
  graph.in = csr_from_arcs(n, opposite);
  return graph;
}

/// `edges` are listed once; a self loop stays one arc.
inline Graph undirected_graph(std::string name, VertexId n, const std::vector<Arc>& edges) {
  std::vector<Arc> arcs;
  for (const auto& [u, v] : edges) {
    arcs.emplace_back(u, v);
    if (u != v) arcs.emplace_back(v, u);
  }
  Graph graph;
  graph.name = std::move(name);
  graph.out = csr_from_arcs(n, arcs);
  graph.symmetric = true;
  return graph;
}

/// Gives each arc u -> v at position e of the edge list the word `word_of(u, v, e)`.
template <class WordOf>
Graph with_weights(Graph graph, WeightKind kind, const WordOf& word_of) {
  graph.weight_kind = kind;
  graph.out.weights = Column<std::uint32_t>::allocate(graph.num_edges());
  for (VertexId u = 0; u < graph.num_vertices(); ++u) {
    for (EdgeId e = graph.out.offsets[u]; e < graph.out.offsets[u + 1]; ++e) {
      graph.out.weights[e] = word_of(u, graph.out.neighbours[e], e);
    }
  }
  return graph;
}

/// Does the same with u64 weights.
template <class WeightOf>
Graph with_wide_weights(Graph graph, const WeightOf& weight_of) {
  auto weights = Column<std::uint64_t>::allocate(graph.num_edges());
  for (VertexId u = 0; u < graph.num_vertices(); ++u) {
    for (EdgeId e = graph.out.offsets[u]; e < graph.out.offsets[u + 1]; ++e)
      weights[e] = weight_of(u, graph.out.neighbours[e], e);
  }
  ThreadPool pool(1);
  take_wide_weights(graph, std::move(weights), pool);
  return graph;
}

}  // namespace graphrun::test
