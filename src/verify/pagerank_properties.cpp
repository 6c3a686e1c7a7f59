// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstdint>
#include <vector>

#include "graphrun/core/random.hpp"
#include "verify/arc_pass.hpp"
#include "verify/pagerank_limits.hpp"
#include "verify/verdicts.hpp"

namespace graphrun::verify::inline GR_IDS {
namespace {

/// Returns the sum of value(v) over all vertices.
template <class Value>
double compensated_sum(VertexId n, const Passes& how, const Value& value) {
  PerThread<CompensatedSum> sums(how.pool);
  parallel_chunks(how.pool, n, kDefaultGrain, [&](std::size_t begin, std::size_t end, int rank) {
    CompensatedSum sum = sums[rank];
    for (std::size_t v = begin; v < end; ++v) sum.add(value(static_cast<VertexId>(v)));
    sums[rank] = sum;
  });
  CompensatedSum total;
  for (const auto& slot : sums) total.add(slot.value.value());
  return total.value();
}

/// Changes of the scores by one more iteration, in sum and where most.
class Changes {
 public:
  void add(VertexId v, double rank, double next) {
    const double change = std::abs(next - rank);
    sum_.add(change);
    if (change > most_ || (change == most_ && v < worst_)) most_ = change, worst_ = v, next_ = next;
  }
  void add(const Changes& other) {
    sum_.add(other.sum_.value());
    if (other.most_ > most_ || (other.most_ == most_ && other.worst_ < worst_)) {
      most_ = other.most_, worst_ = other.worst_, next_ = other.next_;
    }
  }
  double sum() const { return sum_.value(); }
  VertexId worst() const { return worst_; }
  double next_of_worst() const { return next_; }

 private:
  CompensatedSum sum_;
  double most_ = -1;
  VertexId worst_ = kNoVertex;
  double next_ = 0;
};

/// The step T of docs/algorithms/pagerank.md, along out-edges or in-edges.
class OneMoreIteration {
 public:
  OneMoreIteration(const Csr& out, const std::vector<double>& ranks, double damping, const Teleport& teleport, const Passes& how)
      : out_(out), n_(out.num_vertices()), ranks_(ranks.data()), damping_(damping), teleport_(teleport), how_(how) {
    const double dangling = compensated_sum(n_, how, [&](VertexId v) { return out_.degree(v) == 0 ? ranks_[v] : 0; });
    teleported_ = (1 - damping) + damping * dangling;
  }

  /// Gathers along `in`, which has the lists of all in-neighbours, in any order.
  Changes gathered(const Csr& in) const {
    const auto shares = Column<double>::allocate(n_);
    double* share = const_cast<double*>(shares.data());
    parallel_for(how_.pool, n_, [&](std::size_t v) { share[v] = share_of(static_cast<VertexId>(v)); });
    const VertexId* neighbours = in.neighbours.data();
    PerThread<Changes> changes(how_.pool);
    // For rows that pieces cut: each piece's sums of the row it begins in, and of the row it ends in.
    struct Part {
      VertexId row = kNoVertex;
      double sum = 0;
    };
    const EdgeId step = arcs_a_piece(in.num_edges(), how_);
    std::vector<Part> parts(2 * (in.num_edges() / step + 1));
    first_wrong_arc("one more sweep", in, how_, [&](const RowPiece& piece) {
      double sum = 0;
      for (EdgeId e = piece.begin; e < piece.end; ++e) {
        if (e + kArcsAhead < piece.piece_end) __builtin_prefetch(share + neighbours[e + kArcsAhead]);
        sum += share[neighbours[e]];
      }
      const bool begins = piece.begin == in.offsets[piece.row];
      const bool ends = piece.end == in.offsets[std::size_t{piece.row} + 1];
      if (begins && ends) {
        changes[piece.rank].add(piece.row, ranks_[piece.row], next(piece.row, sum));
      } else {
        parts[2 * piece.piece + (begins ? 1 : 0)] = {piece.row, sum};
      }
      return kNoArc;
    });
    parallel_chunks(how_.pool, n_, kDefaultGrain, [&](std::size_t begin, std::size_t end, int rank) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto v = static_cast<VertexId>(i);
        if (in.degree(v) == 0) changes[rank].add(v, ranks_[v], next(v, 0));
      }
    });
    Changes all;
    Part row;
    const auto finish = [&] {
      if (row.row != kNoVertex) all.add(row.row, ranks_[row.row], next(row.row, row.sum));
    };
    for (const Part& part : parts) {
      if (part.row == kNoVertex) continue;
      if (part.row != row.row) finish(), row = {part.row, 0};
      row.sum += part.sum;
    }
    finish();
    for (const auto& slot : changes) all.add(slot.value);
    return all;
  }

  Changes scattered() const {
    auto sums = Column<double>::allocate(n_);
    const VertexId* neighbours = out_.neighbours.data();
    first_wrong_arc("one more sweep", out_, how_, [&](const RowPiece& piece) {
      const double share = share_of(piece.row);
      for (EdgeId e = piece.begin; e < piece.end; ++e) {
        if (e + kArcsAhead < piece.piece_end) __builtin_prefetch(&sums[neighbours[e + kArcsAhead]], 1);
        atomics::fetch_add(sums[neighbours[e]], share);
      }
      return kNoArc;
    });
    PerThread<Changes> changes(how_.pool);
    parallel_chunks(how_.pool, n_, kDefaultGrain, [&](std::size_t begin, std::size_t end, int rank) {
      for (std::size_t v = begin; v < end; ++v)
        changes[rank].add(static_cast<VertexId>(v), ranks_[v], next(static_cast<VertexId>(v), sums[v]));
    });
    Changes all;
    for (const auto& slot : changes) all.add(slot.value);
    return all;
  }

 private:
  double share_of(VertexId v) const {
    const EdgeId degree = out_.degree(v);
    return degree == 0 ? 0 : ranks_[v] / static_cast<double>(degree);
  }
  double next(VertexId v, double gathered) const { return teleported_ * teleport_(v) + damping_ * gathered; }

  const Csr& out_;
  VertexId n_;
  const double* ranks_;
  double damping_;
  const Teleport& teleport_;
  const Passes& how_;
  double teleported_ = 0;
};

/// Sums over the arcs u -> v of a hash of (u, v), and of (v, u).
struct ArcHashes {
  std::uint64_t forwards = 0;
  std::uint64_t backwards = 0;
};

ArcHashes hash_arcs(const Csr& csr, const Passes& how) {
  const VertexId* neighbours = csr.neighbours.data();
  PerThread<ArcHashes> sums(how.pool);
  first_wrong_arc("hashing arcs", csr, how, [&](const RowPiece& piece) {
    const std::uint64_t row = piece.row;
    const std::uint64_t of_row = splitmix64(row);
    ArcHashes sum;
    for (EdgeId e = piece.begin; e < piece.end; ++e) {
      const std::uint64_t other = neighbours[e];
      sum.forwards += splitmix64(of_row ^ other);
      sum.backwards += splitmix64(splitmix64(other) ^ row);
    }
    sums[piece.rank].forwards += sum.forwards;
    sums[piece.rank].backwards += sum.backwards;
    return kNoArc;
  });
  ArcHashes total;
  for (const auto& slot : sums) total.forwards += slot.value.forwards, total.backwards += slot.value.backwards;
  return total;
}

/// Returns the transpose if it has the graph's arcs, but for a chance of about 2^-64; else null, and when there is none.
const Csr* sound_transpose(const Graph& graph, const Passes& how) {
  const Csr* in = graph.transpose();
  if (in == nullptr || in->num_vertices() != graph.num_vertices() || in->num_edges() != graph.num_edges()) return nullptr;
  const ArcHashes out = hash_arcs(graph.out, how);
  return out.forwards == (in == &graph.out ? out : hash_arcs(*in, how)).backwards ? in : nullptr;
}

/// Returns rounding_share() of the serial check.
template <class InDegree>
double share_of_rounding(VertexId n, const std::vector<double>& ranks, bool single_precision, const Passes& how,
                         const InDegree& in_degree) {
  return rounding_unit(single_precision) * compensated_sum(n, how, [&](VertexId v) {
           return ranks[v] * roundings_of(static_cast<double>(in_degree(v)), single_precision);
         });
}

double share_of_rounding(const Csr& out, const std::vector<double>& ranks, bool single_precision, const Passes& how) {
  auto in_degrees = Column<EdgeId>::allocate(out.num_vertices());
  const VertexId* neighbours = out.neighbours.data();
  first_wrong_arc("in-degrees", out, how, [&](const RowPiece& piece) {
    for (EdgeId e = piece.begin; e < piece.end; ++e) {
      if (e + kArcsAhead < piece.piece_end) __builtin_prefetch(&in_degrees[neighbours[e + kArcsAhead]], 1);
      atomics::fetch_add(in_degrees[neighbours[e]], EdgeId{1});
    }
    return kNoArc;
  });
  return share_of_rounding(out.num_vertices(), ranks, single_precision, how, [&](VertexId v) { return in_degrees[v]; });
}

}  // namespace

Verdict check_pagerank_properties(const Graph& graph, const PagerankOutput& output, double damping, double tolerance,
                                  bool single_precision, bool converged, const Passes& how,
                                  const std::vector<std::uint64_t>& restarts, double largest, const std::vector<double>& shares) {
  const VertexId n = graph.num_vertices();
  const VertexNames& names = graph.names;
  const std::vector<double>& ranks = output.ranks;
  if (const Verdict sized = check_size("ranks", ranks.size(), n); !sized) return sized;
  if (n == 0) return {};

  const VertexId strange = first_wrong_vertex(n, how, [&](VertexId v) { return !std::isfinite(ranks[v]) || ranks[v] < 0; });
  if (strange != kNoVertex) return wrong("vertex {}: rank {}", names.text(strange), ranks[strange]);
  const double sum = compensated_sum(n, how, [&](VertexId v) { return ranks[v]; });
  const double sum_slack = single_precision ? 1e-6 : 1e-9;
  if (std::abs(sum - 1) > sum_slack) return wrong("the ranks sum to {:.17g}, which is not 1 within {}", sum, sum_slack);

  const Csr* in = sound_transpose(graph, how);
  const double rounding = in == nullptr
                              ? share_of_rounding(graph.out, ranks, single_precision, how)
                              : share_of_rounding(n, ranks, single_precision, how, [&](VertexId v) { return in->degree(v); });
  const Teleport teleport(restarts, n, shares);
  const double part = (1 - damping) * (1 - teleport_slack(damping, tolerance, rounding, converged));
  const VertexId low = first_wrong_vertex(n, how, [&](VertexId v) { return ranks[v] < part * teleport(v); });
  if (low != kNoVertex)
    return wrong("vertex {}: rank {:.9g} is below {:.9g}, which teleporting gives", names.text(low), ranks[low],
                 part * teleport(low));
  if (!converged && !output.certificate) return {};

  const OneMoreIteration step(graph.out, ranks, damping, teleport, how);
  const Changes changes = in == nullptr ? step.scattered() : step.gathered(*in);
  const VertexId worst = changes.worst();
  const ChangeOfScores change{changes.sum(), names.text(worst), ranks[worst], changes.next_of_worst()};
  return check_changes(change, output, damping, tolerance, largest, rounding, converged);
}

}  // namespace graphrun::verify::inline GR_IDS
