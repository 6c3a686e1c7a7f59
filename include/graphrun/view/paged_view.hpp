// SPDX-License-Identifier: Apache-2.0
// PagedView: edges on storage with a page cache, for bam and gpuvm. The second of the three families of views.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "graphrun/cache/host_pager.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/view/cached_prefixes.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::inline GR_IDS {

/// Trivially copyable; the pager is a backend's. Host threads only.
struct PagedView {
  HostPager* pager = nullptr;
  PageId first_page = 0;         ///< of the neighbours
  PageId first_weight_page = 0;  ///< of the weights, when there are any
  std::uint32_t page_shift = 12;
  HostPager::Kept kept = {};          ///< of the neighbours: the pager's
  HostPager::Kept kept_weights = {};  ///< of the weights, when there are any
  HostPager::InPlace in_place = {};   ///< the neighbours, where they are in the page cache
  HostPager::InPlace in_place_weights = {};
  const PackedLists* packed = nullptr;  ///< not null: pages hold lines; of weights too, where these are packed
  CachedPrefixes prefixes = {};         ///< of the neighbours, or records
  /// Largest gap between two lists of one command: reading the unwanted pages costs less than another command.
  std::uint32_t gap_bytes = kGapBytes;
  const EdgeId* offsets = nullptr;  ///< starts of lists, to find cached prefixes; null: a reader of records
  static constexpr std::uint32_t kGapBytes = 32 << 10;

  // These do as HostPager's.
  PageId pages_ahead() const { return pager->pages_ahead(); }
  bool all_pages_fit() const { return pager->all_pages_fit(); }
  bool begin_pass(bool of_all_lists) const { return pager->begin_pass(of_all_lists); }
  /// Returns whether a pull scans cached prefixes first, to request only lists that are longer.
  bool pulls_prefixes_first() const { return prefixes.lead != 0 && pages_ahead() != 0; }

  /// Returns all edges as an array when all pages stay, after reading a few missing ones; else nullopt. Steps over an array take
  /// a fifth less time. Call between steps only.
  template <bool kWeighted>
  std::optional<DirectView> as_array(ThreadPool& pool) const {
    const auto array = array_now<kWeighted>(pool);
    if (!array) return array;
    if (reinterpret_cast<const std::byte*>(array->neighbours) == in_place.data()) pager->count_in_place_step();
    if (reinterpret_cast<const std::byte*>(array->neighbours) == kept.data) pager->count_array_step(first_page);
    if (kWeighted && reinterpret_cast<const std::byte*>(array->weights) == kept_weights.data)
      pager->count_array_step(first_weight_page);
    return array;
  }
  /// Does the same without counting a step.
  template <bool kWeighted>
  std::optional<DirectView> array_now(ThreadPool& pool) const {
    const std::byte* ids = whole(kept, in_place, first_page, pool);
    // Called also where the ids are not whole: it looks at the page cache for scans of single lists.
    const std::byte* weights = kWeighted ? whole(kept_weights, in_place_weights, first_weight_page, pool) : nullptr;
    if (ids == nullptr || (kWeighted && weights == nullptr)) return std::nullopt;
    if (packed != nullptr) {  // this tells loads where kept lines are
      const bool packs_weights = kWeighted && packed->weight_code.is_packed();
      if (ids != kept.data || (packs_weights && weights != kept_weights.data)) return std::nullopt;
    }
    return DirectView{.neighbours = reinterpret_cast<const VertexId*>(ids),
                      .weights = reinterpret_cast<const std::uint32_t*>(weights),
                      .packed = packed};
  }

  /// Looks at the page cache's part of the ids or records, at most once in a while, as as_array(). Call between steps only.
  void look() const {
    if (in_place.pages != nullptr) pager->is_all_in_place(first_page);
  }

  /// Pages of a column, counted from its first: [first, next).
  struct Pages {
    PageId first = 0;
    PageId next = 0;
  };

  static constexpr std::size_t kLookahead = 4;
  /// Prefetches an item from pages that stay, before its scan.
  void prefetch(const WorkItem& item) const {
    if (kept.words == nullptr || item.begin == item.end) return;
    graphrun::prefetch(kept.data + (packed != nullptr ? packed->start(item.vertex) : item.begin << kIdShift));
  }

  /// Scans lists for one worker.
  class Reader;

  /// Requests lists before their scan, adjacent ones together.
  template <bool kWeighted>
  class Request {
   public:
    /// `ahead` is HostPager::prefetch()'s.
    Request(const PagedView& view, bool ahead) : view_(view), ahead_(ahead) {}

    /// Adds an item. Precondition: it is not empty.
    void add(const WorkItem& item) {
      const WorkItem rest = view_.beyond_prefixes(item);
      if (rest.begin == rest.end) return;
      const Pages wanted = view_.pages_of(rest);
      const PageId next = std::min(wanted.next, wanted.first + kMostPagesOfAList);
      const EdgeId end = std::min(rest.end, rest.begin + view_.page_start(kMostPagesOfAList));
      if (begin_ == end_ || wanted.first < pages_.first || wanted.first > pages_.next + view_.largest_gap()) {
        ask();
        begin_ = rest.begin;
        end_ = end;
        pages_ = {wanted.first, wanted.first};
        count_ += kPagesOfACommand;
      }
      end_ = std::max(end_, end);
      if (next <= pages_.next) return;
      count_ += next - pages_.next;
      pages_.next = next;
    }
    /// Returns the pages of all items so far; a command counts as some pages.
    PageId pages() const { return kWeighted ? 2 * count_ : count_; }
    /// Requests the rest. Returns pages().
    PageId send() {
      ask();
      view_.pager->send();
      return pages();
    }

   private:
    static constexpr PageId kPagesOfACommand = 8;  // so that pages_ahead() is at most some hundred commands
    void ask() const {
      if (begin_ == end_) return;
      view_.ask(pages_, ahead_);
      if constexpr (kWeighted) view_.ask_weights(begin_, end_, ahead_);
    }

    const PagedView& view_;
    bool ahead_;
    EdgeId begin_ = 0;  ///< of weights
    EdgeId end_ = 0;
    Pages pages_;  ///< of neighbours
    PageId count_ = 0;
  };

 private:
  /// Returns the part of an item after its cached prefix.
  WorkItem beyond_prefixes(const WorkItem& item) const {
    if (offsets == nullptr || prefixes.lead == 0) return item;
    const EdgeId near = prefixes.end_of(item.vertex, offsets[item.vertex], offsets[item.vertex + 1]);
    return {item.vertex, std::clamp(near, item.begin, item.end), item.end};
  }

  static constexpr std::uint32_t kIdShift = sizeof(VertexId) == 4 ? 2 : 3;
  static constexpr std::uint32_t kWeightShift = 2;
  static constexpr PageId kMostPagesOfAList = 256;  // a scan requests the others

  PageId largest_gap() const { return gap_bytes >> page_shift; }
  PageId page_of(EdgeId e, std::uint32_t element_shift) const { return e >> (page_shift - element_shift); }
  EdgeId page_start(PageId page) const { return page << (page_shift - kIdShift); }
  EdgeId page_end(EdgeId e) const { return page_start(page_of(e, kIdShift) + 1); }

  /// Returns a column when all of it is reachable, otherwise null.
  const std::byte* whole(const HostPager::Kept& column, const HostPager::InPlace& placed, PageId first, ThreadPool& pool) const {
    constexpr std::uint64_t kLittle = 8;  // an eighth
    if (placed.pages != nullptr && pager->is_all_in_place(first)) return placed.data();
    if (column.absent == nullptr) return nullptr;
    if (!column.has_all()) pager->fill_gaps(first, kLittle, pool);
    return column.has_all() ? column.data : nullptr;
  }

  template <bool kWeighted>
  bool are_in_place(EdgeId begin, EdgeId end) const {
    return in_place.has(begin << kIdShift, end << kIdShift) &&
           (!kWeighted || in_place_weights.has(begin << kWeightShift, end << kWeightShift));
  }

  template <bool kWeighted>
  bool are_kept(EdgeId begin, EdgeId end) const {
    return kept.has(page_of(begin, kIdShift), page_of(end - 1, kIdShift)) &&
           (!kWeighted || kept_weights.has(page_of(begin, kWeightShift), page_of(end - 1, kWeightShift)));
  }

  /// Returns the neighbours' pages of an item, an estimate for packed ones. Precondition: the item is not empty.
  Pages pages_of(const WorkItem& item) const {
    if (packed == nullptr) return {page_of(item.begin, kIdShift), page_of(item.end - 1, kIdShift) + 1};
    const PackedLists::Bytes bytes = packed->bytes_of(item);
    return {bytes.begin >> page_shift, ((bytes.end - 1) >> page_shift) + 1};
  }
  void ask(const Pages& pages, bool ahead) const { ask(first_page, in_place, pages, ahead); }
  /// Requests the weights of [begin, end). Precondition: it is not empty.
  void ask_weights(EdgeId begin, EdgeId end, bool ahead) const {
    const auto page_with = [&](EdgeId e) {
      const bool packs = packed != nullptr && packed->weight_code.is_packed();
      return packs ? packed->weight_code.byte_of(e) >> page_shift : page_of(e, kWeightShift);
    };
    ask(first_weight_page, in_place_weights, {page_with(begin), page_with(end - 1) + 1}, ahead);
  }
  void ask(PageId first, const HostPager::InPlace& placed, const Pages& pages, bool ahead) const {
    if (placed.has(pages.first << page_shift, pages.next << page_shift)) return;
    pager->prefetch(first + pages.first, first + pages.next - 1, ahead);
  }

  /// Requests the later pages of an item, more at a time as the scan proceeds: most scans that leave a list early do so on its
  /// first page. Not for packed weights, which are requested at once.
  template <bool kWeighted>
  class ReadAhead {
   public:
    ReadAhead(const PagedView& view, const WorkItem& item)
        : view_(view), pages_(view.pages_of(item)), ask_at_(pages_.first + 1), asked_(ask_at_), end_(item.end) {}

    /// Records that the scan enters a page.
    void enter(PageId page) {
      if (page < ask_at_ || asked_ >= pages_.next) return;
      ask_at_ = asked_;
      count_ = std::min(2 * count_, kMostPages);
      asked_ = std::min(pages_.next, ask_at_ + count_);
      const bool ahead = page < ask_at_;
      view_.ask({ask_at_, asked_}, ahead);
      if constexpr (kWeighted) view_.ask_weights(view_.page_start(ask_at_), std::min(end_, view_.page_start(asked_)), ahead);
      view_.pager->send();
    }

   private:
    static constexpr PageId kMostPages = 32;
    const PagedView& view_;
    Pages pages_;
    PageId ask_at_;
    PageId asked_;
    EdgeId end_;
    PageId count_ = 1;
  };
};

/// A reader that keeps its last pages: most lists begin where another ended, and counting references costs more than scanning a
/// short list. Releases them before it waits for a page, and at its end; its worker waits for nothing else meanwhile.
class PagedView::Reader {
 public:
  explicit Reader(const PagedView& view) : view_(view) {}
  ~Reader() {
    let_go(ids_);
    let_go(weights_);
    if (in_place_bytes_ != 0) view_.pager->count_in_place(in_place_bytes_);
    if (cached_bytes_ != 0) std::atomic_ref(*view_.prefixes.answered).fetch_add(cached_bytes_, std::memory_order_relaxed);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// Calls take(neighbours, weights, count) for each contiguous run of an item until it returns false.
  template <bool kWeighted, class Take>
  void for_each_run(const WorkItem& item, Take&& take) {
    if (item.begin == item.end) return;
    const WorkItem rest = view_.beyond_prefixes(item);
    if (rest.begin != item.begin) {
      const std::uint64_t at = view_.prefixes.start(item.vertex) + (item.begin - view_.offsets[item.vertex]);
      const auto count = static_cast<std::size_t>(rest.begin - item.begin);
      cached_bytes_ += count * (kWeighted ? sizeof(VertexId) + sizeof(std::uint32_t) : sizeof(VertexId));
      if (!take(view_.prefixes.words + at, kWeighted ? view_.prefixes.weights + at : nullptr, count) || rest.begin == rest.end)
        return;
    }
    const EdgeId begin = rest.begin;
    const EdgeId end = rest.end;
    if (view_.packed != nullptr) {
      for_each_line<kWeighted>(rest, take);
    } else if (view_.kept.words != nullptr && view_.are_kept<kWeighted>(begin, end)) {
      const auto* weights = kWeighted ? reinterpret_cast<const std::uint32_t*>(view_.kept_weights.data) + begin : nullptr;
      take(reinterpret_cast<const VertexId*>(view_.kept.data) + begin, weights, static_cast<std::size_t>(end - begin));
    } else if (view_.in_place.pages != nullptr && view_.are_in_place<kWeighted>(begin, end)) {
      in_place_bytes_ += (end - begin) * (kWeighted ? sizeof(VertexId) + sizeof(std::uint32_t) : sizeof(VertexId));
      const auto* weights = kWeighted ? reinterpret_cast<const std::uint32_t*>(view_.in_place_weights.data()) + begin : nullptr;
      take(reinterpret_cast<const VertexId*>(view_.in_place.data()) + begin, weights, static_cast<std::size_t>(end - begin));
    } else {
      for_each_page<kWeighted>(rest, take);
    }
  }

 private:
  /// Not inlined: scan loops are faster without it.
  template <bool kWeighted, class Take>
  [[gnu::noinline]] void for_each_page(const WorkItem& item, Take& take) {
    ReadAhead<kWeighted> ahead(view_, item);
    for (EdgeId e = item.begin; e < item.end;) {
      const EdgeId run_end = std::min(item.end, view_.page_end(e));
      ahead.enter(view_.page_of(e, kIdShift));
      if (!(kWeighted ? take_weighted(e, run_end, take) : take_plain(e, run_end, take))) return;
      e = run_end;
    }
  }

  /// Does the same for packed lists. Decodes a line before it may have to wait for another page.
  template <bool kWeighted, class Take>
  [[gnu::noinline]] void for_each_line(const WorkItem& item, Take& take) {
    ReadAhead<false> ahead(view_, item);
    const std::uint64_t in_page = (std::uint64_t{1} << view_.page_shift) - 1;
    const auto line_in = [&](std::uint64_t position) {  // an upper bound where lines are read in place
      return std::min<std::uint64_t>(packed::kLineBytes, in_page + 1 - (position & in_page));
    };
    const auto line_at = [&](std::uint64_t position) {
      const PageId page = position >> view_.page_shift;
      if (ids_.page != view_.first_page + page) ahead.enter(page);
      return keep(ids_, weights_, view_.first_page, view_.in_place, position, line_in(position));
    };
    const auto weight_line_at = [&](std::uint64_t position) {
      return keep(weights_, ids_, view_.first_weight_page, view_.in_place_weights, position, line_in(position));
    };
    const auto some_weights = [&](EdgeId e, std::size_t count, std::uint32_t* room) {
      const packed::WeightCode& code = view_.packed->weight_code;
      if (code.is_packed()) return unpack_weights(code, e, count, room, weight_line_at);
      const std::uint64_t position = e * sizeof(std::uint32_t);
      return SomeWeights{reinterpret_cast<const std::uint32_t*>(weight_line_at(position)),
                         std::min<std::size_t>(count, (in_page + 1 - (position & in_page)) / sizeof(std::uint32_t))};
    };
    walk_packed<kWeighted>(*view_.packed, item, line_at, some_weights, take);
  }

  static constexpr PageId kNoPage = ~PageId{0};
  struct Kept {
    PageId page = kNoPage;
    const std::byte* data = nullptr;
    bool in_place = false;  ///< in the page cache, without a frame
  };

  void let_go(Kept& kept) const {
    if (kept.page != kNoPage && !kept.in_place) view_.pager->release(kept.page);
    kept.page = kNoPage;
  }
  /// Returns byte `at` of a column that starts on page `first`. It and the `bytes` after it are on one page.
  const std::byte* keep(Kept& kept, Kept& other, PageId first, const HostPager::InPlace& placed, std::uint64_t at,
                        std::uint64_t bytes) {
    const PageId in_column = at >> view_.page_shift;
    const PageId page = first + in_column;
    if (kept.page != page) {
      let_go(kept);
      kept.in_place = placed.has(in_column << view_.page_shift, (in_column + 1) << view_.page_shift);
      kept.data =
          kept.in_place ? placed.data() + (in_column << view_.page_shift) : view_.pager->acquire(page, [&] { let_go(other); });
      kept.page = page;
    }
    if (kept.in_place) in_place_bytes_ += bytes;
    return kept.data + (at & ((std::uint64_t{1} << view_.page_shift) - 1));
  }

  template <class Take>
  bool take_plain(EdgeId begin, EdgeId end, Take& take) {
    const std::byte* ids = keep(ids_, weights_, view_.first_page, view_.in_place, begin << kIdShift, (end - begin) << kIdShift);
    return take(reinterpret_cast<const VertexId*>(ids), nullptr, static_cast<std::size_t>(end - begin));
  }

  /// Copies neighbours, because their page may be evicted before the weights' page arrives.
  template <class Take>
  bool take_weighted(EdgeId begin, EdgeId end, Take& take) {
    constexpr EdgeId kPiece = 512;
    std::array<VertexId, kPiece> ids;
    for (EdgeId e = begin; e < end;) {
      const EdgeId weights_end = (view_.page_of(e, kWeightShift) + 1) << (view_.page_shift - kWeightShift);
      const auto count = static_cast<std::size_t>(std::min({end - e, kPiece, weights_end - e}));
      const std::byte* id_bytes = keep(ids_, weights_, view_.first_page, view_.in_place, e << kIdShift, count << kIdShift);
      std::memcpy(ids.data(), id_bytes, count * sizeof(VertexId));
      const std::byte* words =
          keep(weights_, ids_, view_.first_weight_page, view_.in_place_weights, e << kWeightShift, count << kWeightShift);
      if (!take(ids.data(), reinterpret_cast<const std::uint32_t*>(words), count)) return false;
      e += count;
    }
    return true;
  }

  const PagedView view_;
  Kept ids_;
  Kept weights_;
  std::uint64_t in_place_bytes_ = 0;
  std::uint64_t cached_bytes_ = 0;
};

}  // namespace graphrun::inline GR_IDS
