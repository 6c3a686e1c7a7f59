// SPDX-License-Identifier: Apache-2.0

#include "graphrun/run/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "core/raise.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "run/open.hpp"
#include "run/ranks_session.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::string_view kAllGpus = "all";
constexpr std::size_t kMostGpus = 64;  // of a run
constexpr int kLastGpu = 999;          // largest ordinal in a name

/// Returns the GPUs of "0", "0-3", "0,2" and the like; nothing for other texts.
std::vector<int> gpus_in(std::string_view text) {
  std::vector<int> gpus;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](int& value) {
    const auto [rest, status] = std::from_chars(at, end, value);
    const bool is_number = status == std::errc{} && value >= 0 && value <= kLastGpu && rest != at;
    at = rest;
    return is_number;
  };
  for (;;) {
    int first = 0;
    if (!number(first)) return {};
    int last = first;
    if (at != end && *at == '-' && (++at, !number(last) || last < first)) return {};
    for (int gpu = first; gpu <= last; ++gpu) gpus.push_back(gpu);
    if (at == end && gpus.size() <= kMostGpus) return gpus;
    if (at == end || *at++ != ',') return {};
  }
}

std::string name_of_gpus(const std::vector<int>& gpus) {
  std::string text = "cuda:";
  for (std::size_t i = 0; i < gpus.size();) {
    std::size_t last = i;
    while (last + 1 < gpus.size() && gpus[last + 1] == gpus[last] + 1) ++last;
    text += fmt::format("{}{}", i == 0 ? "" : ",", gpus[i]);
    if (last != i) text += fmt::format("-{}", gpus[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace

std::string canonical_device(const std::string& text) {
  constexpr ShortForm kForms[] = {{"gpu", "cuda"}};
  const std::size_t colon = text.find(':');
  const std::string name(kDeviceForms[choose_name(text.substr(0, colon), "device", kDeviceForms, kForms)]);
  if (colon == std::string::npos) return name;
  const std::string which = in_small_letters(text.substr(colon + 1));
  const std::vector<int> gpus = gpus_in(which);
  if (name != "cuda" || (gpus.empty() && which != kAllGpus)) {
    raise<UsageError>("'{}' is not a device: write auto, cpu, cuda, cuda:N, or several GPUs as cuda:0-3, cuda:0,2 or cuda:all",
                      text);
  }
  return gpus.empty() ? fmt::format("cuda:{}", kAllGpus) : name_of_gpus(gpus);
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
  std::vector<int> gpus = {0};
  if (const std::size_t colon = name.find(':'); colon != std::string::npos)
    gpus = gpus_in(std::string_view(name).substr(colon + 1));
  if (gpus.empty()) {  // all
    for (int gpu = 0; gpu < std::max(1, count_cuda_devices()); ++gpu) gpus.push_back(gpu);
  }
  for (const int gpu : gpus) {
    if (const std::string missing = why_no_cuda(gpu); !missing.empty()) {
      const std::string which = gpus.size() == 1 ? "" : fmt::format(", which is one of {},", name);
      raise<UnavailableError>("device cuda:{}{} cannot be used: {}", gpu, which, missing);
    }
  }
  return {DeviceKind::cuda, gpus.front(), {gpus.begin() + 1, gpus.end()}};
}

Device of_process(const Device& device, const RankPlace& place) {
  if (device.kind != DeviceKind::cuda) return device;
  if (place.on_host >= device.gpus()) {
    log::warn(
        fmt::format("process {} of this host shares a GPU with another: --device names {}", place.on_host + 1, device.gpus()));
  }
  const int turn = place.on_host % device.gpus();
  return {DeviceKind::cuda, turn == 0 ? device.index : device.others[static_cast<std::size_t>(turn - 1)]};
}

int only_gpu(const Device& device, const char* what) {
  if (device.gpus() > 1) raise<UsageError>("{} by one GPU, not by {}", what, to_string(device));
  return device.index;
}

std::string to_string(const Device& device) {
  if (device.kind != DeviceKind::cuda) return "cpu";
  std::vector<int> gpus = {device.index};
  gpus.insert(gpus.end(), device.others.begin(), device.others.end());
  return name_of_gpus(gpus);
}

void check_gpus(const Device& device, int ranks) {
  if (device.kind != DeviceKind::cuda || ranks == 1 || ranks == device.gpus()) return;
  raise<UsageError>("--ranks {} cannot be with --device {}: each GPU that is named is a rank, such as two of --device cuda:0-1",
                    ranks, to_string(device));
}

void check_countable(const Device& device, const BackendOptions& options) {
  if (device.kind != DeviceKind::cuda && (options.gpu_memory_bytes || options.oversubscribe || options.count_migrations)) {
    throw UnavailableError(
        "--gpu-memory, --oversubscribe and --count-migrations need a GPU, whose driver pages uvm: on a CPU --cache caps it, and "
        "bytes are counted");
  }
  if (!options.count_requests) return;
  if (!reads_in_place(preset_of(options.kind))) {
    raise<UsageError>(
        "--count-requests looks at loads that kernels send over a link, which are those of --backend emogi and not of {}",
        name_of(options.kind));
  }
  if (device.kind != DeviceKind::cuda) {
    throw UnavailableError(
        "--count-requests needs a GPU: requests over a link are what becomes of the loads of its warps, and a CPU has neither");
  }
  if (const std::string missing = why_no_counted_kernels(); !missing.empty()) throw UsageError(missing);
}

std::string only_on_cpu(const std::string& what) {
  std::vector<std::string_view> algorithms, backends;
  for (const auto& [name, algorithm] : ChoicesOf<Algorithm>::kAll) {
    if (info_of(algorithm).runs_on_gpu({})) algorithms.emplace_back(name);
  }
  for (const BackendKind kind : presets_where(has_gpu_views)) backends.emplace_back(name_of(kind));
  return fmt::format(
      "a GPU does not run {} with 64-bit ids, but {} over {}: choose --device cpu, or 32-bit ids for a graph of fewer than 2^32 "
      "vertices",
      what, fmt::join(algorithms, ", "), fmt::join(backends, ", "));
}

void check_ids(const Device& device, const BackendOptions& options) {
  if (device.kind != DeviceKind::cuda || kGpusRunAll) return;
  if (!has_gpu_views(preset_of(options.kind))) throw UsageError(only_on_cpu(fmt::format("over {}", name_of(options.kind))));
  if (options.records) throw UsageError(only_on_cpu("over records"));
}

std::string why_no_counted_kernels() {
#if defined(GRAPHRUN_COUNTED_KERNELS)
  return {};
#else
  return "--count-requests needs kernels that this program was built without: configure its build with "
         "-DGRAPHRUN_COUNTED_KERNELS=ON";
#endif
}

int threads_over(const Graph& graph, int asked) {
  constexpr std::uint64_t kTiny = 1 << 17;  // vertices and edges: a pass over them takes less than a millisecond
  return asked == 0 && graph.num_vertices() + graph.num_edges() <= kTiny ? 1 : asked;
}

std::unique_ptr<Session> open_session(const Graph& graph, const SessionOptions& options) {
  check_countable(options.device, options.backend);
  check_ids(options.device, options.backend);
  SessionOptions complete = options;
  complete.backend = with_defaults(options.backend);
  complete.backend.host_threads = options.threads;
  const bool on_gpu = options.device.kind == DeviceKind::cuda;
  check_gpus(options.device, options.ranks);
  if (options.device.gpus() == 1 && options.processes == nullptr) return open_cuda_session(graph, complete);
  if (on_gpu || options.ranks > 1 || options.processes != nullptr) return std::make_unique<RanksSession>(graph, complete);
  auto exec = std::make_unique<CpuExecutor>(threads_over(graph, options.threads));
  auto executor = fmt::format("cpu, {} thread{}", exec->pool().size(), exec->pool().size() == 1 ? "" : "s");
  return open_on(std::move(exec), graph, complete, std::move(executor));
}

}  // namespace graphrun::inline GR_IDS
