#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/ops/cuda_frontier.hpp"
#include "graphrun/ops/cuda_ordered_queue.hpp"
#include "run/open.hpp"
#include "run/session_impl.hpp"

namespace graphrun {

std::unique_ptr<Session> open_cuda_session(const Graph& graph, const SessionOptions& options) {
  if (options.backend.kind == BackendKind::bam) throw UnavailableError("backend bam does not run on a GPU yet: use --device cpu");
  auto exec = std::make_unique<CudaExecutor>(options.device.index);
  BackendOptions placement = options.backend;
  placement.host_threads = options.threads;
  auto backend = make_cuda_backend(graph, placement, *exec);
  auto executor = fmt::format("cuda:{}, {}", options.device.index, describe_cuda_device(options.device.index));
  return std::make_unique<SessionOf<CudaExecutor, DirectView>>(std::move(exec), std::move(backend), graph, options, std::move(executor));
}

}  // namespace graphrun
