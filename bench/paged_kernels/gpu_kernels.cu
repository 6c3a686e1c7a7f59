// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "gpu_kernels.hpp"
#include "graphrun/cache/device_paged_array.cuh"
#include "graphrun/ops/cuda_launch.cuh"

namespace graphrun::bench {
namespace {

using cuda::kWarp;

constexpr std::uint64_t kTileColumns = 1024;  // of a row that a lane takes at a time: a page of 4 KiB
constexpr std::uint64_t kStripRows = 256;
constexpr std::uint64_t kQueryPiece = 64 * kWarp;  // rows that a warp looks through at a time: a bit each in a lane's word
constexpr int kInFlight = 4;                       // elements that a lane reads at a time

/// Reads of a warp, with the members of cuda::ArrayReader.
class PlainReader {
 public:
  explicit __device__ PlainReader(const PlainArrayView& array) : data_(array.data) {}
  template <int kCount>
  __device__ void read(const std::uint64_t (&index)[kCount], const bool (&wants)[kCount], float (&value)[kCount]) const {
#pragma unroll
    for (int j = 0; j < kCount; ++j) value[j] = wants[j] ? data_[index[j]] : 0.0f;
  }

 private:
  const float* data_;
};

__device__ PlainReader reader_of(const PlainArrayView& array) { return PlainReader(array); }
__device__ cuda::ArrayReader<float> reader_of(const PagedArrayView& array) { return cuda::ArrayReader<float>(array); }

/// Calls use(value, place) for elements first + place * step of an array, place < count, that this lane takes; `step` may differ
/// between lanes' own calls, `count` may not. All lanes of a warp together.
template <class Reader, class Use>
__device__ void for_each_of_lane(Reader& reader, std::uint64_t first, std::uint64_t step, std::uint64_t count, const Use& use) {
  for (std::uint64_t place = 0; place < count; place += kInFlight) {
    std::uint64_t index[kInFlight];
    bool wants[kInFlight];
    float value[kInFlight];
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) {
      index[j] = first + (place + j) * step;
      wants[j] = place + j < count;
    }
    reader.read(index, wants, value);
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) {
      if (wants[j]) use(value[j], place + j);
    }
  }
}

template <class Array>
__global__ void __launch_bounds__(cuda::kBlockThreads, 4)
    multiply_kernel(Array matrix, std::uint64_t n, const float* in, float* out) {
  auto reader = reader_of(matrix);
  const std::uint64_t tiles_across = (n + kTileColumns - 1) / kTileColumns;
  for (std::uint64_t tile = cuda::warp_id(); tile < n / kWarp * tiles_across; tile += cuda::warp_count()) {
    const std::uint64_t row = tile / tiles_across * kWarp + cuda::lane_id();
    const std::uint64_t column = tile % tiles_across * kTileColumns;
    float sum = 0;
    for_each_of_lane(reader, row * n + column, 1, min(kTileColumns, n - column),
                     [&](float value, std::uint64_t place) { sum += value * in[column + place]; });
    atomicAdd(out + row, sum);
  }
}

template <class Array>
__global__ void __launch_bounds__(cuda::kBlockThreads, 4)
    multiply_transposed_kernel(Array matrix, std::uint64_t n, const float* in, float* out) {
  auto reader = reader_of(matrix);
  const std::uint64_t tiles_across = n / kWarp;
  const std::uint64_t tiles_down = (n + kStripRows - 1) / kStripRows;
  for (std::uint64_t tile = cuda::warp_id(); tile < tiles_down * tiles_across; tile += cuda::warp_count()) {
    const std::uint64_t row = tile / tiles_across * kStripRows;
    const std::uint64_t column = tile % tiles_across * kWarp + cuda::lane_id();
    float sum = 0;
    for_each_of_lane(reader, row * n + column, n, min(kStripRows, n - row),
                     [&](float value, std::uint64_t place) { sum += value * in[row + place]; });
    atomicAdd(out + column, sum);
  }
}

template <class Array>
__global__ void __launch_bounds__(cuda::kBlockThreads, 4) add_kernel(Array a, Array b, Array c, std::uint64_t piece) {
  for (std::uint64_t first = cuda::warp_id() * piece; first < c.size; first += cuda::warp_count() * piece) {
    for (std::uint64_t i = first + cuda::lane_id(); i < first + piece; i += kWarp) c[i] = a[i] + b[i];
  }
}

template <class Array>
__global__ void __launch_bounds__(cuda::kBlockThreads, 4)
    add_up_kernel(Array array, unsigned long long* sum, std::uint64_t piece) {
  auto reader = reader_of(array);
  long long mine = 0;
  for (std::uint64_t first = cuda::warp_id() * piece; first < array.size; first += cuda::warp_count() * piece) {
    for_each_of_lane(reader, first + cuda::lane_id(), kWarp, piece / kWarp,
                     [&](float value, std::uint64_t) { mine += static_cast<long long>(value); });
  }
  mine = cuda::warp_sum(mine);
  if (cuda::lane_id() == 0) atomicAdd(sum, static_cast<unsigned long long>(mine));
}

/// Returns the element, for lanes whose index is one; all lanes of a warp together.
__device__ float element_at(const PlainArrayView& array, std::uint64_t index) { return index < array.size ? array[index] : 0.0f; }
__device__ float element_at(const PagedArrayView& array, std::uint64_t index) { return array[index]; }

/// Scans a piece of the first column with a warp, releases its page, and then reads the other columns' elements of selected rows,
/// each lane a row at a time, so that the pages of 32 rows are waited for together.
template <class Array>
__global__ void __launch_bounds__(cuda::kBlockThreads, 4) query_kernel(QueryColumns<Array> columns, unsigned long long* sums) {
  constexpr int kMost = QueryColumns<Array>::kMost;
  const std::uint64_t rows = columns.of[0].size;
  long long mine[kMost]{};
  for (std::uint64_t first = cuda::warp_id() * kQueryPiece; first < rows; first += cuda::warp_count() * kQueryPiece) {
    std::uint64_t found = 0;  // bit p: row first + lane + 32 p
    {
      auto reader = reader_of(columns.of[0]);
      for_each_of_lane(reader, first + cuda::lane_id(), kWarp, kQueryPiece / kWarp, [&](float value, std::uint64_t place) {
        if (value < columns.least) return;
        found |= std::uint64_t{1} << place;
        mine[0] += static_cast<long long>(value);
      });
    }
    for (; __any_sync(cuda::kAllLanes, found != 0); found &= found - 1) {
      const std::uint64_t row =
          found == 0 ? rows
                     : first + cuda::lane_id() + kWarp * static_cast<std::uint64_t>(__ffsll(static_cast<long long>(found)) - 1);
#pragma unroll
      for (int c = 1; c < kMost; ++c) {
        if (c < columns.count) mine[c] += static_cast<long long>(element_at(columns.of[c], row));
      }
    }
  }
#pragma unroll
  for (int c = 0; c < kMost; ++c) {
    const long long sum = cuda::warp_sum(mine[c]);
    if (cuda::lane_id() == 0 && c < columns.count) atomicAdd(sums + c, static_cast<unsigned long long>(sum));
  }
}

}  // namespace

template <class Array>
void multiply(CudaExecutor& exec, const Array& matrix, std::uint64_t n, const float* in, float* out, const GpuPlan& plan) {
  // More warps would push each other's pages out before they have read them to the end.
  const std::uint64_t tiles = n / kWarp * ((n + kTileColumns - 1) / kTileColumns);
  const std::uint64_t most = std::max<std::uint64_t>(1, plan.frames / (2 * kWarp));
  cuda::launch(exec, cuda::warps(std::min(tiles, most)), multiply_kernel<Array>, matrix, n, in, out);
}

template <class Array>
void multiply_transposed(CudaExecutor& exec, const Array& matrix, std::uint64_t n, const float* in, float* out) {
  cuda::launch(exec, cuda::warps(n / kWarp * ((n + kStripRows - 1) / kStripRows)), multiply_transposed_kernel<Array>, matrix, n,
               in, out);
}

/// Returns as many warps as there are pieces, but fewer than frames.
std::uint64_t warps_for(std::uint64_t elements, const GpuPlan& plan) {
  return std::min(elements / plan.piece_elements, std::max<std::uint64_t>(1, plan.frames / 2));
}

template <class Array>
void add(CudaExecutor& exec, const Array& a, const Array& b, const Array& c, const GpuPlan& plan) {
  cuda::launch(exec, cuda::warps(warps_for(c.size, plan)), add_kernel<Array>, a, b, c, plan.piece_elements);
}

template <class Array>
void add_up(CudaExecutor& exec, const Array& array, unsigned long long* sum, const GpuPlan& plan) {
  cuda::launch(exec, cuda::warps(warps_for(array.size, plan)), add_up_kernel<Array>, array, sum, plan.piece_elements);
}

template <class Array>
void query(CudaExecutor& exec, const QueryColumns<Array>& columns, unsigned long long* sums, const GpuPlan& plan) {
  cuda::launch(exec, cuda::warps(warps_for(columns.of[0].size, {kQueryPiece, plan.frames})), query_kernel<Array>, columns, sums);
}

#define GR_KERNELS_OF(Array)                                                                                \
  template void multiply(CudaExecutor&, const Array&, std::uint64_t, const float*, float*, const GpuPlan&); \
  template void multiply_transposed(CudaExecutor&, const Array&, std::uint64_t, const float*, float*);      \
  template void add(CudaExecutor&, const Array&, const Array&, const Array&, const GpuPlan&);               \
  template void query(CudaExecutor&, const QueryColumns<Array>&, unsigned long long*, const GpuPlan&);      \
  template void add_up(CudaExecutor&, const Array&, unsigned long long*, const GpuPlan&);
GR_KERNELS_OF(PlainArrayView)
GR_KERNELS_OF(PagedArrayView)
#undef GR_KERNELS_OF

}  // namespace graphrun::bench
