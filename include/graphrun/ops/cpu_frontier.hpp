// SPDX-License-Identifier: Apache-2.0
// A frontier on the CPU: a list of vertices for push steps, a bitmap for pull steps, converted on demand.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <vector>

#include "graphrun/core/atomics.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/bitmap.hpp"

namespace graphrun::inline GR_IDS {

class CpuFrontier {
 public:
  /// Makes an empty frontier of vertices with out-lists in `rows`. The last argument is for the GPU's frontier.
  CpuFrontier(CpuExecutor& exec, const Rows& rows, std::uint64_t = 0)
      : rows_(rows),
        list_(exec.make_array<VertexId>(rows.num_vertices)),
        words_(exec.make_array<std::uint32_t>(BitmapRef::words_for(rows.num_vertices))) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Returns the sum of the members' out-degrees; after a push into many vertices an estimate, good enough to choose a direction.
  EdgeId edges() const { return edges_; }

  void clear() {
    size_ = 0;
    edges_ = 0;
    has_list_ = true;
    has_bitmap_ = false;
    is_ascending_ = false;
  }
  void insert(CpuExecutor&, VertexId v) {
    list_[size_++] = v;
    edges_ += rows_.degree(v);
    has_bitmap_ = false;
    is_ascending_ = false;
  }

  /// Makes every vertex a member.
  void insert_all(CpuExecutor& exec) {
    clear();
    size_ = rows_.num_vertices;
    edges_ = size_ == 0 ? 0 : rows_.offsets[size_];
    parallel_for(exec.pool(), size_, [&](std::size_t v) { list_[v] = static_cast<VertexId>(v); });
  }

  /// Makes the vertices list[0 .. count) the members, each of them once. edges() will return `edges`.
  void assign(CpuExecutor& exec, const VertexId* list, std::size_t count, EdgeId edges) {
    clear();
    size_ = count;
    edges_ = edges;
    parallel_for(exec.pool(), count, [&](std::size_t i) { list_[i] = list[i]; });
  }
  /// Writes the members to to[0 .. size()).
  void copy_to(CpuExecutor& exec, VertexId* to) {
    const VertexId* from = list(exec);
    parallel_for(exec.pool(), size_, [&](std::size_t i) { to[i] = from[i]; });
  }

  /// Returns the members as a list of size() entries, in any order.
  const VertexId* list(CpuExecutor& exec) {
    if (!has_list_) list_from_bitmap(exec);
    return list_.data();
  }

  /// Returns the members with close ids close to each other: ascending, except for the order of whole pieces of a long list.
  const VertexId* ascending_list(CpuExecutor& exec) {
    constexpr std::size_t kSmall = 1 << 12;
    if (has_list_ && !is_ascending_) {
      if (size_ <= kSmall) {
        std::sort(list_.data(), list_.data() + size_);
      } else {
        bitmap(exec);
        list_from_bitmap(exec);
      }
      is_ascending_ = true;
    }
    return list(exec);
  }

  BitmapRef bitmap(CpuExecutor& exec) {
    if (!has_bitmap_) bitmap_from_list(exec);
    return {words_.data()};
  }

  /// Returns the members that this rank owns; a single rank owns all. `ascending`: in the order of ascending_list().
  std::span<const VertexId> own_list(CpuExecutor& exec, bool ascending) {
    const RankPart part = exec.part().within(rows_.num_vertices);
    const auto is_own = [&](VertexId v) { return part.owns(v); };
    own_.clear();
    if (!part.is_single_rank() && !has_list_) {  // a list of all would take a word for each
      for_each_member(words_.data(), part.first / 32, BitmapRef::words_for(part.last), [&](VertexId v) {
        if (is_own(v)) own_.push_back(v);
      });
      return own_;
    }
    const VertexId* const all = ascending ? ascending_list(exec) : list(exec);
    if (part.is_single_rank()) return {all, size_};
    std::copy_if(all, all + size_, std::back_inserter(own_), is_own);
    return own_;
  }

  // Functions for the operators.

  /// Returns the lists that edges() counts.
  const Rows& rows() const { return rows_; }
  /// Reserves k consecutive places for concurrent appends to the list. Returns null when more would join than there are vertices;
  /// finish_appends() then throws.
  VertexId* reserve(std::size_t count) {
    const std::size_t begin = std::atomic_ref<std::size_t>(size_).fetch_add(count, std::memory_order_relaxed);
    return begin + count <= list_.size() ? list_.data() + begin : nullptr;
  }
  /// Sets edges() after appends: exactly for short lists, else from evenly spaced members. Looking up every degree would be a
  /// second random access for each vertex that joins. Throws UsageError.
  void finish_appends() {
    check_appends();
    const std::size_t stride = std::max<std::size_t>(1, size_ / kSample);
    EdgeId sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < size_; i += stride, ++count) sum += rows_.degree(list_[i]);
    edges_ =
        count == 0 ? 0 : static_cast<EdgeId>(static_cast<double>(sum) / static_cast<double>(count) * static_cast<double>(size_));
  }
  /// Does the same after one thread wrote `size` vertices to where reserve() said.
  void finish_appends(std::size_t size) {
    size_ = size;
    finish_appends();
  }
  /// Starts over as a bitmap; the caller writes all of its words.
  BitmapRef start_bitmap() {
    clear();
    has_list_ = false;
    has_bitmap_ = true;
    return {words_.data()};
  }
  void set_counts(std::size_t size, EdgeId edges) {
    size_ = size;
    edges_ = edges;
  }
  /// Counts after appends from several ranks: `joined` vertices with `edges` edges, some of them on more than one rank. The order
  /// of the list differs between ranks, without effect.
  void count_union(std::size_t joined, EdgeId edges) {
    if (size_ <= kSample) return finish_appends();
    edges_ = static_cast<EdgeId>(static_cast<double>(edges) / static_cast<double>(joined) * static_cast<double>(size_));
  }
  /// Drops the bitmap, after appends to a list that was made of it or had one.
  void forget_bitmap() { has_bitmap_ = is_ascending_ = false; }
  /// Starts over as an empty bitmap in which the caller sets bits, in any order; then count_members(), or finish_marks().
  BitmapRef start_empty_bitmap(CpuExecutor& exec) {
    if (has_list_ && has_bitmap_ && size_ < words_.size() / 8) {
      for (std::size_t i = 0; i < size_; ++i) words_[list_[i] / 32] = 0;
    } else {
      clear_words(exec);
    }
    return start_bitmap();
  }
  /// Counts the members of an empty bitmap after bits were set, where each vertex whose bit was set was also appended, once or
  /// more. A few members cost their own number, not the bitmap's size: then there is an ascending list.
  void finish_marks(CpuExecutor& exec) {
    if (size_ > words_.size() / 8) return count_members(exec);
    VertexId* const begin = list_.data();
    std::sort(begin, begin + size_);
    const auto is_no_member = [&](VertexId v) { return !BitmapRef{words_.data()}.test(v); };
    VertexId* const end = std::remove_if(begin, std::unique(begin, begin + size_), is_no_member);
    size_ = static_cast<std::size_t>(end - begin);
    for (std::size_t i = 0; i < size_; ++i) edges_ += rows_.degree(list_[i]);
    has_list_ = is_ascending_ = true;
  }
  void count_members(CpuExecutor& exec) {
    struct Sums {
      std::size_t size = 0;
      EdgeId edges = 0;
    };
    PerThread<Sums> sums(exec.pool());
    parallel_chunks(exec.pool(), words_.size(), 1 << 12, [&](std::size_t begin, std::size_t end, int rank) {
      Sums mine;
      for_each_member(words_.data(), begin, end, [&](VertexId v) { ++mine.size, mine.edges += rows_.degree(v); });
      sums[rank].size += mine.size;
      sums[rank].edges += mine.edges;
    });
    Sums total;
    for (const auto& slot : sums) total = {total.size + slot.value.size, total.edges + slot.value.edges};
    set_counts(total.size, total.edges);
  }

 private:
  static constexpr std::size_t kSample = 4096;  // members whose degree is looked up

  void check_appends() {
    if (size_ <= list_.size()) return;
    clear();
    throw UsageError("a functor of edge_map_push returned true more than once for a vertex: it must do so once a step");
  }

  void clear_words(CpuExecutor& exec) {
    parallel_for(
        exec.pool(), words_.size(), [&](std::size_t i) { words_[i] = 0; }, 1 << 14);
  }

  void bitmap_from_list(CpuExecutor& exec) {
    clear_words(exec);
    std::uint32_t* words = words_.data();
    parallel_for(exec.pool(), size_, [&](std::size_t i) {
      const VertexId v = list_[i];
      atomics::fetch_or(words[v / 32], 1u << (v % 32));
    });
    has_bitmap_ = true;
  }

  void list_from_bitmap(CpuExecutor& exec) {
    size_ = 0;
    const std::size_t count = words_.size();
    parallel_chunks(exec.pool(), count, 1 << 12, [&](std::size_t begin, std::size_t end, int) {
      std::size_t members = 0;
      for (std::size_t i = begin; i < end; ++i) members += static_cast<std::size_t>(__builtin_popcount(words_[i]));
      VertexId* out = reserve(members);
      for_each_member(words_.data(), begin, end, [&](VertexId v) { *out++ = v; });
    });
    has_list_ = true;
    is_ascending_ = true;
  }

  Rows rows_;
  Column<VertexId> list_;
  Column<std::uint32_t> words_;
  std::vector<VertexId> own_;
  std::size_t size_ = 0;
  EdgeId edges_ = 0;
  bool has_list_ = true;
  bool has_bitmap_ = false;
  bool is_ascending_ = false;  ///< the list, in the sense of ascending_list()
};

}  // namespace graphrun::inline GR_IDS

namespace graphrun::cpu::inline GR_IDS {

/// Appends of one worker to a frontier's list, in batches.
class Appender {
 public:
  explicit Appender(CpuFrontier& target) : target_(target) {}
  ~Appender() { flush(); }
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  void append(VertexId v) {
    if (count_ == buffer_.size()) flush();
    buffer_[count_++] = v;
  }
  void append_if(bool joins, VertexId v) {
    if (joins) append(v);
  }

 private:
  void flush() {
    if (VertexId* const room = target_.reserve(count_)) std::copy_n(buffer_.begin(), count_, room);
    count_ = 0;
  }

  CpuFrontier& target_;
  std::array<VertexId, 1024> buffer_;
  std::size_t count_ = 0;
};

}  // namespace graphrun::cpu::inline GR_IDS
