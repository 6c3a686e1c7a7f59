#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/ops/cuda_frontier.hpp"
#include "graphrun/ops/cuda_ordered_queue.hpp"
#include "graphrun/ops/cuda_subgraphs.hpp"
#include "graphrun/view/counted_view.hpp"
#include "graphrun/view/device_paged_view.hpp"
#include "run/open.hpp"
#include "run/session_impl.hpp"

namespace graphrun::inline GR_IDS {

std::unique_ptr<Session> open_cuda_session(const Graph& graph, const SessionOptions& options) {
  auto exec = std::make_unique<CudaExecutor>(options.device.index);
  auto executor = fmt::format("cuda:{}, {}", options.device.index, describe_cuda_device(options.device.index));
  BackendOptions placement = options.backend;
  placement.host_threads = options.threads;
  const auto open = [&]<class View>(std::unique_ptr<BackendOf<View>> backend) -> std::unique_ptr<Session> {
    return std::make_unique<SessionOf<CudaExecutor, View>>(std::move(exec), std::move(backend), graph, options,
                                                           std::move(executor));
  };
  const auto open_paged = [&](CudaPagedBackend paged) {
    return std::visit([&](auto backend) { return open(std::move(backend)); }, std::move(paged));
  };
  if (placement.kind == BackendKind::bam) return open_paged(make_cuda_bam_backend(graph, placement, *exec));
  if (placement.kind == BackendKind::gpuvm) return open_paged(make_cuda_gpuvm_backend(graph, placement, *exec));
  if (placement.kind == BackendKind::subway) return open(make_cuda_subway_backend(graph, placement, *exec));
  if (placement.count_requests) return open(make_cuda_counting_backend(graph, placement, *exec));
  return open(make_cuda_backend(graph, placement, *exec));
}

}  // namespace graphrun::inline GR_IDS
