#include <fmt/format.h>

#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/ops/cpu_frontier.hpp"
#include "graphrun/ops/cpu_ordered_queue.hpp"
#include "run/open.hpp"
#include "run/session_impl.hpp"

namespace graphrun {

std::unique_ptr<Session> open_cpu_session(const Graph& graph, const SessionOptions& options) {
  auto exec = std::make_unique<CpuExecutor>(options.threads);
  auto backend = make_cpu_backend(graph, options.backend, *exec);
  auto executor = fmt::format("cpu, {} thread{}", exec->pool().size(), exec->pool().size() == 1 ? "" : "s");
  return std::make_unique<SessionOf<CpuExecutor>>(std::move(exec), std::move(backend), graph, options, std::move(executor));
}

}  // namespace graphrun
