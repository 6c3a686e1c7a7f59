// SPDX-License-Identifier: Apache-2.0

#include "graphrun/algorithms/walks.hpp"

#include <algorithm>
#include <array>
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

  /// Returns the vertices of a walk, and kNoVertex after it ended early. Throws UsageError for a source that is no vertex.
  std::vector<VertexId> walk(std::uint64_t number) {
    const std::uint64_t source = number / std::max<std::uint64_t>(1, options_.per_source);
    const std::uint64_t start = options_.sources.empty() ? source : options_.sources.at(source);
    if (start >= graph_.num_vertices())
      raise<UsageError>("source {} is not below the number of vertices, {}", start, graph_.num_vertices());
    std::vector<VertexId> vertices(options_.length + 1, kNoVertex);
    vertices[0] = static_cast<VertexId>(start);
    for (std::uint64_t step = 0; step < options_.length && weigh(vertices[step]) != 0; ++step) {
      const bool is_only = graph_.out.degree(vertices[step]) == 1;
      for (std::uint64_t trial = 0; vertices[step + 1] == kNoVertex; ++trial) {
        const auto word = [&](WalkDraw what) { return walk_word(options_.seed, number, step, trial, what); };
        const VertexId to = draw(vertices[step], word(WalkDraw::edge));
        if (step == 0 || is_only || accepts(vertices[step - 1], to, word(WalkDraw::acceptance))) vertices[step + 1] = to;
      }
    }
    return vertices;
  }

 private:
  /// Running sums of the weights of a vertex's edges, in whole units.
  struct Sums {
    VertexId vertex = kNoVertex;
    std::uint64_t all = 0;
    std::vector<std::uint64_t> running;
  };

  /// Returns the sum of the weights of u's edges, or their number where walks are not by weight. Keeps running sums for draw().
  std::uint64_t weigh(VertexId u) {
    const EdgeId begin = graph_.out.offsets[u], degree = graph_.out.degree(u);
    if (!options_.weighted) return degree;
    Sums& sums = sums_of(u);
    if (sums.vertex == u) return sums.all;
    sums.vertex = u;
    double largest = 0;
    for (EdgeId k = 0; k < degree; ++k) largest = std::max(largest, weight(begin + k));
    int exponent = 0, bits = 0;
    std::frexp(largest, &exponent);
    while (degree >> bits != 0) ++bits;
    const double unit = std::ldexp(1.0, exponent - std::min(41, 63 - bits));
    sums.running.resize(degree);
    std::uint64_t sum = 0;
    for (EdgeId k = 0; k < degree && largest != 0; ++k)
      sums.running[k] = sum += static_cast<std::uint64_t>(weight(begin + k) / unit);
    return sums.all = sum;
  }
  double weight(EdgeId e) const { return graph_.weight_of(graph_.out.weights[e]); }
  Sums& sums_of(VertexId u) { return sums_[u % sums_.size()]; }
  VertexId draw(VertexId u, std::uint64_t word) {
    const EdgeId begin = graph_.out.offsets[u];
    if (!options_.weighted) return graph_.out.neighbours[begin + number_below(graph_.out.degree(u), word)];
    const std::vector<std::uint64_t>& running = sums_of(u).running;
    const auto place = std::ranges::upper_bound(running, number_below(running.back(), word));
    return graph_.out.neighbours[begin + static_cast<EdgeId>(place - running.begin())];
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
  std::array<Sums, 256> sums_;  // of vertices met lately, by their ids
};

}  // namespace

std::vector<VertexId> serial_walk(const Graph& graph, const WalksOptions& options, std::uint64_t number) {
  return Walker(graph, options).walk(number);
}

Verdict check_walks(const Graph& graph, const WalksOutput& output, const WalksOptions& options) {
  const std::size_t sources = options.sources.empty() ? graph.num_vertices() : options.sources.size();
  if (output.walks != sources * options.per_source) return wrong("there are {} walks", output.walks);
  if (const Verdict sized = check_size("vertices of walks", output.vertices.size(), output.walks * (options.length + 1)); !sized)
    return sized;
  if (const Verdict sized = check_size("visits", output.visits.size(), graph.num_vertices()); !sized) return sized;
  std::vector<std::uint64_t> visits(graph.num_vertices());
  std::uint64_t steps = 0, dead_ends = 0;
  Walker walker(graph, options);
  Progress progress("walks anew", output.walks);
  for (std::size_t i = 0; i < output.walks; ++i) {
    const std::vector<VertexId> expected = walker.walk(i);
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
