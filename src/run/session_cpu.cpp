#include <fmt/format.h>

#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/ops/cpu_frontier.hpp"
#include "graphrun/ops/cpu_ordered_queue.hpp"
#include "graphrun/ops/cpu_subgraphs.hpp"
#include "graphrun/view/paged_view.hpp"
#include "run/open.hpp"
#include "run/session_impl.hpp"

namespace graphrun::inline GR_IDS {

std::unique_ptr<Session> open_cpu_session(const Graph& graph, const SessionOptions& options) {
  auto exec = std::make_unique<CpuExecutor>(options.threads);
  auto executor = fmt::format("cpu, {} thread{}", exec->pool().size(), exec->pool().size() == 1 ? "" : "s");
  const auto open = [&]<class View>(std::unique_ptr<BackendOf<View>> backend) -> std::unique_ptr<Session> {
    return std::make_unique<SessionOf<CpuExecutor, View>>(std::move(exec), std::move(backend), graph, options,
                                                          std::move(executor));
  };
  if (options.backend.kind == BackendKind::bam) return open(make_cpu_bam_backend(graph, options.backend, *exec));
  if (options.backend.kind == BackendKind::gpuvm) return open(make_cpu_gpuvm_backend(graph, options.backend, *exec));
  if (options.backend.kind == BackendKind::subway) return open(make_cpu_subway_backend(graph, options.backend, *exec));
  return open(make_cpu_backend(graph, options.backend, *exec));
}

}  // namespace graphrun::inline GR_IDS
