// SPDX-License-Identifier: Apache-2.0

#include "cuda/counting_kernels.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/ops/cuda_counting_reader.cuh"

namespace graphrun::test {
namespace {

constexpr EdgeId kIdle = ~EdgeId{0};

__global__ void read_edges(CountedView view, const EdgeId* places, std::size_t loads, bool weighted, unsigned* sink) {
  cuda::EdgeReader<CountedView> edges(view);
  unsigned sum = 0;
  for (std::size_t i = 0; i < loads; ++i) {
    const EdgeId e = places[i * cuda::kWarp + cuda::lane_id()];
    sum += static_cast<unsigned>(cuda::read_neighbour(edges, e, e != kIdle));
    if (weighted) sum += cuda::read_weight<std::uint32_t>(edges, e, e != kIdle);
  }
  sink[cuda::lane_id()] = sum;  // keeps the reads alive
}

}  // namespace

LinkRequests requests_of(CudaExecutor& exec, const std::vector<Loads>& loads, std::size_t edges, bool weighted) {
  std::vector<EdgeId> places;
  for (const Loads& load : loads) {
    for (const auto& place : load) places.push_back(place.value_or(kIdle));
  }
  DeviceArray<EdgeId> on_device(places.size());
  exec.copy_to_device(on_device.data(), places.data(), on_device.bytes());
  // Where edges lie makes no difference to what is counted.
  const DeviceArray<VertexId> neighbours(edges);
  const DeviceArray<std::uint32_t> weights(edges);
  const DeviceArray<unsigned> sink(cuda::kWarp);
  const DeviceArray<LinkRequests> requests(1);
  exec.fill_words(requests.data(), 0, sizeof(LinkRequests) / 4);
  CountedView view;
  view.neighbours = neighbours.data();
  view.weights = weights.data();
  view.requests = requests.data();
  read_edges<<<1, cuda::kWarp, 0, static_cast<cudaStream_t>(exec.stream())>>>(view, on_device.data(), loads.size(), weighted,
                                                                              sink.data());
  cuda::check(cudaGetLastError(), "launch a kernel");
  return exec.fetch(requests, 0);
}

}  // namespace graphrun::test
