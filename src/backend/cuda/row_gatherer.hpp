// SPDX-License-Identifier: Apache-2.0
// One GPU's side of a table of features: its hot rows, and gathers in the order of a stream.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "exec/cuda/pinned_memory.hpp"
#include "graphrun/backend/feature_table.hpp"
#include "graphrun/backend/row_tiers.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/exec/cuda_executor.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// What the gatherers of a table have in common.
struct RowSource {
  const FeatureOptions& options;
  RowDelivery delivery;                    ///< resolved
  std::span<const std::byte> rows;         ///< the caller's; read by staged delivery and while tables open
  const void* reached = nullptr;           ///< a copy in host memory that GPUs read; null with staged delivery
  std::vector<VertexId> position_of = {};  ///< of each row among the hot ones, kNoVertex for others; empty where ids tell
  bool first_are_hot = false;              ///< the hot rows are rows 0 to tiers.hot - 1, in order
  RowTiers tiers = {};
  std::vector<const std::byte*> hot = {};  ///< by GPU

  /// Returns a row's position among the hot ones, or kNoVertex.
  VertexId position(VertexId row) const {
    if (first_are_hot) return row < tiers.hot ? row : kNoVertex;
    return position_of[row];
  }
};

/// A GPU that gathers. Not thread-safe. Several may be on one GPU. wait() for all of a table before one is destroyed: they read
/// each other's rows.
class RowGatherer {
 public:
  /// Copies the hot rows of GPU number `mine`. `gpus`: all of the table.
  RowGatherer(const RowSource& source, const std::vector<int>& gpus, unsigned mine);
  ~RowGatherer();
  RowGatherer(const RowGatherer&) = delete;
  RowGatherer& operator=(const RowGatherer&) = delete;

  CudaExecutor& exec() { return exec_; }
  const std::byte* hot() const { return hot_.data(); }

  struct Slot;

  /// Copies ids to the GPU in the order of `stream`. The slot is valid until the next finished gather's prepare(), or, for one
  /// that is `left` running, until kLeftRunning more of these.
  Slot& prepare(std::span<const VertexId> ids, cudaStream_t stream, bool left);
  /// Delivers the rows to `to`, memory of this GPU, in the order of `stream`.
  void start(Slot& slot, std::span<const VertexId> ids, std::byte* to, cudaStream_t stream, ThreadPool& pool);
  /// Waits for a gather and returns its costs.
  Gathered finish(Slot& slot);
  void wait() noexcept;  ///< for all gathers
  /// Returns device memory for rows that go on to the host.
  std::byte* room(std::size_t bytes);

  /// The memory and events of one gather.
  struct Slot {
    std::optional<PinnedMemory> ids;
    std::optional<PinnedMemory> staging;
    DeviceArray<VertexId> device_ids;
    DeviceArray<unsigned long long> counted;
    cudaEvent_t begin = nullptr, end = nullptr, done = nullptr;
    std::uint64_t count = 0;
    double host_ms = 0;  ///< of host threads before `begin`
    Gathered copied;     ///< counts of rows that no kernel counts
    bool used = false;
  };

 private:
  static constexpr std::size_t kLeftRunning = 4;
  static constexpr std::size_t kSlots = 1 + kLeftRunning;  // the first for gathers that are finished at once

  void launch_kernel(const Slot& slot, std::byte* to, cudaStream_t stream);
  template <class Word>
  void launch_words(const Slot& slot, std::byte* to, cudaStream_t stream);
  void copy_each_row(Slot& slot, std::span<const VertexId> ids, std::byte* to, cudaStream_t stream) const;

  const RowSource& source_;
  unsigned mine_;
  CudaExecutor exec_;  // before its users
  DeviceArray<std::byte> hot_;
  DeviceArray<VertexId> position_of_;
  DeviceArray<std::byte> room_;
  PinnedMemory counts_{kSlots * 2 * sizeof(unsigned long long)};
  std::array<Slot, kSlots> slots_;
  std::size_t next_ = 0;
};

}  // namespace graphrun::cuda::inline GR_IDS
