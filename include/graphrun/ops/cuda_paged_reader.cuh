// SPDX-License-Identifier: Apache-2.0
// Reads edges by a warp through a page cache.
#pragma once

#include <cstdint>
#include <cstring>

#include "graphrun/cache/device_pager.cuh"
#include "graphrun/ops/cuda_edge_reader.cuh"
#include "graphrun/view/device_paged_view.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// Weights, of 4 bytes, are read as words; graphs without any have an empty type for them.
template <class Weight, int kCount, class ReadWords>
__device__ void weights_of_words(Weight (&w)[kCount], const ReadWords& read) {
  if constexpr (sizeof(Weight) == sizeof(std::uint32_t)) {
    std::uint32_t words[kCount];
    read(words);
#pragma unroll
    for (int j = 0; j < kCount; ++j) memcpy(&w[j], &words[j], sizeof(Weight));
  }
}

/// Reads by pages: keeps a page of neighbours and one of weights.
template <>
class EdgeReader<DevicePagedView> {
 public:
  static constexpr unsigned kLeastBlocks = 4;
  static constexpr unsigned kLeastSweepBlocks = 2;  // more warps push each other's pages out
  static constexpr unsigned kLeastPassBlocks = 4;
  static constexpr bool kTurns = true;  // what was read last is there

  explicit __device__ EdgeReader(const DevicePagedView& view)
      : pages_(view.pages),
        first_page_(static_cast<PageIndex>(view.first_page)),
        first_weight_page_(static_cast<PageIndex>(view.first_weight_page)) {}
  __device__ ~EdgeReader() {
    drop_page(pages_, neighbours_);
    drop_page(pages_, weights_);
  }
  EdgeReader(const EdgeReader&) = delete;
  EdgeReader& operator=(const EdgeReader&) = delete;

  static constexpr __device__ Access access() { return Access::aligned; }
  /// Reaches nothing: a page may be gone before it is read.
  template <class Weight>
  __device__ void reach(EdgeId, EdgeId) const {}
  template <class Weight>
  __device__ EdgeId reach_together(EdgeId, EdgeId end) const {
    return end;
  }
  template <int kCount>
  __device__ void neighbours(const EdgeId (&e)[kCount], const bool (&active)[kCount], VertexId (&v)[kCount]) {
    load_elements<VertexId>(pages_, neighbours_, weights_, first_page_, e, active, v);
  }
  template <class Weight, int kCount>
  __device__ void weights(const EdgeId (&e)[kCount], const bool (&active)[kCount], Weight (&w)[kCount]) {
    weights_of_words(w, [&](std::uint32_t(&words)[kCount]) {
      load_elements<std::uint32_t>(pages_, weights_, neighbours_, first_weight_page_, e, active, words);
    });
  }

 private:
  DevicePages pages_;
  PageIndex first_page_;
  PageIndex first_weight_page_;
  HeldPage neighbours_;
  HeldPage weights_;
};

template <>
class EdgeReader<DeviceResidentView> {
 public:
  // Kernels that call the slow way put much aside around it: fewer warps with more registers do better.
  static constexpr unsigned kLeastBlocks = 2;
  static constexpr unsigned kLeastSweepBlocks = 2;
  static constexpr unsigned kLeastPassBlocks = 2;
  static constexpr bool kTurns = false;  // nothing goes

  explicit __device__ EdgeReader(const DeviceResidentView& view) : view_(view) {}

  static constexpr __device__ Access access() { return Access::aligned; }
  template <class Weight>
  __device__ void reach(EdgeId begin, EdgeId end) const {
    bring_in_elements<VertexId>(view_.pages, first_page(), begin, end);
    if constexpr (sizeof(Weight) == 4) bring_in_elements<std::uint32_t>(view_.pages, first_weight_page(), begin, end);
  }
  /// Reaches a page for each lane.
  template <class Weight>
  __device__ EdgeId reach_together(EdgeId begin, EdgeId end) const {
    const EdgeId page_ids = (EdgeId{1} << view_.pages.page_shift) / sizeof(VertexId);
    const EdgeId start = begin & ~(page_ids - 1);
    const EdgeId reached = min(end, start + kWarp * page_ids);
    const EdgeId mine = start + lane_id() * page_ids;
    reach<Weight>(max(begin, min(mine, reached)), min(mine + page_ids, reached));
    return reached;
  }
  template <int kCount>
  __device__ void neighbours(const EdgeId (&e)[kCount], const bool (&active)[kCount], VertexId (&v)[kCount]) const {
    read_resident_elements(view_.pages, first_page(), e, active, v);
  }
  template <class Weight, int kCount>
  __device__ void weights(const EdgeId (&e)[kCount], const bool (&active)[kCount], Weight (&w)[kCount]) const {
    weights_of_words(
        w, [&](std::uint32_t(&words)[kCount]) { read_resident_elements(view_.pages, first_weight_page(), e, active, words); });
  }

 private:
  __device__ PageIndex first_page() const { return static_cast<PageIndex>(view_.first_page); }
  __device__ PageIndex first_weight_page() const { return static_cast<PageIndex>(view_.first_weight_page); }

  const DeviceResidentView& view_;  // a parameter of the kernel
};

}  // namespace graphrun::cuda::inline GR_IDS
