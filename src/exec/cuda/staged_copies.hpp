// Copies between long arrays in pageable host memory and a device, by all threads of a pool.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "exec/cuda/pinned_memory.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/exec/arc_sorter.hpp"

namespace graphrun::cuda {

/// Each thread has a piece of pinned memory, so that one copies from or to host memory while others use the link. Elements are
/// narrowed or widened on the way. Kernels that write what is copied must have ended.
class StagedCopies {
 public:
  explicit StagedCopies(int device) : device_(device) {}

  template <class T>
  void to_device(T* to, HostArray<const void> from, std::size_t count, ThreadPool& pool);
  template <class T>
  void to_host(HostArray<void> to, const T* from, std::size_t count, ThreadPool& pool);

 private:
  /// Calls copy(stage, begin, count) for pieces of elements that fit a stage.
  template <class Copy>
  void for_each_piece(std::size_t count, std::size_t element_bytes, ThreadPool& pool, const Copy& copy);

  int device_;
  std::vector<std::unique_ptr<PinnedMemory>> stages_;  // one a thread
};

}  // namespace graphrun::cuda
