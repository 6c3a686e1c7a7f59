// SPDX-License-Identifier: Apache-2.0
// Reading packed lists, wherever their lines are: views say how to reach a byte of the column, and get runs of neighbours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "graphrun/core/bit_fields.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/graph/packed.hpp"
#include "graphrun/graph/rows.hpp"

namespace graphrun::inline GR_IDS {

/// Packed lists of one direction of a graph, for decoders. Trivially copyable; its pointers are in the memory of the processor
/// that decodes.
struct PackedLists {
  const packed::Group* groups = nullptr;
  const EdgeId* offsets = nullptr;
  std::uint64_t bytes = 0;           ///< of the lines
  const std::byte* lines = nullptr;  ///< where a load reaches them; otherwise a view knows how
  packed::WeightCode weight_code;
  const std::byte* weights = nullptr;  ///< packed ones, where a load reaches them

  /// Returns the byte at which the list of v begins.
  GR_HD std::uint64_t start(VertexId v) const {
    const packed::Group& group = groups[v / packed::kGroupVertices];
    return (group.base + packed::Group::units(group.deltas[v % packed::kGroupVertices])) * packed::kUnitBytes;
  }

  struct Bytes {
    std::uint64_t begin;
    std::uint64_t end;
  };
  /// Returns about where the lines of an item lie, for prefetching: a piece of a cut list counts with its share of the bytes.
  Bytes bytes_of(const WorkItem& item) const {
    const EdgeId first = offsets[item.vertex];
    const EdgeId degree = offsets[item.vertex + 1] - first;
    const std::uint64_t from = std::min(start(item.vertex), bytes);
    const std::uint64_t to = std::min(start(item.vertex + 1), bytes);
    const double each = to > from ? static_cast<double>(to - from) / static_cast<double>(degree) : 0;
    const std::uint64_t begin = from + static_cast<std::uint64_t>(each * static_cast<double>(item.begin - first));
    const std::uint64_t end = from + static_cast<std::uint64_t>(each * static_cast<double>(item.end - first));
    return {std::min(begin, bytes - 1), std::min(std::max(end, begin + packed::kLineBytes), bytes)};
  }
};

/// Returns the packed lists of a graph whose columns a load reaches.
inline PackedLists packed_lists(const Csr& csr) {
  return {.groups = csr.packed.groups.data(),
          .offsets = csr.offsets.data(),
          .bytes = csr.packed.lines.size(),
          .lines = csr.packed.lines.data(),
          .weight_code = csr.packed.weight_code,
          .weights = csr.packed.weights.data()};
}

/// line_at of a column in memory.
struct InMemory {
  const std::byte* column;
  const std::byte* operator()(std::uint64_t position) const { return column + position; }
};

/// Throws DataError for the list of v: a trusted file may hold anything.
[[noreturn]] inline void refuse_packed(VertexId v) {
  throw DataError("the packed list of vertex index:" + std::to_string(v) + " is damaged");
}

/// Decodes the lists of one worker, a line at a time.
class PackedDecoder {
 public:
  /// Precondition: edges [item.begin, item.end) are of the list of item.vertex, and not none.
  PackedDecoder(const PackedLists& lists, const WorkItem& item) : lists_(lists), item_(item), at_(item.begin) {}

  /// Decodes the next neighbours, at most a line of them; returns false after the last. line_at(position) returns where byte
  /// `position` of the lines can be read, up to the next multiple of kPageBytes. Throws DataError.
  template <class LineAt>
  bool next(LineAt&& line_at) {
    if (!found_) find(line_at);
    at_ += count_;
    if (at_ >= item_.end) return false;
    for (;;) {
      const std::uint64_t room = packed::kPageBytes - position_ % packed::kPageBytes;
      if (room < packed::kLeastRoom) refuse_packed(item_.vertex);
      const std::byte* const line = line_at(check(position_));
      const packed::LineHead head = packed::read_head(line);
      if (!head.fits(room)) refuse_packed(item_.vertex);
      kind_ = head.kind;
      if (head.kind == packed::LineKind::shared) {
        decode_shared(head, line, line + room);
        return true;
      }
      position_ = packed::next_line(position_ + head.line_bytes());
      if (skip_ >= head.count) {
        skip_ -= head.count;
        continue;
      }
      const EdgeId wanted = std::min<EdgeId>(item_.end - at_, head.count - skip_);
      decode(head, line + head.bytes, line + room, static_cast<unsigned>(skip_ + wanted));
      begin_ = skip_;
      count_ = wanted;
      skip_ = 0;
      return true;
    }
  }

  EdgeId edge() const { return at_; }  ///< of the first of them
  const VertexId* neighbours() const { return ids_ + begin_; }
  packed::LineKind kind() const { return kind_; }  ///< of the line that they are from
  std::size_t count() const { return count_; }

 private:
  template <class LineAt>
  void find(LineAt&& line_at) {
    found_ = true;
    const EdgeId first = lists_.offsets[item_.vertex];
    const EdgeId degree = lists_.offsets[item_.vertex + 1] - first;
    const auto read_word = [&](std::uint64_t position) {
      std::uint32_t word;
      std::memcpy(&word, line_at(check(position)), sizeof(word));
      return word;
    };
    const packed::LinePlace place = packed::line_place(lists_.start(item_.vertex), degree, item_.begin - first, read_word);
    position_ = place.position;
    skip_ = place.skip;
  }

  std::uint64_t check(std::uint64_t position) const {
    if (position >= lists_.bytes) refuse_packed(item_.vertex);
    return position;
  }

  /// Decodes neighbours [0, count) of a line of this list.
  void decode(const packed::LineHead& head, const std::byte* fields, const std::byte* bound, unsigned count) {
    const auto first = static_cast<VertexId>(head.first);
    if (head.kind == packed::LineKind::gaps) {
      ids_[0] = first;
      if constexpr (sizeof(VertexId) == sizeof(std::uint32_t)) {
        sum_fields(fields, bound, head.width, count - 1, static_cast<std::uint32_t>(first),
                   reinterpret_cast<std::uint32_t*>(ids_ + 1));
      } else {
        std::uint32_t gaps[packed::kDecodeRoom];
        unpack_fields(fields, bound, head.width, count - 1, gaps);
        for (unsigned i = 1; i < count; ++i) ids_[i] = ids_[i - 1] + gaps[i - 1];
      }
    } else {
      std::uint32_t above[packed::kDecodeRoom];
      unpack_fields(fields, bound, head.width, count, above);
      for (unsigned i = 0; i < count; ++i) ids_[i] = first + above[i];
    }
  }

  /// Decodes the fields of this list in a shared line, from its first edge's number less the line's on. The first field is the
  /// difference to the vertex, its sign in the lowest bit.
  void decode_shared(const packed::LineHead& head, const std::byte* line, const std::byte* bound) {
    const EdgeId first = lists_.offsets[item_.vertex];
    const EdgeId degree = lists_.offsets[item_.vertex + 1] - first;
    const std::uint32_t index = static_cast<std::uint32_t>(first) - static_cast<std::uint32_t>(head.first);
    if (at_ != item_.begin || index >= head.count || degree > head.count - index) refuse_packed(item_.vertex);
    const std::byte* const fields = line + head.bytes;
    std::uint64_t bit = std::uint64_t{index} * head.width;
    const auto field = [&] {
      const std::byte* const at = std::min(fields + bit / 8, bound - sizeof(std::uint64_t));
      std::uint64_t word;
      std::memcpy(&word, at, sizeof(word));
      word >>= bit - 8 * static_cast<std::uint64_t>(at - fields);
      bit += head.width;
      return word & ((std::uint64_t{1} << head.width) - 1);
    };
    VertexId id = item_.vertex + static_cast<VertexId>(packed::unfold(field()));
    ids_[0] = id;
    for (unsigned i = 1; i < degree; ++i) ids_[i] = id += static_cast<VertexId>(field());
    begin_ = item_.begin - first;
    count_ = item_.end - item_.begin;
  }

  const PackedLists& lists_;
  const WorkItem item_;
  EdgeId at_;
  EdgeId skip_ = 0;  ///< edges from `position_` to the first that is wanted
  std::uint64_t position_ = 0;
  std::size_t begin_ = 0;
  std::size_t count_ = 0;
  bool found_ = false;
  packed::LineKind kind_ = packed::LineKind::gaps;
  VertexId ids_[packed::kDecodeRoom];
};

/// Weights of consecutive edges, decoded by unpack_weights(): at most `count` from `edge` on, in `room` of kDecodeRoom elements.
/// line_at is as for PackedDecoder.
struct SomeWeights {
  const std::uint32_t* words;
  std::size_t count;
};
/// For traversals without weights.
struct NoWeights {
  SomeWeights operator()(EdgeId, std::size_t, std::uint32_t*) const { return {}; }
};
template <class LineAt>
SomeWeights unpack_weights(const packed::WeightCode& code, EdgeId edge, std::size_t count, std::uint32_t* room,
                           LineAt&& line_at) {
  const std::uint64_t line = edge / code.per_line();
  const std::uint64_t index = edge % code.per_line();
  const std::uint64_t aligned = index / 8 * 8;
  const std::size_t some = std::min<std::size_t>({count, code.per_line() - index, packed::kMostEdges});
  const std::uint64_t position = line * packed::kLineBytes + aligned / 8 * code.width;
  const std::byte* const fields = line_at(position);
  unpack_fields(fields, fields + (packed::kPageBytes - position % packed::kPageBytes), code.width,
                static_cast<unsigned>(index - aligned + some), room);
  for (std::size_t i = index - aligned; i < index - aligned + some; ++i) room[i] += code.base;
  return {room + (index - aligned), some};
}

/// Calls take(neighbours, weights, count) for runs of an item until false. weights(edge, count, room) makes SomeWeights.
template <bool kWeighted, class LineAt, class Weights, class Take>
void walk_packed(const PackedLists& lists, const WorkItem& item, LineAt&& line_at, Weights&& weights, Take&& take) {
  PackedDecoder decoder(lists, item);
  while (decoder.next(line_at)) {
    if constexpr (kWeighted) {
      std::uint32_t room[packed::kDecodeRoom];
      for (std::size_t done = 0; done < decoder.count();) {
        const SomeWeights some = weights(decoder.edge() + done, decoder.count() - done, room);
        if (!take(decoder.neighbours() + done, some.words, some.count)) return;
        done += some.count;
      }
    } else {
      if (!take(decoder.neighbours(), nullptr, decoder.count())) return;
    }
  }
}

}  // namespace graphrun::inline GR_IDS
