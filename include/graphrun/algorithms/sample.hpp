// Neighbour sampling: some edges of each vertex, and of those that they lead to, and so on (Hamilton, Ying and Leskovec,
// GraphSAGE, NeurIPS 2017, algorithm 2). What is drawn is a pure function of the graph, the seed and the hop: threads, device and
// backend do not count.
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

/// What is to be drawn.
struct Sampling {
  static constexpr const char* kName = "sample";
  using Output = Sample;

  std::vector<VertexId> starts = {};        ///< what comes again is left out
  std::vector<std::uint32_t> fanouts = {};  ///< edges drawn at a vertex, one a hop; 1 to kMostFanout
  std::uint64_t seed = 1;
  bool replace = false;   ///< an edge may be drawn again
  bool weighted = false;  ///< by weight, finite and not negative; edges of weight 0 are not drawn
};

/// Draws at a vertex are compared with each other.
inline constexpr std::uint32_t kMostFanout = 1 << 16;

/// Edges that a hop drew, in the order of the vertices that they leave.
struct SampledHop {
  std::vector<VertexId> sources;
  std::vector<VertexId> targets;
  std::vector<VertexId> source_places;  ///< where they are among Sample::vertices
  std::vector<VertexId> target_places;
};

struct Sample {
  /// Each once: where the sample starts, behind those what hop 0 came to, in the order of its edges, and so on.
  std::vector<VertexId> vertices;
  /// How many of them there are before each hop, and at the end. A hop draws at all that are there before it.
  std::vector<std::size_t> counts;
  std::vector<SampledHop> hops;
};

/// What stays between samples of one session: memory, and a place of each vertex, which is kNoVertex meanwhile.
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
  // Where weights count: pieces of lists, and of each the draws that came first.
  Array<WorkItem> pieces;
  Array<double> times;
  Array<EdgeId> edges;
};

template <class Exec, class View>
class SampleRun {
 public:
  /// The starts are vertices of the graph, each once.
  SampleRun(Exec& exec, const GraphView<View>& graph, WeightKind weights, const Sampling& options, SampleState<Exec>& state);

  /// Throws UsageError when a hop would draw more edges than ids can number.
  AlgoStats run();
  /// Of the last run.
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
  std::size_t known_ = 0;  ///< vertices
  Sample sample_;
};

}  // namespace graphrun::inline GR_IDS
