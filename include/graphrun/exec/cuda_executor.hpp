// SPDX-License-Identifier: Apache-2.0
// The CUDA executor: a device, a stream, and the arrays of algorithms. Compiles without CUDA, so that everything above ops/ can
// name it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graphrun/core/memory.hpp"
#include "graphrun/exec/exchange.hpp"

namespace graphrun {

class Checkpoint;

namespace cuda {

void* allocate_device(std::size_t bytes);  ///< throws RunError, saying how much was free
void free_device(void* pointer) noexcept;
class OtherProcesses;

/// Needs of a thread of a kernel, as the compiler chose them.
struct KernelNeeds {
  int registers = 0;
  std::size_t local_bytes = 0;  ///< spilled registers, and the stack
};

/// Makes the driver load a module at the first use of one of its kernels. Drivers before CUDA 12.4 load all modules at the start:
/// they cannot load a module's kernels on request. Call before the first call of the driver.
void choose_loading();
/// Loads all kernels of the source that defines `kernel`, once for the current GPU. The driver compiles them first when the
/// program has no machine code for that GPU. Waits for KeptModules of other threads and checks for cancellation. Throws RunError,
/// also when its own thread has KeptModules.
void load_modules_of(const void* kernel);
/// Adds a module to the list of load_all_modules(). Returns true.
bool add_module(const void* kernel);
/// Loads all added modules for the current GPU.
void load_all_modules();
/// Keeps all threads from loading kernels while it lives. The driver loads when no kernel runs and blocks all calls until then,
/// also calls that a running kernel waits for. One at a time in a thread.
class KeptModules {
 public:
  KeptModules();
  ~KeptModules();
  KeptModules(const KeptModules&) = delete;
  KeptModules& operator=(const KeptModules&) = delete;
};

}  // namespace cuda

/// An array of `size()` elements in device memory. Move-only.
template <class T>
class DeviceArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t size)
      : data_(size == 0 ? nullptr : static_cast<T*>(cuda::allocate_device(size * sizeof(T)))), size_(size) {}
  ~DeviceArray() { cuda::free_device(data_); }
  DeviceArray(DeviceArray&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* release() { return std::exchange(data_, nullptr); }
  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Owner of a run's device. All work goes to one stream, in order. Not thread-safe.
class CudaExecutor {
 public:
  template <class T>
  using Array = DeviceArray<T>;

  /// Makes `device` current for this thread. Throws UnavailableError when it cannot be used.
  explicit CudaExecutor(int device);
  /// Makes one rank of several over a graph of `num_vertices`, each with a thread or a process; ranks may share a GPU. `devices`:
  /// GPUs of all ranks of this process. Throws UnavailableError also when this GPU cannot access the memory of one of these.
  CudaExecutor(int device, const RankPart& part, const std::vector<int>& devices, std::uint64_t num_vertices);
  ~CudaExecutor();

  int device() const { return device_; }
  /// Returns the vertices whose lists this rank scans.
  const RankPart& part() const { return part_; }
  int multiprocessors() const { return multiprocessors_; }
  void* stream() const { return stream_; }  ///< a cudaStream_t
  /// 64 KiB of device memory and as much pinned host memory, for counters and small results of one operator call.
  void* device_scratch() const { return device_scratch_; }
  void* host_scratch() const { return host_scratch_; }
  static constexpr std::size_t kScratchBytes = 64 << 10;
  /// Returns memory for one operator call: sums of the pieces of split lists, or queues. Counts are zero between operators.
  double* piece_sums(std::size_t count);
  unsigned* piece_counts(std::size_t count);
  /// Returns counters from which warps draw work. turn() says whether from the end: false, true, false, ... (ops/cuda_order.cuh).
  unsigned long long* fresh_tickets();
  bool turn() { return std::exchange(backward_, !backward_); }

  template <class T>
  Array<T> make_array(std::size_t size) {
    return Array<T>(size);
  }
  template <class T>
  std::vector<T> download(const Array<T>& array) {
    return download(array, 0, array.size());
  }
  template <class T>
  std::vector<T> download(const Array<T>& array, std::size_t first, std::size_t last, std::vector<T> into = {}) {
    reserve_huge(into, last - first);
    into.resize(last - first);
    copy_to_host(into.data(), array.data() + first, into.size() * sizeof(T));
    return into;
  }
  /// Copies to the beginning of an array that has room.
  template <class T>
  void upload(const std::vector<T>& from, Array<T>& array) {
    copy_to_device(array.data(), from.data(), from.size() * sizeof(T));
  }
  template <class T>
  void store(Array<T>& array, std::size_t index, T value) {
    copy_to_device(array.data() + index, &value, sizeof(T));
  }
  template <class T>
  T fetch(const Array<T>& array, std::size_t index) {
    T value;
    copy_to_host(&value, array.data() + index, sizeof(T));
    return value;
  }

  bool answers() const { return part_.rank() == 0; }      ///< as CpuExecutor's
  Checkpoint* checkpoint() const { return checkpoint_; }  ///< as CpuExecutor's
  void save_to(Checkpoint* checkpoint) { checkpoint_ = checkpoint; }
  /// Returns the addresses by which kernels of this rank access all ranks' `mine`, by rank; empty where they cannot. `mine` is
  /// from make_array(). Collective. Valid until leave_others(); ranks synchronize before one frees its array.
  std::vector<void*> enter_others(void* mine);
  void leave_others() noexcept;
  /// Frees the array when no rank runs any more, because others may still write to it.
  template <class T>
  void keep(DeviceArray<T>&& array) {
    kept_.emplace_back(array.release(), &cuda::free_device);
  }
  struct Zeros {  ///< as CpuExecutor's
    DeviceArray<std::byte> bytes;
    bool in_use = false;
  };
  Zeros& zeros() { return zeros_; }
  /// Returns device memory for this rank's next message, at least `bytes`. Two buffers alternate: other ranks may still read the
  /// last message, but no earlier one.
  std::byte* message_room(std::size_t bytes);
  std::size_t longest_message() const { return messages_[0].size(); }
  void take_back_message() { last_message_ ^= 1; }  ///< makes the next message overwrite the last one
  /// A published message: the first `bytes` of a message_room().
  struct PublishedRoom {
    std::byte* room;
    std::size_t bytes;
  };
  /// Returns the addresses of all ranks' messages for this GPU, by rank. Collective; each rank's message must be written.
  /// Processes of this host share the memory of their GPUs; processes of other hosts send messages.
  std::vector<const std::byte*> reach(const std::vector<PublishedRoom>& all);
  bool brings_messages() const;  ///< whether messages are sent and counted by the exchange
  /// Returns the size of the longest message: two bits and a state of up to 8 bytes a vertex, and 64 KiB.
  static std::uint64_t message_bytes(std::uint64_t num_vertices);
  /// Call before each launch. Waits for all kernels before the first launch of `kernel`: it may be in a module that is not
  /// loaded, and the driver loads a module only when no kernel runs.
  void before_launch(const void* kernel) {
    if (launched_.insert(kernel).second) finish();
  }
  /// Returns the largest needs of the kernels that were launched so far; waits for none.
  cuda::KernelNeeds kernel_needs() const;
  /// Returns whether `data` is in a GPU's own memory, and not in managed memory.
  static bool is_on_device(const void* data);
  /// Makes the executor's device current for this thread.
  void make_current() const;
  /// Prevents the loading of kernels during a run.
  [[nodiscard]] static cuda::KeptModules keep_modules() { return {}; }
  /// Waits for all work given so far. Throws RunError when any of it failed.
  void finish();
  /// Does as finish(), and waits for the other ranks.
  void synchronize();
  void copy_to_host(void* to, const void* from, std::size_t bytes);
  void copy_to_device(void* to, const void* from, std::size_t bytes);
  /// Writes at most 64 bytes to the device in stream order, without waiting; reads `from` at once.
  void set_counters(void* to, const void* from, std::size_t bytes);
  /// Fills `count` words of 4 bytes.
  void fill_words(void* to, std::uint32_t word, std::size_t count);

 private:
  cuda::OtherProcesses* other_processes();  ///< null: all ranks are threads

  int device_;
  int multiprocessors_ = 0;
  void* stream_ = nullptr;
  void* device_scratch_ = nullptr;
  void* host_scratch_ = nullptr;
  DeviceArray<double> piece_sums_;
  DeviceArray<unsigned> piece_counts_;
  DeviceArray<unsigned long long> tickets_;
  Zeros zeros_;
  Checkpoint* checkpoint_ = nullptr;
  RankPart part_;
  DeviceArray<std::byte> messages_[2];
  std::vector<std::unique_ptr<void, void (*)(void*)>> kept_;
  int last_message_ = 0;
  std::unique_ptr<cuda::OtherProcesses> others_;  // null: all ranks are threads
  bool backward_ = false;
  std::unordered_set<const void*> launched_;
};

}  // namespace graphrun
