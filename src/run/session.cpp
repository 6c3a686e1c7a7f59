#include "graphrun/run/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <variant>
#include <vector>

#include "cache/userfault.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/transport/fabric.hpp"
#include "run/open.hpp"
#include "run/session_impl.hpp"

namespace graphrun {
namespace {

/// Which providers of one-sided reads there are.
std::string describe_fabrics() {
  std::string there;
  for (const char* provider : {"tcp", "shm", "verbs"}) {
    if (why_no_fabric(provider).empty()) there += fmt::format("{}ofi:{}", there.empty() ? "" : ", ", provider);
  }
  return there.empty() ? "no fabric ofi: " + why_no_fabric("tcp") : "fabrics " + there;
}

}  // namespace

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
  return options.device.kind == DeviceKind::cuda ? open_cuda_session(graph, options) : open_cpu_session(graph, options);
}

std::vector<Capability> list_capabilities() {
  const std::string no_userfault = why_no_userfault();
  std::vector<Capability> all = {
      {"cpu", "incore", true, "edges in memory"},
      {"cpu", "emogi", true, "edges read in place from the mapped file (page cache)"},
      {"cpu", "uvm", no_userfault.empty(),
       no_userfault.empty() ? "edges paged into memory by a thread that serves page faults (userfaultfd)" : no_userfault},
      {"cpu", "bam", true, "pages of a file in a cache, read by io_uring"},
      {"cpu", "gpuvm", true, "pages of host memory in a cache, copied by whoever needs them; " + describe_fabrics()},
      {"cpu", "subway", true, "edges of active vertices, gathered from the mapped file into a buffer"},
  };
  constexpr std::pair<const char*, const char*> kOnGpu[] = {
      {"incore", "edges in device memory"},
      {"emogi", "edges in host memory, read in place over the link"},
      {"uvm", "managed memory, paged by the driver"},
      {"bam", "edges in a file, a cache of pages in device memory"},
      {"gpuvm", "edges in host memory, a cache of pages in device memory"},
      {"subway", "edges of active vertices, gathered by the host and copied in bulk"}};
  const std::string missing = why_no_cuda(0);
  if (!missing.empty()) {
    for (const auto& [backend, how] : kOnGpu) all.push_back({"cuda", backend, false, missing});
    return all;
  }
  for (int index = 0; why_no_cuda(index).empty(); ++index) {
    for (const auto& [backend, how] : kOnGpu) {
      all.push_back({fmt::format("cuda:{}", index), backend, true, fmt::format("{}; {}", how, describe_cuda_device(index))});
    }
  }
  return all;
}

}  // namespace graphrun
