#pragma once

#include "graphrun/cache/device_pager.hpp"

namespace graphrun::cuda {

/// Sends every page that was written to to storage, and waits until it is there, or the pager has failed. Nothing else may use
/// the pager meanwhile.
void flush_pages(CudaExecutor& exec, DevicePagerState* pager, PageId pages);

/// Brings every page into its frame, where there is one for each.
void fill_pages(CudaExecutor& exec, const DevicePages& view, PageId pages);

}  // namespace graphrun::cuda
