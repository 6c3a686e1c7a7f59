// SPDX-License-Identifier: Apache-2.0
// Local clustering coefficients, both executors. Each triangle of the undirected graph is found once, as tc finds it, and each of
// its vertices counts the arcs between the other two.
#pragma once

#include "algorithms/tc/oriented_lists_impl.hpp"
#include "graphrun/algorithms/lcc.hpp"

namespace graphrun::lcc::inline GR_IDS {

/// Counts the neighbours at both ends of the entries of lists.
struct CountNeighbours {
  Lists lists;
  TriangleTally tally;
  EdgeId* degrees;
  GR_HD void operator()(std::size_t i) const {
    const ListPlace place = lists.places[lists.first + i];
    if (place.begin == place.end) return;
    atomics::fetch_add(degrees[lists.first + i], place.end - place.begin);
    for (EdgeId e = place.begin; e < place.end; ++e) atomics::fetch_add(degrees[tally.id(lists.entries[e])], EdgeId{1});
  }
};

/// Returns the sums of arcs and of pairs.
struct Divide {
  const VertexId* ranks;  ///< null: the ids
  const std::uint64_t* by_rank;
  const EdgeId* degrees;
  std::uint64_t* arcs;
  double* coefficients;
  GR_HD Sums<2> operator()(std::size_t v) const {
    const std::size_t r = ranks == nullptr ? v : ranks[v];
    const auto degree = static_cast<double>(degrees[r]);
    const double pairs = degree * (degree - 1);
    arcs[v] = by_rank[r];
    coefficients[v] = pairs > 0 ? static_cast<double>(by_rank[r]) / pairs : 0;
    return {{static_cast<double>(by_rank[r]), pairs > 0 ? pairs : 0}};
  }
};

}  // namespace graphrun::lcc::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
LccRun<Exec, View>::LccRun(Exec& exec, const GraphView<View>& graph, const LccOptions& options)
    : exec_(exec),
      graph_(graph),
      options_(options),
      lists_(exec, graph),
      by_rank_(exec.template make_array<std::uint64_t>(graph.num_vertices())),
      degrees_(exec.template make_array<EdgeId>(graph.num_vertices())),
      arcs_(exec.template make_array<std::uint64_t>(graph.num_vertices())),
      coefficients_(exec.template make_array<double>(graph.num_vertices())) {
  load_kernels<LccRun>(exec_);
  fill(exec_, arcs_, std::uint64_t{0});  // touches memory before timing starts
  fill(exec_, coefficients_, 0.0);
}

template <class Exec, class View>
AlgoStats LccRun<Exec, View>::run() {
  AlgoStats stats;
  const std::size_t n = graph_.num_vertices();
  transitivity_ = 0;
  if (graph_.num_edges == 0) return stats;
  const bool by_degree =
      options_.variant == LccVariant::by_degree || (options_.variant == LccVariant::hybrid && lists_.is_skewed());
  lists_.rank_by(by_degree && !lists_.degrees_descend());
  fill(exec_, by_rank_, std::uint64_t{0});
  fill(exec_, degrees_, EdgeId{0});
  const TriangleTally tally{lists_.shift(), by_rank_.data()};
  lists_.for_each_pair(
      options_.buffer_bytes, stats,
      [&](const Lists& part) {
        vertex_map(exec_, part.last - part.first, lcc::CountNeighbours{part, tally, degrees_.data()}, oriented::kListGrain);
      },
      [&](const Lists& mine, const Lists& theirs) { tally_triangles(exec_, mine, theirs, tally); });
  add_over_ranks(exec_, by_rank_.data(), n);
  const lcc::Divide divide{lists_.ranks(), by_rank_.data(), degrees_.data(), arcs_.data(), coefficients_.data()};
  const Sums<2> sums = vertex_sum<Sums<2>>(exec_, n, divide);
  transitivity_ = sums.of[1] > 0 ? sums.of[0] / sums.of[1] : 0;
  exec_.synchronize();
  return stats;
}

template <class Exec, class View>
LccOutput LccRun<Exec, View>::output() {
  LccOutput found{exec_.download(coefficients_), exec_.download(arcs_), 0, transitivity_};
  for (const double each : found.coefficients) found.mean += each;
  if (!found.coefficients.empty()) found.mean /= static_cast<double>(found.coefficients.size());
  return found;
}

}  // namespace graphrun::inline GR_IDS
