// SPDX-License-Identifier: Apache-2.0
// Functors of PageRank's sweeps on vertices and edges, and the weights of an extrapolation. The driver is pagerank_impl.hpp.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "algorithms/word_weight.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/walk.hpp"

namespace graphrun::pagerank::inline GR_IDS {

/// The teleport targets; all vertices without a bitmap.
struct Restarts {
  BitmapRef bits;
  GR_HD bool operator()(VertexId v) const { return bits.words == nullptr || bits.test(v); }
};

template <class Score>
GR_HD Score share_of(Score rank, EdgeId degree) {
  return degree == 0 ? Score{0} : rank / static_cast<Score>(static_cast<std::int64_t>(degree));  // signed converts faster
}

/// Returns the score of all vertices, and of dangling ones.
GR_HD inline Sums<2> mass_of(double rank, EdgeId degree) { return {{rank, degree == 0 ? rank : 0}}; }

/// Other ranks' shares, if this rank writes there.
template <class Score>
struct Elsewhere {
  static constexpr int kMost = 7;
  int count = 0;
  Score* places[kMost] = {};

  GR_HD void put(VertexId v, Score share) const {
    for (int i = 0; i < count; ++i) atomics::store(places[i][v], share);
  }
};

/// Replaces Elsewhere without other ranks' copies: a check at each vertex costs a tenth of a sweep of a web graph.
struct Nowhere {
  static constexpr int count = 0;
  template <class Score>
  GR_HD void put(VertexId, Score) const {}
};

/// Gathers shares. Later vertices of the same sweep may use v's new share. Ranks publish shares alone: a rank has the scores of
/// its own vertices. `Others`: Elsewhere or Nowhere.
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

  GR_HD Score value(VertexId u) const { return atomics::load_cached(shares[u]); }
  GR_HD double finish(VertexId v, Score sum) const { return change_and_mass(v, sum).of[0]; }
  /// Returns the change of v's score, and pagerank::Mass's sums. Always inline: a call would keep the sums in memory and triple
  /// the time of a sweep over a grid.
  [[gnu::always_inline]] GR_HD Sums<3> change_and_mass(VertexId v, Score sum) const {
    const Score updated = (restarts(v) ? teleport : Score{0}) + damping * sum;
    const double change = static_cast<double>(updated) - static_cast<double>(before[v]);
    after[v] = updated;
    const EdgeId degree = out.degree(v);
    const Score share = share_of(updated, degree);
    if (degree != 0) atomics::store(shares[v], share);
    elsewhere.put(v, share);
    const Sums<2> mass = mass_of(static_cast<double>(updated), degree);
    return {{fabs(change), mass.of[0], mass.of[1]}};  // without a branch: the sign is a coin toss
  }
  GR_HD Score state(VertexId v) const { return shares[v]; }
  GR_HD void take(VertexId v, Score share) const { shares[v] = share; }
  std::size_t bytes_elsewhere() const { return elsewhere.count == 0 ? 0 : sizeof(Score); }
};

/// Does the same, where one pass can sum all three.
template <class Score, class Others>
struct GatherMass : Gather<Score, Others> {
  GR_HD Sums<3> finish(VertexId v, Score sum) const { return this->change_and_mass(v, sum); }
};

/// Gathers the shares of the last sweep (Jacobi).
template <class Score>
struct GatherLast : Gather<Score, Nowhere> {
  const Score* last;
  GR_HD Score value(VertexId u) const { return last[u]; }
};

/// Sets initial scores: `initial` at teleport targets, `without_in` elsewhere without in-edges, plus `by_degree` times the
/// in-degree. Returns their sums as Mass does, and the number of isolated vertices.
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
  GR_HD Sums<3> operator()(std::size_t i) const {
    const auto v = static_cast<VertexId>(i);
    const EdgeId degree = out.degree(v);
    const EdgeId in_degree = in.degree(v);
    Score rank = !restarts(v) ? Score{0} : in_degree == 0 ? without_in : initial;
    rank += by_degree * static_cast<Score>(static_cast<std::int64_t>(in_degree));
    ranks[i] = rank;
    shares[i] = share_of(rank, degree);
    const Sums<2> mass = mass_of(static_cast<double>(rank), degree);
    return {{mass.of[0], mass.of[1], degree == 0 && in_degree == 0 ? 1.0 : 0.0}};
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

/// Four vectors after consecutive sweeps, the oldest first, and their factors.
template <class Score>
struct LastVectors {
  const Score* ranks[4];
  double scale[4];
  GR_HD double at(int k, std::size_t v) const { return scale[k] * static_cast<double>(ranks[k][v]); }
};

/// Returns inner products of the vectors' second differences d1 and d2 with each other and with the last first difference u: d1
/// d1, d1 d2, d2 d2, d1 u, d2 u.
template <class Score>
struct Products {
  LastVectors<Score> last;
  GR_HD Sums<5> operator()(std::size_t v) const {
    const double u0 = last.at(1, v) - last.at(0, v), u1 = last.at(2, v) - last.at(1, v), u2 = last.at(3, v) - last.at(2, v);
    const double d1 = u1 - u0, d2 = u2 - u1;
    return {{d1 * d1, d1 * d2, d2 * d2, d1 * u2, d2 * u2}};
  }
};

/// Replaces the oldest vector by the weighted sum, no score below the teleported one. Returns its sums.
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
    const double floor = restarts(v) ? least : 0;
    const auto rank = static_cast<Score>(combined > floor ? combined : floor);
    const EdgeId degree = out.degree(v);
    ranks[i] = rank;
    shares[i] = share_of(rank, degree);
    return mass_of(static_cast<double>(rank), degree);
  }
};

/// Computes the same shares in 64 bits.
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

/// Sums the changes that an exact iteration would make, and finds the largest; changes no score.
template <class Score>
struct Residual {
  using Value = double;
  using Can = Capabilities<can::ExchangeLater>;
  const Score* ranks;
  const double* shares;
  double* largest;
  double* residuals;  ///< each signed change; or null
  Restarts restarts;
  double teleport;
  double damping;

  GR_HD double value(VertexId u) const { return shares[u]; }
  GR_HD double finish(VertexId v, double sum) const {
    const double residual = (restarts(v) ? teleport : 0.0) + damping * sum - static_cast<double>(ranks[v]);
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
  const double* shares;  ///< null: alike
  GR_HD void operator()(std::size_t v) const {
    ranks[v] = 0;
    const Score share = shares == nullptr ? Score{1} : static_cast<Score>(shares[v]);
    residuals[v] = restarts(static_cast<VertexId>(v)) ? teleport * share : Score{0};
  }
};

/// Moves the residual of a vertex into its score, and adds a share of it to each neighbour's residual. The addition that takes a
/// residual over the threshold puts the neighbour into the frontier. In the end no residual is over the threshold, for any order
/// of additions.
template <class Score, class Value>
struct Settle {
  using Weight = NoWeight;
  using Can = Capabilities<can::Correct, can::Prepare, can::Add>;
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
  GR_HD Value operator()(Value share, VertexId, NoWeight) const { return share; }
  GR_HD bool add(VertexId v, Value share) const {
    const Value before = atomics::fetch_add(residuals[v], share);
    return fabs(before) <= threshold && fabs(before + share) > threshold;
  }
};

/// Does the same for positive residuals: only prepare() takes one below the threshold again.
template <class Score>
struct Spread : Settle<Score, Score> {
  using Can = Capabilities<can::Correct, can::JoinOnce, can::Prepare, can::Add>;
};

/// Divides residuals in proportion to weights.
struct SpreadByWeight : Spread<double> {
  using Weight = std::uint32_t;
  const double* sums;
  WordWeight weight_of;

  GR_HD void prepare(VertexId u) const {
    const double residual = residuals[u];
    residuals[u] = 0;
    ranks[u] += residual;
    shares[u] = sums[u] == 0 ? 0 : damping * residual / sums[u];
  }
  GR_HD double operator()(double share, VertexId, std::uint32_t word) const { return share * weight_of(word); }
};

struct Exceeding {
  const double* residuals;
  double threshold;
  GR_HD bool operator()(VertexId v) const { return fabs(residuals[v]) > threshold; }
};

/// Counts edges out of vertices whose score changed by more than the threshold.
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

/// Sweeps between extrapolations: one to smooth, and four to observe.
inline constexpr std::uint64_t kSweepsBetween = 5;

/// Returns the weights of four consecutive vectors for the reduced-rank extrapolation of order 2. Of all sums of the last three
/// first differences whose weights sum to 1, it has the smallest 2-norm. Returns nothing where that is not determined.
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
