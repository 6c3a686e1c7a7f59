// The two ways open_session goes, each in a file of its own so that only one of them needs CUDA.
#pragma once

#include <memory>

#include "graphrun/run/session.hpp"

namespace graphrun::inline GR_IDS {

std::unique_ptr<Session> open_cpu_session(const Graph& graph, const SessionOptions& options);
std::unique_ptr<Session> open_cuda_session(const Graph& graph, const SessionOptions& options);

}  // namespace graphrun::inline GR_IDS
