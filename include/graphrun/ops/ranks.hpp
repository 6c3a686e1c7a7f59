// SPDX-License-Identifier: Apache-2.0
// Exchanges after a step, for ranks of both executors. Vertex state is the same on every rank (of CC only in effect: trees of one
// component may differ; of BFS, which vertices have a parent), and so is each decision that depends on it. A rank traverses its
// own vertices' lists; then it publishes its changes, and merges the others' (cpu_ranks.hpp, cuda_ranks.cuh). The operators do
// that; a functor that does not say how is refused. Sums are merged by can::Add. For other states a functor has
//
//   f.state(v)             what a step changed at v: a label, a score
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
// A functor of edge_reduce_pull shares what finish() writes, or can::ExchangeLater. If finish() writes to the other ranks' memory
// at once (can::WriteElsewhere), f.bytes_elsewhere() returns the bytes to each for a vertex.
//
// A functor that can::ExchangeLater has none of these: nothing joins by it, counts are one rank's own, and the algorithm merges
// what it wrote, by add_over_ranks() or collect_members().
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/exec/exchange.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

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
auto state_of(const F& f) {
  if constexpr (Declares<F, can::Share>)
    return f.state(VertexId{});
  else
    return NoState{};
}
template <class F>
using StateOf = decltype(state_of(std::declval<const F&>()));

/// Throws UsageError when there are several ranks, which F does not tell how to merge what it changes.
template <class F, class Exec>
void require_single_rank(const Exec& exec) {
  if (Declares<F, can::ExchangeLater> || exec.part().is_single_rank()) return;
  throw UsageError(
      "this algorithm runs on one rank: a functor does not say how ranks merge what it changes (can::Add, can::Share)");
}

/// Throws UsageError for several ranks: an edge depends on those before it.
template <class Exec>
void require_one_after_another(const Exec& exec) {
  if (exec.part().is_single_rank()) return;
  throw UsageError("edges in sequence, as of a sample by weight, are drawn by one rank: leave ranks out, and name one GPU");
}

template <class Exec>
std::size_t in_this_process(const Exec& exec) {
  return exec.part().is_single_rank() || exec.part().exchange->place().one_process ? exec.part().ranks() : 1;
}

/// Makes an array of what ranks note for each other; a single rank has none, at a null address.
template <class T, class Exec>
auto make_notes(Exec& exec, std::size_t size) {
  return exec.part().is_single_rank() ? typename Exec::template Array<T>() : exec.template make_array<T>(size);
}

/// Returns this rank's equal share [first, second) of `size` items.
template <class Exec>
std::pair<std::uint64_t, std::uint64_t> share_of(const Exec& exec, std::uint64_t size) {
  const RankPart& part = exec.part();
  return {size * part.rank() / part.ranks(), size * (part.rank() + 1) / part.ranks()};
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

/// Returns the lists of all ranks, one after another.
template <class Exec, class T>
std::vector<T> concatenate(const Exec& exec, std::vector<T>&& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (exec.part().is_single_rank()) return std::move(mine);
  std::vector<T> all;
  for (const auto bytes : exec.part().exchange->all_gather(std::as_bytes(std::span(mine)))) {
    const std::size_t before = all.size();
    all.resize(before + bytes.size() / sizeof(T));
    copy_published(bytes, std::span(all).subspan(before));
  }
  return all;
}

/// Returns where this rank writes to the other ranks' `mine`, in the order of ranks; empty where it cannot or has no others. All
/// ranks together, also for exec.leave_others(), before any of them frees it.
template <class Exec, class T>
std::vector<T*> places_elsewhere(Exec& exec, T* mine) {
  std::vector<T*> places;
  if (exec.part().is_single_rank()) return places;
  for (void* const place : exec.enter_others(mine)) places.push_back(static_cast<T*>(place));
  return places;
}

/// Returns the elements of an array of `n` that a rank publishes in one exchange: all ranks together a 32nd of them, because
/// every rank holds the messages of all. A multiple of 32: whole words of a bitmap.
inline std::size_t elements_at_once(const RankPart& part, std::size_t n) {
  constexpr std::size_t kLeast = 1 << 16;
  return std::max<std::size_t>(1, std::max(kLeast, n / 32) / part.ranks() / 32) * 32;
}

/// Pieces, of an exchange each, of `count` elements that a rank publishes.
struct ExchangePieces {
  std::size_t count;
  std::size_t each;
  std::size_t size() const { return (count + each - 1) / each; }
  std::size_t begin(std::size_t i) const { return std::min(count, i * each); }
  std::size_t end(std::size_t i) const { return begin(i + 1); }
  template <class T>
  std::span<T> of(std::span<T> elements, std::size_t i) const {
    return elements.subspan(begin(i), end(i) - begin(i));
  }
};

/// Returns rank 0's value. Sums in another order of threads differ in their last digits, and a rank's decisions must not.
template <class Exec, class T>
T broadcast_from_root(const Exec& exec, const T& mine) {
  return gather_from_ranks(exec, mine).front();
}

/// Calls f for the vertices from `first` on.
template <class F>
struct From {
  F f;
  std::uint64_t first;
  GR_HD auto operator()(std::size_t i) const { return f(static_cast<std::size_t>(first + i)); }
};

/// Copies elements.
template <class T>
struct CopyElements {
  const T* from;
  T* to;
  GR_HD void operator()(std::size_t i) const { to[i] = from[i]; }
};

/// Adds an edge's amount to a sum, which ranks exchange. With can::Correct, what is added to joins.
template <class F, class... Joins>
struct AddToSums {
  using Weight = typename F::Weight;
  using Can = Capabilities<can::ExchangeLater, Joins...>;
  using Amount = decltype(std::declval<F>()(std::declval<F>().source(VertexId{}), VertexId{}, Weight{}));
  F f;
  Amount* sums;

  GR_HD auto source(VertexId u) const { return f.source(u); }
  template <class Source>
  GR_HD bool operator()(Source from, VertexId v, Weight w) const {
    const Amount amount = f(from, v, w);
    if (amount == Amount{}) return false;
    atomics::fetch_add(sums[v], amount);
    return sizeof...(Joins) != 0;
  }
};

/// Adds the sum of all ranks at v, which becomes zero.
template <class F>
struct TakeSum {
  F f;
  typename AddToSums<F>::Amount* sums;
  GR_HD bool operator()(VertexId v) const {
    const auto sum = sums[v];
    if (sum == decltype(sum){}) return false;
    sums[v] = {};
    return f.add(v, sum);
  }
};

template <class T>
struct SetZero {
  T* array;
  GR_HD void operator()(std::size_t i) const { array[i] = T{}; }
};

/// Prepares add_over_ranks() for an array whose elements each rank fills in part; a single rank fills all.
template <class T, class Exec>
void begin_parts(Exec& exec, T* array, std::size_t n) {
  if (!exec.part().is_single_rank()) vertex_map(exec, n, SetZero<T>{array});
}

/// Returns the executor's zeros. Their user makes them zero again, and no longer `in_use`.
template <class T, class Exec>
T* take_zeros(Exec& exec, std::size_t n) {
  auto& [bytes, in_use] = exec.zeros();
  const bool has_room = bytes.size() >= n * sizeof(T);
  if (!has_room) bytes = exec.template make_array<std::byte>(n * sizeof(T));
  auto* const zeros = reinterpret_cast<T*>(bytes.data());
  if (!has_room || in_use) vertex_map(exec, n, SetZero<T>{zeros});
  in_use = true;
  return zeros;
}

/// Picks of all ranks' lists. A rank reads its own; the targets of the others are 0 until all ranks' are added up.
struct Picks {
  const WorkItem* items;
  RankPart part;
  EdgeId* places;     ///< of each pick among the own ones, by CountOwn and exclusive sums
  VertexId* targets;  ///< of all picks

  GR_HD bool owns(std::size_t i) const { return part.first <= items[i].vertex && items[i].vertex < part.last; }
};
struct CountOwn {
  Picks of;
  GR_HD void operator()(std::size_t i) const {
    of.places[i] = of.owns(i) ? 1 : 0;
    of.targets[i] = 0;
  }
};
struct ListOwn {
  Picks of;
  WorkItem* own;
  EdgeId* numbers;  ///< of each own pick, among all
  GR_HD void operator()(std::size_t i) const {
    if (!of.owns(i)) return;
    own[of.places[i]] = of.items[i];
    numbers[of.places[i]] = i;
  }
};
template <class F>
struct TakeTargets {
  using Can = ForwardedCapabilities<F, can::Seek>;
  F f;
  VertexId* targets;
  const EdgeId* numbers;
  GR_HD void operator()(std::size_t i, VertexId v) const { targets[numbers[i]] = v; }
  GR_HD VertexId sought(std::size_t i) const
    requires(Declares<F, can::Seek>)
  {
    return f.sought(numbers[i]);
  }
};
template <class F>
struct VisitTargets {
  F f;
  const VertexId* targets;
  GR_HD void operator()(std::size_t i) const { f(i, targets[i]); }
};

/// Returns DirectionCosts::add.
template <class Exec>
double add_cost(const Exec& exec) {
  return exec.part().is_single_rank() ? 0 : 0.25;
}

}  // namespace graphrun::ranks::inline GR_IDS

namespace graphrun::inline GR_IDS {

// Exchanges of functors that do not say how. Throw UsageError for several ranks, unless the algorithm merges later.
template <class Exec, class F>
requires(!ranks::NotesChanges<F>) EdgeMapStats share_changes(const Exec& exec, const Rows&, EdgeMapStats stats, const F&) {
  return ranks::require_single_rank<F>(exec), stats;
}
template <class Exec, class F>
requires(!Declares<F, can::Share>) EdgeMapStats
    exchange_after_push(const Exec& exec, EdgeMapStats stats, const F&, const FrontierOf<Exec>&) {
  return ranks::require_single_rank<F>(exec), stats;
}
template <class Exec, class F>
requires(!Declares<F, can::Mark>) EdgeMapStats
    exchange_after_pull(const Exec& exec, EdgeMapStats stats, const F&, const FrontierOf<Exec>&) {
  return ranks::require_single_rank<F>(exec), stats;
}

/// Pushes and adds. Of several ranks each sums up what its lists give to each vertex; then all add the sums of all.
template <class Exec, class View, class F>
requires AddingPush<F> EdgeMapStats edge_map_push(Exec& exec, const Rows& rows, const View& edges, FrontierOf<Exec>& frontier,
                                                  F f, FrontierOf<Exec>& next) {
  if (exec.part().is_single_rank()) return edge_map_push(exec, rows, edges, frontier, AddAtOnce<F>{f}, next);
  const std::size_t n = rows.num_vertices;
  prepare_members(exec, frontier, f);
  const ranks::TakeSum<F> take{f, ranks::take_zeros<typename ranks::AddToSums<F>::Amount>(exec, n)};
  EdgeMapStats stats;
  const auto exchange = [&] {
    // On GPUs add_over_ranks() makes a list where few sums are not zero.
    if constexpr (std::is_same_v<Exec, CpuExecutor>) {
      constexpr EdgeId kElementsAnEdge = 8;  // of an array, which ranks sum up in the time of an edge of a small step
      if (frontier.edges() < n / kElementsAnEdge) {
        stats = edge_map_push(exec, rows, edges, frontier, ranks::AddToSums<F, can::Correct>{f, take.sums}, next);
        stats.edges = add_members_over_ranks(exec, stats.edges, next, take.sums);
        return keep_members(exec, next, take);
      }
    }
    stats = edge_map_push(exec, rows, edges, frontier, ranks::AddToSums<F>{f, take.sums}, next);
    stats.edges = sum_of_ranks(exec, stats.edges);
    add_over_ranks(exec, take.sums, n);
    vertex_filter(exec, n, take, next);
  };
  exchange();
  exec.zeros().in_use = false;
  return stats;
}

template <class Exec, class T>
T sum_of_ranks(const Exec& exec, const T& mine) {
  T sum{};
  for (const T& each : ranks::gather_from_ranks(exec, mine)) sum += each;
  return sum;
}

/// Of several ranks each reads the picks in its own lists, and all get all.
template <class Exec, class View, class F>
void edge_map_picked(Exec& exec, const Rows& rows, const View& edges, const WorkItem* items, std::size_t n, F f) {
  if (exec.part().is_single_rank()) return edge_map_picked_here(exec, rows, edges, items, n, f);
  auto places = exec.template make_array<EdgeId>(n);
  auto targets = exec.template make_array<VertexId>(n);
  const ranks::Picks picks{items, exec.part(), places.data(), targets.data()};
  vertex_map(exec, n, ranks::CountOwn{picks});
  const EdgeId count = exclusive_sums(exec, places);
  auto own = exec.template make_array<WorkItem>(count);
  auto numbers = exec.template make_array<EdgeId>(count);
  vertex_map(exec, n, ranks::ListOwn{picks, own.data(), numbers.data()});
  edge_map_picked_here(exec, rows, edges, own.data(), count, ranks::TakeTargets<F>{f, targets.data(), numbers.data()});
  add_over_ranks(exec, targets.data(), n);
  vertex_map(exec, n, ranks::VisitTargets<F>{f, targets.data()});
}

/// Makes rounds of edge_map_ordered: a push from queue.near, and choose(), which leaves the next round's vertices there.
template <class Exec, class View, class F, class Choose>
EdgeMapStats push_in_rounds(Exec& exec, const Rows& rows, const View& edges, OrderedQueueOf<Exec>& queue, const F& f,
                            const Choose& choose) {
  static_assert(Declares<F, can::Correct>, "a search by priority corrects labels: declare can::Correct");
  EdgeMapStats stats;
  Progress progress("shortest paths", 0, "round");
  for (; !queue.near.empty(); choose()) {
    const std::uint64_t examined = edge_map_push(exec, rows, edges, queue.near, f, queue.next).edges;
    stats.edges += examined;
    ++stats.steps;
    progress.end_round(examined);
    if (queue.after_round) queue.after_round();
  }
  return stats;
}

/// Returns all lists as one array, where they are one now for this executor: unpacked, or all in a CPU's page cache. Ranks have
/// none, for they decide alike.
template <bool kWeighted, class Exec, class View>
std::optional<DirectView> array_now(Exec& exec, const View& edges) {
  if (!exec.part().is_single_rank()) return std::nullopt;
  if constexpr (std::is_same_v<View, DirectView>) {
    return edges.packed == nullptr ? std::optional(edges) : std::nullopt;
  } else if constexpr (is_paged<View> && std::is_same_v<Exec, CpuExecutor>) {
    return edges.template array_now<kWeighted>(exec.pool());
  }
  return std::nullopt;
}

/// Returns the sum of f(v) over all vertices. Each rank calls f for its own.
template <class T, class Exec, class F>
T own_sum(Exec& exec, std::size_t n, const F& f) {
  const RankPart part = exec.part().within(n);
  return sum_of_ranks(exec, vertex_sum_here<T>(exec, part.last - part.first, ranks::From<F>{f, part.first}));
}

/// Returns all ranks' `mine`, one after another, on rank 0, and nothing on other ranks.
template <class Exec, class T>
std::vector<T> collect_at_root(const Exec& exec, std::vector<T> mine) {
  const RankPart& part = exec.part();
  if (part.is_single_rank()) return mine;
  std::vector<std::size_t> places{0};  // by rank
  std::size_t longest = 0;
  for (const std::size_t theirs : ranks::gather_from_ranks(exec, mine.size())) {
    places.push_back(places.back() + theirs);
    longest = std::max(longest, theirs);
  }
  std::vector<T> all(exec.answers() ? places.back() : 0);
  const ranks::ExchangePieces pieces{mine.size(), ranks::elements_at_once(part, places.back())};
  const std::size_t rounds = (longest + pieces.each - 1) / pieces.each;  // ranks with fewer publish nothing in the last
  for (std::size_t i = 0; i < rounds; ++i) {
    const auto parts = part.exchange->all_gather(std::as_bytes(pieces.of(std::span(mine), i)));
    for (std::size_t rank = 0; exec.answers() && rank < parts.size(); ++rank) {
      const auto theirs = std::span(all).subspan(places[rank], places[rank + 1] - places[rank]);
      copy_published(parts[rank], ranks::ExchangePieces{theirs.size(), pieces.each}.of(theirs, i));
    }
  }
  return all;
}

/// Returns a per-vertex array on rank 0, and nothing on other ranks; each holds valid values for the vertices it owns. A single
/// rank reuses the memory of `into`.
template <class Exec, class Array, class T>
std::vector<T> download_parts(Exec& exec, const Array& array, std::vector<T> into) {
  const RankPart own = exec.part().within(array.size());
  if (!exec.part().is_single_rank()) into = {};
  return collect_at_root(exec, exec.download(array, own.first, own.last, std::move(into)));
}

/// A per-vertex array. A rank holds its own vertices' elements, or all.
template <class Exec, class T>
class PartArray {
  using Array = typename Exec::template Array<T>;

 public:
  PartArray() = default;
  /// Holds the elements of `part`; of the part of a single rank, all `n`.
  PartArray(Exec& exec, std::size_t n, const RankPart& part)
      : size_(n), first_(part.within(n).first), held_(exec.template make_array<T>(part.within(n).last - first_)) {}

  /// Returns the address that is indexed by vertices. Only held elements may be touched.
  T* data() { return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(held_.data()) - first_ * sizeof(T)); }
  std::size_t size() const { return size_; }
  Array& held() { return held_; }

  /// Gives all ranks all elements. Collective.
  void hold_all(Exec& exec) {
    if (held_.size() == size_) return collect_parts(exec, held_);
    PartArray all(exec, size_, {});
    vertex_map(exec, held_.size(), ranks::CopyElements<T>{held_.data(), all.data() + first_});
    collect_parts(exec, all.held_);
    *this = std::move(all);
  }
  /// Returns all elements on rank 0, and nothing on other ranks. Collective.
  std::vector<T> download(Exec& exec) {
    const RankPart own = exec.part().within(size_);
    return collect_at_root(exec, exec.download(held_, own.first - first_, own.last - first_));
  }

 private:
  std::size_t size_ = 0;
  std::uint64_t first_ = 0;
  Array held_;
};

template <class Exec, class T>
T largest_of_ranks(const Exec& exec, T mine) {
  return std::ranges::max(ranks::gather_from_ranks(exec, mine));
}

}  // namespace graphrun::inline GR_IDS
