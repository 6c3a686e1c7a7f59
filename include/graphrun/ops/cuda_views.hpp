// SPDX-License-Identifier: Apache-2.0
// The views through which algorithms read edges on a GPU, for host compilers too: kernels over them are compiled by nvcc, in the
// .cu file of the algorithm.
#pragma once

#include "graphrun/ops/cuda_subgraphs.hpp"
#include "graphrun/view/counted_view.hpp"
#include "graphrun/view/device_packed_view.hpp"
#include "graphrun/view/device_paged_view.hpp"
#include "graphrun/view/direct_view.hpp"

#if defined(GRAPHRUN_COUNTED_KERNELS)
#define GR_COUNTED_VIEW(instantiate, ...) instantiate(CountedView __VA_OPT__(, ) __VA_ARGS__)
#else
#define GR_COUNTED_VIEW(instantiate, ...)
#endif
/// Views of edges on a GPU. NARROW: for algorithms that GPUs run with 32-bit ids only. IN_PLACE: without subgraphs. PACKED: for
/// algorithms with `PackedPlacements` only. With 64-bit ids there are direct views: the state of more than 2^32 vertices exceeds
/// a GPU's memory, and the figures of papers with 8-byte edges need no others. instantiate(View, ...) gets the further arguments.
#if GRAPHRUN_VERTEX_BITS == 64
#define GR_FOR_EACH_CUDA_VIEW(instantiate, ...) \
  instantiate(DirectView __VA_OPT__(, ) __VA_ARGS__) GR_COUNTED_VIEW(instantiate __VA_OPT__(, ) __VA_ARGS__)
#define GR_FOR_EACH_NARROW_CUDA_VIEW_IN_PLACE(instantiate, ...)
#define GR_FOR_EACH_NARROW_CUDA_VIEW(instantiate, ...)
#define GR_PACKED_CUDA_VIEW(instantiate, ...)
#else
#define GR_FOR_EACH_NARROW_CUDA_VIEW_IN_PLACE(instantiate, ...)                                              \
  instantiate(DirectView __VA_OPT__(, ) __VA_ARGS__) instantiate(DevicePagedView __VA_OPT__(, ) __VA_ARGS__) \
      instantiate(DeviceResidentView __VA_OPT__(, ) __VA_ARGS__) GR_COUNTED_VIEW(instantiate __VA_OPT__(, ) __VA_ARGS__)
#define GR_FOR_EACH_NARROW_CUDA_VIEW(instantiate, ...)                          \
  GR_FOR_EACH_NARROW_CUDA_VIEW_IN_PLACE(instantiate __VA_OPT__(, ) __VA_ARGS__) \
  instantiate(CudaSubwayView __VA_OPT__(, ) __VA_ARGS__)
#define GR_FOR_EACH_CUDA_VIEW(instantiate, ...) GR_FOR_EACH_NARROW_CUDA_VIEW(instantiate __VA_OPT__(, ) __VA_ARGS__)
#define GR_PACKED_CUDA_VIEW(instantiate, ...) instantiate(DevicePackedView __VA_OPT__(, ) __VA_ARGS__)
#endif

/// Compiles a template of Exec and View, in a .cu file.
#define GR_CUDA_INSTANCE(View, Run) template class Run<CudaExecutor, View>;
/// Declares an instance that another .cu file compiles.
#define GR_CUDA_INSTANCE_ELSEWHERE(View, Run) extern template class Run<CudaExecutor, View>;
