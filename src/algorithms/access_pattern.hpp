// SPDX-License-Identifier: Apache-2.0
// A plan's model of an algorithm: the edges that its trials read, how often and in what order (docs/storage.md).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "graphrun/core/types.hpp"
#include "graphrun/io/estimate.hpp"

namespace graphrun::inline GR_IDS {

/// A cold trial's reads of the edges, in pages of 4 to 8 KiB: fitted to graphs of scale 20.
struct AccessPattern {
  double passes;            ///< when no page stays
  double touched;           ///< share of the edges on touched pages
  double reads_per_vertex;  ///< random reads of vertex state in memory
  double reads_per_arc;
  bool in_order = false;        ///< each pass scans the file from its beginning to its end
  bool small_steps = false;     ///< a search: on a low-degree graph each step needs little of each page
  bool in_edges_alone = false;  ///< reads only the transpose of a directed graph
  double searches = 1;          ///< successive searches in a trial
};

/// Edges that a GPU's loads move over its link in whole sectors, as shares of all edges. A share `near` is cached in device
/// memory as prefixes. Fitted to graphs of scales 21 and 24.
struct LinkTraffic {
  double all;         ///< without cached prefixes
  double decay = 0;   ///< factor exp(-decay * near), of searches that stop early, and of prefixes, where these are read
  double least = 0;   ///< lower bound
  double linear = 0;  ///< factor 1 - linear * near, of passes over whole lists
  double share(double near) const { return all * std::max(std::exp(-decay * near), least) * (1 - linear * near); }
};

inline constexpr double kWholeLists = 1.06;  // sectors at a list's ends hold neighbouring lists, too

/// Returns whether lists are as short as in roads and meshes: searches take many small steps, and revisit a page in
/// hundreds.
inline bool has_low_degree(const LoadEstimate& graph) {
  constexpr std::uint64_t kThinDegree = 8;
  return graph.arcs < kThinDegree * graph.vertices;
}

/// Returns the steps of a search over a low-degree graph; 0 for others, which have few.
inline double low_degree_steps(const LoadEstimate& graph) {
  constexpr double kThinSteps = 0.45;  // of the square root of the vertices, for searches of a grid
  return has_low_degree(graph) ? kThinSteps * std::sqrt(static_cast<double>(graph.vertices)) : 0;
}

/// Returns the levels of a search, without its source: those of a random graph of this size and degree, log n / log degree
/// (Chung and Lu, Advances in Applied Mathematics 2001), or of a mesh.
inline double random_levels(const LoadEstimate& graph) {
  const double n = std::max(2.0, static_cast<double>(graph.vertices));
  const double degree = std::max(2.0, static_cast<double>(graph.arcs) / n);
  return std::max(low_degree_steps(graph), std::log(n) / std::log(degree));
}

/// Returns whether most lists are short and the rest long, as in social networks.
inline bool has_long_lists(const LoadEstimate& graph) {
  constexpr double kManyShort = 0.5;
  return graph.lengths.short_share > kManyShort;
}

/// Returns the traffic of a pass over all lists.
inline LinkTraffic link_traffic_of_pass(const LoadEstimate& graph) {
  return {.all = kWholeLists, .linear = has_low_degree(graph) ? 0 : has_long_lists(graph) ? 0.95 : 0.65};
}

}  // namespace graphrun::inline GR_IDS
