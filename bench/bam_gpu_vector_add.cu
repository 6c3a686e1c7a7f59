#include "bam_gpu_vector_add.hpp"
#include "graphrun/cache/device_paged_array.cuh"
#include "graphrun/exec/cuda_check.hpp"

namespace graphrun {
namespace {

constexpr unsigned kThreads = 256;

/// use(index) for the elements of each page that this warp takes, 32 at a time.
template <class T, class Use>
__device__ void for_each_element(const DevicePagedArrayView<T>& array, const Use& use) {
  const std::uint64_t in_page = (std::uint64_t{1} << array.pages.page_shift) / sizeof(T);
  for (std::uint64_t first = cuda::warp_id() * in_page; first < array.size; first += cuda::warp_count() * in_page) {
    for (std::uint64_t i = 0; i < in_page; i += cuda::kWarp) use(first + i + cuda::lane_id());
  }
}

__global__ void fill_kernel(DevicePagedArrayView<std::uint64_t> array, std::uint64_t factor) {
  for_each_element(array, [&](std::uint64_t i) { array[i] = factor * i; });
}

__global__ void add_kernel(DevicePagedArrayView<std::uint64_t> a, DevicePagedArrayView<std::uint64_t> b,
                           DevicePagedArrayView<std::uint64_t> sum) {
  for_each_element(sum, [&](std::uint64_t i) { sum[i] = a[i] + b[i]; });
}

__global__ void add_in_memory_kernel(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* sum, std::uint64_t count) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    sum[i] = a[i] + b[i];
}

unsigned blocks(std::uint64_t warps) { return static_cast<unsigned>((warps * cuda::kWarp + kThreads - 1) / kThreads); }

void finish(CudaExecutor& exec) {
  cuda::check(cudaGetLastError(), "launch a kernel");
  exec.synchronize();
}

}  // namespace

void fill_paged(CudaExecutor& exec, const DevicePagedArrayView<std::uint64_t>& array, std::uint64_t factor, std::uint64_t warps) {
  fill_kernel<<<blocks(warps), kThreads, 0, static_cast<cudaStream_t>(exec.stream())>>>(array, factor);
  finish(exec);
}

void add_paged(CudaExecutor& exec, const DevicePagedArrayView<std::uint64_t>& a, const DevicePagedArrayView<std::uint64_t>& b,
               const DevicePagedArrayView<std::uint64_t>& sum, std::uint64_t warps) {
  add_kernel<<<blocks(warps), kThreads, 0, static_cast<cudaStream_t>(exec.stream())>>>(a, b, sum);
  finish(exec);
}

void add_in_memory(void* stream, const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* sum, std::uint64_t count) {
  add_in_memory_kernel<<<blocks(count / cuda::kWarp + 1), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(a, b, sum, count);
  cuda::check(cudaGetLastError(), "launch a kernel");
}

}  // namespace graphrun
