// SPDX-License-Identifier: Apache-2.0
// A stable parallel counting sort of the records of a stream by key, the same with any number of threads.
//
// The first pass counts the keys of each piece of the stream. So every piece has a cursor of its own for every key, and the
// second pass needs no atomics.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

/// stream(begin, end, sink) calls sink(key, record) for each record of items [begin, end), the same ones each time; an item may
/// have any number of records. Costs 8 bytes a key and piece.
class Partition {
 public:
  /// Reads the stream once. Keys are below `num_keys`.
  template <class Stream>
  Partition(ThreadPool& pool, std::size_t num_items, std::size_t num_keys, const Stream& stream)
      : pool_(pool), num_items_(num_items), num_pieces_(choose_pieces(pool, num_items)), starts_(num_keys + 1) {
    cursors_ = Column<EdgeId>::allocate(num_pieces_ * num_keys);
    parallel_tasks(pool_, num_pieces_, [&](std::size_t piece) {
      EdgeId* counts = cursors_of(piece);
      stream(bound(piece), bound(piece + 1), [counts](std::size_t key, const auto&) { ++counts[key]; });
    });
    EdgeId running = 0;
    for (std::size_t key = 0; key < num_keys; ++key) {
      starts_[key] = running;
      for (std::size_t piece = 0; piece < num_pieces_; ++piece) {
        running += std::exchange(cursors_of(piece)[key], running);
      }
    }
    starts_[num_keys] = running;
  }

  EdgeId total() const { return starts_.back(); }
  /// Returns where the records of each key begin: key k has the places [starts()[k], starts()[k+1]).
  const std::vector<EdgeId>& starts() const { return starts_; }

  /// Reads the stream again and calls put(place, record) for each record. Once only.
  template <class Stream, class Put>
  void place(const Stream& stream, const Put& put) {
    parallel_tasks(pool_, num_pieces_, [&](std::size_t piece) {
      EdgeId* cursors = cursors_of(piece);
      stream(bound(piece), bound(piece + 1), [&](std::size_t key, const auto& record) { put(cursors[key]++, record); });
    });
  }

 private:
  static std::size_t choose_pieces(const ThreadPool& pool, std::size_t num_items) {
    constexpr std::size_t kSmallestPiece = 1 << 14;
    const std::size_t most = pool.size() == 1 ? 1 : 4 * static_cast<std::size_t>(pool.size());
    return std::clamp<std::size_t>(num_items / kSmallestPiece, 1, most);
  }
  std::size_t bound(std::size_t piece) const {
    return num_items_ / num_pieces_ * piece + std::min(piece, num_items_ % num_pieces_);
  }
  EdgeId* cursors_of(std::size_t piece) { return cursors_.data() + piece * (starts_.size() - 1); }

  ThreadPool& pool_;
  std::size_t num_items_;
  std::size_t num_pieces_;
  Column<EdgeId> cursors_;      // [piece][key]
  std::vector<EdgeId> starts_;  // [key]
};

}  // namespace graphrun::inline GR_IDS
