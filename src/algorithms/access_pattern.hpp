// What plans reckon with of an algorithm: which edges its trials read, how often and in what order (docs/storage.md).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "graphrun/core/types.hpp"
#include "graphrun/io/estimate.hpp"

namespace graphrun::inline GR_IDS {

/// How a cold trial goes over the edges, as pages of 4 to 8 KiB see it: fitted to graphs of scale 20.
struct AccessPattern {
  double passes;            ///< when no page stays
  double touched;           ///< share of the edges whose pages are touched at all
  double reads_per_vertex;  ///< of memory at random, of vertex state
  double reads_per_arc;
  bool in_order = false;        ///< each pass goes through the file from its beginning to its end
  bool small_steps = false;     ///< a search: on a thin graph each step wants little of each page
  bool in_edges_alone = false;  ///< of a directed graph it reads the transpose and nothing else
  double searches = 1;          ///< one after another in a trial
};

/// What loads of a GPU move over its link in whole sectors, as shares of the edges, where a share `near` of them lies in device
/// memory as beginnings of lists: fitted to graphs of scales 21 and 24.
struct LinkTraffic {
  double all;         ///< when nothing is near
  double decay = 0;   ///< searches that stop early, and prefixes: exp(-decay * near) of that, where beginnings are read,
  double least = 0;   ///< and no less than this
  double linear = 0;  ///< passes over whole lists: 1 - linear * near of it
  double share(double near) const { return all * std::max(std::exp(-decay * near), least) * (1 - linear * near); }
};

inline constexpr double kWholeLists = 1.06;  // a list is read in sectors that its neighbours' begin and end in, too

/// Lists so short are those of roads and meshes: searches take many small steps, and come to a page in hundreds of them.
inline bool has_low_degree(const LoadEstimate& graph) {
  constexpr std::uint64_t kThinDegree = 8;
  return graph.arcs < kThinDegree * graph.vertices;
}

/// Steps of a search over a thin graph; 0 for others, where there are few.
inline double low_degree_steps(const LoadEstimate& graph) {
  constexpr double kThinSteps = 0.45;  // of the square root of the vertices: steps of a grid's searches
  return has_low_degree(graph) ? kThinSteps * std::sqrt(static_cast<double>(graph.vertices)) : 0;
}

/// Most vertices have short lists, and the rest long ones, as in social networks.
inline bool has_long_lists(const LoadEstimate& graph) {
  constexpr double kManyShort = 0.5;
  return graph.lengths.short_share > kManyShort;
}

/// A pass over all lists.
inline LinkTraffic link_traffic_of_pass(const LoadEstimate& graph) {
  return {.all = kWholeLists, .linear = has_low_degree(graph) ? 0 : has_long_lists(graph) ? 0.95 : 0.65};
}

}  // namespace graphrun::inline GR_IDS
