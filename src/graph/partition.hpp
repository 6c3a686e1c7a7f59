// SPDX-License-Identifier: Apache-2.0
// Stable sorts by keys, without comparisons: a parallel counting sort of the records of a stream, the same with any number of
// threads, and radix sorts of arrays.
//
// The first pass of Partition counts the keys of each piece of the stream. So every piece has a cursor of its own for every key,
// and the second pass needs no atomics.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

/// stream(begin, end, sink) calls sink(key, record) for each record of items [begin, end), the same ones each time; an item may
/// have any number of records. Costs 24 bytes a key, or 16 and at most 8 an item.
class Partition {
 public:
  /// Reads the stream once. Keys are below `num_keys`.
  template <class Stream>
  Partition(ThreadPool& pool, std::size_t num_items, std::size_t num_keys, const Stream& stream)
      : pool_(pool), num_items_(num_items), num_pieces_(choose_pieces(pool, num_items, num_keys)), starts_(num_keys + 1) {
    cursors_ = Column<EdgeId>::allocate(num_pieces_ * num_keys);
    parallel_tasks(pool_, num_pieces_, [&](std::size_t piece) {
      EdgeId* counts = cursors_of(piece);
      stream(bound(piece), bound(piece + 1), [counts](std::size_t key, const auto&) { ++counts[key]; });
    });
    // Key by key, each access would be to another page.
    for (std::size_t piece = 0; piece < num_pieces_; ++piece) {
      for (std::size_t key = 0; key < num_keys; ++key) starts_[key + 1] += cursors_of(piece)[key];
    }
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    std::vector<EdgeId> next(starts_.begin(), starts_.end() - 1);
    for (std::size_t piece = 0; piece < num_pieces_; ++piece) {
      for (std::size_t key = 0; key < num_keys; ++key) next[key] += std::exchange(cursors_of(piece)[key], next[key]);
    }
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
  static std::size_t choose_pieces(const ThreadPool& pool, std::size_t num_items, std::size_t num_keys) {
    constexpr std::size_t kSmallestPiece = 1 << 14;
    const std::size_t most = pool.size() == 1 ? 1 : 4 * static_cast<std::size_t>(pool.size());
    // Cursors are no more than items, or a cursor a key.
    return std::clamp<std::size_t>(num_items / std::max(kSmallestPiece, num_keys), 1, most);
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

/// The digits of keys of `bits` bits, the lowest first.
class Digits {
 public:
  static constexpr int kMostBits = 11;  // 2048 open cache lines stay in the second-level cache

  explicit Digits(int bits)
      : passes_((bits + kMostBits - 1) / kMostBits), bits_(passes_ == 0 ? 0 : (bits + passes_ - 1) / passes_) {}

  int passes() const { return passes_; }
  std::size_t radix() const { return std::size_t{1} << bits_; }
  std::size_t of(std::uint64_t key, int pass) const { return static_cast<std::size_t>(key >> (pass * bits_)) & (radix() - 1); }

 private:
  int passes_;
  int bits_;
};

/// Sorts by key(record), a number of `bits` bits, a digit at a time; stable. Returns the result: `data` or `spare`, which has
/// room for as many. The other one's contents are unspecified.
template <class Record, class Key>
Record* radix_sort(Record* data, Record* spare, std::size_t count, int bits, const Key& key) {
  const Digits digits(bits);
  std::array<std::size_t, std::size_t{1} << Digits::kMostBits> cursors;
  for (int pass = 0; pass < digits.passes(); ++pass) {
    const auto digit = [&](const Record& record) { return digits.of(key(record), pass); };
    std::fill_n(cursors.begin(), digits.radix(), 0);
    for (std::size_t i = 0; i < count; ++i) ++cursors[digit(data[i])];
    if (count != 0 && cursors[digit(data[0])] == count) continue;  // all alike: common where ids keep locality
    std::size_t running = 0;
    for (std::size_t d = 0; d < digits.radix(); ++d) running += std::exchange(cursors[d], running);
    for (std::size_t i = 0; i < count; ++i) spare[cursors[digit(data[i])]++] = data[i];
    std::swap(data, spare);
  }
  return data;
}

/// Does the same by all threads, also where most keys are in a small range.
template <class Record, class Key>
Record* radix_sort(ThreadPool& pool, Record* data, Record* spare, std::size_t count, int bits, const Key& key) {
  const Digits digits(bits);
  for (int pass = 0; pass < digits.passes(); ++pass) {
    const auto by_digit = [data, digits, pass, key](std::size_t begin, std::size_t end, const auto& sink) {
      for (std::size_t i = begin; i < end; ++i) sink(digits.of(key(data[i]), pass), data[i]);
    };
    Partition parts(pool, count, digits.radix(), by_digit);
    const std::size_t first = count == 0 ? 0 : digits.of(key(data[0]), pass);
    if (parts.starts()[first + 1] - parts.starts()[first] == count) continue;  // all alike
    parts.place(by_digit, [spare](EdgeId place, const Record& record) { spare[place] = record; });
    std::swap(data, spare);
  }
  return data;
}

}  // namespace graphrun::inline GR_IDS
