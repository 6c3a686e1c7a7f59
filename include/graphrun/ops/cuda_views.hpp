// The views through which algorithms read edges on a GPU, for host compilers too: kernels over them are compiled by nvcc, in the
// .cu file of the algorithm.
#pragma once

#include "graphrun/ops/cuda_subgraphs.hpp"
#include "graphrun/view/counted_view.hpp"
#include "graphrun/view/device_packed_view.hpp"
#include "graphrun/view/device_paged_view.hpp"
#include "graphrun/view/direct_view.hpp"

#if defined(GRAPHRUN_COUNTED_KERNELS)
#define GR_COUNTED_VIEW(instantiate) instantiate(CountedView)
#else
#define GR_COUNTED_VIEW(instantiate)
#endif
/// Views that walks of lists read where the edges are; packed lists are read by algorithms of `PackedPlacements` alone.
#define GR_FOR_EACH_CUDA_VIEW_IN_PLACE(instantiate) \
  instantiate(DirectView) instantiate(DevicePagedView) instantiate(DeviceResidentView) GR_COUNTED_VIEW(instantiate)
/// Those and subgraphs.
#define GR_FOR_EACH_CUDA_VIEW(instantiate) GR_FOR_EACH_CUDA_VIEW_IN_PLACE(instantiate) instantiate(CudaSubwayView)
