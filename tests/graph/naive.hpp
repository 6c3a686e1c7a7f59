// SPDX-License-Identifier: Apache-2.0
// Graphs the slow way, for comparison.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "graphrun/graph/build.hpp"

namespace graphrun::naive {

struct Arc {
  VertexId u;
  VertexId v;
  std::uint32_t weight = 0;
  auto operator<=>(const Arc&) const = default;
};

using Arcs = std::vector<Arc>;

inline EdgeList list_of(VertexId n, const Arcs& arcs, graphrun::Arcs meaning = graphrun::Arcs::directed,
                        WeightKind kind = WeightKind::none) {
  EdgeList list;
  list.num_vertices = n;
  list.arcs = meaning;
  list.weight_kind = kind;
  list.sources = Column<VertexId>::allocate(arcs.size());
  list.targets = Column<VertexId>::allocate(arcs.size());
  if (kind != WeightKind::none) list.weights = Column<std::uint32_t>::allocate(arcs.size());
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    list.sources[i] = arcs[i].u;
    list.targets[i] = arcs[i].v;
    if (kind != WeightKind::none) list.weights[i] = arcs[i].weight;
  }
  return list;
}

/// In the order they are stored.
inline Arcs arcs_of(const Csr& csr) {
  Arcs arcs;
  for (VertexId u = 0; u < csr.num_vertices(); ++u) {
    for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) {
      arcs.push_back({u, csr.neighbours[e], csr.weights.empty() ? 0 : csr.weights[e]});
    }
  }
  return arcs;
}

/// What build_graph should store, for lists sorted.
inline Arcs expected(Arcs arcs, bool mirror, const BuildOptions& options, WeightKind kind) {
  if (mirror) {
    Arcs both;
    for (const Arc& arc : arcs) {
      both.push_back(arc);
      if (arc.u != arc.v) both.push_back({arc.v, arc.u, arc.weight});
    }
    arcs = std::move(both);
  }
  if (options.drop_self_loops) std::erase_if(arcs, [](const Arc& arc) { return arc.u == arc.v; });
  const auto ends = [](const Arc& arc) { return std::tuple(arc.u, arc.v); };
  std::stable_sort(arcs.begin(), arcs.end(), [&](const Arc& a, const Arc& b) {
    if (ends(a) != ends(b) || options.merge == MergeRule::first) return ends(a) < ends(b);
    if (kind == WeightKind::f32) return std::bit_cast<float>(a.weight) < std::bit_cast<float>(b.weight);
    return a.weight < b.weight;
  });
  if (options.merge != MergeRule::keep) {
    Arcs merged;
    for (auto run = arcs.begin(), next = run; run != arcs.end(); run = next) {
      next = std::find_if(run, arcs.end(), [&](const Arc& arc) { return ends(arc) != ends(*run); });
      Arc one = options.merge == MergeRule::max ? next[-1] : *run;
      if (options.merge == MergeRule::sum) {
        double sum = 0;
        for (auto arc = run; arc != next; ++arc) sum += kind == WeightKind::f32 ? std::bit_cast<float>(arc->weight) : arc->weight;
        one.weight =
            kind == WeightKind::f32 ? std::bit_cast<std::uint32_t>(static_cast<float>(sum)) : static_cast<std::uint32_t>(sum);
      }
      merged.push_back(one);
    }
    arcs = std::move(merged);
  }
  if (kind == WeightKind::none) {
    for (Arc& arc : arcs) arc.weight = 0;
  }
  return arcs;
}

/// Squared, so that small ids are hubs and pairs repeat. f32 weights have both signs.
inline Arcs random_arcs(VertexId n, std::size_t count, std::uint32_t seed, WeightKind kind) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto vertex = [&] {
    const double x = unit(random);
    return static_cast<VertexId>(x * x * static_cast<double>(n));
  };
  Arcs arcs;
  for (std::size_t i = 0; i < count; ++i) {
    const VertexId u = vertex();
    const VertexId v = vertex();
    const std::uint32_t word = static_cast<std::uint32_t>(random());
    const bool real = kind == WeightKind::f32;
    arcs.push_back({u, v, real ? std::bit_cast<std::uint32_t>(static_cast<float>(word % 64) - 31.5f) : word % 16});
  }
  return arcs;
}

}  // namespace graphrun::naive
