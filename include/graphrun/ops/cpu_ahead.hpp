// SPDX-License-Identifier: Apache-2.0
// How workers of the CPU executor look ahead over their work items.
//
// For memory a prefetch a few lists ahead will do (ListsAhead). Pages on storage must be asked for hundreds ahead, by few
// threads: a worker takes several pieces of the work, asks for all pages of each as it takes it, and then works on the one
// it took first. So the depth of the storage queue depends neither on the number of threads nor on where pieces end.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>

#include "graphrun/core/cancellation.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/view/walk.hpp"

namespace graphrun::cpu::inline GR_IDS {

/// Returns the list of v as one work item; empty when it is cut.
inline WorkItem uncut_list(const Rows& rows, VertexId v) {
  const EdgeId begin = rows.offsets[v];
  const EdgeId end = rows.offsets[v + 1];
  return {v, begin, rows.is_cut(end - begin) ? begin : end};
}

/// Prefetches the lists of a worker's vertices before it comes to them. Does nothing for views that are asked by the piece.
template <class View>
class ListsAhead {
 public:
  /// Prepares for a worker that traverses the lists of list[begin .. end).
  ListsAhead(const Rows& rows, const View& edges, const VertexId* list, std::size_t begin, std::size_t end)
      : rows_(rows), edges_(edges), list_(list), next_(asks_ahead(edges) ? end : begin), end_(end) {}

  /// Moves on to list[i], and prefetches lists after it.
  void move_to(std::size_t i) {
    for (const std::size_t stop = std::min(i + View::kLookahead + 1, end_); next_ < stop; ++next_) {
      if (next_ + kOffsetsAhead < end_) __builtin_prefetch(&rows_.offsets[list_[next_ + kOffsetsAhead]]);
      const VertexId v = list_[next_];
      edges_.prefetch(WorkItem{v, rows_.offsets[v], rows_.offsets[v + 1]});
    }
  }

 private:
  static constexpr std::size_t kOffsetsAhead = 4;  // a list can be asked for once its place was read
  const Rows& rows_;
  const View& edges_;
  const VertexId* list_;
  std::size_t next_;
  std::size_t end_;
};

/// Asks for the pages of items from `begin` on, until these are about `most` pages and a word of a bitmap ends: two workers never
/// write to one word. range(i) is the work item of i, empty when it is not traversed. Returns the number of pages, and sets `end`
/// to the first item that was not asked for. `ahead`: the items are of a pass over all lists.
template <class Weight, class View, class Range>
std::size_t ask_for(const View& edges, std::size_t begin, std::size_t& end, std::size_t most, const Range& range, bool ahead) {
  constexpr std::size_t kWordVertices = 32;
  typename View::template Request<is_weighted<Weight>> request(edges, ahead);
  std::size_t i = begin;
  for (; i < end && (request.pages() < most || i % kWordVertices != 0); ++i) {
    const WorkItem item = range(i);
    if (item.begin < item.end) request.add(item);
  }
  end = i;
  return request.send();
}

/// Pieces of `grain` of [first, first + n), which workers take one after another: ascending, or from the last one on.
class Pieces {
 public:
  struct Piece {
    std::size_t begin;
    std::size_t end;
  };

  Pieces(std::size_t n, std::size_t grain, bool backward = false, std::size_t first = 0, bool of_all_lists = false)
      : n_(n), grain_(grain), backward_(backward), first_(first), of_all_lists_(of_all_lists) {}
  static Pieces of_all_lists(std::size_t n, std::size_t grain) { return Pieces(n, grain, false, 0, true); }

  /// Returns whether they are of a pass over all lists in storage order, although it may leave some out.
  bool are_of_all_lists() const { return of_all_lists_; }
  std::size_t count() const { return (n_ + grain_ - 1) / grain_; }
  /// Takes the next piece; returns false when there are no more.
  bool take(Piece& piece) {
    const std::size_t drawn = next_.fetch_add(grain_, std::memory_order_relaxed);
    if (drawn >= n_) return false;
    const std::size_t begin = backward_ ? (n_ - 1) / grain_ * grain_ - drawn : drawn;
    piece = {first_ + begin, first_ + std::min(begin + grain_, n_)};
    return true;
  }
  void leave_the_rest() { next_.store(n_, std::memory_order_relaxed); }

 private:
  std::size_t n_;
  std::size_t grain_;
  bool backward_;
  std::size_t first_;
  bool of_all_lists_;
  std::atomic<std::size_t> next_{0};
};

/// Returns pieces of a pass over n lists in storage order. Some views ask that each pass goes against the direction of the pass
/// before it. A single piece is no pass.
template <class View>
Pieces pieces_of_a_pass(const View& edges, std::size_t n, std::size_t grain, std::size_t first = 0, bool of_all_lists = false) {
  return Pieces(n, grain, n > grain && begin_pass(edges, of_all_lists), first, of_all_lists);
}

/// Returns pieces of this rank's vertices among n.
template <class View>
Pieces pieces_of_own_lists(const CpuExecutor& exec, const View& edges, std::size_t n, std::size_t grain) {
  const auto first = static_cast<std::size_t>(std::min<std::uint64_t>(exec.part().first, n));
  const auto last = static_cast<std::size_t>(std::min<std::uint64_t>(exec.part().last, n));
  return pieces_of_a_pass(edges, last - first, grain, first, true);
}

/// Does a worker's share of for_each_piece(): calls body(begin, end) for the pieces that it takes, or for parts of them. The
/// pages of a part fit twice into the worker's pages ahead: pages asked for beyond would be forgotten, and then read a page or
/// two at a time. Pieces are that long where hubs have the first ids.
template <class Weight, class View, class Range, class Body>
void take_pieces(const View& edges, Pieces& pieces, [[maybe_unused]] const Range& range, const Body& body) {
  using Piece = Pieces::Piece;
  if (!asks_ahead(edges)) {
    for (Piece piece; pieces.take(piece);) body(piece.begin, piece.end);
    return;
  }
  if constexpr (is_paged<View>) {
    struct Asked {
      Piece piece;
      std::size_t pages;
    };
    std::deque<Asked> taken;
    std::size_t ahead = 0;
    Piece left{0, 0};  // of the piece that was taken last
    const std::size_t most = std::max<std::size_t>(1, edges.pages_ahead() / 2);
    const auto take = [&] {
      if (left.begin == left.end && !pieces.take(left)) return false;
      Piece part = left;
      const std::size_t pages = ask_for<Weight>(edges, part.begin, part.end, most, range, pieces.are_of_all_lists());
      left.begin = part.end;
      taken.push_back({part, pages});
      ahead += pages;
      return true;
    };
    for (;;) {
      while ((taken.empty() || ahead < edges.pages_ahead()) && take()) {
      }
      if (taken.empty()) return;
      const auto [piece, pages] = taken.front();
      taken.pop_front();
      body(piece.begin, piece.end);
      ahead -= pages;
    }
  }
}

/// Does the same, and ends other workers' pieces when one throws. Worker 0 checks for cancellation between pieces.
template <class Weight, class View, class Range, class Body>
void work_on_pieces(const View& edges, Pieces& pieces, int rank, const Range& range, const Body& body) {
  try {
    take_pieces<Weight>(edges, pieces, range, [&](std::size_t begin, std::size_t end) {
      body(begin, end);
      if (rank == 0) check_cancelled();
    });
  } catch (...) {
    pieces.leave_the_rest();
    throw;
  }
}

/// Calls body(begin, end, rank) for each of the pieces, like parallel_chunks; range(i) is as in ask_for.
template <class Weight, class View, class Range, class Body>
void for_each_piece(CpuExecutor& exec, const View& edges, Pieces&& pieces, const Range& range, const Body& body) {
  const auto work = [&](int rank) {
    work_on_pieces<Weight>(edges, pieces, rank, range, [&](std::size_t begin, std::size_t end) { body(begin, end, rank); });
  };
  exec.pool().offer(pieces.count(), work);
}

}  // namespace graphrun::cpu::inline GR_IDS
