// SPDX-License-Identifier: Apache-2.0
// Neighbour sampling over several hops (Hamilton, Ying and Leskovec, GraphSAGE, NeurIPS 2017, algorithm 2). The sample is a pure
// function of the graph, the seed and the hop, independent of threads, ranks, device and backend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "graphrun/algorithms/stats.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::inline GR_IDS {

struct Sample;

/// A request for a sample.
struct Sampling {
  static constexpr const char* kName = "sample";
  using Output = Sample;

  std::vector<VertexId> starts = {};        ///< repetitions are dropped
  std::vector<std::uint32_t> fanouts = {};  ///< sampled edges of a vertex, one number a hop; 1 to kMostFanout
  std::uint64_t seed = 1;
  bool replace = false;   ///< with replacement
  bool weighted = false;  ///< by weight, finite and not negative; edges of weight 0 are never drawn
};

/// Bounds the comparisons of a vertex's draws with each other.
inline constexpr std::uint32_t kMostFanout = 1 << 16;

/// The sampled edges of a hop, in the order of their sources.
struct SampledHop {
  std::vector<VertexId> sources;
  std::vector<VertexId> targets;
  std::vector<VertexId> source_places;  ///< indices of the sources in Sample::vertices
  std::vector<VertexId> target_places;
  std::vector<EdgeId> edges;  ///< indices in the edge list, Csr::neighbours
};

struct Sample {
  /// Distinct: the starts, then the new targets of hop 0 in the order of its edges, and so on.
  std::vector<VertexId> vertices;
  /// Number of vertices before each hop, and at the end. A hop samples at all vertices before it.
  std::vector<std::size_t> counts;
  std::vector<SampledHop> hops;
};

/// State between samples of one session: memory, and an index of each vertex, kNoVertex between samples.
template <class Exec>
struct SampleState {
  template <class T>
  using Array = typename Exec::template Array<T>;

  Array<VertexId> place_of;
  Array<VertexId> vertices;  ///< room for all
  Array<WorkItem> picks;
  Array<VertexId> source_places;
  Array<VertexId> target_places;
  Array<VertexId> targets;
  // With weights: pieces of lists, and each piece's earliest draws.
  Array<WorkItem> pieces;
  Array<double> times;
  Array<EdgeId> edges;
};

template <class Exec, class View>
class SampleRun {
 public:
  /// Starts are distinct vertices of the graph.
  SampleRun(Exec& exec, const GraphView<View>& graph, WeightKind weights, const Sampling& options, SampleState<Exec>& state);

  /// Draws the sample. Throws UsageError when a hop would draw more edges than ids can number.
  AlgoStats run();
  /// Returns the last run's sample.
  Sample take_sample() { return std::move(sample_); }

 private:
  void enter(std::size_t count);
  void make_room_for(std::uint64_t picked);
  std::uint64_t pick_uniform(std::uint64_t seed, EdgeId fanout);
  template <class Weight>
  std::uint64_t pick_by_weight(std::uint64_t seed, EdgeId fanout);
  void follow(std::uint64_t picked);

  template <class T>
  using Array = typename Exec::template Array<T>;

  Exec& exec_;
  GraphView<View> graph_;
  WeightKind weights_;
  const Sampling& options_;
  SampleState<Exec>& state_;
  AlgoStats stats_;
  std::size_t known_ = 0;  ///< number of vertices
  Sample sample_;
};

}  // namespace graphrun::inline GR_IDS
