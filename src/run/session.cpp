#include "graphrun/run/session.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/raise.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "run/open.hpp"

namespace graphrun::inline GR_IDS {
std::string canonical_device(const std::string& text) {
  constexpr std::string_view kNames[] = {"auto", "cpu", "cuda", "cuda:N"};
  constexpr ShortForm kForms[] = {{"gpu", "cuda"}};
  const std::size_t colon = text.find(':');
  const std::string name(kNames[choose_name(text.substr(0, colon), "device", kNames, kForms)]);
  if (colon == std::string::npos) return name;
  int index = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data() + colon + 1, end, index);
  if (name != "cuda" || status != std::errc{} || rest != end || index < 0)
    raise<UsageError>("'{}' is not a device: write auto, cpu, cuda or cuda:N", text);
  return fmt::format("cuda:{}", index);
}

Device parse_device(const std::string& text) {
  const std::string name = canonical_device(text);
  if (name == "cpu") return {DeviceKind::cpu, 0};
  if (name == "auto") {
    const std::string missing = why_no_cuda(0);
    if (missing.empty()) {
      log::info("device auto: using cuda:0");
      return {DeviceKind::cuda, 0};
    }
    log::info(fmt::format("device auto: using the CPU ({})", missing));
    return {DeviceKind::cpu, 0};
  }
  const int index = name == "cuda" ? 0 : std::stoi(name.substr(name.find(':') + 1));
  if (const std::string missing = why_no_cuda(index); !missing.empty()) {
    raise<UnavailableError>("device {} cannot be used: {}", name, missing);
  }
  return {DeviceKind::cuda, index};
}

std::string to_string(const Device& device) {
  return device.kind == DeviceKind::cuda ? fmt::format("cuda:{}", device.index) : "cpu";
}

void check_countable(const Device& device, const BackendOptions& options) {
  if (!options.count_requests) return;
  if (options.kind != BackendKind::emogi) {
    raise<UsageError>(
        "--count-requests looks at loads that kernels send over a link, which are those of --backend emogi and not of {}",
        name_of(options.kind));
  }
  if (device.kind != DeviceKind::cuda) {
    throw UnavailableError(
        "--count-requests needs a GPU: requests over a link are what becomes of the loads of its warps, and a CPU has neither");
  }
}

std::unique_ptr<Session> open_session(const Graph& graph, const SessionOptions& options) {
  check_countable(options.device, options.backend);
  SessionOptions complete = options;
  complete.backend = with_defaults(options.backend);
  complete.backend.host_threads = options.threads;
  if (options.device.kind == DeviceKind::cuda && (options.backend.cold_tier || options.backend.count_reads))
    throw UsageError("--cold-tier and --profile are for bam and gpuvm with --device cpu: leave them out");
  const bool in_parts = options.ranks > 1 || options.processes != nullptr;
  if (in_parts && options.device.kind == DeviceKind::cuda)
    throw UnavailableError("several ranks run on CPUs: several GPUs are not supported yet");
  if (options.device.kind == DeviceKind::cuda) return open_cuda_session(graph, complete);
  if (in_parts) return std::make_unique<RanksSession>(graph, complete);
  auto exec = std::make_unique<CpuExecutor>(options.threads);
  auto executor = fmt::format("cpu, {} thread{}", exec->pool().size(), exec->pool().size() == 1 ? "" : "s");
  return open_on(std::move(exec), graph, complete, std::move(executor));
}

}  // namespace graphrun::inline GR_IDS
