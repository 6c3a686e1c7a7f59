// SPDX-License-Identifier: Apache-2.0
// Kernels of a GPU over arrays of any kind.
#pragma once

#include <cstdint>

#include "graphrun/cache/device_paged_array.hpp"
#include "graphrun/exec/cuda_executor.hpp"

namespace graphrun::bench {

/// Elements that loads and stores reach, for kernels that could have a DevicePagedArrayView.
struct PlainArrayView {
  float* data = nullptr;
  std::uint64_t size = 0;

#if defined(__CUDACC__)
  __device__ float& operator[](std::uint64_t index) const { return data[index]; }
#endif
};

using PagedArrayView = DevicePagedArrayView<float>;

/// How a kernel goes over its arrays.
struct GpuPlan {
  std::uint64_t piece_elements;  ///< of a vector that a warp takes at a time
  std::uint64_t frames;          ///< pages of the matrix that the fast tier has room for
};

/// out[i] += sum of matrix[i][j] in[j], of n rows of n, as Polybench's kernel goes over it: lanes take neighbouring rows, so that
/// a warp reads down columns, from 32 pages at a time. Long rows are cut, and their sums meet in `out` by atomics.
template <class Array>
void multiply(CudaExecutor& exec, const Array& matrix, std::uint64_t n, const float* in, float* out, const GpuPlan& plan);

/// out[j] += sum of matrix[i][j] in[i]: lanes take neighbouring columns, and go down strips of 256 rows, whose sums meet in `out`
/// by atomics. A page serves the warps beside each other.
template <class Array>
void multiply_transposed(CudaExecutor& exec, const Array& matrix, std::uint64_t n, const float* in, float* out);

/// c[i] = a[i] + b[i].
template <class Array>
void add(CudaExecutor& exec, const Array& a, const Array& b, const Array& c, const GpuPlan& plan);

/// Columns of whole numbers, first the one in which a query looks for elements that are at least `least`.
template <class Array>
struct QueryColumns {
  static constexpr int kMost = 6;
  Array of[kMost];
  int count;
  float least;
};
/// sums[c] += elements of column c beside those that the query finds.
template <class Array>
void query(CudaExecutor& exec, const QueryColumns<Array>& columns, unsigned long long* sums, const GpuPlan& plan);

/// *sum += the elements, which are whole numbers.
template <class Array>
void add_up(CudaExecutor& exec, const Array& array, unsigned long long* sum, const GpuPlan& plan);

}  // namespace graphrun::bench
