// SPDX-License-Identifier: Apache-2.0
// Triangle counting in an undirected graph.
#pragma once

#include <cstdint>

#include "graphrun/algorithms/oriented_lists.hpp"
#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

enum class TcVariant {
  hybrid,     ///< by degree where few vertices have most of the edges, else by id
  by_degree,  ///< examines each edge at its end of smaller degree
  by_id,      ///< examines each edge at its end of larger id
};

template <>
struct ChoicesOf<TcVariant> {
  static constexpr Choice<TcVariant> kAll[] = {
      {"hybrid", TcVariant::hybrid}, {"by-degree", TcVariant::by_degree}, {"by-id", TcVariant::by_id}};
};

struct TcOptions {
  TcVariant variant = TcVariant::hybrid;
  std::uint64_t buffer_bytes = 0;  ///< most bytes of lists that it makes at a time; 0: all of them
  bool in_place = false;           ///< lists may be read repeatedly in place: all edges are in the fast tier
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
class TcRun {
 public:
  /// Throws UsageError when the graph is directed.
  TcRun(Exec& exec, const GraphView<View>& graph, const TcOptions& options);

  /// Counts the triangles: the timed region. Throws UsageError when the buffer has no room for the list of some vertex.
  AlgoStats run();
  TcOutput output() const { return found_; }

 private:
  static const GraphView<View>& undirected(const GraphView<View>& graph);
  /// Returns false when some list is not ascending, or has an entry twice.
  bool count_in_place(AlgoStats& stats);

  Exec& exec_;
  GraphView<View> graph_;
  TcOptions options_;
  OrientedLists<Exec, View> lists_;
  TcOutput found_;
};

}  // namespace graphrun::inline GR_IDS
