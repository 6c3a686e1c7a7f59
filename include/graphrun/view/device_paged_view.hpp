// DevicePagedView: PagedView for the threads of a GPU.
#pragma once

#include <cstdint>

#include "graphrun/cache/device_pager.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

/// Trivially copyable; the pager is a backend's. How warps read it: ops/cuda_paged_reader.cuh.
struct DevicePagedView {
  DevicePagerState* pager = nullptr;     ///< in device memory
  const std::uint64_t* words = nullptr;  ///< its page table
  const std::byte* frames = nullptr;
  std::uint32_t page_shift = 12;
  bool evicts = true;
  PageId first_page = 0;                        ///< of the neighbours
  PageId first_weight_page = 0;                 ///< of the weights, when there are any
  static constexpr Traffic* traffic = nullptr;  ///< storage counts

  bool is_far() const { return true; }
};

}  // namespace graphrun
