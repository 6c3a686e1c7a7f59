// SPDX-License-Identifier: Apache-2.0

#include "backend/cuda/gpu_features.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "backend/cuda/host_edges.hpp"
#include "backend/cuda/row_gatherer.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/exec/cuda_device.hpp"

namespace graphrun::inline GR_IDS {
namespace {

class GpuFeatures final : public FeatureTable {
 public:
  GpuFeatures(std::span<const std::byte> rows, const FeatureOptions& given)
      : FeatureTable(rows.size() / given.row_bytes, given), pool_(given.threads), source_{options(), delivery(), rows} {
    gpus_ = {options().gpu};
    gpus_.insert(gpus_.end(), options().peers.begin(), options().peers.end());
    source_.tiers = {options().replicated, options().hot.size(), static_cast<unsigned>(gpus_.size())};
    place_hot_rows();
    for (unsigned gpu = 0; gpu < gpus_.size(); ++gpu)
      gatherers_.push_back(std::make_unique<cuda::RowGatherer>(source_, gpus_, gpu));
    for (const auto& gatherer : gatherers_) source_.hot.push_back(gatherer->hot());
    place_host_rows(rows);
  }
  ~GpuFeatures() override {
    const CurrentGpu current;
    for (const auto& gatherer : gatherers_) gatherer->wait();
  }

 private:
  /// Of a graph that is numbered by score (VertexOrder::score) the first rows are hot: ids tell, without an array of positions.
  void place_hot_rows() {
    const std::vector<VertexId>& hot = options().hot;
    VertexId next = 0;
    source_.first_are_hot = std::ranges::all_of(hot, [&](VertexId row) { return row == next++; });
    if (source_.first_are_hot) return;
    source_.position_of.assign(num_rows(), kNoVertex);
    for (std::size_t i = 0; i < hot.size(); ++i) source_.position_of[hot[i]] = static_cast<VertexId>(i);
  }
  void place_host_rows(std::span<const std::byte> rows) {
    CudaExecutor& exec = gatherers_.front()->exec();
    exec.make_current();
    if (delivery() == RowDelivery::dma) {
      reached_ = cuda::EdgeMemory::pinned_copy(rows.data(), rows.size(), pool_);
    } else if (delivery() == RowDelivery::zero_copy) {
      const cuda::HostEdges host(rows.size(), num_rows(), exec, pool_);
      reached_ = host.place_copy(rows.data(), rows.size());
      for (const int gpu : gpus_) reached_.keep_on_host(gpu);
    }
    source_.reached = reached_.data();
  }

  /// All GPUs gather, each a part.
  Gathered gather_impl(std::span<const VertexId> ids, std::byte* to) override {
    const CurrentGpu current;
    struct Part {
      cuda::RowGatherer& gatherer;
      std::span<const VertexId> ids;
      std::byte* room;
      cuda::RowGatherer::Slot* slot;
      cudaStream_t stream() const { return static_cast<cudaStream_t>(gatherer.exec().stream()); }
    };
    std::vector<Part> parts;
    for (std::size_t i = 0; i < gatherers_.size(); ++i) {
      const std::size_t begin = ids.size() * i / gatherers_.size();
      const auto mine = ids.subspan(begin, ids.size() * (i + 1) / gatherers_.size() - begin);
      Part part{*gatherers_[i], mine, gatherers_[i]->room(mine.size() * row_bytes()), nullptr};
      part.slot = &part.gatherer.prepare(mine, part.stream(), false);
      part.gatherer.exec().finish();
      parts.push_back(part);
    }
    const Timer timer;
    for (const Part& part : parts) part.gatherer.start(*part.slot, part.ids, part.room, part.stream(), pool_);
    Gathered all;
    for (const Part& part : parts) add(all, part.gatherer.finish(*part.slot));
    all.elapsed_ms = timer.elapsed_ms();
    for (const Part& part : parts) {
      part.gatherer.exec().make_current();
      part.gatherer.exec().copy_to_host(to, part.room, part.ids.size() * row_bytes());
      to += part.ids.size() * row_bytes();
    }
    return all;
  }

  Gathered gather_on_device_impl(std::span<const VertexId> ids, std::byte* to) override {
    if (ids.empty()) return {};
    const CurrentGpu current;
    cuda::RowGatherer& gatherer = gatherer_for(to);
    const auto stream = static_cast<cudaStream_t>(gatherer.exec().stream());
    cuda::RowGatherer::Slot& slot = gatherer.prepare(ids, stream, false);
    cuda::check(cudaDeviceSynchronize(), "wait for the GPU");  // for streams of others, too, which may still use `to`
    gatherer.start(slot, ids, to, stream, pool_);
    return gatherer.finish(slot);
  }

  void gather_on_stream_impl(std::span<const VertexId> ids, std::byte* to, void* stream) override {
    started_ = nullptr;
    if (ids.empty()) return;
    const CurrentGpu current;
    cuda::RowGatherer& gatherer = gatherer_for(to);
    cuda::RowGatherer::Slot& slot = gatherer.prepare(ids, static_cast<cudaStream_t>(stream), true);
    gatherer.start(slot, ids, to, static_cast<cudaStream_t>(stream), pool_);
    started_by_ = &gatherer;
    started_ = &slot;
  }

  Gathered finish_on_stream_impl() override {
    if (started_ == nullptr) return {};
    const CurrentGpu current;
    return started_by_->finish(*started_);
  }

  /// Returns the first gatherer on the GPU that has the memory.
  cuda::RowGatherer& gatherer_for(const std::byte* to) {
    gatherers_.front()->exec().make_current();
    cudaPointerAttributes where{};
    cuda::check(cudaPointerGetAttributes(&where, to), "examine the room for rows");
    if (where.type == cudaMemoryTypeManaged) return *gatherers_.front();
    for (const auto& gatherer : gatherers_) {
      if (where.type == cudaMemoryTypeDevice && where.device == gatherer->exec().device()) return *gatherer;
    }
    std::string names;
    for (const int gpu : gpus_) names += (names.empty() ? "cuda:" : ", cuda:") + std::to_string(gpu);
    throw UsageError("rows go to memory of a GPU that gathers them, " + names);
  }

  static void add(Gathered& all, const Gathered& part) {
    all.device_bytes += part.device_bytes;
    all.peer_bytes += part.peer_bytes;
    all.host_bytes += part.host_bytes;
  }

  ThreadPool pool_;
  std::vector<int> gpus_;
  cuda::EdgeMemory reached_;
  cuda::RowSource source_;
  std::vector<std::unique_ptr<cuda::RowGatherer>> gatherers_;
  cuda::RowGatherer* started_by_ = nullptr;
  cuda::RowGatherer::Slot* started_ = nullptr;  ///< the last gather on a stream
};

}  // namespace

std::unique_ptr<FeatureTable> open_gpu_features(std::span<const std::byte> rows, const FeatureOptions& options) {
  return std::make_unique<GpuFeatures>(rows, options);
}

}  // namespace graphrun::inline GR_IDS
