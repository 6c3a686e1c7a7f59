// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <vector>

#include "backend/cuda/gpu_features.hpp"
#include "backend/cuda/host_edges.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/ops/cuda_launch.cuh"

namespace graphrun::cuda::inline GR_IDS {
namespace {

constexpr unsigned kLargestBlock = 1024;  // threads

template <class Word>
struct GatherRows {
  const Word* host;
  const Word* device[1 + FeatureOptions::kMostPeers];  ///< hot rows, in the memory of this GPU and of each peer
  unsigned devices;                                    ///< the hot row of place p is row p / devices of GPU p % devices
  const VertexId* place_of;  ///< of each row among the hot ones, kNoVertex for others; null without hot rows
  std::uint64_t words;       ///< of a row
  unsigned lanes;            ///< that read a row; a power of two up to a warp
  bool aligned;
  const VertexId* ids;
  std::uint64_t count;
  Word* to;
  unsigned long long* hot;  ///< counts hot rows of this GPU, and of peers
};

/// Lanes read consecutive words, several at a time, so that a warp's request is a 128-byte line. A request at an unaligned row
/// start would span two lines. So lanes begin at the row's first boundary and read its first words last (Min, dissertation,
/// listing 3.2).
template <class Word>
__global__ void __launch_bounds__(kLargestBlock) gather_rows_kernel(GatherRows<Word> what) {
  constexpr std::uint64_t kLineWords = 128 / sizeof(Word);
  constexpr int kLoads = 4;
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const unsigned lane = static_cast<unsigned>(thread) % what.lanes;
  const bool shifts = what.aligned && what.words > kLineWords && what.words % kLineWords != 0;
  unsigned long long here = 0;
  unsigned long long at_peers = 0;
  for (std::uint64_t i = thread / what.lanes; i < what.count; i += std::uint64_t{gridDim.x} * blockDim.x / what.lanes) {
    const std::uint64_t id = what.ids[i];
    const VertexId place = what.place_of == nullptr ? kNoVertex : what.place_of[id];
    const bool is_hot = place != kNoVertex;
    const unsigned owner = is_hot ? place % what.devices : 0;
    const Word* const from = is_hot ? what.device[owner] + place / what.devices * what.words : what.host + id * what.words;
    const std::uint64_t past = id * what.words % kLineWords;
    const std::uint64_t shift = shifts && !is_hot && past != 0 ? kLineWords - past : 0;
    for (std::uint64_t k = lane; k < what.words; k += std::uint64_t{what.lanes} * kLoads) {
      Word words[kLoads];
      std::uint64_t at[kLoads];
#pragma unroll
      for (int j = 0; j < kLoads; ++j) {
        const std::uint64_t word = k + j * what.lanes;
        at[j] = word + shift >= what.words ? word + shift - what.words : word + shift;
        if (word < what.words) words[j] = from[at[j]];
      }
#pragma unroll
      for (int j = 0; j < kLoads; ++j) {
        if (k + j * what.lanes < what.words) what.to[i * what.words + at[j]] = words[j];
      }
    }
    if (is_hot && lane == 0) ++(owner == 0 ? here : at_peers);
  }
  if (here != 0) atomicAdd(what.hot, here);
  if (at_peers != 0) atomicAdd(what.hot + 1, at_peers);
}

}  // namespace
}  // namespace graphrun::cuda::inline GR_IDS

namespace graphrun::inline GR_IDS {
namespace {

class GpuFeatures final : public FeatureTable {
 public:
  GpuFeatures(std::span<const std::byte> rows, const FeatureOptions& options)
      : FeatureTable(rows.size() / options.row_bytes, options), exec_(options.gpu, {}, options.peers, 0), counted_(2) {
    cuda::load_modules_of(reinterpret_cast<const void*>(&cuda::source_kernel));
    ThreadPool pool(options.threads);
    const cuda::HostEdges host(rows.size(), num_rows(), exec_, pool);
    rows_ = host.place_copy(rows.data(), rows.size());
    if (options.hot.empty()) return;
    std::vector<VertexId> place_of(num_rows(), kNoVertex);
    for (std::size_t i = 0; i < options.hot.size(); ++i) place_of[options.hot[i]] = static_cast<VertexId>(i);
    place_of_ = DeviceArray<VertexId>(place_of.size());
    exec_.copy_to_device(place_of_.data(), place_of.data(), place_of_.bytes());
    const std::size_t devices = 1 + options.peers.size();
    for (std::size_t owner = 0; owner < devices; ++owner) {
      std::vector<std::byte> share;
      for (std::size_t i = owner; i < options.hot.size(); i += devices) {
        const std::byte* const row = rows.data() + options.hot[i] * row_bytes();
        share.insert(share.end(), row, row + row_bytes());
      }
      if (owner != 0) cuda::check(cudaSetDevice(options.peers[owner - 1]), "select the GPU");
      hot_.emplace_back(share.size());
      exec_.make_current();
      exec_.copy_to_device(hot_.back().data(), share.data(), share.size());
      exec_.finish();  // before `share` is destroyed
    }
  }

 private:
  Gathered gather_impl(std::span<const VertexId> ids, std::byte* to) override {
    exec_.make_current();
    make_room(gathered_, ids.size() * row_bytes());
    const Gathered gathered = gather_on_device_impl(ids, gathered_.data());
    exec_.copy_to_host(to, gathered_.data(), ids.size() * row_bytes());
    return gathered;
  }

  Gathered gather_on_device_impl(std::span<const VertexId> ids, std::byte* to) override {
    exec_.make_current();
    make_room(ids_, ids.size());
    if (ids.empty()) return {};
    cudaPointerAttributes where{};
    cuda::check(cudaPointerGetAttributes(&where, to), "examine the room for rows");
    if (where.type != cudaMemoryTypeManaged && (where.type != cudaMemoryTypeDevice || where.device != exec_.device()))
      throw UsageError("rows go to memory of the GPU that gathers them, cuda:" + std::to_string(exec_.device()));
    exec_.copy_to_device(ids_.data(), ids.data(), ids.size_bytes());
    exec_.store(counted_, 0, 0ull);
    exec_.store(counted_, 1, 0ull);
    cuda::check(cudaDeviceSynchronize(), "wait for the GPU");  // for streams of others, too, which may still use `to`
    const Timer timer;
    if ((row_bytes() | reinterpret_cast<std::uintptr_t>(to)) % sizeof(std::uint32_t) == 0)
      gather_words<std::uint32_t>(ids.size(), to);
    else
      gather_words<std::uint8_t>(ids.size(), to);
    exec_.finish();
    Gathered gathered{.elapsed_ms = timer.elapsed_ms()};
    gathered.device_bytes = exec_.fetch(counted_, 0) * row_bytes();
    gathered.peer_bytes = exec_.fetch(counted_, 1) * row_bytes();
    gathered.host_bytes = ids.size() * row_bytes() - gathered.device_bytes - gathered.peer_bytes;
    return gathered;
  }

  template <class Word>
  void gather_words(std::size_t count, std::byte* to) {
    const std::uint64_t words = row_bytes() / sizeof(Word);
    unsigned lanes = 1;
    while (lanes < cuda::kWarp && lanes < words) lanes *= 2;
    cuda::GatherRows<Word> what{static_cast<const Word*>(rows_.data()),
                                {},
                                static_cast<unsigned>(hot_.size()),
                                place_of_.data(),
                                words,
                                lanes,
                                options().aligned,
                                ids_.data(),
                                count,
                                reinterpret_cast<Word*>(to),
                                counted_.data()};
    std::ranges::transform(hot_, what.device, [](const auto& rows) { return reinterpret_cast<const Word*>(rows.data()); });
    // A multiprocessor holds one block of this size, so the grid uses as many as it has blocks.
    const unsigned most = static_cast<unsigned>(options().multiprocessors);
    const cuda::Grid grid = most == 0 ? cuda::Grid{cuda::grid_for(exec_, cuda::threads(count * lanes)), cuda::kBlockThreads}
                                      : cuda::Grid{most, cuda::kLargestBlock};
    cuda::launch(exec_, grid, cuda::gather_rows_kernel<Word>, what);
  }

  template <class T>
  static void make_room(DeviceArray<T>& array, std::size_t count) {
    if (array.size() >= count) return;
    array = DeviceArray<T>{};  // first: there may be no room for two
    array = DeviceArray<T>(count);
  }

  CudaExecutor exec_;  // first: outlives its users
  cuda::EdgeMemory rows_;
  std::vector<DeviceArray<std::byte>> hot_;  ///< of this GPU and of its peers; none without hot rows
  DeviceArray<VertexId> place_of_;
  DeviceArray<VertexId> ids_;
  DeviceArray<std::byte> gathered_;
  DeviceArray<unsigned long long> counted_;
};

}  // namespace

std::unique_ptr<FeatureTable> open_gpu_features(std::span<const std::byte> rows, const FeatureOptions& options) {
  return std::make_unique<GpuFeatures>(rows, options);
}

}  // namespace graphrun::inline GR_IDS
