// SPDX-License-Identifier: Apache-2.0
// The CPU executor: a thread pool and the arrays of algorithms.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/core/memory.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/exec/exchange.hpp"

namespace graphrun {

class Checkpoint;

/// Owner of a run's compute threads. Algorithms are templates over this class and CudaExecutor.
class CpuExecutor {
 public:
  template <class T>
  using Array = Column<T>;

  explicit CpuExecutor(int threads = 0) : owned_(std::make_unique<ThreadPool>(threads)), pool_(owned_.get()) {}
  /// Uses the threads of `pool`, which must outlive the executor.
  explicit CpuExecutor(ThreadPool& pool) : pool_(&pool) {}
  /// Makes one rank of several, each with `threads` threads.
  CpuExecutor(int threads, const RankPart& part) : CpuExecutor(threads) { part_ = part; }

  ThreadPool& pool() { return *pool_; }
  /// Returns the vertices whose lists this rank scans.
  const RankPart& part() const { return part_; }
  /// Returns whether the caller gets this rank's answer; all ranks have the same.
  bool answers() const { return part_.rank() == 0; }

  /// Where this rank's runs save their state; null: nowhere.
  Checkpoint* checkpoint() const { return checkpoint_; }
  void save_to(Checkpoint* checkpoint) { checkpoint_ = checkpoint; }

  /// Makes a guarded array: kernels index it by unchecked ids.
  template <class T>
  Array<T> make_array(std::size_t size) {
    return Array<T>::allocate_guarded(size);
  }
  template <class T>
  std::vector<T> download(const Array<T>& array) {
    return download(array, 0, array.size());
  }
  /// Copies elements [first, last) to the host, into the memory of `into`.
  template <class T>
  std::vector<T> download(const Array<T>& array, std::size_t first, std::size_t last, std::vector<T> into = {}) {
    reserve_huge(into, last - first);
    into.assign(array.data() + first, array.data() + last);
    return into;
  }
  /// Copies to the beginning of an array that has room.
  template <class T>
  void upload(const std::vector<T>& from, Array<T>& array) {
    std::copy(from.begin(), from.end(), array.data());
  }
  template <class T>
  void store(Array<T>& array, std::size_t index, T value) {
    array[index] = value;
  }
  template <class T>
  T fetch(const Array<T>& array, std::size_t index) {
    return array[index];
  }
  /// Waits for the other ranks.
  void synchronize() {
    if (!part_.is_single_rank()) part_.exchange->all_gather({});
  }
  void make_current() {}                                    ///< for CudaExecutor
  static std::nullptr_t keep_modules() { return nullptr; }  ///< for CudaExecutor

  /// Does as CudaExecutor's, where ranks are threads of one process.
  std::vector<void*> enter_others(void* mine) {
    if (!part_.exchange->place().one_process) return {};
    std::vector<void*> places = gather_values(*part_.exchange, mine);
    places.erase(places.begin() + part_.exchange->rank());
    return places;
  }
  void leave_others() noexcept {}
  template <class T>
  void keep(Array<T>&& array) {
    kept_.push_back(std::make_shared<Array<T>>(std::move(array)));
  }

  /// Memory of an operator that is zero between its calls, unless it is in use: after an error.
  struct Zeros {
    Array<std::byte> bytes;
    bool in_use = false;
  };
  Zeros& zeros() { return zeros_; }

 private:
  std::unique_ptr<ThreadPool> owned_;
  ThreadPool* pool_;
  RankPart part_;
  Checkpoint* checkpoint_ = nullptr;
  std::vector<std::shared_ptr<void>> kept_;
  Zeros zeros_;
};

}  // namespace graphrun
