// SPDX-License-Identifier: Apache-2.0
// Louvain's method on graphs of communities, which are in memory, by one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "graphrun/core/types.hpp"

namespace graphrun::louvain::inline GR_IDS {

/// A pair of neighbouring communities in one of both directions, or a community with itself.
struct Pair {
  VertexId from;
  VertexId to;
  std::uint64_t weight;
};

/// An undirected graph whose vertices are communities. Weights are whole.
struct Communities {
  std::vector<EdgeId> offsets = {0};
  std::vector<VertexId> neighbours = {};  ///< without the community itself
  std::vector<std::uint64_t> weights = {};
  std::vector<std::uint64_t> within = {};  ///< twice the weight of the edges of each
  std::vector<std::uint64_t> totals = {};  ///< of the degrees in each

  VertexId count() const { return static_cast<VertexId>(totals.size()); }
  /// Appends the next community, with its pairs in ascending order; equal ones are added up.
  void append(const Pair* begin, const Pair* end);
};

/// Returns the modularity of these communities (LouvainOutput).
double modularity_of(const Communities& graph, double resolution);

/// Joins communities by moving one at a time while modularity rises, in a random order. Returns numbers of the joined ones, in
/// the order of their first members. When it returns count() numbers, no two communities would gain by joining.
std::vector<VertexId> join_communities(const Communities& graph, double resolution, VertexId& count);

/// Returns the graph of joined communities.
Communities merge(const Communities& graph, const std::vector<VertexId>& numbers, VertexId count);

/// Replaces labels by numbers from 0 on, in the order in which labels first occur. Returns how many there are.
VertexId number_in_order(std::vector<VertexId>& labels);

}  // namespace graphrun::louvain::inline GR_IDS
