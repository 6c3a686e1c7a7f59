// SPDX-License-Identifier: Apache-2.0
// Packing and unpacking whole graphs.
//
// A list is a sequence of lines. A line begins at a multiple of 4 bytes, has at most 128 bytes and 256 edges, crosses no multiple
// of 4096, and decodes alone. Word 0 has the width of a field (bits 0 to 7), the edges (8 to 17), the kind (18, 19), and whether
// there is a word 2 (20). Words 1 and 2 are `first`, low and high. Fields follow, lowest bits first. Where fewer than 16 bytes
// are left in a page of 4096, the next line begins on the next page.
//
//   kind 0, gaps: `first` is the first neighbour; the fields, one fewer than edges, are differences to the neighbour before.
//   kind 1, plain: `first` is the smallest neighbour of the line; each field is the difference to it.
//   kind 2, shared by lists of consecutive vertices: `first` is the number of the first field's edge. The list of v begins with
//     field offsets[v] - `first`, its first neighbour less v (0, -1, 1, -2 are 0, 1, 2, 3); its other fields are gaps.
//
// A list of more than 4096 edges begins with a u32 for each further 4096 edges: where they begin, in units of 4 bytes from the
// beginning of the list. A group finds the lists of 32 vertices: a u64 base and 32 deltas of 16 bits, where d means
// (d mod 2^14) * 128^(d / 2^14) units of 4 bytes. Lines of weights have 128 bytes of fields of one width, each added to one base.
#include "graphrun/graph/packed.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <vector>

#include "core/raise.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/graph/packed_walk.hpp"
#include "graphrun/graph/row_windows.hpp"

namespace graphrun::inline GR_IDS {
namespace {

using packed::LineKind;

// Vertices that are packed together, and edges but for one group more: their lines begin on a page.
constexpr std::size_t kPieceVertices = std::size_t{1} << 16;
constexpr EdgeId kPieceEdges = EdgeId{1} << 20;
constexpr EdgeId kMostSharedEdges = 24;  // of a list that shares a line: such lists are decoded field by field

constexpr std::uint64_t round_up(std::uint64_t bytes, std::uint64_t to) { return (bytes + to - 1) / to * to; }
std::uint64_t bits_of(std::uint64_t value) { return static_cast<std::uint64_t>(std::bit_width(value)); }

/// Returns the smallest delta that leads at least `units` on. Throws DataError when none does.
std::uint16_t delta_of(std::uint64_t units) {
  for (unsigned exponent = 0; exponent < 4; ++exponent) {
    const unsigned shift = exponent * packed::Group::kStepBits;
    const std::uint64_t mantissa = (units + (std::uint64_t{1} << shift) - 1) >> shift;
    if (mantissa >> packed::Group::kMantissaBits == 0)
      return static_cast<std::uint16_t>(mantissa | exponent << packed::Group::kMantissaBits);
  }
  throw DataError("the lists of 32 vertices that follow each other are too long to be packed");
}

bool ascends(const VertexId* list, EdgeId degree) { return std::is_sorted(list, list + degree); }

/// Returns where pieces begin, and n.
std::vector<std::size_t> pieces_to_pack(const Csr& csr) {
  const std::size_t n = csr.num_vertices();
  std::vector<std::size_t> firsts{0};
  for (std::size_t v = packed::kGroupVertices; v < n; v += packed::kGroupVertices) {
    const std::size_t first = firsts.back();
    if (v - first >= kPieceVertices || csr.offsets[v] - csr.offsets[first] >= kPieceEdges) firsts.push_back(v);
  }
  if (n != 0) firsts.push_back(n);
  return firsts;
}

/// Packs the lists of vertices [first, last), from a multiple of kPageBytes on.
class ListPacker {
 public:
  ListPacker(const Csr& csr, std::size_t first, std::size_t last) : csr_(csr) {
    starts_.reserve(last - first);
    for (std::size_t v = first; v < last; ++v) add(static_cast<VertexId>(v));
    close_shared();
  }

  const std::vector<std::byte>& bytes() const { return bytes_; }
  /// Returns where each list begins, in units; lists that share a line begin at its start.
  const std::vector<std::uint64_t>& starts() const { return starts_; }

 private:
  /// The fields of lists that will share a line.
  struct Shared {
    std::uint64_t start = 0;
    EdgeId first_edge = 0;
    std::uint64_t width = 0;
    std::vector<std::uint32_t> fields;
    std::size_t lists = 0;
    VertexId vertex = 0;  ///< of the first of them
  };

  void add(VertexId v) {
    const EdgeId degree = csr_.degree(v);
    if (v % packed::kGroupVertices == 0) base_.reset();
    const bool can_share = degree != 0 && read_short(v, degree);
    if (shared_.lists != 0 && (degree == 0 || (can_share && joins(degree)))) {
      starts_.push_back(shared_.start);
      if (!base_) base_ = shared_.start;
    } else {
      if (degree != 0) close_shared();
      starts_.push_back(next_start());
      if (degree == 0) return;
      if (!can_share) {
        put_list(v, starts_.back());
        return;
      }
      shared_.start = starts_.back();
      shared_.first_edge = csr_.offsets[v];
      shared_.vertex = v;
    }
    if (degree == 0) return;
    shared_.fields.insert(shared_.fields.end(), short_.begin(), short_.end());
    shared_.width = std::max(shared_.width, short_width_);
    ++shared_.lists;
  }

  /// Fills short_ with the fields that the list would have in a shared line, when these may take less than a line of its own.
  bool read_short(VertexId v, EdgeId degree) {
    const VertexId* const list = csr_.neighbours.data() + csr_.offsets[v];
    if (degree > kMostSharedEdges || !ascends(list, degree)) return false;
    const bool below = list[0] < v;
    const std::uint64_t distance = below ? std::uint64_t{v} - list[0] : std::uint64_t{list[0]} - v;
    const std::uint64_t folded = 2 * distance - (below ? 1 : 0);  // ... -2: 3, -1: 1, 0: 0, 1: 2 ...
    std::uint64_t widest_gap = 0;
    for (EdgeId i = 1; i < degree; ++i) widest_gap = std::max<std::uint64_t>(widest_gap, list[i] - list[i - 1]);
    short_width_ = bits_of(std::max(folded, widest_gap));
    if (short_width_ > packed::kMostWidth) return false;
    own_bits_ = 8 * round_up(8 + ((degree - 1) * bits_of(widest_gap) + 7) / 8, packed::kUnitBytes);
    if (degree * short_width_ > own_bits_) return false;
    short_.assign(1, static_cast<std::uint32_t>(folded));
    for (EdgeId i = 1; i < degree; ++i) short_.push_back(static_cast<std::uint32_t>(list[i] - list[i - 1]));
    return true;
  }

  /// Returns whether the list of read_short() joins the shared line, and takes less there than in a line of its own.
  bool joins(EdgeId degree) const {
    const std::uint64_t count = shared_.fields.size() + degree;
    const std::uint64_t bits = count * std::max(shared_.width, short_width_);
    return count <= packed::kMostEdges && 8 + (bits + 7) / 8 <= room(shared_.start * packed::kUnitBytes) &&
           bits - shared_.fields.size() * shared_.width <= own_bits_;
  }

  void close_shared() {
    if (shared_.lists == 1) {
      put_list(shared_.vertex, shared_.start);
    } else if (shared_.lists != 0) {
      bytes_.resize(shared_.start * packed::kUnitBytes);
      put_line(LineKind::shared, static_cast<std::uint32_t>(shared_.first_edge), shared_.width, shared_.fields.size(),
               shared_.fields);
    }
    shared_.fields.clear();
    shared_.lists = shared_.width = 0;
  }

  /// Returns where the next list begins, in units: the first place that its group can express.
  std::uint64_t next_start() {
    std::uint64_t at = packed::next_line(bytes_.size()) / packed::kUnitBytes;
    if (!base_) base_ = at;
    for (;;) {
      at = *base_ + packed::Group::units(delta_of(at - *base_));
      const std::uint64_t line = packed::next_line(at * packed::kUnitBytes) / packed::kUnitBytes;
      if (line == at) return at;
      at = line;
    }
  }

  static std::uint64_t room(std::uint64_t position) {
    return std::min(packed::kLineBytes, packed::kPageBytes - position % packed::kPageBytes);
  }

  void put_list(VertexId v, std::uint64_t start) {
    const EdgeId degree = csr_.degree(v);
    const VertexId* const list = csr_.neighbours.data() + csr_.offsets[v];
    const std::uint64_t at = start * packed::kUnitBytes;
    bytes_.resize(at + packed::directory_bytes(degree));
    const bool in_order = ascends(list, degree);
    for (EdgeId done = 0; done < degree;) {
      const EdgeId stretch = done / packed::kStretchEdges;
      if (done % packed::kStretchEdges == 0 && stretch != 0) {
        const std::uint64_t units = (packed::next_line(bytes_.size()) - at) / packed::kUnitBytes;
        if (units > std::numeric_limits<std::uint32_t>::max()) throw DataError("a list is too long to be packed");
        const auto word = static_cast<std::uint32_t>(units);
        std::memcpy(bytes_.data() + at + (stretch - 1) * sizeof(word), &word, sizeof(word));
      }
      const EdgeId most = std::min({degree - done, (stretch + 1) * packed::kStretchEdges - done, EdgeId{packed::kMostEdges}});
      done += in_order ? put_gaps(list + done, most) : put_plain(list + done, most);
    }
  }

  /// Writes a line of the first of `most` neighbours: as many as take the fewest bytes each. Returns how many.
  EdgeId put_gaps(const VertexId* list, EdgeId most) {
    const std::uint64_t head = (std::uint64_t{list[0]} >> 32) != 0 ? 12 : 8;
    const std::uint64_t room_bits = 8 * (room(packed::next_line(bytes_.size())) - head);
    std::uint64_t width = 0;
    Best best;
    fields_.clear();
    for (EdgeId count = 1;; ++count) {
      best.look_at(count, width, head + ((count - 1) * width + 7) / 8);
      if (count == most) break;
      const std::uint64_t gap = list[count] - list[count - 1];
      width = std::max(width, bits_of(gap));
      if (width > packed::kMostWidth || count * width > room_bits) break;
      fields_.push_back(static_cast<std::uint32_t>(gap));
    }
    put_line(LineKind::gaps, list[0], best.width, best.count, fields_);
    return best.count;
  }

  /// Does the same for neighbours in any order.
  EdgeId put_plain(const VertexId* list, EdgeId most) {
    const std::uint64_t room_bytes = room(packed::next_line(bytes_.size()));
    VertexId least = list[0];
    VertexId largest = list[0];
    Best best;
    for (EdgeId count = 1; count <= most; ++count) {
      const VertexId low = std::min(least, list[count - 1]);
      largest = std::max(largest, list[count - 1]);
      const std::uint64_t width = bits_of(largest - low);
      const std::uint64_t bytes = ((std::uint64_t{low} >> 32) != 0 ? 12 : 8) + (count * width + 7) / 8;
      if (width > packed::kMostWidth || bytes > room_bytes) break;
      least = low;
      best.look_at(count, width, bytes);
      best.first = best.count == count ? least : best.first;
    }
    fields_.clear();
    for (EdgeId i = 0; i < best.count; ++i) fields_.push_back(static_cast<std::uint32_t>(list[i] - best.first));
    put_line(LineKind::plain, best.first, best.width, best.count, fields_);
    return best.count;
  }

  struct Best {
    EdgeId count = 0;
    std::uint64_t width = 0;
    std::uint64_t bytes = 0;
    VertexId first = 0;

    void look_at(EdgeId more, std::uint64_t its_width, std::uint64_t its_bytes) {
      its_bytes = round_up(its_bytes, packed::kUnitBytes);
      if (count != 0 && its_bytes * count > bytes * more) return;
      count = more, width = its_width, bytes = its_bytes;
    }
  };

  void put_line(LineKind kind, std::uint64_t first, std::uint64_t width, std::uint64_t count,
                const std::vector<std::uint32_t>& fields) {
    const bool wide = first >> 32 != 0;
    const packed::LineHead head{first, static_cast<unsigned>(width), static_cast<unsigned>(count), kind, wide ? 12u : 8u};
    const std::uint64_t at = packed::next_line(bytes_.size());
    bytes_.resize(at + head.line_bytes());
    const std::uint32_t words[] = {packed::first_word(head), static_cast<std::uint32_t>(first),
                                   static_cast<std::uint32_t>(first >> 32)};
    std::memcpy(bytes_.data() + at, words, head.bytes);
    pack_fields(fields.data(), head.fields(), head.width, bytes_.data() + at + head.bytes);
  }

  const Csr& csr_;
  std::vector<std::byte> bytes_;
  std::vector<std::uint64_t> starts_;
  std::optional<std::uint64_t> base_;  ///< of the group that is written, in units
  Shared shared_;
  std::vector<std::uint32_t> short_;  ///< read_short()
  std::uint64_t short_width_ = 0;
  std::uint64_t own_bits_ = 0;  ///< of the same list in a line of its own
  std::vector<std::uint32_t> fields_;
};

packed::WeightCode code_of(const Column<std::uint32_t>& weights, ThreadPool& pool, const Workspace& space) {
  struct Range {
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t largest = 0;
    void operator+=(const Range& other) {
      least = std::min(least, other.least);
      largest = std::max(largest, other.largest);
    }
  };
  Range all;
  for_each_window(weights, space, [&](std::size_t begin, std::size_t end) {
    all += parallel_sum<Range>(pool, end - begin, [&](std::size_t i) { return Range{weights[begin + i], weights[begin + i]}; });
  });
  const packed::WeightCode code{all.least, static_cast<std::uint32_t>(bits_of(all.largest - all.least))};
  return code.is_packed() && code.bytes(weights.size()) < weights.bytes() ? code : packed::WeightCode{};
}

Column<std::byte> pack_weights(const Column<std::uint32_t>& weights, const packed::WeightCode& code, ThreadPool& pool,
                               const Workspace& space) {
  const std::uint64_t bytes = code.bytes(weights.size());
  auto made = space.make<std::byte>(round_up(bytes, packed::kPageBytes));
  constexpr std::size_t kLines = 1 << 10;
  parallel_chunks(pool, bytes / packed::kLineBytes, kLines, [&](std::size_t begin, std::size_t end, int) {
    std::vector<std::uint32_t> fields;
    for (std::size_t line = begin; line < end; ++line) {
      const EdgeId first = line * code.per_line();
      fields.clear();
      for (EdgeId e = first; e < std::min<EdgeId>(first + code.per_line(), weights.size()); ++e)
        fields.push_back(weights[e] - code.base);
      pack_fields(fields.data(), fields.size(), code.width, made.data() + line * packed::kLineBytes);
    }
    if (space.is_on_disk()) made.release(begin * packed::kLineBytes, end * packed::kLineBytes);
  });
  return made;
}

}  // namespace

packed::Columns pack_lists(const Csr& csr, WeightKind kind, ThreadPool& pool, const Workspace& space) {
  packed::Columns made;
  const std::size_t n = csr.num_vertices();
  const std::vector<std::size_t> firsts = pieces_to_pack(csr);
  const std::size_t pieces = firsts.size() - 1;
  const std::size_t num_groups = n / packed::kGroupVertices + 1;
  Progress progress("packing lists", 2 * csr.num_edges());
  const auto for_each_packed_piece = [&](const auto& use) {
    parallel_chunks(pool, pieces, 1, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t piece = begin; piece < end; ++piece) {
        const std::size_t first = firsts[piece];
        const std::size_t last = firsts[piece + 1];
        use(piece, ListPacker(csr, first, last));
        if (space.is_on_disk()) csr.neighbours.release(csr.offsets[first], csr.offsets[last]);
        progress.advance(csr.offsets[last] - csr.offsets[first]);
      }
    });
  };
  std::vector<std::uint64_t> begins(pieces + 1);
  for_each_packed_piece(
      [&](std::size_t piece, const ListPacker& lists) { begins[piece] = round_up(lists.bytes().size(), packed::kPageBytes); });
  const std::uint64_t bytes = exclusive_scan(pool, begins.data(), begins.size());
  made.num_edges = csr.num_edges();
  made.lines = space.make<std::byte>(bytes);
  made.groups = space.make<packed::Group>(num_groups);
  for_each_packed_piece([&](std::size_t piece, const ListPacker& lists) {
    std::byte* const to = made.lines.data() + begins[piece];
    std::copy(lists.bytes().begin(), lists.bytes().end(), to);
    std::fill(to + lists.bytes().size(), made.lines.data() + begins[piece + 1], std::byte{0});
    for (std::size_t i = 0; i < lists.starts().size(); ++i) {
      packed::Group& group = made.groups[(firsts[piece] + i) / packed::kGroupVertices];
      const std::uint64_t start = begins[piece] / packed::kUnitBytes + lists.starts()[i];
      if (i % packed::kGroupVertices == 0) group.base = start;
      group.deltas[i % packed::kGroupVertices] = delta_of(start - group.base);
    }
    if (space.is_on_disk()) made.lines.release(begins[piece], begins[piece + 1]);
  });
  packed::Group& last = made.groups[num_groups - 1];
  if (n % packed::kGroupVertices == 0) last.base = bytes / packed::kUnitBytes;
  std::fill(std::begin(last.deltas) + n % packed::kGroupVertices, std::end(last.deltas),
            delta_of(bytes / packed::kUnitBytes - last.base));
  if (kind != WeightKind::f32 && !csr.weights.empty()) made.weight_code = code_of(csr.weights, pool, space);
  if (made.weight_code.is_packed()) made.weights = pack_weights(csr.weights, made.weight_code, pool, space);
  return made;
}

namespace {

/// Unpacks csr.neighbours and csr.weights from csr.packed.
void unpack_side(Csr& csr, const std::string& where, ThreadPool& pool, const Workspace& space) {
  const PackedLists lists = packed_lists(csr);
  csr.neighbours = space.make<VertexId>(csr.num_edges());
  Progress progress("unpacking lists", csr.num_edges());
  constexpr std::size_t kLists = 1 << 12;
  const auto unpack = [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const WorkItem item{static_cast<VertexId>(v), csr.offsets[v], csr.offsets[v + 1]};
      VertexId* to = csr.neighbours.data() + item.begin;
      if (item.begin == item.end) continue;
      walk_packed<false>(lists, item, InMemory{lists.lines}, NoWeights{},
                         [&](const VertexId* ids, const std::uint32_t*, std::size_t count) {
                           to = std::copy_n(ids, count, to);
                           return true;
                         });
    }
    progress.advance(csr.offsets[end] - csr.offsets[begin]);
    if (space.is_on_disk()) csr.neighbours.release(csr.offsets[begin], csr.offsets[end]);
  };
  try {
    parallel_chunks(pool, csr.num_vertices(), kLists, [&](std::size_t begin, std::size_t end, int) { unpack(begin, end); });
  } catch (const DataError& error) {
    raise<DataError>("{}: {}", where, error.what());
  }
  if (!csr.packed.weight_code.is_packed()) return;
  csr.weights = space.make<std::uint32_t>(csr.num_edges());
  parallel_chunks(pool, csr.num_edges(), 1 << 16, [&](std::size_t begin, std::size_t end, int) {
    std::uint32_t room[packed::kDecodeRoom];
    for (std::size_t e = begin; e < end;) {
      const SomeWeights some = unpack_weights(lists.weight_code, e, end - e, room, InMemory{lists.weights});
      std::copy_n(some.words, some.count, csr.weights.data() + e);
      e += some.count;
    }
    if (space.is_on_disk()) csr.weights.release(begin, end);
  });
}

}  // namespace

void unpack_lists(Graph& graph, const std::string& where, ThreadPool& pool, const Workspace& space) {
  const auto unpack = [&](Csr& csr, const std::string& which) {
    if (csr.packed.empty()) return;
    check_offsets(csr, where + which, pool, space);
    unpack_side(csr, where + which, pool, space);
  };
  unpack(graph.out, " (out)");
  if (graph.in) unpack(*graph.in, " (in)");
}

EdgeId count_plain(const Csr& csr, ThreadPool& pool) {
  const PackedLists lists = packed_lists(csr);
  return parallel_sum<EdgeId>(pool, csr.num_vertices(), [&](std::size_t v) {
    EdgeId plain = 0;
    PackedDecoder decoder(lists, {static_cast<VertexId>(v), csr.offsets[v], csr.offsets[v + 1]});
    while (csr.offsets[v] != csr.offsets[v + 1] && decoder.next(InMemory{lists.lines}))
      plain += decoder.kind() == LineKind::plain ? decoder.count() : 0;
    return plain;
  });
}

bool is_packed(const Graph& graph) { return !graph.out.packed.empty() || (graph.in && !graph.in->packed.empty()); }

void keep_lists(Graph& graph, bool packed) {
  const auto keep = [&](Csr& csr) {
    if (csr.packed.empty()) return;
    if (packed) {
      csr.neighbours = {};
      if (csr.packed.weight_code.is_packed()) csr.weights = {};
    } else {
      csr.packed = {};
    }
  };
  keep(graph.out);
  if (graph.in) keep(*graph.in);
}

}  // namespace graphrun::inline GR_IDS
