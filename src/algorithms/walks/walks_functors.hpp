// SPDX-License-Identifier: Apache-2.0
// What happens to a walker, to a piece of a list, and to an edge of it. docs/algorithms/walks.md describes the method.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "algorithms/word_weight.hpp"
#include "graphrun/algorithms/walks.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/ops/operators.hpp"

namespace graphrun::walks::inline GR_IDS {

inline constexpr EdgeId kPieceEdges = 256;            // of a list, with one sum of weights
inline constexpr EdgeId kItemsAtOnce = 1 << 18;       // of passes over more edges or pieces than there are walks
inline constexpr std::size_t kRoomForCandidates = 2;  // a biased walk: more take memory, and fewer passes over edges

/// Walkers without the current step, and where all were. Each has 2^copy_bits candidates; j numbers candidates, one walker's
/// after another's.
struct Walkers {
  Rows rows;
  VertexId* vertices;
  std::size_t walks;
  std::uint64_t seed;
  std::uint64_t step;
  std::uint64_t trial;  ///< of the first candidates
  const EdgeId* pending;
  int copy_bits = 0;

  GR_HD std::size_t copies() const { return std::size_t{1} << copy_bits; }
  GR_HD EdgeId walk(std::size_t j) const { return pending[j >> copy_bits]; }
  GR_HD VertexId now(std::size_t j) const { return vertices[step * walks + walk(j)]; }
  GR_HD VertexId before(std::size_t j) const { return vertices[(step - 1) * walks + walk(j)]; }
  GR_HD VertexId& next(std::size_t j) const { return vertices[(step + 1) * walks + walk(j)]; }
  GR_HD std::uint64_t word(std::size_t j, WalkDraw what) const {
    return walk_word(seed, walk(j), step, trial + (j & (copies() - 1)), what);
  }
};

/// Returns the binary logarithm of the candidates that a walker may have; `room` is the most.
inline int copy_bits_for(std::size_t room) {
  constexpr int kMostBits = 4;  // more are rarely needed, and each may read another page
  return std::min(kMostBits, static_cast<int>(std::bit_width(room)) - 1);
}

struct BeginWalks {
  VertexId* vertices;
  EdgeId* alive;
  const VertexId* sources;  ///< null: all vertices
  std::uint64_t per_source;
  GR_HD void operator()(std::size_t walk) const {
    const std::size_t source = walk / per_source;
    vertices[walk] = sources != nullptr ? sources[source] : static_cast<VertexId>(source);
    alive[walk] = walk;
  }
};

/// Counts 1 for each entry that Keep accepts. MoveKept moves them to the exclusive sums of the counts.
template <class Keep>
struct CountKept {
  Keep keep;
  EdgeId* places;
  GR_HD void operator()(std::size_t j) const { places[j] = keep(j) ? 1 : 0; }
};
template <class Keep>
struct MoveKept {
  Keep keep;
  const EdgeId* places;
  const EdgeId* from;
  EdgeId* to;
  GR_HD void operator()(std::size_t j) const {
    if (keep(j)) to[places[j]] = from[j];
  }
};

/// Returns the last index below `count` whose start is at most `number`; starts[0] must be.
template <class Index>
GR_HD Index owner_of(const EdgeId* starts, Index count, EdgeId number) {
  Index first = 0;
  while (count > 1) {  // starts[first] <= number < starts[first + count]
    const Index half = count / 2;
    const bool above = starts[first + half] <= number;
    first = above ? first + half : first;
    count = above ? count - half : half;
  }
  return first;
}

/// Sums of weights of the pieces of lists.
struct Pieces {
  Rows rows;
  const EdgeId* starts;  ///< of each vertex, among the pieces, and of the end
  EdgeId edges;          ///< of a piece
  std::uint64_t* sums;
  double* scales;

  GR_HD EdgeId count(VertexId v) const { return (rows.degree(v) + edges - 1) / edges; }
  GR_HD WorkItem item(VertexId v, EdgeId piece) const {
    const EdgeId begin = rows.offsets[v] + (piece - starts[v]) * edges;
    const EdgeId end = rows.offsets[v + 1];
    return {v, begin, end - begin > edges ? begin + edges : end};
  }
  /// Returns the vertex of a piece.
  GR_HD VertexId owner(EdgeId piece) const { return owner_of<VertexId>(starts, rows.num_vertices, piece); }
  GR_HD std::uint64_t total(VertexId v) const { return count(v) == 0 ? 0 : sums[starts[v + 1] - 1]; }
};

struct CountPieces {
  Pieces of;
  EdgeId* counts;
  GR_HD void operator()(std::size_t v) const { counts[v] = v < of.rows.num_vertices ? of.count(static_cast<VertexId>(v)) : 0; }
};
/// Lists the pieces `first` and on.
struct ListPieces {
  Pieces of;
  EdgeId first;
  WorkItem* items;
  GR_HD void operator()(std::size_t i) const { items[i] = of.item(of.owner(first + i), first + i); }
};

// Weights of a vertex in whole numbers that are proportional to them, and whose sum fits into 63 bits: rounded down to at least
// 2^-40 of the largest, or to less where there are over 4 million edges. So sums do not depend on the order of additions.

GR_HD inline double scale_of(double largest, EdgeId degree) {
  if (largest == 0) return 0;
  int exponent = 0;
  frexp(largest, &exponent);  // largest < 2^exponent
  int degree_bits = 0;
  for (EdgeId left = degree; left != 0; left >>= 1) ++degree_bits;
  const int bits = 63 - degree_bits < 41 ? 63 - degree_bits : 41;
  return ldexp(1.0, bits - exponent);
}
GR_HD inline std::uint64_t scaled(double weight, double scale) { return static_cast<std::uint64_t>(weight * scale); }

/// Finds the largest weight of each piece.
struct FindLargest {
  using Weight = std::uint32_t;
  WordWeight weight_of;
  double* largest;
  GR_HD bool skips(std::size_t i, EdgeId, std::uint32_t word) const { return !(weight_of(word) > largest[i]); }
  GR_HD void operator()(std::size_t i, EdgeId e, std::uint32_t word) const {
    if (!skips(i, e, word)) largest[i] = weight_of(word);
  }
};
struct SetScales {
  Pieces of;
  const double* largest;
  GR_HD void operator()(std::size_t i) const {
    const auto v = static_cast<VertexId>(i);
    double most = 0;
    for (EdgeId piece = of.starts[v]; piece < of.starts[v + 1]; ++piece) most = largest[piece] > most ? largest[piece] : most;
    of.scales[v] = scale_of(most, of.rows.degree(v));
  }
};
struct AddWeights {
  using Weight = std::uint32_t;
  WordWeight weight_of;
  const WorkItem* items;
  const double* scales;
  std::uint64_t* sums;
  GR_HD bool skips(std::size_t, EdgeId, std::uint32_t) const { return false; }
  GR_HD void operator()(std::size_t i, EdgeId, std::uint32_t word) const {
    sums[i] += scaled(weight_of(word), scales[items[i].vertex]);
  }
};
struct AddPieces {
  Pieces of;
  GR_HD void operator()(std::size_t i) const {
    std::uint64_t sum = 0;
    for (EdgeId piece = of.starts[i]; piece < of.starts[i + 1]; ++piece) of.sums[piece] = sum += of.sums[piece];
  }
};

/// Returns whether a walker has an edge to take.
struct GoesOn {
  Walkers of;
  Pieces pieces;
  bool weighted;
  GR_HD bool operator()(std::size_t j) const {
    const VertexId v = of.now(j);
    return weighted ? pieces.total(v) != 0 : of.rows.degree(v) != 0;
  }
};

struct PickUniform {
  Walkers of;
  WorkItem* items;
  GR_HD void operator()(std::size_t j) const {
    const VertexId u = of.now(j);
    const EdgeId e = of.rows.offsets[u] + number_below(of.rows.degree(u), of.word(j, WalkDraw::edge));
    items[j] = {u, e, e + 1};
  }
};

/// Draws a number below the sum of all weights, and finds the piece where sums pass it.
struct PickPiece {
  Walkers of;
  Pieces pieces;
  WorkItem* items;
  std::uint64_t* left;  ///< of the number, from the beginning of the piece
  GR_HD void operator()(std::size_t j) const {
    const VertexId u = of.now(j);
    const std::uint64_t drawn = number_below(pieces.total(u), of.word(j, WalkDraw::edge));
    EdgeId piece = pieces.starts[u];
    for (EdgeId count = pieces.count(u);
         count > 0;) {  // sums before `piece` are at most `drawn`, and those from its end on larger
      const EdgeId half = count / 2;
      const bool passed = pieces.sums[piece + half] <= drawn;
      piece = passed ? piece + half + 1 : piece;
      count = passed ? count - half - 1 : half;
    }
    items[j] = pieces.item(u, piece);
    left[j] = piece == pieces.starts[u] ? drawn : drawn - pieces.sums[piece - 1];
  }
};
struct FindEdge {
  static constexpr std::uint64_t kFound = ~std::uint64_t{0};
  using Weight = std::uint32_t;
  WordWeight weight_of;
  const WorkItem* items;
  const double* scales;
  std::uint64_t* left;
  EdgeId* edges;
  GR_HD bool skips(std::size_t j, EdgeId, std::uint32_t) const { return left[j] == kFound; }
  GR_HD void operator()(std::size_t j, EdgeId e, std::uint32_t word) const {
    if (left[j] == kFound) return;
    const std::uint64_t width = scaled(weight_of(word), scales[items[j].vertex]);
    if (left[j] >= width) {
      left[j] -= width;
    } else {
      left[j] = kFound;
      edges[j] = e;
    }
  }
};
struct PickFound {
  const EdgeId* edges;
  WorkItem* items;
  GR_HD void operator()(std::size_t j) const { items[j] = {items[j].vertex, edges[j], edges[j] + 1}; }
};

struct TakeStep {
  Walkers of;
  GR_HD void operator()(std::size_t j, VertexId v) const { of.next(j) = v; }
};
struct TakeCandidate {
  VertexId* candidates;
  GR_HD void operator()(std::size_t j, VertexId v) const { candidates[j] = v; }
};

/// Decides on candidates by node2vec's bias: a walker takes the first that is accepted. A random number below the largest bias
/// accepts candidates of a larger bias, and an only edge is taken at once. Calls are for walkers, which the index numbers.
struct Judge {
  enum Verdict { reject, accept, ask };  ///< ask: it depends on whether the vertex before has an edge to the candidate
  Walkers of;
  const VertexId* candidates;
  double back;       ///< bias to the vertex before
  double elsewhere;  ///< to vertices to which it has no edge; to the others 1
  bool symmetric;    ///< of the graph: the shorter list of two answers

  GR_HD static double larger(double a, double b) { return a > b ? a : b; }
  GR_HD double number(std::size_t j) const {
    return unit_interval(of.word(j, WalkDraw::acceptance)) * larger(larger(back, elsewhere), 1);
  }
  GR_HD Verdict verdict(std::size_t j) const {
    if (of.step == 0 || of.rows.degree(of.now(j)) == 1) return accept;
    const double x = number(j);
    if (candidates[j] == of.before(j)) return x < back ? accept : reject;
    if (x < 1 && x < elsewhere) return accept;
    return x < 1 || x < elsewhere ? ask : reject;
  }
  /// Returns whose list is searched for an edge between the vertex before and the candidate; sought() returns the other.
  GR_HD VertexId searched(std::size_t j) const {
    return symmetric && of.rows.degree(candidates[j]) < of.rows.degree(of.before(j)) ? candidates[j] : of.before(j);
  }
  GR_HD VertexId sought(std::size_t j) const { return searched(j) == candidates[j] ? of.before(j) : candidates[j]; }

  GR_HD std::size_t begin(std::size_t walker) const { return walker << of.copy_bits; }
  GR_HD std::size_t end(std::size_t walker) const { return begin(walker + 1); }
  GR_HD void operator()(std::size_t walker) const {
    for (std::size_t j = begin(walker); j < end(walker); ++j) {
      const Verdict its = verdict(j);
      if (its == reject) continue;
      if (its == accept) of.next(j) = candidates[j];
      return;
    }
  }
};
/// Counts for each candidate the pieces of the list in which it is looked up: those before an accepted one.
struct CountPiecesAsked {
  Judge judge;
  EdgeId* places;
  VertexId* adjacent;
  GR_HD void operator()(std::size_t walker) const {
    const Rows& rows = judge.of.rows;
    bool is_decided = judge.of.next(judge.begin(walker)) != kNoVertex;
    for (std::size_t j = judge.begin(walker); j < judge.end(walker); ++j) {
      const Judge::Verdict its = is_decided ? Judge::reject : judge.verdict(j);
      adjacent[j] = 0;
      places[j] = its == Judge::ask ? rows.pieces(rows.degree(judge.searched(j))) : 0;
      is_decided = is_decided || its == Judge::accept;
    }
  }
};
/// Returns 1 for a candidate that is looked up.
struct IsAsked {
  const EdgeId* places;  ///< the counts
  GR_HD std::uint64_t operator()(std::size_t j) const { return places[j] != 0 ? 1 : 0; }
};
/// Lists these pieces from `first` on.
struct ListPiecesAsked {
  Judge judge;
  const EdgeId* places;  ///< exclusive sums of the counts
  std::size_t count;
  EdgeId first;
  WorkItem* items;
  EdgeId* askers;
  GR_HD void operator()(std::size_t i) const {
    const std::size_t j = owner_of<std::size_t>(places, count, first + i);
    items[i] = judge.of.rows.piece(judge.searched(j), first + i - places[j]);
    askers[i] = j;
  }
};
struct LookUp {
  using Can = Capabilities<can::Seek>;
  Judge judge;
  const EdgeId* askers;
  VertexId* adjacent;
  GR_HD VertexId sought(std::size_t i) const { return judge.sought(askers[i]); }
  GR_HD void operator()(std::size_t i, VertexId v) const {
    if (v == sought(i)) atomics::store(adjacent[askers[i]], VertexId{1});
  }
};
struct JudgeAnswers {
  Judge judge;
  const VertexId* adjacent;
  GR_HD void operator()(std::size_t walker) const {
    for (std::size_t j = judge.begin(walker); j < judge.end(walker) && judge.of.next(j) == kNoVertex; ++j) {
      const Judge::Verdict its = judge.verdict(j);
      const bool answered = its == Judge::ask && judge.number(j) < (adjacent[j] != 0 ? 1 : judge.elsewhere);
      if (its == Judge::accept || answered) judge.of.next(j) = judge.candidates[j];
    }
  }
};
struct IsPending {
  Walkers of;
  GR_HD bool operator()(std::size_t j) const { return of.next(j) == kNoVertex; }
};

struct CountVisits {
  const VertexId* vertices;
  std::uint64_t* visits;
  GR_HD void operator()(std::size_t i) const {
    if (vertices[i] != kNoVertex) atomics::fetch_add(visits[vertices[i]], std::uint64_t{1});
  }
};

/// Lists all edges from `first` on, one an item.
struct ListEdges {
  Pieces lists;  ///< of one edge
  EdgeId first;
  WorkItem* items;
  GR_HD void operator()(std::size_t i) const {
    const EdgeId e = first + i;
    items[i] = {lists.owner(e), e, e + 1};
  }
};
/// Returns 1 for an edge to a smaller vertex than the edge before it in its list.
struct Descends {
  const WorkItem* items;
  const VertexId* ends;
  GR_HD std::uint64_t operator()(std::size_t i) const {
    return items[i].vertex == items[i + 1].vertex && ends[i] > ends[i + 1] ? 1 : 0;
  }
};

}  // namespace graphrun::walks::inline GR_IDS
