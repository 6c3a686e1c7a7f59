// Access to the memory of GPUs of other processes.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/exec/exchange.hpp"

namespace graphrun::cuda {

/// On one host each process opens the rooms of the others' messages (CUDA IPC), and its kernels read there. Otherwise, and where
/// that fails, messages go through host memory and the exchange. All ranks make the same calls, but leave().
class OtherProcesses {
 public:
  /// The rooms are those of this rank, whose executor is `exec`.
  OtherProcesses(CudaExecutor& exec, std::byte* room, std::byte* other_room);
  ~OtherProcesses();
  OtherProcesses(const OtherProcesses&) = delete;
  OtherProcesses& operator=(const OtherProcesses&) = delete;

  bool opens() const { return !rooms_.empty(); }
  /// As CudaExecutor::reach().
  std::vector<const std::byte*> reach(const std::vector<CudaExecutor::HandedOut>& all);
  /// As CudaExecutor::enter_others().
  std::vector<void*> enter(void* mine);
  void leave() noexcept;

 private:
  struct Opened {
    void* there = nullptr;  ///< by the addresses of the other process
    void* here = nullptr;   ///< and of this one; null: it is this one's own
  };

  /// Opens each rank's `mine`, by rank; returns nothing where some rank cannot open another's. `opened` keeps what to close.
  std::vector<Opened> open(void* mine, std::vector<void*>& opened);
  std::vector<const std::byte*> bring(const std::vector<CudaExecutor::HandedOut>& all);

  CudaExecutor& exec_;
  Exchange& exchange_;
  std::vector<std::array<Opened, 2>> rooms_;  // by rank; empty where messages are brought
  std::vector<void*> opened_rooms_;
  std::vector<void*> entered_;
  std::vector<DeviceArray<std::byte>> brought_;
  std::vector<std::byte> sent_;
};

}  // namespace graphrun::cuda
