// SPDX-License-Identifier: Apache-2.0
// Exchanges after a step, for ranks of both executors. Vertex state is the same on every rank (of CC only in effect: trees of one
// component may differ; of BFS, which vertices have a parent), and so is each decision that depends on it. A rank traverses its
// own vertices' lists; then it publishes its changes, and merges the others' (cpu_ranks.hpp, cuda_ranks.cuh).
//
// A functor of a step that ranks can share has
//
//   f.state(v)             what a step changed at v: a label, a rank
//   f.take(v, state)       changes v so, where that is better than what is there; push: returns whether v joins
//
// and declares can::Share. A pull functor has f.mark(v), can::Mark: it needs no state of other ranks' vertices, only that they
// joined, and collect_parts() gathers states in the end. After a push a GPU that receives bits calls f.mark(v) for vertices of
// another rank.
//
// A functor of a pass over all lists that changes only the states of vertices whose lists it traverses (can::NoteOwnChanges) has
// f.changed(v), whether it did, and `common`, a state that many of these may have, which is published once. f.forget(v)
// (can::Forget) is called for each vertex of another rank that did not change; on CPUs for all of them, before any f.take(). A
// functor that changes the states of any vertices (can::NoteAnyChanges) has f.changes(), a bit for each: none is set before the
// pass, or after the exchange.
//
// A functor of edge_reduce_pull whose finish() changes nothing needs none of these. If finish() writes to the other ranks' memory
// at once (can::WriteElsewhere), f.bytes_elsewhere() returns the bytes to each for a vertex.
//
// A functor that can::ExchangeLater has none of these: nothing joins by it, counts are one rank's own, and the algorithm merges
// what it wrote, by add_over_ranks() or collect_members().
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/exec/exchange.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/operators.hpp"

namespace graphrun::ranks::inline GR_IDS {

template <class F>
concept NotesChanges = Declares<F, can::NoteOwnChanges> || Declares<F, can::NoteAnyChanges>;

template <class F>
std::size_t bytes_elsewhere(const F& f) {
  if constexpr (Declares<F, can::WriteElsewhere>) return f.bytes_elsewhere();
  return 0;
}

/// The state of a functor that publishes none.
struct NoState {};

template <class F>
constexpr auto type_of_state() {
  if constexpr (Declares<F, can::Share>) {
    return std::type_identity<std::remove_cvref_t<decltype(std::declval<const F&>().state(VertexId{}))>>{};
  } else {
    return std::type_identity<NoState>{};
  }
}
template <class F>
using StateOf = typename decltype(type_of_state<F>())::type;

[[noreturn]] inline void refuse_ranks() {
  throw UsageError("this algorithm or variant does not run over several ranks: leave --ranks out, and name one GPU");
}

/// Throws UsageError when several ranks make a pass that changes what they cannot share.
template <class F, class Exec>
void require_shareable(const Exec& exec) {
  if (!NotesChanges<F> && !Declares<F, can::ExchangeLater> && !exec.part().is_single_rank()) refuse_ranks();
}

template <class Exec>
std::size_t in_this_process(const Exec& exec) {
  if (exec.part().is_single_rank() || !exec.part().exchange->place().one_process) return 1;
  return static_cast<std::size_t>(exec.part().exchange->size());
}

/// Counts of a step on one rank.
struct StepHeader {
  std::uint64_t edges = 0;  ///< examined
  std::uint64_t joined = 0;
  std::uint64_t joined_edges = 0;

  StepHeader& operator+=(const StepHeader& other) {
    edges += other.edges, joined += other.joined, joined_edges += other.joined_edges;
    return *this;
  }
};

/// Returns each rank's `mine`, by rank.
template <class Exec, class T>
std::vector<T> gather_from_ranks(const Exec& exec, const T& mine) {
  if (exec.part().is_single_rank()) return {mine};
  return gather_values(*exec.part().exchange, mine);
}

/// Returns where this rank writes to the other ranks' `mine`, in the order of ranks; empty where it cannot. All ranks
/// together, also for exec.leave_others(), before any of them frees it.
template <class Exec, class T>
std::vector<T*> places_elsewhere(Exec& exec, T* mine) {
  std::vector<T*> places;
  for (void* const place : exec.enter_others(mine)) places.push_back(static_cast<T*>(place));
  return places;
}

/// Returns rank 0's value. Sums in another order of threads differ in their last digits, and a rank's decisions must not.
template <class Exec, class T>
T broadcast_from_root(const Exec& exec, const T& mine) {
  return gather_from_ranks(exec, mine).front();
}

}  // namespace graphrun::ranks::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class T>
T sum_of_ranks(const Exec& exec, const T& mine) {
  T sum{};
  for (const T& each : ranks::gather_from_ranks(exec, mine)) sum += each;
  return sum;
}

template <class Exec, class T>
T largest_of_ranks(const Exec& exec, T mine) {
  return std::ranges::max(ranks::gather_from_ranks(exec, mine));
}

}  // namespace graphrun::inline GR_IDS
