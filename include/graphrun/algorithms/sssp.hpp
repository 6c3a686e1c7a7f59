// SPDX-License-Identifier: Apache-2.0
// Single-source shortest paths over non-negative weights.
#pragma once

#include <cstdint>

#include "graphrun/algorithms/outputs.hpp"
#include "graphrun/algorithms/stats.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

enum class SsspVariant {
  automatic,       ///< prefix where the graph has records and is likely to gain, else delta_stepping
  delta_stepping,  ///< reads each list once a bucket; on a GPU in its near-far form
  prefix,          ///< reads only leading edges of lists sorted by weight (PrefixRun)
  bellman_ford,    ///< one bucket for all distances; the only variant over subgraphs
};

template <>
struct ChoicesOf<SsspVariant> {
  static constexpr Choice<SsspVariant> kAll[] = {{"auto", SsspVariant::automatic},
                                                 {"delta-stepping", SsspVariant::delta_stepping},
                                                 {"prefix", SsspVariant::prefix},
                                                 {"bellman-ford", SsspVariant::bellman_ford}};
};

/// The type of sums of f32 weights.
enum class FloatDistances { f64, f32 };

template <>
struct ChoicesOf<FloatDistances> {
  static constexpr const char* kWhat = "width of distances";
  static constexpr Choice<FloatDistances> kAll[] = {{"f64", FloatDistances::f64}, {"f32", FloatDistances::f32}};
};

struct SsspOptions {
  /// Width of a bucket of distances, in units of weight; 0 derives it from the weights and the mean degree.
  double delta = 0;
  SsspVariant variant = SsspVariant::automatic;
  /// f32: each edge of a path may add a relative error of 2^-24. Only by other variants than prefix, and over DirectView.
  FloatDistances distances = FloatDistances::f64;
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

/// The state of every shortest-path search.
///
/// `Distance` is std::uint32_t, std::uint64_t, double or float. run() reports overflow of 32-bit whole distances, and the caller
/// restarts with 64 bits. Other types saturate at sssp::farthest(): a vertex with this output is at least that far.
template <class Exec, class Distance>
class Paths {
 public:
  Paths(Exec& exec, VertexId num_vertices);
  /// Returns whether a distance of the last run overflowed Distance; its output is then invalid.
  bool overflowed();
  /// Returns the distances, in memory of an earlier output.
  SsspOutput output(SsspOutput earlier = {});

 protected:
  /// Resets the state: only `source` is reached.
  void begin(VertexId source);

  Exec& exec_;
  VertexId source_ = 0;
  typename Exec::template Array<Distance> distances_;
  typename Exec::template Array<std::uint32_t> overflow_;
};

/// Delta-stepping (Meyer and Sanders 2003); on the GPU its two-pile form, near-far (Davidson et al., IPDPS 2014). `Weight` is
/// std::uint32_t or float; distances of floats are double, or float over a DirectView.
template <class Exec, class View, class Weight, class Distance>
class SsspRun : public Paths<Exec, Distance> {
 public:
  SsspRun(Exec& exec, const GraphView<View>& graph, const SsspOptions& options, const WeightStats& weights);

  /// Searches from `source` (< num_vertices): the timed region.
  AlgoStats run(VertexId source);
  /// Returns the bucket width of the last search.
  double delta() const { return delta_; }

 private:
  GraphView<View> graph_;
  double delta_;  ///< of the last search: one of these
  double delta_by_pages_;
  double delta_of_array_;
  OrderedQueueOf<Exec> queue_;
};

}  // namespace graphrun::inline GR_IDS
