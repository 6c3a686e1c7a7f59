// Weakly connected components.
#pragma once

#include "graphrun/algo/outputs.hpp"
#include "graphrun/algo/stats.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

enum class CcVariant {
  afforest,  ///< link a few edges of each vertex, then only what lies outside the largest component (Sutton et al., IPDPS 2018)
  hooking,   ///< link every edge (Shiloach and Vishkin 1982, without their rounds)
};

template <>
struct ChoicesOf<CcVariant> {
  static constexpr const char* kWhat = "variant of cc";
  static constexpr Choice<CcVariant> kAll[] = {{"afforest", CcVariant::afforest}, {"hooking", CcVariant::hooking}};
};

struct CcOptions {
  CcVariant variant = CcVariant::afforest;
};

}  // namespace graphrun

namespace graphrun::cc::inline GR_IDS {
struct Link;
}

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
class CcRun {
 public:
  CcRun(Exec& exec, const GraphView<View>& graph, const CcOptions& options);

  /// This is the region that is timed.
  AlgoStats run();
  CcOutput output();

 private:
  void compress();
  VertexId sample_most_frequent();
  /// From where all ranks have the same forest.
  cc::Link linking(VertexId common);

  Exec& exec_;
  GraphView<View> graph_;
  CcOptions options_;
  typename Exec::template Array<VertexId> parents_;
  typename Exec::template Array<VertexId> sample_;
  typename Exec::template Array<VertexId> before_;  // Link::before; empty where there is one rank
};

}  // namespace graphrun::inline GR_IDS
