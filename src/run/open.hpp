// SPDX-License-Identifier: Apache-2.0
// Opens a session for one executor. The GPU's is in its own file, so that only that needs CUDA.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "run/placements.hpp"

namespace graphrun::inline GR_IDS {

/// Opens a session with the options' backend. `executor` describes it.
template <class Exec>
std::unique_ptr<Session> open_on(std::unique_ptr<Exec> exec, const Graph& graph, const SessionOptions& options,
                                 std::string executor) {
  auto backend = place_edges(graph, options.backend, *exec);
  const auto open = [&]<class View>(std::unique_ptr<BackendOf<View>>& edges) -> std::unique_ptr<Session> {
    return std::make_unique<SessionOn<Exec, View>>(std::move(exec), std::move(edges), graph, options, std::move(executor));
  };
  return std::visit(open, backend);
}

std::unique_ptr<Session> open_cuda_session(const Graph& graph, const SessionOptions& options);
/// Opens one rank of options.device.
std::unique_ptr<Session> open_cuda_rank(const Graph& graph, const SessionOptions& options, const RankPart& part);

}  // namespace graphrun::inline GR_IDS
