#include "backend/placed_graph.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "run/open.hpp"

namespace graphrun::inline GR_IDS {

std::unique_ptr<Session> open_cuda_session(const Graph& graph, const SessionOptions& options) {
  if (options.backend.kind != BackendKind::emogi) require_unpacked(graph, "a GPU");
  auto exec = std::make_unique<CudaExecutor>(options.device.index);  // first: it says how modules are loaded
  return open_on(std::move(exec), graph, options,
                 fmt::format("cuda:{}, {}", options.device.index, describe_cuda_device(options.device.index)));
}

}  // namespace graphrun::inline GR_IDS
