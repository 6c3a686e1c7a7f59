// What sweeps of PageRank do at a vertex or along an edge, and the weights of an extrapolation. The driver is pagerank_impl.hpp.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

#include "graphrun/core/atomics.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/walk.hpp"

namespace graphrun::pagerank::inline GR_IDS {

/// Where teleporting leads: to all vertices where there is no bitmap.
struct Restarts {
  BitmapRef bits;
  GR_HD bool has(VertexId v) const { return bits.words == nullptr || bits.test(v); }
};

template <class Score>
GR_HD Score share_of(Score rank, EdgeId degree) {
  return degree == 0 ? Score{0} : rank / static_cast<Score>(static_cast<std::int64_t>(degree));  // signed converts faster
}

/// Rank of all vertices, and of those without out-edges.
GR_HD inline Sums<2> mass_of(double rank, EdgeId degree) { return {{rank, degree == 0 ? rank : 0}}; }

/// Where other ranks keep the ranks and shares of a sweep, if this one writes there.
template <class Score>
struct Elsewhere {
  static constexpr int kMost = 7;
  struct Place {
    Score* after;
    Score* shares;
  };
  int count = 0;
  Place places[kMost] = {};

  GR_HD void put(VertexId v, Score rank, Score share) const {
    for (int i = 0; i < count; ++i) {
      atomics::store(places[i].after[v], rank);
      atomics::store(places[i].shares[v], share);
    }
  }
};

/// In place of Elsewhere, nothing: asking for places at each vertex costs a tenth of a sweep of a web graph.
struct Nowhere {
  static constexpr int count = 0;
  template <class Score>
  GR_HD void put(VertexId, Score, Score) const {}
};

/// Gathers shares. Vertices that gather after v in the same sweep use the new share of v. `Others`: Elsewhere or Nowhere.
template <class Score, class Others = Elsewhere<Score>>
struct Gather {
  using Value = Score;
  using Can = Capabilities<can::Share, can::WriteElsewhere>;
  Rows out;
  const Score* before;
  Score* after;  ///< may be `before`
  Score* shares;
  Restarts restarts;
  Score teleport;
  Score damping;
  Others elsewhere = {};

  GR_HD Score value(VertexId u) const { return atomics::load(shares[u]); }
  GR_HD double finish(VertexId v, Score sum) const { return change_and_mass(v, sum).of[0]; }
  /// Of the rank of v, and what pagerank::Mass adds up. Always inline: a call keeps the sums in memory, and a sweep of a grid
  /// takes three times as long.
  [[gnu::always_inline]] GR_HD Sums<3> change_and_mass(VertexId v, Score sum) const {
    const Score updated = (restarts.has(v) ? teleport : Score{0}) + damping * sum;
    const double change = static_cast<double>(updated) - static_cast<double>(before[v]);
    after[v] = updated;
    const EdgeId degree = out.degree(v);
    const Score share = share_of(updated, degree);
    if (degree != 0) atomics::store(shares[v], share);
    elsewhere.put(v, updated, share);
    const Sums<2> mass = mass_of(static_cast<double>(updated), degree);
    return {{fabs(change), mass.of[0], mass.of[1]}};  // without a branch: the sign is a coin toss
  }
  GR_HD Score state(VertexId v) const { return after[v]; }
  GR_HD void take(VertexId v, Score rank) const {
    after[v] = rank;
    shares[v] = share_of(rank, out.degree(v));
  }
  std::size_t bytes_elsewhere() const { return elsewhere.count == 0 ? 0 : 2 * sizeof(Score); }
};

/// The same, where one pass can add up the three.
template <class Score, class Others>
struct GatherMass {
  using Value = Score;
  using Can = typename Gather<Score, Others>::Can;
  Gather<Score, Others> gather;

  GR_HD Score value(VertexId u) const { return gather.value(u); }
  GR_HD Sums<3> finish(VertexId v, Score sum) const { return gather.change_and_mass(v, sum); }
  GR_HD Score state(VertexId v) const { return gather.state(v); }
  GR_HD void take(VertexId v, Score rank) const { gather.take(v, rank); }
  std::size_t bytes_elsewhere() const { return gather.bytes_elsewhere(); }
};

/// First ranks: where teleporting leads `initial`, or `without_in` where nothing else does, and `by_degree` times the in-degree
/// everywhere. Returns their sums.
template <class Score>
struct Start {
  Rows out;
  Rows in;
  Score* ranks;
  Score* shares;
  Restarts restarts;
  Score initial;
  Score without_in;
  Score by_degree;
  GR_HD Sums<2> operator()(std::size_t i) const {
    const auto v = static_cast<VertexId>(i);
    const EdgeId degree = out.degree(v);
    const EdgeId in_degree = in.degree(v);
    Score rank = !restarts.has(v) ? Score{0} : in_degree == 0 ? without_in : initial;
    rank += by_degree * static_cast<Score>(static_cast<std::int64_t>(in_degree));
    ranks[i] = rank;
    shares[i] = share_of(rank, degree);
    return mass_of(static_cast<double>(rank), degree);
  }
};

struct Isolated {
  Rows out;
  Rows in;
  GR_HD double operator()(std::size_t i) const {
    const auto v = static_cast<VertexId>(i);
    return out.degree(v) == 0 && in.degree(v) == 0 ? 1 : 0;
  }
};

template <class Score>
struct Mass {
  Rows out;
  const Score* ranks;
  GR_HD Sums<2> operator()(std::size_t v) const {
    return mass_of(static_cast<double>(ranks[v]), out.degree(static_cast<VertexId>(v)));
  }
};

/// Four vectors after consecutive sweeps, the oldest first, and what each is multiplied by.
template <class Score>
struct LastVectors {
  const Score* ranks[4];
  double scale[4];
  GR_HD double at(int k, std::size_t v) const { return scale[k] * static_cast<double>(ranks[k][v]); }
};

/// Inner products of the second differences d1 and d2 of the vectors with each other and with the last first difference u:
/// d1 d1, d1 d2, d2 d2, d1 u, d2 u.
template <class Score>
struct Products {
  LastVectors<Score> last;
  GR_HD Sums<5> operator()(std::size_t v) const {
    const double u0 = last.at(1, v) - last.at(0, v), u1 = last.at(2, v) - last.at(1, v), u2 = last.at(3, v) - last.at(2, v);
    const double d1 = u1 - u0, d2 = u2 - u1;
    return {{d1 * d1, d1 * d2, d2 * d2, d1 * u2, d2 * u2}};
  }
};

/// Puts the weighted sum of the vectors in place of the oldest, no rank lower than what teleporting gives. Returns its sums.
template <class Score>
struct Combine {
  Rows out;
  LastVectors<Score> last;  ///< scale: the weights
  Score* ranks;             ///< the oldest
  Score* shares;
  Restarts restarts;
  double least;
  GR_HD Sums<2> operator()(std::size_t i) const {
    const auto v = static_cast<VertexId>(i);
    const double combined = last.at(1, i) + last.at(2, i) + last.at(3, i);
    const double floor = restarts.has(v) ? least : 0;
    const auto rank = static_cast<Score>(combined > floor ? combined : floor);
    const EdgeId degree = out.degree(v);
    ranks[i] = rank;
    shares[i] = share_of(rank, degree);
    return mass_of(static_cast<double>(rank), degree);
  }
};

/// The same shares in 64 bits.
template <class Score>
struct ExactShares {
  Rows out;
  const Score* ranks;
  double* shares;
  GR_HD Sums<2> operator()(std::size_t v) const {
    const auto rank = static_cast<double>(ranks[v]);
    const EdgeId degree = out.degree(static_cast<VertexId>(v));
    shares[v] = share_of(rank, degree);
    return mass_of(rank, degree);
  }
};

/// Changes no rank; adds up by how much an exact iteration would change them, and notes the largest such change.
template <class Score>
struct Residual {
  using Value = double;
  const Score* ranks;
  const double* shares;
  double* largest;
  double* residuals;  ///< each change with its sign; or null
  Restarts restarts;
  double teleport;
  double damping;

  GR_HD double value(VertexId u) const { return shares[u]; }
  GR_HD double finish(VertexId v, double sum) const {
    const double residual = (restarts.has(v) ? teleport : 0.0) + damping * sum - static_cast<double>(ranks[v]);
    if (residuals != nullptr) residuals[v] = residual;
    const double change = fabs(residual);
    if (change > atomics::load(*largest)) atomics::fetch_max(*largest, change);
    return change;
  }
};

template <class Score>
struct StartPush {
  Score* ranks;
  Score* residuals;
  Restarts restarts;
  Score teleport;
  GR_HD void operator()(std::size_t v) const {
    ranks[v] = 0;
    residuals[v] = restarts.has(static_cast<VertexId>(v)) ? teleport : Score{0};
  }
};

struct Restarting {
  Restarts restarts;
  GR_HD bool operator()(VertexId v) const { return restarts.has(v); }
};

/// Moves the residual of a vertex into its rank, and adds a share of it to the residual of each neighbour. The addition that
/// takes a residual over the threshold puts the neighbour into the frontier. In any order of additions, no residual is over the
/// threshold in the end.
template <class Score, class Value>
struct Settle {
  using Weight = NoWeight;
  using Can = Capabilities<can::Correct, can::Prepare>;
  Rows out;
  Score* ranks;
  Value* residuals;  ///< of either sign
  Value* shares;
  Value damping;
  Value threshold;

  GR_HD void prepare(VertexId u) const {
    const Value residual = residuals[u];
    residuals[u] = 0;
    ranks[u] += static_cast<Score>(residual);
    shares[u] = damping * share_of(residual, out.degree(u));
  }
  GR_HD Value source(VertexId u) const { return shares[u]; }
  GR_HD bool operator()(Value share, VertexId v, NoWeight) const {
    const Value before = atomics::fetch_add(residuals[v], share);
    return fabs(before) <= threshold && fabs(before + share) > threshold;
  }
};

/// The same where all residuals are positive: only prepare() takes one below the threshold again.
template <class Score>
struct Spread : Settle<Score, Score> {
  using Can = Capabilities<can::Correct, can::JoinOnce, can::Prepare>;
};

// Of several ranks each collects what its vertices give, and all add that up and take it. All prepare all members.

template <class Settling>
struct PrepareEach {
  Settling settle;
  GR_HD void operator()(VertexId v) const { settle.prepare(v); }
};

template <class Value>
struct Give {
  using Weight = NoWeight;
  using Can = Capabilities<can::ExchangeLater>;
  const Value* shares;
  Value* given;

  GR_HD Value source(VertexId u) const { return shares[u]; }
  GR_HD bool operator()(Value share, VertexId v, NoWeight) const {
    atomics::fetch_add(given[v], share);
    return false;
  }
};

/// To few vertices: those that were given something join, and each rank adds it up at once.
template <class Value>
struct GiveToFew {
  using Weight = NoWeight;
  using Can = Capabilities<can::Correct, can::Share>;  // not known to be the first gift where some are negative
  const Value* shares;
  Value* given;

  GR_HD Value source(VertexId u) const { return shares[u]; }
  GR_HD bool operator()(Value share, VertexId v, NoWeight) const {
    atomics::fetch_add(given[v], share);
    return true;
  }
  GR_HD Value state(VertexId v) const { return given[v]; }
  GR_HD bool take(VertexId v, Value more) const {
    given[v] += more;
    return true;
  }
};

/// True where the residual is over the threshold then. Before the step none was, but of vertices that gave theirs away.
template <class Settling, class Value>
struct TakeGiven {
  Settling settle;
  Value* given;

  GR_HD bool operator()(VertexId v) const {
    settle.residuals[v] += given[v];
    given[v] = 0;
    return fabs(settle.residuals[v]) > settle.threshold;
  }
};

struct Exceeding {
  const double* residuals;
  double threshold;
  GR_HD bool operator()(VertexId v) const { return fabs(residuals[v]) > threshold; }
};

/// Edges out of vertices whose rank changed by more than the threshold.
template <class Score>
struct ChangedEdges {
  Rows out;
  const Score* before;
  const Score* after;
  double threshold;
  GR_HD double operator()(std::size_t v) const {
    const bool changed = fabs(static_cast<double>(after[v]) - static_cast<double>(before[v])) > threshold;
    return changed ? static_cast<double>(static_cast<std::int64_t>(out.degree(static_cast<VertexId>(v)))) : 0;
  }
};

template <class Score>
struct Value {
  const Score* values;
  GR_HD double operator()(std::size_t v) const { return static_cast<double>(values[v]); }
};

/// Sweeps from one extrapolation to the next: one that smooths what it left, and four to look at.
inline constexpr std::uint64_t kSweepsBetween = 5;

/// Weights of four consecutive vectors whose sum is the reduced-rank extrapolation of order 2: of all sums of the last three
/// first differences with weights that sum to 1 it has the smallest in the 2-norm, and these are what a sweep would still change
/// if it were linear. Nothing where that is not determined.
inline std::optional<std::array<double, 4>> rre_weights(const Sums<5>& products) {
  const auto [d1d1, d1d2, d2d2, d1u, d2u] = products.of;
  double first = 0, second = d2u / d2d2;  // along d2 alone, should both be parallel
  constexpr double kParallel = 1e-12;
  if (const double det = d1d1 * d2d2 - d1d2 * d1d2; det > kParallel * d1d1 * d2d2) {
    first = (d1u * d2d2 - d2u * d1d2) / det;
    second = (d2u * d1d1 - d1u * d1d2) / det;
  }
  const std::array<double, 4> weights{0, first, second - first, 1 - second};
  for (const double weight : weights) {
    if (!std::isfinite(weight)) return std::nullopt;
  }
  return weights;
}

}  // namespace graphrun::pagerank::inline GR_IDS
