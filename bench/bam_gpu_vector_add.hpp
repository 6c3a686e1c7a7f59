// Kernels of bam_gpu_vector_add.
#pragma once

#include <cstdint>

#include "graphrun/cache/device_paged_array.hpp"

namespace graphrun {

/// array[i] = factor * i, by warps that each take a page at a time; at most `warps` of them.
void fill_paged(CudaExecutor& exec, const DevicePagedArrayView<std::uint64_t>& array, std::uint64_t factor, std::uint64_t warps);
/// sum[i] = a[i] + b[i], likewise. Returns when the device is done, but nothing is flushed.
void add_paged(CudaExecutor& exec, const DevicePagedArrayView<std::uint64_t>& a, const DevicePagedArrayView<std::uint64_t>& b,
               const DevicePagedArrayView<std::uint64_t>& sum, std::uint64_t warps);
/// The same for arrays in device memory, on a stream (a cudaStream_t), without waiting.
void add_in_memory(void* stream, const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* sum, std::uint64_t count);

}  // namespace graphrun
