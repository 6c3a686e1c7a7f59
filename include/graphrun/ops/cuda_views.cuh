// The views through which algorithms read edges on a GPU, and how kernels read each of them.
#pragma once

#include "graphrun/ops/cuda_counting_reader.cuh"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_packed_reader.cuh"
#include "graphrun/ops/cuda_paged_reader.cuh"
#include "graphrun/ops/cuda_subway.cuh"

/// Views that walks of lists read where the edges are; packed lists are read by algorithms of `PackedPlacements` alone.
#define GR_FOR_EACH_CUDA_VIEW_IN_PLACE(instantiate) \
  instantiate(DirectView) instantiate(CountedView) instantiate(DevicePagedView) instantiate(DeviceResidentView)
/// Those and subgraphs.
#define GR_FOR_EACH_CUDA_VIEW(instantiate) GR_FOR_EACH_CUDA_VIEW_IN_PLACE(instantiate) instantiate(CudaSubwayView)
