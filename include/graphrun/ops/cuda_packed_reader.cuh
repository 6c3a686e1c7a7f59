// SPDX-License-Identifier: Apache-2.0
// Reads packed lists by a warp (docs/storage.md): brings their bytes over the link in whole requests, and decodes 32 edges at a
// time, of one list after another.
#pragma once

#include <cstdint>

#include "graphrun/exec/cuda_warp_basics.cuh"
#include "graphrun/graph/packed_walk.hpp"
#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/cuda_warp.cuh"
#include "graphrun/view/device_packed_view.hpp"

namespace graphrun::cuda::inline GR_IDS {

/// A window of words of a column that a warp read last, in shared memory. A place is the number of a word in the column; the
/// first words are cached in device memory. All lanes together.
class WordWindow {
 public:
  static constexpr unsigned kWords = 128;  // a power of two: at most four requests are on their way at once
  static constexpr unsigned kLineWords = packed::kLineBytes / sizeof(std::uint32_t);
  static constexpr unsigned kSectorWords = 32 / sizeof(std::uint32_t);
  static constexpr unsigned kRequestWords = 128 / sizeof(std::uint32_t);

  /// Precondition: `ring` has kWords words of this warp; `near_words` make whole requests.
  __device__ WordWindow(const std::uint32_t* column, const std::uint32_t* near, std::uint64_t near_words, std::uint32_t* ring)
      : column_(column), near_(near), near_words_(near_words), ring_(ring) {}

  /// Brings all words of a line that begins at `from`, and as many up to `end` as there is room for. The caller uses no words
  /// from `end` on; `end` lies in the column, or at its end, which ends a sector.
  __device__ void bring(std::uint64_t from, std::uint64_t end) {
    if (from >= low_ && min(from + kLineWords, end) <= high_) return;
    if (from < low_ || from > high_) low_ = high_ = from / kSectorWords * kSectorWords;
    const std::uint64_t room = from / kRequestWords * kRequestWords + kWords;
    const std::uint64_t target = min((end + kSectorWords - 1) / kSectorWords * kSectorWords, room);
    const std::uint64_t first = high_ / kRequestWords * kRequestWords + lane_id();
    std::uint32_t words[kWords / kWarp];
#pragma unroll
    for (unsigned j = 0; j < kWords / kWarp; ++j) {
      const std::uint64_t at = first + j * kWarp;
      const std::uint32_t* const from_there = at < near_words_ ? near_ : column_;
      words[j] = at >= high_ && at < target ? from_there[at] : 0;
    }
    __syncwarp();  // all lanes have read what they wanted of the words that go
#pragma unroll
    for (unsigned j = 0; j < kWords / kWarp; ++j) {
      const std::uint64_t at = first + j * kWarp;
      if (at >= high_ && at < target) ring_[at % kWords] = words[j];
    }
    __syncwarp();
    const std::uint64_t far = min(max(high_, near_words_), target);  // from where on words came over the link
    cached_sectors_ += static_cast<unsigned>((far - high_) / kSectorWords);
    sectors_ += static_cast<unsigned>((target - far) / kSectorWords);
    if (far < target) requests_ += static_cast<unsigned>((target - 1) / kRequestWords - far / kRequestWords + 1);
    high_ = target;
    if (high_ - low_ > kWords) low_ = high_ - kWords;
  }

  /// Returns the word at a place that was brought in; any word for other places.
  __device__ std::uint32_t word(unsigned place) const { return ring_[place % kWords]; }
  /// Returns field `index` of `width` bits, of the fields that begin at `place`.
  __device__ std::uint32_t field(unsigned place, unsigned index, unsigned width) const {
    const unsigned bit = index * width;
    const std::uint32_t bits = __funnelshift_r(word(place + bit / 32), word(place + bit / 32 + 1), bit % 32);
    return width == 32 ? bits : bits & ((1u << width) - 1);
  }

  /// Returns the sectors read over the link; cached_sectors(), those read in device memory.
  __device__ unsigned sectors() const { return sectors_; }
  __device__ unsigned cached_sectors() const { return cached_sectors_; }
  __device__ unsigned requests() const { return requests_; }

 private:
  const std::uint32_t* column_;
  const std::uint32_t* near_;
  std::uint64_t near_words_;
  std::uint32_t* ring_;
  std::uint64_t low_ = 0;  // it has the words [low_, high_)
  std::uint64_t high_ = 0;
  unsigned sectors_ = 0;  // of one kernel: far below 2^32
  unsigned cached_sectors_ = 0;
  unsigned requests_ = 0;
};

template <>
class EdgeReader<DevicePackedView> {
 public:
  static constexpr unsigned kLeastBlocks = 4;
  static constexpr unsigned kLeastSweepBlocks = 4;
  static constexpr unsigned kLeastPassBlocks = 4;
  static constexpr bool kTurns = false;

  explicit __device__ EdgeReader(const DevicePackedView& view)
      : view_(view),
        window_(reinterpret_cast<const std::uint32_t*>(view.lists.lines), reinterpret_cast<const std::uint32_t*>(view.near),
                view.cached_bytes / sizeof(std::uint32_t), ring()) {}
  __device__ ~EdgeReader() {
    if (damaged_ != kNoVertex) atomicMin(view_.damaged, static_cast<unsigned long long>(damaged_));
    if (lane_id() != 0) return;
    if (window_.cached_sectors() != 0) add(&view_.read->cached, window_.cached_sectors() * 32ull);
    if (window_.requests() == 0) return;
    add(&view_.read->bytes, window_.sectors() * 32ull);
    add(&view_.read->requests, window_.requests());
  }
  EdgeReader(const EdgeReader&) = delete;
  EdgeReader& operator=(const EdgeReader&) = delete;

  static constexpr __device__ Access access() { return Access::merged; }

  /// Finds the lists of the lanes' items.
  __device__ void open(const WorkItem& item) {
    const bool any = item.begin < item.end;
    vertex_ = item.vertex;
    first_ = any ? view_.lists.offsets[vertex_] : 0;
    degree_ = any ? view_.lists.offsets[vertex_ + 1] - first_ : 0;
    start_ = any ? view_.lists.start(vertex_) : 0;
    end_ = any ? view_.lists.start(vertex_ + 1) : 0;
    // Whole lists of vertices that follow each other are bytes that do: they come together.
    const VertexId next = __shfl_down_sync(kAllLanes, vertex_, 1);
    const bool next_any = __shfl_down_sync(kAllLanes, any, 1);
    const bool goes_on = any && next_any && item.end == first_ + degree_ && next == vertex_ + 1;
    run_ends_ = __ballot_sync(kAllLanes, !goes_on) | 1u << (kWarp - 1);
  }

  /// Calls take(v, active) for edges [begin, end), at least one, of the list that lane `owner` opened, 32 at a time. All lanes
  /// together.
  template <class Take>
  __device__ void walk(int owner, EdgeId begin, EdgeId end, const Take& take) {
    const VertexId vertex = __shfl_sync(kAllLanes, vertex_, owner);
    const EdgeId first = __shfl_sync(kAllLanes, first_, owner);
    const EdgeId degree = __shfl_sync(kAllLanes, degree_, owner);
    const std::uint64_t run_end = __shfl_sync(kAllLanes, end_, __ffs(static_cast<int>(run_ends_ & kAllLanes << owner)) - 1);
    packed::LinePlace at = packed::line_place(__shfl_sync(kAllLanes, start_, owner), degree, begin - first,
                                              [&](std::uint64_t position) { return directory_word(position); });
    const bool whole = end == first + degree;  // and what follows it will be wanted, too
    for (EdgeId left = end - begin; left != 0;) {
      if (at.position >= view_.lists.bytes) return note_damage(vertex);
      const std::uint64_t place = at.position / sizeof(std::uint32_t);
      window_.bring(place, end_of(at.position, whole ? run_end : min(run_end, at.position + most_bytes(at.skip + left))));
      const auto low = static_cast<unsigned>(place);
      const packed::LineHead head = packed::head_of(window_.word(low), window_.word(low + 1), window_.word(low + 2));
      if (!head.fits(packed::kPageBytes - at.position % packed::kPageBytes)) return note_damage(vertex);
      const unsigned fields = low + head.bytes / sizeof(std::uint32_t);
      if (head.kind == packed::LineKind::shared) {
        const std::uint32_t index = static_cast<std::uint32_t>(first) - static_cast<std::uint32_t>(head.first);
        if (index >= head.count || degree > head.count - index) return note_damage(vertex);
        const auto skip = static_cast<unsigned>(begin - first);
        window_.bring(place, end_of(at.position, at.position + head.line_bytes()));  // its edges may be the last of the line
        return decode(vertex, head, vertex, fields, index, skip, skip + static_cast<unsigned>(left), take);
      }
      at.position = packed::next_line(at.position + head.line_bytes());
      if (at.skip >= head.count) {
        at.skip -= head.count;
        continue;
      }
      const auto skip = static_cast<unsigned>(at.skip);
      const auto wanted = static_cast<unsigned>(min(left, static_cast<EdgeId>(head.count - skip)));
      decode(vertex, head, static_cast<VertexId>(head.first), fields, head.kind == packed::LineKind::gaps ? ~0u : 0u, skip,
             skip + wanted, take);
      left -= wanted;
      at.skip = 0;
    }
  }

 private:
  __device__ static std::uint32_t* ring() {
    __shared__ std::uint32_t rings[kBlockThreads / kWarp][WordWindow::kWords];
    return rings[threadIdx.x / kWarp];
  }
  __device__ static void add(std::uint64_t* total, unsigned long long mine) {
    atomicAdd(reinterpret_cast<unsigned long long*>(total), mine);
  }
  __device__ void note_damage(VertexId v) { damaged_ = min(damaged_, v); }

  __device__ std::uint32_t directory_word(std::uint64_t position) {
    if (position + sizeof(std::uint32_t) > view_.lists.bytes) return ~0u;  // a place beyond all lines
    const std::uint64_t place = position / sizeof(std::uint32_t);
    window_.bring(place, place + 1);
    return window_.word(static_cast<unsigned>(place));
  }
  /// Returns the most bytes of this many edges, from their line's head on; less only where a window has no more room.
  __device__ static std::uint64_t most_bytes(EdgeId edges) {
    constexpr EdgeId kMany = 2 * packed::kMostEdges;
    return edges >= kMany ? kMany * sizeof(std::uint32_t) : (edges + 3) * sizeof(std::uint32_t);
  }
  /// Returns the last word for the window, where lists end before byte `stop`: a shared line begins where the next list does.
  __device__ std::uint64_t end_of(std::uint64_t position, std::uint64_t stop) const {
    const std::uint64_t end = stop > position ? stop : position + packed::kLineBytes;
    return (min(end, view_.lists.bytes) + sizeof(std::uint32_t) - 1) / sizeof(std::uint32_t);
  }

  /// Calls take(v, active) for edges [from, to) of a line; the first one has field `shift`; ~0: none. They add up from `id`.
  template <class Take>
  __device__ void decode(VertexId vertex, const packed::LineHead& head, VertexId id, unsigned fields, unsigned shift,
                         unsigned from, unsigned to, const Take& take) {
    const bool adds = head.kind != packed::LineKind::plain;
    for (unsigned base = 0; base < to; base += kWarp) {
      const unsigned i = base + lane_id();
      VertexId value = window_.field(fields, i + shift, head.width);
      if (i == 0 && head.kind == packed::LineKind::shared) value = static_cast<VertexId>(packed::unfold(value));
      if (i == 0 && head.kind == packed::LineKind::gaps) value = 0;
      VertexId v = id + (adds ? warp_inclusive_scan(value) : value);
      if (adds) id = __shfl_sync(kAllLanes, v, kWarp - 1);
      bool active = i >= from && i < to;
      if (active && v >= view_.num_vertices) {
        note_damage(vertex);
        active = false;
        v = 0;
      }
      if (base + kWarp > from) take(v, active);
    }
  }

  const DevicePackedView& view_;  // a parameter of the kernel
  WordWindow window_;
  // Of this lane's list.
  VertexId vertex_ = 0;
  EdgeId first_ = 0;
  EdgeId degree_ = 0;
  std::uint64_t start_ = 0;  // in bytes
  std::uint64_t end_ = 0;
  unsigned run_ends_ = 0;         // lanes whose lists the next lane's does not follow
  VertexId damaged_ = kNoVertex;  // the smallest vertex whose list is
};

}  // namespace graphrun::cuda::inline GR_IDS
