// SPDX-License-Identifier: Apache-2.0
// Kernels that use pagers and paged arrays as programs of users would.
#pragma once

#include <cstdint>

#include "graphrun/cache/device_paged_array.hpp"
#include "graphrun/core/macros.hpp"
#include "graphrun/core/random.hpp"

namespace graphrun::test {

/// Every warp reads random words of 8 bytes of a column that holds splitmix64(i) at word i, all lanes of it other ones where
/// `scattered`, else neighbours. Returns how many were wrong; of no use once the pager has failed.
std::uint64_t count_wrong_words(CudaExecutor& exec, const DevicePager& pager, std::uint64_t words, std::uint64_t seed,
                                int reads_of_a_lane, bool scattered);

/// array[i] = splitmix64(i) + added, with a grid of its own.
void fill_array(CudaExecutor& exec, const DevicePagedArrayView<std::uint64_t>& array, std::uint64_t added);
/// sum[i] = a[i] + b[i]. The example of device_paged_array.cuh.
void add_arrays(CudaExecutor& exec, const DevicePagedArrayView<float>& a, const DevicePagedArrayView<float>& b,
                const DevicePagedArrayView<float>& sum);
/// array[i] = i, as floats.
void count_up(CudaExecutor& exec, const DevicePagedArrayView<float>& array);
/// Every element is made one larger `times` times, each time by another warp's lane than its neighbours: pages are written by
/// many warps at a time, and each element by one.
void increment_scattered(CudaExecutor& exec, const DevicePagedArrayView<std::uint64_t>& array, int times);
/// Elements that differ from splitmix64(i) + added.
std::uint64_t count_wrong_elements(CudaExecutor& exec, const DevicePagedArrayView<std::uint64_t>& array, std::uint64_t added);
/// The same through an ArrayReader, several elements a lane at a time, neighbours or a page apart; no element is left out.
std::uint64_t count_wrong_by_reader(CudaExecutor& exec, const DevicePagedArrayView<std::uint64_t>& array, std::uint64_t added,
                                    bool apart);

/// An element of 16 bytes.
struct TwoWords {
  std::uint64_t low;
  std::uint64_t high;
};
/// Returns the element that belongs at a place: its first bytes are splitmix64(index)'s.
template <class T>
GR_HD T element_at(std::uint64_t index) {
  return static_cast<T>(splitmix64(index));
}
template <>
GR_HD inline TwoWords element_at<TwoWords>(std::uint64_t index) {
  return {splitmix64(index), splitmix64(~index)};
}
/// Writes element_at() to every element, or counts the elements that differ from it. Only every third lane of a warp takes part,
/// in a loop that the lanes leave one after the other, when `diverged`. For elements of 1, 2, 4, 8 and 16 bytes.
template <class T>
void fill_elements(CudaExecutor& exec, const DevicePagedArrayView<T>& array, bool diverged);
template <class T>
std::uint64_t count_wrong_values(CudaExecutor& exec, const DevicePagedArrayView<T>& array, bool diverged);

}  // namespace graphrun::test
