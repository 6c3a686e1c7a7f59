// SPDX-License-Identifier: Apache-2.0

#include "cuda/pager_kernels.hpp"
#include "graphrun/cache/device_paged_array.cuh"
#include "graphrun/core/random.hpp"
#include "graphrun/exec/cuda_check.hpp"

namespace graphrun::test {
namespace {

constexpr unsigned kThreads = 256;

unsigned blocks(const CudaExecutor& exec) { return static_cast<unsigned>(exec.multiprocessors()) * 2; }

template <class... Parameters, class... Arguments>
void launch(CudaExecutor& exec, void (*kernel)(Parameters...), Arguments... arguments) {
  kernel<<<blocks(exec), kThreads, 0, static_cast<cudaStream_t>(exec.stream())>>>(arguments...);
  cuda::check(cudaGetLastError(), "launch a kernel");
  exec.synchronize();
}

__device__ std::uint64_t thread_id() { return blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; }
__device__ std::uint64_t thread_count() { return std::uint64_t{gridDim.x} * blockDim.x; }
/// Steps of size thread_count() in which all threads see all of `count`: the same for all, as accesses of whole warps need.
__device__ std::uint64_t rounds(std::uint64_t count) { return (count + thread_count() - 1) / thread_count(); }

template <bool kEvicts>
__global__ void read_words(DevicePages pages, std::uint64_t words, std::uint64_t seed, int reads, bool scattered,
                           unsigned long long* wrong) {
  cuda::HeldPage held, none;
  unsigned long long errors = 0;
  for (int i = 0; i < reads; ++i) {
    std::uint64_t index[2];
    bool wants[2];
    unsigned long long value[2];
    for (int j = 0; j < 2; ++j) {
      const std::uint64_t draw =
          splitmix64(seed, static_cast<std::uint64_t>(i * 2 + j), scattered ? thread_id() : cuda::warp_id());
      index[j] = (draw + (scattered ? 0 : cuda::lane_id())) % words;
      wants[j] = splitmix64(seed, thread_id(), static_cast<std::uint64_t>(i)) % 8 != 0;
    }
    if constexpr (kEvicts) {
      cuda::load_elements<unsigned long long>(pages, held, none, 0, index, wants, value);
    } else {
      for (int j = 0; j < 2; ++j) {
        cuda::bring_in_elements<unsigned long long>(pages, 0, index[j], index[j] + (wants[j] ? 1 : 0));
      }
      cuda::read_resident_elements(pages, 0, index, wants, value);
    }
    for (int j = 0; j < 2; ++j) errors += wants[j] && value[j] != splitmix64(index[j]);
  }
  cuda::drop_page(pages, held);
  if (errors != 0) atomicAdd(wrong, errors);
}

__global__ void fill(DevicePagedArrayView<std::uint64_t> array, std::uint64_t added) {
  std::uint64_t i = thread_id();
  for (std::uint64_t round = 0; round < rounds(array.size); ++round, i += thread_count()) array[i] = splitmix64(i) + added;
}

__global__ void add(DevicePagedArrayView<float> a, DevicePagedArrayView<float> b, DevicePagedArrayView<float> sum) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  const std::uint64_t rounds = (sum.size + threads - 1) / threads;  // the same for all lanes of a warp
  std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  for (std::uint64_t round = 0; round < rounds; ++round, i += threads) sum[i] = a[i] + b[i];
}

__global__ void count(DevicePagedArrayView<float> array) {
  std::uint64_t i = thread_id();
  for (std::uint64_t round = 0; round < rounds(array.size); ++round, i += thread_count()) array[i] = static_cast<float>(i);
}

__global__ void increment(DevicePagedArrayView<std::uint64_t> array, int times) {
  const std::uint64_t strides = rounds(array.size);
  for (int t = 0; t < times; ++t) {
    for (std::uint64_t round = 0; round < strides; ++round) {
      // Lanes of a warp are `strides` elements apart, so that each page is written by many warps.
      const std::uint64_t i = thread_id() * strides + round;
      array[i] = array[i] + 1;
    }
  }
}

__global__ void compare(DevicePagedArrayView<std::uint64_t> array, std::uint64_t added, unsigned long long* wrong) {
  std::uint64_t i = thread_id();
  for (std::uint64_t round = 0; round < rounds(array.size); ++round, i += thread_count()) {
    const std::uint64_t value = array[i];
    if (i < array.size && value != splitmix64(i) + added) atomicAdd(wrong, 1ull);
  }
}

/// A warp takes 32 * kCount * steps elements at a time: lanes are `lane_step` apart, and a lane's own ones `own_step`.
__global__ void compare_by_reader(DevicePagedArrayView<std::uint64_t> array, std::uint64_t added, std::uint64_t lane_step,
                                  std::uint64_t own_step, unsigned long long* wrong) {
  constexpr int kCount = 3;
  cuda::ArrayReader<std::uint64_t> reader(array);
  const std::uint64_t steps = min(lane_step, own_step);
  const std::uint64_t tile = cuda::kWarp * kCount * steps;
  for (std::uint64_t first = cuda::warp_id() * tile; first < array.size; first += cuda::warp_count() * tile) {
    for (std::uint64_t step = 0; step < steps; ++step) {
      std::uint64_t index[kCount];
      bool wants[kCount];
      std::uint64_t value[kCount];
      for (int j = 0; j < kCount; ++j) {
        index[j] = first + step + cuda::lane_id() * lane_step + j * own_step;
        wants[j] = index[j] < array.size;
      }
      reader.read(index, wants, value);
      for (int j = 0; j < kCount; ++j) {
        if (value[j] != (wants[j] ? splitmix64(index[j]) + added : 0)) atomicAdd(wrong, 1ull);
      }
    }
  }
}

__device__ bool equal(const TwoWords& a, const TwoWords& b) { return a.low == b.low && a.high == b.high; }
template <class T>
__device__ bool equal(T a, T b) {
  return a == b;
}

/// Calls body(i) for each index below `count`, once. When `diverged`, only lanes 0, 3, 6 ... call it, each for the lanes after it
/// too, and lanes leave the loop at different times; else all lanes of a warp come together.
template <class Body>
__device__ void for_each_index(std::uint64_t count, bool diverged, const Body& body) {
  if (!diverged) {
    std::uint64_t i = thread_id();
    for (std::uint64_t round = 0; round < rounds(count); ++round, i += thread_count()) body(i);
    return;
  }
  const unsigned lane = threadIdx.x % 32;
  if (lane % 3 != 0) return;
  for (std::uint64_t first = thread_id(); first < count; first += thread_count()) {
    for (unsigned j = 0; j < 3 && lane + j < 32 && first + j < count; ++j) body(first + j);
  }
}

template <class T>
__global__ void fill_values(DevicePagedArrayView<T> array, bool diverged) {
  for_each_index(array.size, diverged, [&](std::uint64_t i) { array[i] = element_at<T>(i); });
}

template <class T>
__global__ void compare_values(DevicePagedArrayView<T> array, bool diverged, unsigned long long* wrong) {
  for_each_index(array.size, diverged, [&](std::uint64_t i) {
    const T value = array[i];
    if (i < array.size && !equal(value, element_at<T>(i))) atomicAdd(wrong, 1ull);
  });
}

/// A counter in device memory.
class Counter {
 public:
  explicit Counter(CudaExecutor& exec) : exec_(exec), value_(1) { exec.fill_words(value_.data(), 0, 2); }
  unsigned long long* address() const { return value_.data(); }
  std::uint64_t value() { return exec_.fetch(value_, 0); }

 private:
  CudaExecutor& exec_;
  DeviceArray<unsigned long long> value_;
};

}  // namespace

std::uint64_t count_wrong_words(CudaExecutor& exec, const DevicePager& pager, std::uint64_t words, std::uint64_t seed,
                                int reads_of_a_lane, bool scattered) {
  Counter wrong(exec);
  launch(exec, pager.all_pages_fit() ? read_words<false> : read_words<true>, pager.pages(), words, seed, reads_of_a_lane,
         scattered, wrong.address());
  return wrong.value();
}

void fill_array(CudaExecutor& exec, const DevicePagedArrayView<std::uint64_t>& array, std::uint64_t added) {
  launch(exec, fill, array, added);
}
void add_arrays(CudaExecutor& exec, const DevicePagedArrayView<float>& a, const DevicePagedArrayView<float>& b,
                const DevicePagedArrayView<float>& sum) {
  launch(exec, add, a, b, sum);
}
void count_up(CudaExecutor& exec, const DevicePagedArrayView<float>& array) { launch(exec, count, array); }
void increment_scattered(CudaExecutor& exec, const DevicePagedArrayView<std::uint64_t>& array, int times) {
  launch(exec, increment, array, times);
}
std::uint64_t count_wrong_elements(CudaExecutor& exec, const DevicePagedArrayView<std::uint64_t>& array, std::uint64_t added) {
  Counter wrong(exec);
  launch(exec, compare, array, added, wrong.address());
  return wrong.value();
}
std::uint64_t count_wrong_by_reader(CudaExecutor& exec, const DevicePagedArrayView<std::uint64_t>& array, std::uint64_t added,
                                    bool apart) {
  constexpr std::uint64_t kApart = 512;
  Counter wrong(exec);
  const std::uint64_t lane_step = apart ? 3 * kApart : 1;
  const std::uint64_t own_step = apart ? kApart : 32;
  launch(exec, compare_by_reader, array, added, lane_step, own_step, wrong.address());
  return wrong.value();
}

template <class T>
void fill_elements(CudaExecutor& exec, const DevicePagedArrayView<T>& array, bool diverged) {
  launch(exec, fill_values<T>, array, diverged);
}
template <class T>
std::uint64_t count_wrong_values(CudaExecutor& exec, const DevicePagedArrayView<T>& array, bool diverged) {
  Counter wrong(exec);
  launch(exec, compare_values<T>, array, diverged, wrong.address());
  return wrong.value();
}
#define GR_ELEMENTS(T)                                                                 \
  template void fill_elements<T>(CudaExecutor&, const DevicePagedArrayView<T>&, bool); \
  template std::uint64_t count_wrong_values<T>(CudaExecutor&, const DevicePagedArrayView<T>&, bool);
GR_ELEMENTS(std::uint8_t)
GR_ELEMENTS(std::uint16_t)
GR_ELEMENTS(std::uint32_t)
GR_ELEMENTS(std::uint64_t)
GR_ELEMENTS(TwoWords)
#undef GR_ELEMENTS

}  // namespace graphrun::test
