// SPDX-License-Identifier: Apache-2.0
// Packed neighbour lists, which replace Csr::neighbours in files of graphconv --pack. packed.cpp has the format; packed_walk.hpp
// reads it.
//
// A list is a row of lines of at most 128 bytes, each decodable alone: its first neighbour, a width in bits, a
// count, and the gaps between neighbours, each of this width. Short lists of consecutive vertices share a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "graphrun/core/bit_fields.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/core/macros.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/graph/scratch.hpp"

namespace graphrun {
class ThreadPool;
}  // namespace graphrun

namespace graphrun::packed {

inline constexpr std::uint64_t kLineBytes = 128;   ///< the longest line
inline constexpr std::uint64_t kPageBytes = 4096;  ///< no line crosses a multiple of it
inline constexpr std::uint64_t kUnitBytes = 4;     ///< lines begin at multiples of it
inline constexpr std::uint64_t kLeastRoom = 16;    ///< with fewer bytes left in a page, a line begins on the next
inline constexpr unsigned kMostEdges = 256;        ///< of a line
inline constexpr unsigned kMostWidth = 32;         ///< bits of a field
inline constexpr EdgeId kStretchEdges = 4096;      ///< longer lists begin with a directory of stretches of this length
inline constexpr std::size_t kGroupVertices = 32;  ///< whose lists are found by one base
/// Elements of a buffer that a line is decoded into: before the first of them there may be seven of the same byte.
inline constexpr std::size_t kDecodeRoom = kMostEdges + 8 + kFieldsBehind;

/// Where the lists of 32 vertices begin: at `base` and a delta each, in units of 4 bytes. A delta has 14 bits and, above them, an
/// exponent of 128 in two.
struct Group {
  std::uint64_t base;
  std::uint16_t deltas[kGroupVertices];

  static constexpr unsigned kMantissaBits = 14;
  static constexpr unsigned kStepBits = 7;

  GR_HD static std::uint64_t units(std::uint16_t delta) {
    return static_cast<std::uint64_t>(delta & ((1u << kMantissaBits) - 1)) << (kStepBits * (delta >> kMantissaBits));
  }
};
static_assert(sizeof(Group) == 72);

/// Meaning of the fields of a line.
enum class LineKind : std::uint32_t {
  gaps,    ///< of one list that ascends: the first neighbour stands in front, a field is the difference to the one before
  plain,   ///< of one list: a field is the difference to the smallest neighbour of the line, which stands in front
  shared,  ///< of lists of vertices that follow each other: see src/graph/packed.cpp
};

/// The words in front of a line. The first holds width, count and kind; a second one the low half of `first`, a third the high
/// half where it has one.
struct LineHead {
  std::uint64_t first = 0;  ///< neighbour; of a shared line the low 32 bits of the EdgeId of its first field
  unsigned width = 0;       ///< bits of a field
  unsigned count = 0;       ///< edges
  LineKind kind = LineKind::gaps;
  unsigned bytes = 0;  ///< of the words in front

  GR_HD unsigned fields() const { return kind == LineKind::gaps ? count - 1 : count; }
  /// Returns the bytes of the whole line.
  GR_HD std::uint64_t line_bytes() const { return bytes + (std::uint64_t{fields()} * width + 7) / 8; }
  /// Returns whether such a line fits into the last `room` bytes of a page. Damaged ones may not.
  GR_HD bool fits(std::uint64_t room) const {
    return count != 0 && count <= kMostEdges && width <= kMostWidth && kind <= LineKind::shared && room >= kLeastRoom &&
           line_bytes() <= (room < kLineBytes ? room : kLineBytes);
  }
};

inline constexpr std::uint32_t kWideFirst = 1u << 20;  // of the first word, with the width in its lowest 8 bits, count and kind

inline std::uint32_t first_word(const LineHead& head) {
  return head.width | head.count << 8 | static_cast<std::uint32_t>(head.kind) << 18 | (head.bytes == 12 ? kWideFirst : 0);
}

/// Decodes the words in front of a line; returns anything for a damaged line.
GR_HD inline LineHead head_of(std::uint32_t word, std::uint32_t first_low, std::uint32_t first_high) {
  LineHead head;
  head.width = word & 0xff;
  head.count = word >> 8 & 0x3ff;
  head.kind = static_cast<LineKind>(word >> 18 & 3);
  const bool wide = (word & kWideFirst) != 0;
  head.first = first_low | (wide ? static_cast<std::uint64_t>(first_high) << 32 : 0);
  head.bytes = wide ? 12 : 8;
  return head;
}
inline LineHead read_head(const std::byte* at) {
  std::uint32_t words[3];
  std::memcpy(words, at, sizeof(words));
  return head_of(words[0], words[1], words[2]);
}

/// Returns the byte at which a line after `position` begins.
GR_HD inline std::uint64_t next_line(std::uint64_t position) {
  position = (position + kUnitBytes - 1) / kUnitBytes * kUnitBytes;
  const std::uint64_t room = kPageBytes - position % kPageBytes;
  return room < kLeastRoom ? position + room : position;
}

/// Returns the bytes of the directory in front of a list.
GR_HD inline std::uint64_t directory_bytes(EdgeId degree) {
  if (degree <= kStretchEdges) return 0;
  return ((degree - 1) / kStretchEdges * sizeof(std::uint32_t) + kUnitBytes - 1) / kUnitBytes * kUnitBytes;
}

/// The line at which a read of a list begins, and the number of its edges before the first that is wanted.
struct LinePlace {
  std::uint64_t position;
  EdgeId skip;
};
/// Returns the place of edge `skip` of the list at byte `start`. read_word(position) returns a word of its directory.
template <class ReadWord>
GR_HD LinePlace line_place(std::uint64_t start, EdgeId degree, EdgeId skip, const ReadWord& read_word) {
  if (degree <= kStretchEdges) return {start, skip};
  const EdgeId stretch = skip / kStretchEdges;
  if (stretch == 0) return {next_line(start + directory_bytes(degree)), skip};
  const std::uint64_t units = read_word(start + (stretch - 1) * sizeof(std::uint32_t));
  return {start + units * kUnitBytes, skip - stretch * kStretchEdges};
}

/// Returns the signed number whose sign is in the lowest bit of `folded`: 0, -1, 1, -2 ... for 0, 1, 2, 3 ...
GR_HD constexpr std::uint64_t unfold(std::uint64_t folded) { return (folded & 1) != 0 ? ~(folded >> 1) : folded >> 1; }

/// Weights: each is `base` and a field of `width` bits, in lines of 128 bytes without cached prefixes. Trivially copyable.
struct WeightCode {
  std::uint32_t base = 0;
  std::uint32_t width = kMostWidth;  ///< 32: the column holds words, and is not packed

  bool is_packed() const { return width < kMostWidth; }
  std::uint64_t per_line() const { return width == 0 ? kLineBytes * 8 : kLineBytes * 8 / width; }
  /// Returns the first byte of the line that holds the weight of edge `e`.
  std::uint64_t byte_of(EdgeId e) const { return e / per_line() * kLineBytes; }
  std::uint64_t bytes(EdgeId edges) const { return (edges + per_line() - 1) / per_line() * kLineBytes; }
};

/// The columns of packed lists, as a file or memory has them.
struct Columns {
  EdgeId num_edges = 0;
  Column<std::byte> lines;    ///< whole pages
  Column<Group> groups;       ///< n / 32 + 1; groups beyond the last vertex point to the end of the lines; empty: not packed
  Column<std::byte> weights;  ///< where weight_code says that they are packed
  WeightCode weight_code;

  bool empty() const { return groups.empty(); }
  /// Returns the bytes of lists, without offsets and weights.
  std::uint64_t list_bytes() const { return lines.bytes() + groups.bytes(); }
  double bits_an_edge() const { return 8 * static_cast<double>(list_bytes()) / static_cast<double>(num_edges); }
};

}  // namespace graphrun::packed

namespace graphrun::inline GR_IDS {

struct Csr;
struct Graph;

/// Packs lists in their order, and weights of kind u32 where that makes them smaller; the columns of `csr` stay. Throws DataError
/// when lists are too long.
packed::Columns pack_lists(const Csr& csr, WeightKind kind, ThreadPool& pool, const Workspace& space = {});

/// Unpacks both directions of a graph, where they are packed; the packed columns stay. Throws DataError, naming `where`, when
/// offsets or lines are damaged.
void unpack_lists(Graph& graph, const std::string& where, ThreadPool& pool, const Workspace& space = {});

/// Counts the edges of a packed direction in lines of kind plain: of lists that do not ascend.
EdgeId count_plain(const Csr& csr, ThreadPool& pool);

/// Returns whether the lists of a direction are packed.
bool is_packed(const Graph& graph);

/// Drops one of the two forms of lists, where both are there.
void keep_lists(Graph& graph, bool packed);

}  // namespace graphrun::inline GR_IDS
