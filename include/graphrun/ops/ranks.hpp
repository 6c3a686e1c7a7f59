// What ranks of both executors need to meet after a step. Vertex state is the same on every rank, and so is each decision that
// depends on it. A rank walks the lists of its own vertices; then it hands out what that changed, and takes what the others
// changed (cpu_ranks.hpp, cuda_ranks.cuh).
//
// A functor of a step that ranks can share has
//
//   f.state(v)             what a step changed at v: a label, a rank
//   f.take(v, state)       changes v so, where that is better than what is there; push: returns whether v joins
//
// f.visit(v, state) is that of a pull. A functor of edge_reduce_pull whose finish() changes nothing needs neither.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/exec/exchange.hpp"
#include "graphrun/ops/operators.hpp"

namespace graphrun::ranks::inline GR_IDS {

template <class F>
concept HasState = requires(const F& f, VertexId v) {
  f.state(v);
};

template <class F>
using StateOf = std::remove_cvref_t<decltype(std::declval<const F&>().state(VertexId{}))>;

[[noreturn]] inline void refuse_ranks() {
  throw UsageError("this algorithm or variant does not run over several ranks: leave --ranks out, and name one GPU");
}

/// What a step came to on one rank.
struct StepHeader {
  std::uint64_t edges = 0;  ///< examined
  std::uint64_t joined = 0;
  std::uint64_t joined_edges = 0;

  StepHeader& operator+=(const StepHeader& other) {
    edges += other.edges, joined += other.joined, joined_edges += other.joined_edges;
    return *this;
  }
};

/// Each rank's `mine`, by rank.
template <class Exec, class T>
std::vector<T> gather_from_ranks(const Exec& exec, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> values;
  if (exec.part().alone()) return {mine};
  for (const auto bytes : exec.part().exchange->all_gather(std::as_bytes(std::span(&mine, 1))))
    std::memcpy(&values.emplace_back(), bytes.data(), sizeof(T));
  return values;
}

/// The value that rank 0 has. Sums in another order of threads differ in their last digits, and what a rank decides must not.
template <class Exec, class T>
T as_rank_0_has_it(const Exec& exec, const T& mine) {
  return gather_from_ranks(exec, mine).front();
}

}  // namespace graphrun::ranks::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class T>
T largest_of_ranks(const Exec& exec, T mine) {
  return std::ranges::max(ranks::gather_from_ranks(exec, mine));
}

}  // namespace graphrun::inline GR_IDS
