// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <utility>
#include <vector>

#include "backend/placed_graph.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "run/open.hpp"

namespace graphrun::inline GR_IDS {

std::unique_ptr<Session> open_cuda_session(const Graph& graph, const SessionOptions& options) {
  if (!kGpusRunAll || !decodes(preset_of(options.backend.kind), true)) require_unpacked(graph, "a GPU");
  auto exec = std::make_unique<CudaExecutor>(options.device.index);  // first: it chooses how modules are loaded
  return open_on(std::move(exec), graph, options,
                 fmt::format("cuda:{}, {}", options.device.index, describe_cuda_device(options.device.index)));
}

std::unique_ptr<Session> open_cuda_rank(const Graph& graph, const SessionOptions& options, const RankPart& part) {
  require_unpacked(graph, "a GPU");
  const Device& device = options.device;
  std::vector<int> gpus = {device.index};
  gpus.insert(gpus.end(), device.others.begin(), device.others.end());
  std::vector<std::pair<std::string, int>> kinds;  // with their numbers
  for (const int gpu : gpus) {
    std::string kind = describe_cuda_device(gpu);
    const auto same = std::ranges::find(kinds, kind, &std::pair<std::string, int>::first);
    same == kinds.end() ? void(kinds.emplace_back(std::move(kind), 1)) : void(++same->second);
  }
  std::string text = to_string(device);
  for (const auto& [kind, count] : kinds) text += fmt::format(", {} x {}", count, kind);
  const bool one_process = part.exchange->place().one_process;
  if (!one_process) text += fmt::format(", in one of {} processes", part.exchange->size());
  const int mine = one_process ? gpus[static_cast<std::size_t>(part.exchange->rank())] : device.index;
  auto exec = std::make_unique<CudaExecutor>(mine, part, gpus, graph.num_vertices());
  return open_on(std::move(exec), graph, options, std::move(text));
}

}  // namespace graphrun::inline GR_IDS
