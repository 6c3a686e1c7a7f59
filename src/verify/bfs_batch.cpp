// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "verify/arc_pass.hpp"
#include "verify/bfs_parents.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

constexpr std::size_t kMostLevelBits = 32;

/// Levels of 64 searches, one more than a vertex's own: bits, lowest first, and the carry after the highest.
struct NextLevels {
  std::array<std::uint64_t, kMostLevelBits + 1> bits;

  NextLevels(const std::uint64_t* levels, std::size_t planes, std::uint64_t searches) {
    std::uint64_t carry = searches;
    for (std::size_t k = 0; k < planes; ++k) {
      bits[k] = levels[k] ^ carry;
      carry &= levels[k];
    }
    bits[planes] = carry;
  }
};

class BatchProperties {
 public:
  BatchProperties(const Graph& graph, const BfsBatchOutput& output, const Passes& how)
      : csr_(graph.out),
        names_(graph.names),
        output_(output),
        how_(how),
        witnessed_(Column<std::uint64_t>::allocate(graph.num_vertices())) {}

  Verdict check() {
    for (std::size_t i = 0; i < output_.sources.size(); ++i) {
      const VertexId source = output_.sources[i];
      if (output_.level(source, i) != 0) return of_search(i, source, "expected level 0");
      witnessed_[source] |= std::uint64_t{1} << i;
    }
    const EdgeId bad =
        first_wrong_arc("levels of all searches", csr_, how_, [&](const RowPiece& piece) { return look_at(piece); });
    if (bad != kNoArc) return wrong_arc(bad);
    const VertexId orphan =
        first_wrong_vertex(csr_.num_vertices(), how_, [&](VertexId v) { return (words(v)[0] & ~witnessed_[v]) != 0; });
    if (orphan == kNoVertex) return {};
    const std::uint64_t searches = words(orphan)[0] & ~witnessed_[orphan];
    const auto search = static_cast<std::size_t>(std::countr_zero(searches));
    if (search >= output_.sources.size()) return wrong("vertex {}: reached by no search", names_.text(orphan));
    return of_search(search, orphan, "but no arc from the level above leads there");
  }

 private:
  const std::uint64_t* words(VertexId v) const { return output_.words_of(v); }

  EdgeId look_at(const RowPiece& piece) {
    const std::size_t planes = output_.planes;
    const std::uint64_t reached = words(piece.row)[0];
    if (reached == 0) return kNoArc;
    const NextLevels next(words(piece.row) + 1, planes, reached);
    const VertexId* const neighbours = csr_.neighbours.data();
    for (EdgeId e = piece.begin; e < piece.end; ++e) {
      if (e + kArcsAhead < piece.piece_end) __builtin_prefetch(words(neighbours[e + kArcsAhead]));
      const VertexId v = neighbours[e];
      const std::uint64_t* const of = words(v);
      std::uint64_t same = reached & of[0] & ~next.bits[planes];  // in the bits that were compared so far
      std::uint64_t deeper = reached & ~of[0];
      for (std::size_t k = planes; k-- > 0;) {
        deeper |= same & of[1 + k] & ~next.bits[k];
        same &= ~(of[1 + k] ^ next.bits[k]);
      }
      if (deeper != 0) return e;
      if ((same & ~atomics::load(witnessed_[v])) != 0) atomics::fetch_or(witnessed_[v], same);
    }
    return kNoArc;
  }

  /// Returns the verdict on arc `e`, which leads over more than a level, or out of the reached vertices.
  Verdict wrong_arc(EdgeId e) const {
    const VertexId u = row_of_arc(csr_, e);
    const VertexId v = csr_.neighbours[e];
    for (std::size_t i = 0; i < output_.sources.size(); ++i) {
      const std::uint32_t above = output_.level(u, i);
      if (above == kUnreachedLevel || output_.level(v, i) <= std::uint64_t{above} + 1) continue;
      return of_search(i, v, fmt::format("but an arc from vertex {} at level {} leads there", names_.text(u), above));
    }
    return wrong("vertex {}: reached by no search", names_.text(u));
  }

  Verdict of_search(std::size_t search, VertexId v, const std::string& but) const {
    return wrong("search from vertex {}, vertex {}: {}, {}", names_.text(output_.sources[search]), names_.text(v),
                 level_name(output_.level(v, search)), but);
  }

  const Csr& csr_;
  const VertexNames& names_;
  const BfsBatchOutput& output_;
  const Passes& how_;
  Column<std::uint64_t> witnessed_;  ///< searches in which the vertex has an arc from the level above
};

Verdict check_shape(const Graph& graph, const BfsBatchOutput& output) {
  const std::size_t searches = output.sources.size();
  if (searches == 0 || searches > kMostSearches) return wrong("{} searches, where there may be 1 to {}", searches, kMostSearches);
  if (output.planes > kMostLevelBits) return wrong("levels of {} bits", output.planes);
  const std::size_t expected = graph.num_vertices() * output.words_a_vertex();
  if (output.words.size() != expected) return wrong("{} words of levels, expected {}", output.words.size(), expected);
  for (const VertexId source : output.sources) {
    if (const Verdict placed = check_source(source, graph.num_vertices()); !placed) return placed;
  }
  return {};
}

}  // namespace

Verdict check_bfs_batch_properties(const Graph& graph, const BfsBatchOutput& output, const Passes& how) {
  if (const Verdict shaped = check_shape(graph, output); !shaped) return shaped;
  return graph.num_vertices() == 0 ? Verdict{} : BatchProperties(graph, output, how).check();
}

Verdict check_bfs_batch(const Graph& graph, const BfsBatchOutput& output) {
  if (const Verdict shaped = check_shape(graph, output); !shaped) return shaped;
  for (std::size_t i = 0; i < output.sources.size(); ++i) {
    const std::vector<std::uint32_t> expected = serial_bfs_levels(graph.out, output.sources[i]);
    for (VertexId v = 0; v < expected.size(); ++v) {
      if (const std::uint32_t level = output.level(v, i); level != expected[v]) {
        return wrong("search from vertex {}, vertex {}: {}, expected {}", graph.names.text(output.sources[i]),
                     graph.names.text(v), level_name(level), level_name(expected[v]));
      }
    }
  }
  return {};
}

}  // namespace graphrun::verify::inline GR_IDS
