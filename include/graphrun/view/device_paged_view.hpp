// SPDX-License-Identifier: Apache-2.0
// PagedView for GPU threads: edges on storage, with a page cache in device memory. Warp readers: ops/cuda_paged_reader.cuh.
#pragma once

#include <cstdint>

#include "graphrun/cache/device_pager.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::inline GR_IDS {

/// Trivially copyable; the pager is a backend's.
struct DevicePagedEdges {
  DevicePages pages;
  // Each of several GPUs has only its own lists' pages: page numbers wrap around and are right from these on.
  PageId first_page = 0;         ///< of the neighbours
  PageId first_weight_page = 0;  ///< of the weights, when there are any
  bool weighted = false;
  static constexpr Traffic* traffic = nullptr;  ///< null: the storage counts

  bool is_far() const { return true; }
};

/// A view whose pages are evicted.
struct DevicePagedView : DevicePagedEdges {};
/// A view with a frame for every page: pages stay. Once all are there, the cache is an array.
struct DeviceResidentView : DevicePagedEdges {
  const DevicePager* pager = nullptr;  ///< on the host
  bool by_pages = false;               ///< kernels go through the cache also once all pages are there

  bool is_array() const { return !by_pages && pager->holds_all(); }
  DirectView as_array() const {
    const auto column = [this](PageId page) { return pages.frames + (page << pages.page_shift); };
    return {.neighbours = reinterpret_cast<const VertexId*>(column(first_page)),
            .weights = weighted ? reinterpret_cast<const std::uint32_t*>(column(first_weight_page)) : nullptr};
  }
};

}  // namespace graphrun::inline GR_IDS
