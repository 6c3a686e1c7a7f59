// SPDX-License-Identifier: Apache-2.0
// The primitives of algorithms. This page is their contract; ops/cpu_*.hpp and ops/cuda_*.cuh hold the two implementations, found
// by overload on the executor. They differ in how a frontier is stored, split and appended, and how lists are traversed, not in
// results.
//
//   vertex_map(exec, n, f)                         calls f(i) for i in [0, n)
//   vertex_map(exec, n, f, grain)                  does the same on host threads, `grain` of them at a time
//   vertex_sum<T>(exec, n, f)                      returns the sum of f(i); T is a number, or Sums<N> for N sums in one pass
//   fill(exec, array, value)
//
//   load_kernels<Algorithm>(exec)                  once, before the clock: a GPU's driver loads the kernels of the source that
//                                                  instantiates Algorithm. Sources with other kernels load them where their
//                                                  objects are made
//
//   frontier_map(exec, frontier, f)                calls f(v) for each vertex of a frontier
//   keep_members(exec, frontier, f)                keeps the members with f(v). On host threads
//   vertex_filter(exec, n, f, frontier)            sets the frontier to all v < n with f(v)
//
//   edge_map_push(exec, rows, edges, frontier, f, next)
//       For each vertex u of the frontier, with s = f.source(u), and each edge u -> v of weight w: calls f(s, v, w).
//       Where it returns true v joins `next`. f makes sure that happens once a vertex and step, or is correcting
//       (can::Correct) and returns true for every change. Throws UsageError (on a GPU RunError) when more join than there are
//       vertices. With can::Add f returns what the edge adds, and f.add(v, amount) decides whether v joins. With can::Prepare
//       f.prepare(u) is called for each u once before its edges are looked at. With can::Want edges to v for which f.wants(v) is
//       false may be left out. Views that are asynchronous() may apply a correcting f again at once to vertices that would join;
//       these do not join then. With can::GoOn a call may be several steps: a small one may push on from the vertices that joined
//       in it, where f.goes_on(joined, edges) is true. Then `joined` vertices have joined in the call so far, and the last step's
//       have `edges` edges. `next` holds the last step's vertices, and `frontier` is of no use any more.
//
//   edge_map_pull(exec, rows, edges, out, f, next)
//       For each vertex v with f.wants(v): scans its list until f.accepts(u); then f.visit(v, u) and v joins `next`. With
//       can::KeepOpen vertices without a bit in f.open_vertices() may be left out, and bits are cleared of vertices that joined
//       or want nothing: f.wants(v) must stay false while the bits are kept. Bits from the number of vertices on are zero.
//
//   edge_map_all(exec, rows, edges, skip, f)
//       For each vertex v with f.wants(v) and each edge of its list from position `skip` on: calls f(v, u).
//   edge_gather_bits(exec, rows, edges, f)
//       For each vertex v that lacks the bits f.lacking(v): scans its list until f.bits(u) have brought all of them; then calls
//       f.take(v, bits) with the bits that came, if any. Several threads may scan pieces of a list: each takes its bits, and
//       f.lacking(v) excludes bits that were taken.
//   edge_map_leading(exec, rows, edges, count, f)
//       For each vertex v and each of the first `count` edges of its list: calls f(v, u).
//       Of several ranks each publishes the changes of f after these three, and merges the others' (ranks.hpp).
//   share_changes(exec, rows, stats, f)
//       Does so after a pass whose functor can::ExchangeLater, with another f for the same state. Returns `stats` of all ranks;
//       `exchanged` tells whether there were others.
//
//   edge_reduce_pull(exec, rows, edges, f)
//       For each vertex v: sum = sum of f.value(u), an F::Value (float or double), over its list; returns the sum over all v of
//       f.finish(v, sum), a double (Sums<N> where reduces_to_sums). With can::Want only for v with f.wants(v), which only
//       f.finish(v) changes.
//
//   edge_map_ordered(exec, rows, edges, queue, f)        queue: OrderedQueueOf<Exec>, made once, reused
//       Label-correcting search by priority. Processes vertices in the order of f.bucket(v), smallest first, beginning with
//       queue.near: for each edge u -> v, f(f.source(u), v, w) returns whether v's priority improved; v is then processed
//       (again). f.settled(u, bucket) tells that u was finished in an earlier bucket. Calls queue.after_round() between rounds.
//
//   edge_map_prefixes(exec, rows, records, f)      records: a view of Csr::records, lists ascending by weight
//       For each vertex v with f.wants(v): opens a cursor, c = f.open(v), and reads v's list on from its step c.steps, which is
//       f.steps(v), a step of up to kRecordsAStep records at a time, while c.goes_on(): f.visit(c, u, w, s) for each record, then
//       c.pass(w) with the last weight. s is f.relaxing().state(u), loaded before. c.is_at_end tells whether the list was read to
//       its end. Last f.close(v, c). On a GPU several lanes may read a list, each with a copy of c; after each step
//       c.combine(least) shares their finds. Long lists are read in parts by several warps: each opens a cursor, sets it to the
//       beginning of its part, and closes it. Of several ranks each reads the lists of its own vertices; f.relaxing() says which
//       distances fell (`lowered`), and merges the others' distances.
//
//   edge_map_prefixes_ordered(exec, rows, records, queue, start, f, go_on)
//       As edge_map_ordered, from the vertices of the frontier `start`, and each list only up to the end of the current bucket:
//       c = f.open(u, bucket, begin, end, counts), f.relax(c.from, v, w, s) for each record, and f.close(u, c) returns the bucket
//       in which the list is to be read on, if any. f.is_due(u, bucket) tells whether there is anything to read. Where
//       f.states[u] is kept, its `steps` has two bits that are the operator's. A GPU knows by f.due(u) in which bucket a list is
//       to be read, and warps that read further parts of one have cursors f.resume(u, bucket). After each bucket
//       go_on(PrefixCounts, bucket) may change f and returns false to leave the search.
//
//   edge_map_picked(exec, rows, edges, items, n, f)
//       items: n work items of one edge each, in any order, in the executor's memory. Calls f(i, v) for the edge of items[i],
//       which leads to v. With can::Seek items are ascending lists or parts of them, no longer than rows.chunk_edges, and v is
//       the smallest neighbour that is not below f.sought(i), or kNoVertex. Where pages are evicted, host threads read items in
//       about the order of the edge list, which takes 24 bytes an item.
//   edge_map_serial(exec, rows, edges, items, n, f)
//       items: n work items, each no longer than rows.chunk_edges. For each i < n and each edge e of items[i], of weight w, one
//       after another: f(i, e, w). On one rank. Where f.skips(i, e, w), the call may be left out: a GPU looks at many edges at a
//       time.
//
//   vertex_histogram(exec, n, bins, f)             returns sums by bin; f(v, add) calls add(bin, amount) any number of times.
//   Each
//                                                  rank calls f for its own vertices, and all get the sums
//
//   largest_of_ranks(exec, x), sum_of_ranks        return the largest x of all ranks (ranks.hpp), and the sum of all
//   collect_parts(exec, array)                     gives all ranks each rank's own elements of a per-vertex array
//   collect_members(exec, frontier, array)         does the same for the vertices of a frontier alone
//   array_now<kWeighted>(exec, edges)              returns all lists as one array, where they are one now (ranks.hpp)
//   add_over_ranks(exec, array, n)                 gives all ranks the sums of n numbers each, added in the order of ranks
//   direction_costs(exec, edges)                   returns relative costs (DirectionCosts)
//   pushes_alone(exec, edges, frontier)            returns whether one thread will do all of an edge_map_push
//
// Functors are trivially copyable, callable from host and device, and touch shared words only through core/atomics.hpp.
// F::Weight is std::uint32_t, float, or NoWeight. What else they can do they declare (capabilities.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "graphrun/core/atomics.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/capabilities.hpp"
#include "graphrun/view/walk.hpp"

namespace graphrun {
class CpuExecutor;
class CudaExecutor;
}  // namespace graphrun

namespace graphrun::inline GR_IDS {

struct Rows;
class CpuFrontier;
class CpuOrderedQueue;
class CudaFrontier;
class CudaOrderedQueue;

template <class Algorithm>
void load_kernels(CpuExecutor&) {}

/// The executor's representation of sets of vertices.
template <class Exec>
struct VertexSets;
template <>
struct VertexSets<CpuExecutor> {
  using Frontier = CpuFrontier;
  using OrderedQueue = CpuOrderedQueue;
};
template <>
struct VertexSets<CudaExecutor> {
  using Frontier = CudaFrontier;
  using OrderedQueue = CudaOrderedQueue;
};
template <class Exec>
using FrontierOf = typename VertexSets<Exec>::Frontier;
template <class Exec>
using OrderedQueueOf = typename VertexSets<Exec>::OrderedQueue;

/// Push functors that add.
template <class F>
concept AddingPush = Declares<F, can::Add>;

/// Push functors that may return true for a vertex more than once a step.
template <class F>
concept RepeatingPush = Declares<F, can::Correct> && !Declares<F, can::JoinOnce> && !AddingPush<F>;

template <class F>
concept PlainPush = !RepeatingPush<F> && !AddingPush<F>;

/// Push functors without weights that know beforehand which vertices no edge changes any more.
template <class F>
concept ChoosingPush = sizeof(typename F::Weight) < sizeof(std::uint32_t) && Declares<F, can::Want>;

template <class F>
GR_HD bool wants_sum(const F& f, VertexId v) {
  if constexpr (Declares<F, can::Want>) return f.wants(v);
  return true;
}

/// A repeating push whose vertices join once: the first change of a step sets a bit of `joined`.
template <class F>
struct JoiningOnce {
  using Weight = typename F::Weight;
  using Can = ForwardedCapabilities<F, can::Prepare, can::Share, can::ExchangeLater>;
  F f;
  BitmapRef joined;

  GR_HD void prepare(VertexId u) const requires Declares<F, can::Prepare> { f.prepare(u); }
  GR_HD auto source(VertexId u) const { return f.source(u); }
  template <class Source>
  GR_HD bool operator()(Source from, VertexId v, Weight w) const {
    return f(from, v, w) && joined.set(v);
  }
  GR_HD auto state(VertexId v) const requires Declares<F, can::Share> { return f.state(v); }
  template <class State>
  GR_HD bool take(VertexId v, State state) const requires Declares<F, can::Share> {
    return f.take(v, state) && joined.set(v);
  }
};

/// An adding push of a single rank: each edge adds at once.
template <class F>
struct AddAtOnce {
  using Weight = typename F::Weight;
  using Can = ForwardedCapabilities<F, can::Correct, can::JoinOnce, can::Prepare>;
  F f;

  GR_HD void prepare(VertexId u) const requires Declares<F, can::Prepare> { f.prepare(u); }
  GR_HD auto source(VertexId u) const { return f.source(u); }
  template <class Source>
  GR_HD bool operator()(Source from, VertexId v, Weight w) const {
    const auto amount = f(from, v, w);
    return amount != decltype(amount){} && f.add(v, amount);
  }
};

/// Views over which a correcting push can be asynchronous.
template <class View>
concept MayBeAsynchronous = requires(const View& edges) {
  edges.asynchronous();
};

/// Returns whether a correcting push over the view is asynchronous.
template <class View>
bool is_asynchronous(const View& edges) {
  if constexpr (MayBeAsynchronous<View>) return edges.asynchronous();
  return false;
}

/// N sums of one pass.
template <int N>
struct Sums {
  double of[N] = {};
  GR_HD Sums& operator+=(const Sums& other) {
    for (int i = 0; i < N; ++i) of[i] += other.of[i];
    return *this;
  }
};

/// Returns whether f.finish of edge_reduce_pull may return Sums<N>.
template <class Exec, class View>
inline constexpr bool reduces_to_sums = (std::is_same_v<Exec, CpuExecutor> && WalkableView<View>);

template <class F>
struct JoinWhere {
  F f;
  BitmapRef members;
  GR_HD void operator()(std::size_t v) const {
    if (f(static_cast<VertexId>(v))) members.set(static_cast<VertexId>(v));
  }
};

template <class F>
struct PrepareEach {
  F f;
  GR_HD void operator()(std::size_t v) const { f.prepare(static_cast<VertexId>(v)); }
};

/// Calls f.prepare(v) for each vertex of a frontier, where f has it.
template <class Exec, class F>
void prepare_members(Exec& exec, FrontierOf<Exec>& frontier, const F& f) {
  if constexpr (Declares<F, can::Prepare>) frontier_map(exec, frontier, PrepareEach<F>{f});
}

template <class Exec, class F>
void vertex_filter(Exec& exec, std::size_t n, F f, FrontierOf<Exec>& frontier) {
  vertex_map(exec, n, JoinWhere<F>{f, frontier.start_empty_bitmap(exec)});
  frontier.count_members(exec);
}

/// Counts of one operator call.
struct EdgeMapStats {
  std::uint64_t edges = 0;  ///< edges examined
  std::uint64_t steps = 0;  ///< synchronous rounds (1, except for edge_map_ordered and pushes that go on)
  // Of a push that went on: the vertices that joined in any step but the last, and their edges.
  std::uint64_t passed = 0;
  EdgeId passed_edges = 0;
  bool exchanged = false;  ///< of a pass: other ranks' changes were merged
};

template <class Exec, class View, class F>
requires RepeatingPush<F> &&(!MayBeAsynchronous<View>)EdgeMapStats
    edge_map_push(Exec& exec, const Rows& rows, const View& edges, FrontierOf<Exec>& frontier, F f, FrontierOf<Exec>& next) {
  const BitmapRef joined = next.start_empty_bitmap(exec);
  return edge_map_push(exec, rows, edges, frontier, JoiningOnce<F>{f, joined}, next);
}

/// Records of a step, by their place in the column: 64 bytes with 32-bit ids, which a link brings in one request.
inline constexpr EdgeId kRecordsAStep = 8;

/// Bits of a vertex's count of steps that say who reads its list.
inline constexpr std::uint32_t kPrefixClaimed = 1u << 31;
inline constexpr std::uint32_t kPrefixAgain = 1u << 30;
inline constexpr std::uint32_t kPrefixSteps = kPrefixAgain - 1;

/// Returns the first record of step `steps` of the list [begin, end); `end` after the last.
GR_HD constexpr EdgeId record_of_step(EdgeId begin, EdgeId end, std::uint32_t steps) {
  const EdgeId first = steps == 0 ? begin : (begin / kRecordsAStep + steps) * kRecordsAStep;
  return first < end ? first : end;
}

/// Returns the weight in the second word of a record. Floats are not negative: in an unchecked file a search would not end.
template <class Weight>
GR_HD Weight weight_of(VertexId word) {
  const auto bits = static_cast<std::uint32_t>(word) & (std::is_floating_point_v<Weight> ? 0x7fffffffu : 0xffffffffu);
  Weight weight;
  memcpy(&weight, &bits, sizeof(weight));
  return weight;
}

/// No bucket of edge_map_ordered or edge_map_prefixes_ordered: there is nothing more to process, or to read.
inline constexpr std::uint64_t kNoBucket = ~std::uint64_t{0};

/// Finds of edge_map_prefixes_ordered since it last called go_on.
struct PrefixCounts {
  std::uint64_t read = 0;      ///< records
  std::uint64_t vertices = 0;  ///< lists that were opened for the first time
  std::uint64_t edges = 0;     ///< of their lists
  std::int64_t unread = 0;     ///< growth of the records that opened lists still have

  GR_HD PrefixCounts& operator+=(const PrefixCounts& more) {
    read += more.read;
    vertices += more.vertices;
    edges += more.edges;
    unread += more.unread;
    return *this;
  }
};

/// Relative costs of examining edges in each direction, to choose one. A pulling vertex costs at least `pull_vertex`, because
/// memory comes in lines.
struct DirectionCosts {
  double push_edge;
  double pull_edge;
  double pull_vertex;
  double look = 0;           ///< at a vertex, whether it pulls
  double add = 0;            ///< a vertex of the graph, where a push adds: ranks exchange sums
  bool whole_lists = false;  ///< a pulling vertex pays for its whole list, wherever it leaves it
};

}  // namespace graphrun::inline GR_IDS
