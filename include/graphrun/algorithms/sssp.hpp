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
  automatic,       ///< prefix where the graph has records and is likely to gain by them, else delta_stepping
  delta_stepping,  ///< reads each list once a bucket; on a GPU in its form near-far
  prefix,          ///< reads lists in the order of their weights, and only their beginnings (PrefixRun)
  bellman_ford,    ///< one bucket for all distances; over subgraphs the only one there is
};

template <>
struct ChoicesOf<SsspVariant> {
  static constexpr const char* kWhat = "variant of sssp";
  static constexpr Choice<SsspVariant> kAll[] = {{"auto", SsspVariant::automatic},
                                                 {"delta-stepping", SsspVariant::delta_stepping},
                                                 {"prefix", SsspVariant::prefix},
                                                 {"bellman-ford", SsspVariant::bellman_ford}};
};

/// In which sums of f32 weights are kept.
enum class FloatDistances { f64, f32 };

template <>
struct ChoicesOf<FloatDistances> {
  static constexpr const char* kWhat = "width of distances";
  static constexpr Choice<FloatDistances> kAll[] = {{"f64", FloatDistances::f64}, {"f32", FloatDistances::f32}};
};

struct SsspOptions {
  /// Width of a bucket of distances, in units of weight; 0 chooses one from the weights and the mean degree.
  double delta = 0;
  SsspVariant variant = SsspVariant::automatic;
  /// f32: each edge of a path may add a relative error of 2^-24. Not by prefixes, and over views that loads reach alone.
  FloatDistances distances = FloatDistances::f64;
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

/// What all searches for shortest paths keep.
///
/// `Distance` is std::uint32_t, std::uint64_t, double or float. 32-bit whole distances are watched for overflow: run() then
/// reports it, and the caller starts again with 64 bits. Others stop at sssp::farthest(): a vertex that has it in the output is
/// reached, and at least that far.
template <class Exec, class Distance>
class Paths {
 public:
  Paths(Exec& exec, VertexId num_vertices);
  /// Whether a distance of the last run did not fit into Distance; its output means nothing then.
  bool overflowed();
  SsspOutput output();

 protected:
  /// Nothing is reached but `source`.
  void begin(VertexId source);

  Exec& exec_;
  VertexId source_ = 0;
  typename Exec::template Array<Distance> distances_;
  typename Exec::template Array<std::uint32_t> overflow_;
};

/// Delta-stepping (Meyer and Sanders 2003); on the GPU its two-pile form, near-far (Davidson et al., IPDPS 2014). `Weight` is
/// std::uint32_t or float; the distance of floats is double, or float over a DirectView.
template <class Exec, class View, class Weight, class Distance>
class SsspRun : public Paths<Exec, Distance> {
 public:
  SsspRun(Exec& exec, const GraphView<View>& graph, const SsspOptions& options, const WeightStats& weights);

  /// Searches from `source` (< num_vertices). This is the region that is timed.
  AlgoStats run(VertexId source);
  /// The width of a bucket of the last search.
  double delta() const { return delta_; }

 private:
  GraphView<View> graph_;
  double delta_;  ///< of the last search: one of these
  double delta_by_pages_;
  double delta_of_array_;
  OrderedQueueOf<Exec> queue_;
};

}  // namespace graphrun::inline GR_IDS
