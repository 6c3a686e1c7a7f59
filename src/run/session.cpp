#include "graphrun/run/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "run/open.hpp"
#include "run/session_impl.hpp"

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
    throw UsageError(fmt::format("'{}' is not a device: write cuda or cuda:N", text));
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
    throw UnavailableError(fmt::format("device {} cannot be used: {}", name, missing));
  }
  return {DeviceKind::cuda, index};
}

std::string to_string(const Device& device) {
  return device.kind == DeviceKind::cuda ? fmt::format("cuda:{}", device.index) : "cpu";
}

void check_countable(const Device& device, const BackendOptions& options) {
  if (!options.count_requests) return;
  if (options.kind != BackendKind::emogi) {
    throw UsageError(fmt::format(
        "--count-requests looks at loads that kernels send over a link, which are those of --backend emogi and not of {}",
        name_of(options.kind)));
  }
  if (device.kind != DeviceKind::cuda) {
    throw UnavailableError(
        "--count-requests needs a GPU: requests over a link are what becomes of the loads of its warps, and a CPU has neither");
  }
}

void check_distances_fit(const Graph& graph, const SsspOutput& output) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  const auto& distances = std::get<std::vector<float>>(output.distances);
  const auto too_far = std::find(distances.begin(), distances.end(), kLargest);
  if (too_far == distances.end()) return;
  throw UsageError(fmt::format(
      "the distance from vertex {} to vertex {} is not below the largest 32-bit float, {}: divide all weights by the same number",
      graph.names.text(output.source), graph.names.text(static_cast<VertexId>(too_far - distances.begin())), kLargest));
}

std::unique_ptr<Session> open_session(const Graph& graph, const SessionOptions& options) {
  check_countable(options.device, options.backend);
  SessionOptions complete = options;
  complete.backend = with_defaults(options.backend);
  return options.device.kind == DeviceKind::cuda ? open_cuda_session(graph, complete) : open_cpu_session(graph, complete);
}

}  // namespace graphrun::inline GR_IDS
