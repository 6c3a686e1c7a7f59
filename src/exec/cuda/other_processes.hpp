// SPDX-License-Identifier: Apache-2.0
// Access to the memory of GPUs of other processes.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/exec/exchange.hpp"

namespace graphrun::cuda {

/// On one host each process opens the others' message buffers (CUDA IPC), and its kernels read there. Otherwise, and where that
/// fails, messages go through host memory and the exchange. Calls are collective, except leave().
class OtherProcesses {
 public:
  /// Opens the buffers of this rank, whose executor is `exec`.
  OtherProcesses(CudaExecutor& exec, std::byte* room, std::byte* other_room);
  ~OtherProcesses();
  OtherProcesses(const OtherProcesses&) = delete;
  OtherProcesses& operator=(const OtherProcesses&) = delete;

  bool opens() const { return !rooms_.empty(); }
  /// Does as CudaExecutor::reach().
  std::vector<const std::byte*> reach(const std::vector<CudaExecutor::PublishedRoom>& all);
  /// Does as CudaExecutor::enter_others().
  std::vector<void*> enter(void* mine);
  void leave() noexcept;

 private:
  struct Opened {
    void* there = nullptr;  ///< address in the other process
    void* here = nullptr;   ///< address in this process; null: its own memory
  };

  /// Opens each rank's `mine`, by rank; returns nothing where some rank cannot open another's. `opened` keeps handles to close.
  std::vector<Opened> open(void* mine, std::vector<void*>& opened);
  std::vector<const std::byte*> bring(const std::vector<CudaExecutor::PublishedRoom>& all);

  CudaExecutor& exec_;
  Exchange& exchange_;
  std::vector<std::array<Opened, 2>> rooms_;  // by rank; empty where messages are sent
  std::vector<void*> opened_rooms_;
  std::vector<void*> entered_;
  std::vector<DeviceArray<std::byte>> brought_;
  std::vector<std::byte> sent_;
};

}  // namespace graphrun::cuda
