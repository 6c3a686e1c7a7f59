// SPDX-License-Identifier: Apache-2.0

#include "graphrun/algorithms/walks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/verify/verify.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

/// One walker, which finishes a walk before the next one.
class Walker {
 public:
  Walker(const Graph& graph, const WalksOptions& options) : graph_(graph), options_(options) {}

  /// Returns the vertices of a walk, and kNoVertex after it ended early.
  std::vector<VertexId> walk(std::uint64_t number, VertexId start) {
    std::vector<VertexId> vertices(options_.length + 1, kNoVertex);
    vertices[0] = start;
    for (std::uint64_t step = 0; step < options_.length && weigh(vertices[step]) != 0; ++step) {
      for (std::uint64_t trial = 0; vertices[step + 1] == kNoVertex; ++trial) {
        const auto word = [&](WalkDraw what) { return walk_word(options_.seed, number, step, trial, what); };
        const VertexId to = draw(vertices[step], word(WalkDraw::edge));
        if (step == 0 || accepts(vertices[step - 1], to, word(WalkDraw::acceptance))) vertices[step + 1] = to;
      }
    }
    return vertices;
  }

 private:
  /// Fills sums_ with the running sums of the weights of u's edges, in whole units; returns the last.
  std::uint64_t weigh(VertexId u) {
    const EdgeId begin = graph_.out.offsets[u], degree = graph_.out.degree(u);
    if (!options_.weighted) return degree;
    double largest = 0;
    for (EdgeId k = 0; k < degree; ++k) largest = std::max(largest, weight(begin + k));
    int exponent = 0, bits = 0;
    std::frexp(largest, &exponent);
    while (degree >> bits != 0) ++bits;
    const double unit = std::ldexp(1.0, exponent - std::min(41, 63 - bits));
    sums_.resize(degree);
    std::uint64_t sum = 0;
    for (EdgeId k = 0; k < degree; ++k) sums_[k] = sum += static_cast<std::uint64_t>(weight(begin + k) / unit);
    return largest == 0 ? 0 : sum;
  }
  double weight(EdgeId e) const { return graph_.weight_of(graph_.out.weights[e]); }
  VertexId draw(VertexId u, std::uint64_t word) const {
    const EdgeId begin = graph_.out.offsets[u];
    if (!options_.weighted) return graph_.out.neighbours[begin + number_below(graph_.out.degree(u), word)];
    const auto place = std::ranges::upper_bound(sums_, number_below(sums_.back(), word));
    return graph_.out.neighbours[begin + static_cast<EdgeId>(place - sums_.begin())];
  }
  bool accepts(VertexId before, VertexId to, std::uint64_t word) const {
    if (!options_.biased()) return true;
    const double back = 1 / options_.p, elsewhere = 1 / options_.q;
    const double number = unit_interval(word) * std::max({back, elsewhere, 1.0});
    if (to == before) return number < back;
    if (number < std::min(1.0, elsewhere)) return true;
    const auto list = graph_.out.neighbours.span().subspan(graph_.out.offsets[before], graph_.out.degree(before));
    return number < (std::ranges::find(list, to) != list.end() ? 1 : elsewhere);
  }

  const Graph& graph_;
  const WalksOptions& options_;
  std::vector<std::uint64_t> sums_;
};

}  // namespace

std::vector<VertexId> serial_walk(const Graph& graph, const WalksOptions& options, std::uint64_t number) {
  const std::uint64_t source = number / options.per_source;
  const std::uint64_t start = options.sources.empty() ? source : options.sources[source];
  if (start >= graph.num_vertices())
    raise<UsageError>("source {} is not below the number of vertices, {}", start, graph.num_vertices());
  return Walker(graph, options).walk(number, static_cast<VertexId>(start));
}

Verdict check_walks(const Graph& graph, const WalksOutput& output, const WalksOptions& options) {
  const std::size_t sources = options.sources.empty() ? graph.num_vertices() : options.sources.size();
  if (output.walks != sources * options.per_source) return wrong("there are {} walks", output.walks);
  if (const Verdict sized = check_size("vertices of walks", output.vertices.size(), output.walks * (options.length + 1)); !sized)
    return sized;
  if (const Verdict sized = check_size("visits", output.visits.size(), graph.num_vertices()); !sized) return sized;
  std::vector<std::uint64_t> visits(graph.num_vertices());
  std::uint64_t steps = 0, dead_ends = 0;
  Progress progress("walks anew", output.walks);
  for (std::size_t i = 0; i < output.walks; ++i) {
    const std::vector<VertexId> expected = serial_walk(graph, options, i);
    for (std::size_t step = 0; step < expected.size(); ++step) {
      const VertexId found = output.vertices[step * output.walks + i];
      if (found != expected[step]) return wrong("walk {}: vertex {} after {} steps, expected {}", i, found, step, expected[step]);
      if (found == kNoVertex) continue;
      ++visits[found];
      if (step > 0) ++steps;
    }
    if (expected.back() == kNoVertex) ++dead_ends;
    progress.advance(1);
  }
  if (output.visits != visits) return wrong("visits are not those of the walks");
  if (output.steps != steps || output.dead_ends != dead_ends)
    return wrong("{} steps and {} dead ends, expected {} and {}", output.steps, output.dead_ends, steps, dead_ends);
  return {};
}

}  // namespace graphrun::verify::inline GR_IDS
