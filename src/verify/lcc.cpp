// SPDX-License-Identifier: Apache-2.0

#include "graphrun/algorithms/lcc.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

/// A neighbour, and how many arcs join both.
struct Joined {
  VertexId vertex;
  std::uint8_t arcs;
};

/// Neighbours of larger degree of each vertex, by id on ties: of[begins[v] .. begins[v+1]).
struct LargerNeighbours {
  std::vector<EdgeId> begins;
  std::vector<Joined> of;
  std::vector<std::uint64_t> degrees;  // distinct neighbours, larger or not
};

LargerNeighbours find_larger(const Csr& csr) {
  const std::size_t n = csr.num_vertices();
  std::vector<EdgeId> ends(n, 0);  // arcs at each vertex
  const auto for_each_arc = [&](const auto& use) {
    for (std::size_t v = 0; v < n; ++v) {
      for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
        if (csr.neighbours[e] != v) use(static_cast<VertexId>(v), csr.neighbours[e]);
      }
    }
  };
  for_each_arc([&](VertexId v, VertexId u) { ++ends[v], ++ends[u]; });
  const auto is_less = [&](VertexId a, VertexId b) { return ends[a] != ends[b] ? ends[a] < ends[b] : a < b; };
  // Each arc at its smaller end, as twice the larger one, plus its direction.
  std::vector<EdgeId> begins(n + 1, 0);
  for_each_arc([&](VertexId v, VertexId u) { ++begins[is_less(v, u) ? v : u]; });
  EdgeId sum = 0;
  for (EdgeId& begin : begins) sum += begin, begin = sum;
  std::vector<std::uint64_t> arcs(sum);
  for_each_arc([&](VertexId v, VertexId u) {
    if (is_less(v, u))
      arcs[--begins[v]] = std::uint64_t{u} * 2;
    else
      arcs[--begins[u]] = std::uint64_t{v} * 2 + 1;
  });
  LargerNeighbours larger{{0}, {}, std::vector<std::uint64_t>(n, 0)};
  for (std::size_t v = 0; v < n; ++v) {
    const auto first = arcs.begin() + static_cast<std::ptrdiff_t>(begins[v]);
    const auto last = arcs.begin() + static_cast<std::ptrdiff_t>(begins[v + 1]);
    std::sort(first, last);
    for (auto at = first, end = std::unique(first, last); at != end; ++at) {
      const auto vertex = static_cast<VertexId>(*at / 2);
      if (larger.of.size() > larger.begins.back() && larger.of.back().vertex == vertex) {
        larger.of.back().arcs = 2;
        continue;
      }
      larger.of.push_back({vertex, 1});
      ++larger.degrees[v];
      ++larger.degrees[vertex];
    }
    larger.begins.push_back(larger.of.size());
  }
  return larger;
}

}  // namespace

LccOutput serial_lcc(const Csr& csr) {
  const std::size_t n = csr.num_vertices();
  const LargerNeighbours larger = find_larger(csr);
  LccOutput found{std::vector<double>(n, 0), std::vector<std::uint64_t>(n, 0)};
  std::vector<std::uint8_t> marks(n, 0);
  Progress progress("coefficients anew", n);
  for (std::size_t v = 0; v < n; ++v) {
    progress.advance(1);
    const auto list = std::span(larger.of).subspan(larger.begins[v], larger.begins[v + 1] - larger.begins[v]);
    for (const Joined& to : list) marks[to.vertex] = to.arcs;
    for (const auto& [u, arcs] : list) {
      for (EdgeId e = larger.begins[u]; e < larger.begins[std::size_t{u} + 1]; ++e) {
        const auto& [w, between] = larger.of[e];
        if (marks[w] == 0) continue;
        found.arcs[v] += between;
        found.arcs[u] += marks[w];
        found.arcs[w] += arcs;
      }
    }
    for (const Joined& to : list) marks[to.vertex] = 0;
  }
  double arcs = 0;
  double pairs = 0;
  for (std::size_t v = 0; v < n; ++v) {
    const auto degree = static_cast<double>(larger.degrees[v]);
    if (degree < 2) continue;
    found.coefficients[v] = static_cast<double>(found.arcs[v]) / (degree * (degree - 1));
    found.mean += found.coefficients[v] / static_cast<double>(n);
    arcs += static_cast<double>(found.arcs[v]);
    pairs += degree * (degree - 1);
  }
  if (pairs > 0) found.transitivity = arcs / pairs;
  return found;
}

Verdict check_lcc(const Graph& graph, const LccOutput& output) {
  const VertexId n = graph.num_vertices();
  for (const std::size_t size : {output.coefficients.size(), output.arcs.size()}) {
    if (const Verdict sized = check_size("coefficients", size, n); !sized) return sized;
  }
  const LccOutput expected = serial_lcc(graph.out);
  for (VertexId v = 0; v < n; ++v) {
    if (output.arcs[v] != expected.arcs[v])
      return wrong("vertex {}: {} arcs between neighbours, expected {}", graph.names.text(v), output.arcs[v], expected.arcs[v]);
    if (!(std::abs(output.coefficients[v] - expected.coefficients[v]) <= 1e-12))
      return wrong("vertex {}: coefficient {}, expected {}", graph.names.text(v), output.coefficients[v],
                   expected.coefficients[v]);
  }
  if (!(std::abs(output.mean - expected.mean) <= 1e-9)) return wrong("mean {}, expected {}", output.mean, expected.mean);
  if (!(std::abs(output.transitivity - expected.transitivity) <= 1e-9))
    return wrong("transitivity {}, expected {}", output.transitivity, expected.transitivity);
  return {};
}

}  // namespace graphrun::verify::inline GR_IDS
