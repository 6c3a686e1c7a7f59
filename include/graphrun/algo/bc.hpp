// Betweenness centrality by Brandes' algorithm (2001), from some sources: how much of the shortest paths from them leads through
// each vertex.
#pragma once

#include <cstdint>
#include <vector>

#include "graphrun/algo/outputs.hpp"
#include "graphrun/algo/stats.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

enum class BcVariant {
  direction_optimizing,  ///< each level of a search, and each on the way back, in the direction that examines less
  push,                  ///< along out-edges only; needs no transpose
};

template <>
struct ChoicesOf<BcVariant> {
  static constexpr const char* kWhat = "variant of bc";
  static constexpr Choice<BcVariant> kAll[] = {{"direction-optimizing", BcVariant::direction_optimizing},
                                               {"push", BcVariant::push}};
  static constexpr ShortForm kShortForms[] = {{"direction-optimising", "direction-optimizing"}};
};

struct BcOptions {
  BcVariant variant = BcVariant::direction_optimizing;
  std::vector<std::uint64_t> sources = {};  ///< vertices, each once: where shortest paths start
};

inline constexpr int kUsualBcSources = 4;  ///< of one trial: GAP's rule

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
class BcRun {
 public:
  /// Throws UsageError where a source is no vertex, and where in-edges are needed and not reached.
  BcRun(Exec& exec, const GraphView<View>& graph, const BcOptions& options);

  /// From all sources, one after another. This is the region that is timed.
  AlgoStats run();
  /// Throws UsageError when there were more shortest paths than a double can count.
  BcOutput output();

 private:
  /// Vertices at one distance from the source, as they stand in levels_.
  struct Level {
    std::size_t first;
    std::size_t size;
    EdgeId edges;  ///< out-edges; after a push into many vertices an estimate
  };
  /// How what a level hands back to the one before it is brought there.
  enum class Back {
    gather,   ///< each vertex nearer to the source asks its out-edges
    sweep,    ///< the same, in a pass over all vertices, without atomics
    scatter,  ///< each farther vertex tells its in-edges
  };

  void clear();
  std::vector<Level> search(VertexId source, AlgoStats& stats);
  void pull(std::uint32_t depth, AlgoStats& stats);
  bool better_to_pull() const;
  Back way_back(const Level& nearer, const Level& farther) const;
  void hand_back(const Level& nearer, const Level& farther, std::uint32_t depth, AlgoStats& stats);
  void finish(const Level& level);
  void normalise();

  template <class T>
  using Array = typename Exec::template Array<T>;

  Exec& exec_;
  GraphView<View> graph_;
  BcOptions options_;
  Array<std::uint32_t> depths_;
  Array<double> paths_;     // shortest paths from the source
  Array<double> shares_;    // sums of what farther vertices hand back, then (1 + dependency) / paths
  Array<double> scores_;    // and behind the last vertex the largest of them
  Array<VertexId> levels_;  // all vertices that were reached, by distance
  FrontierOf<Exec> frontier_;
  FrontierOf<Exec> next_;
  FrontierOf<Exec> farther_;  // by in-edges
  EdgeId unvisited_edges_ = 0;
  std::uint64_t gathered_edges_ = 0;  // on the way back, by this rank
  double largest_ = 0;
};

}  // namespace graphrun::inline GR_IDS
