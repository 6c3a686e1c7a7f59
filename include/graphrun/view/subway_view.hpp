// SPDX-License-Identifier: Apache-2.0
// SubwayView: edges in host memory, of which each step gathers its own into a subgraph for operators to scan (Sabet et al.,
// EuroSys 2020). The third family of views.
#pragma once

#include <cstdint>

#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

class CpuSubgraphs;
class CudaSubgraphs;

/// Columns of one direction of a graph, for host threads. `weights` may be null when the run needs none.
struct HostEdges {
  const VertexId* neighbours = nullptr;
  const std::uint32_t* weights = nullptr;
};

/// Trivially copyable; `subgraphs` is a backend's.
template <class Maker>
struct SubwayView {
  using Subgraphs = Maker;
  Maker* subgraphs = nullptr;
  HostEdges edges;

  /// Returns whether operators work on a subgraph until it is stable, before the next one is made.
  bool asynchronous() const { return subgraphs->asynchronous(); }
};

using CpuSubwayView = SubwayView<CpuSubgraphs>;
using CudaSubwayView = SubwayView<CudaSubgraphs>;

}  // namespace graphrun::inline GR_IDS
