// PagedView: edges on storage, of which a cache holds some pages. The second of the three families of views; bam is this.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "graphrun/cache/host_pager.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun {

/// Trivially copyable; the pager is a backend's. Host threads only.
struct PagedView {
  HostPager* pager = nullptr;
  PageId first_page = 0;         ///< of the neighbours
  PageId first_weight_page = 0;  ///< of the weights, when there are any
  std::uint32_t page_shift = 12;

  /// Lists ahead whose pages a worker asks for: enough to keep a storage device busy from two threads.
  static constexpr std::size_t kLookahead = 64;
  static constexpr bool kSweepsLookAhead = true;

  /// take(neighbours, weights, count) for each contiguous run of [begin, end) until it returns false. No page is held while
  /// another is waited for: with weights, neighbours are copied first.
  template <bool kWeighted, class Take>
  void for_each_run(EdgeId begin, EdgeId end, Take&& take) const {
    const EdgeId edges_per_page = EdgeId{1} << (page_shift - kIdShift);
    for (EdgeId e = begin; e < end;) {
      const EdgeId page_end = std::min(end, (e / edges_per_page + 1) * edges_per_page);
      read_ahead(page_end, end);
      if (!(kWeighted ? take_weighted(e, page_end, take) : take_plain(e, page_end, take))) return;
      e = page_end;
    }
  }

  /// The list [begin, end) will be walked soon.
  void prefetch(EdgeId begin, EdgeId end) const {
    if (begin == end) return;
    constexpr PageId kMostPages = 8;  // of a long list; the walk itself asks for the others
    const PageId first = first_page + page_of(begin, kIdShift);
    const PageId last = std::min(first_page + page_of(end - 1, kIdShift), first + kMostPages - 1);
    for (PageId page = first; page <= last; ++page) pager->prefetch(page);
  }

 private:
  static constexpr std::uint32_t kIdShift = sizeof(VertexId) == 4 ? 2 : 3;
  static constexpr std::uint32_t kWeightShift = 2;
  static constexpr PageId kReadAheadPages = 8;

  PageId page_of(EdgeId e, std::uint32_t element_shift) const { return e >> (page_shift - element_shift); }
  std::size_t byte_in_page(EdgeId e, std::uint32_t element_shift) const {
    return static_cast<std::size_t>(e << element_shift & ((std::uint64_t{1} << page_shift) - 1));
  }

  void read_ahead(EdgeId from, EdgeId end) const {
    if (from >= end) return;
    const PageId first = page_of(from, kIdShift);
    const PageId last = std::min(page_of(end - 1, kIdShift), first + kReadAheadPages);
    for (PageId page = first; page <= last; ++page) pager->prefetch(first_page + page);
  }

  /// Holds a page for as long as it lives.
  class Held {
   public:
    Held(HostPager& pager, PageId page) : pager_(pager), page_(page), data_(pager.acquire(page)) {}
    ~Held() { pager_.release(page_); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    const std::byte* data() const { return data_; }

   private:
    HostPager& pager_;
    PageId page_;
    const std::byte* data_;
  };

  template <class Take>
  bool take_plain(EdgeId begin, EdgeId end, Take& take) const {
    const Held page(*pager, first_page + page_of(begin, kIdShift));
    return take(reinterpret_cast<const VertexId*>(page.data() + byte_in_page(begin, kIdShift)), nullptr,
                static_cast<std::size_t>(end - begin));
  }

  template <class Take>
  bool take_weighted(EdgeId begin, EdgeId end, Take& take) const {
    constexpr EdgeId kPiece = 512;
    std::array<VertexId, kPiece> ids;
    for (EdgeId e = begin; e < end;) {
      const EdgeId weights_end = (page_of(e, kWeightShift) + 1) << (page_shift - kWeightShift);
      const auto count = static_cast<std::size_t>(std::min({end - e, kPiece, weights_end - e}));
      pager->prefetch(first_weight_page + page_of(e, kWeightShift));
      {
        const Held page(*pager, first_page + page_of(e, kIdShift));
        std::memcpy(ids.data(), page.data() + byte_in_page(e, kIdShift), count * sizeof(VertexId));
      }
      const Held page(*pager, first_weight_page + page_of(e, kWeightShift));
      if (!take(ids.data(), reinterpret_cast<const std::uint32_t*>(page.data() + byte_in_page(e, kWeightShift)), count))
        return false;
      e += count;
    }
    return true;
  }
};

}  // namespace graphrun
