// How a warp reads edges through a page cache.
#pragma once

#include <cstdint>
#include <cstring>

#include "graphrun/cache/device_pager.cuh"
#include "graphrun/ops/cuda_edge_reader.cuh"
#include "graphrun/view/device_paged_view.hpp"

namespace graphrun::cuda {

/// Keeps a page of neighbours and one of weights.
template <>
class EdgeReader<DevicePagedView> {
 public:
  explicit __device__ EdgeReader(const DevicePagedView& view)
      : pages_{view.pager, view.words, view.frames, view.page_shift, view.evicts},
        first_page_(static_cast<PageIndex>(view.first_page)),
        first_weight_page_(static_cast<PageIndex>(view.first_weight_page)) {}
  __device__ ~EdgeReader() {
    drop_page(pages_, neighbours_);
    drop_page(pages_, weights_);
  }
  EdgeReader(const EdgeReader&) = delete;
  EdgeReader& operator=(const EdgeReader&) = delete;

  static constexpr __device__ Access access() { return Access::aligned; }
  template <int kCount>
  __device__ void neighbours(const EdgeId (&e)[kCount], const bool (&active)[kCount], VertexId (&v)[kCount]) {
    load_elements<VertexId>(pages_, neighbours_, weights_, first_page_, e, active, v);
  }
  template <class Weight, int kCount>
  __device__ void weights(const EdgeId (&e)[kCount], const bool (&active)[kCount], Weight (&w)[kCount]) {
    if constexpr (sizeof(Weight) == sizeof(std::uint32_t)) {
      std::uint32_t words[kCount];
      load_elements<std::uint32_t>(pages_, weights_, neighbours_, first_weight_page_, e, active, words);
#pragma unroll
      for (int j = 0; j < kCount; ++j) memcpy(&w[j], &words[j], sizeof(Weight));
    }
  }

 private:
  DevicePages pages_;
  PageIndex first_page_;
  PageIndex first_weight_page_;
  HeldPage neighbours_;
  HeldPage weights_;
};

}  // namespace graphrun::cuda
