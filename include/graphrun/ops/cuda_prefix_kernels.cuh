// SPDX-License-Identifier: Apache-2.0
// Kernels that read lists of records from where they were left, until a functor stops. A warp takes 32 vertices at a time. In
// device memory, while many of their lists are read, each lane reads one; else eight lanes do. The rest of a long list is cut
// into pieces; a warp reads one.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "graphrun/core/atomics.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/bitmap.hpp"
#include "graphrun/ops/cuda_frontier.hpp"
#include "graphrun/ops/cuda_launch.cuh"
#include "graphrun/ops/cuda_order.cuh"
#include "graphrun/ops/cuda_ranks.cuh"
#include "graphrun/ops/cuda_warp.cuh"
#include "graphrun/ops/operators.hpp"

namespace graphrun::cuda::inline GR_IDS {

inline constexpr EdgeId kPieceRecords = 512;     // 4 KiB with 32-bit ids
inline constexpr std::uint32_t kTeamSteps = 16;  // steps of eight lanes on a list before it is cut
inline constexpr int kManyLists = 8;             // from here on each lane reads one
inline constexpr unsigned kLeastAlone = 4;       // steps of a lane on a list before it is cut
inline constexpr unsigned kMostAlone = 8;        // and before it is left to eight
inline constexpr VertexId kNoPiece = ~VertexId{0};
static_assert(kPieceRecords % kWarp == 0 && kRecordsAStep == 8);

/// Totals of a round in device memory, set by one copy.
struct PrefixTotals {
  PrefixCounts counts;
  unsigned long long near = 0;        ///< vertices to read on in this bucket
  unsigned long long pieces = 0;      ///< asked for; more than there is room for where some were read at once
  unsigned long long lowest = ~0ull;  ///< bucket of the far vertices
};
static_assert(sizeof(PrefixTotals) <= 64);  // CudaExecutor::set_counters

/// Piece `piece` of a list begins with the record of that step.
struct PieceQueue {
  QueueItem* items;
  std::uint64_t capacity;
};

/// Finds of a lane, in registers until its kernel ends.
struct PrefixFound {
  PrefixCounts counts;
  unsigned near = 0;
  unsigned long long lowest = ~0ull;

  __device__ void flush(PrefixTotals* totals) const {
    add(totals->counts.read, counts.read);
    add(totals->counts.vertices, counts.vertices);
    add(totals->counts.edges, counts.edges);
    add(totals->counts.unread, counts.unread);
    add(totals->near, near);
    const unsigned long long least = warp_min(lowest);
    if (lane_id() == 0 && least != ~0ull) atomicMin(&totals->lowest, least);
  }

 private:
  template <class T>
  __device__ static void add(T& total, unsigned long long mine) {
    mine = warp_sum(mine);
    if (lane_id() == 0 && mine != 0) atomicAdd(reinterpret_cast<unsigned long long*>(&total), mine);
  }
};

/// Reads all lists that f wants, once: edge_map_prefixes.
template <class F>
struct WholeWalk {
  using Weight = typename F::Weight;
  static constexpr bool kEachPieceCloses = true;
  F f;

  __device__ void lower(VertexId, PrefixFound&) const {}

  __device__ std::uint32_t may_want(std::uint64_t) const { return ~0u; }
  __device__ bool wants(VertexId v) const { return f.wants(v); }
  __device__ auto open(VertexId v, EdgeId, EdgeId, PrefixFound&) const { return f.open(v); }
  template <class Cursor, class State>
  __device__ void visit(Cursor& cursor, VertexId u, Weight weight, State seen, PrefixFound&) const {
    f.visit(cursor, u, weight, seen);
  }
  template <class Cursor>
  __device__ void leave(VertexId v, const Cursor& cursor) const {
    f.close(v, cursor);
  }
  __device__ auto resume(VertexId v) const { return f.open(v); }
  template <class Cursor>
  __device__ void close(VertexId v, const Cursor& cursor, PrefixFound&) const {
    f.close(v, cursor);
  }
};

/// A round of a bucket: edge_map_prefixes_ordered.
template <class F>
struct BucketWalk {
  using Weight = typename F::Weight;
  static constexpr bool kEachPieceCloses = false;  // only the piece in which the bucket ends
  F f;
  BitmapRef near;
  BitmapRef next;  ///< near in the round after it
  BitmapRef far;
  std::uint64_t bucket;
  VertexId first_own;  ///< of the vertices whose lists this rank reads
  VertexId own;

  /// Records that the distance of v fell.
  __device__ void lower(VertexId v, PrefixFound& found) const {
    if (v - first_own < own) place(v, f.bucket(v), found);
  }
  __device__ std::uint32_t may_want(std::uint64_t word) const { return near.words[word]; }
  __device__ bool wants(VertexId v) const { return near.test(v) && f.is_due(v, bucket); }
  __device__ auto open(VertexId v, EdgeId begin, EdgeId end, PrefixFound& found) const {
    return f.open(v, bucket, begin, end, found.counts);
  }
  template <class Cursor, class State>
  __device__ void visit(Cursor& cursor, VertexId u, Weight weight, State seen, PrefixFound& found) const {
    if (f.relax(cursor.from, u, weight, seen)) lower(u, found);
  }
  template <class Cursor>
  __device__ std::uint64_t leave(VertexId v, const Cursor& cursor) const {
    atomics::store(f.states[v].steps, cursor.steps);
    return f.close(v, cursor);
  }
  __device__ auto resume(VertexId v) const { return f.resume(v, bucket); }
  template <class Cursor>
  __device__ void close(VertexId v, const Cursor& cursor, PrefixFound& found) const {
    const std::uint64_t due = leave(v, cursor);
    if (due != kNoBucket) place(v, due, found);
  }

 private:
  __device__ void place(VertexId v, std::uint64_t due, PrefixFound& found) const {
    if (due <= bucket) {
      found.near += next.set(v) ? 1 : 0;
    } else {
      found.lowest = min(found.lowest, static_cast<unsigned long long>(due));
      far.set(v);
    }
  }
};

struct Record {
  VertexId neighbour;
  VertexId weight;
};

/// Reads records of a view. All 32 lanes together, as they do with the reader of edges inside it.
template <class View>
class RecordReader {
 public:
  explicit __device__ RecordReader(const View& records) : records_(records), words_(records) {}

  /// The cached prefix of v's list, where has_cached_prefixes(): records [begin, end), the first of them at `place`.
  struct Prefix {
    EdgeId place;
    EdgeId begin;
    EdgeId end;
  };
  /// Returns whether records are in device or managed memory: each lane may read a list alone, and call this without the others.
  __device__ bool is_near() const requires std::is_same_v<View, DirectView> { return !records_.is_far(); }
  __device__ bool has_cached_prefixes() const { return cuda::has_cached_prefixes(words_); }
  __device__ Prefix prefix(const Rows& rows, VertexId v) const {
    if constexpr (std::is_same_v<View, DirectView>) {
      const EdgeId begin = rows.offsets[v];
      return {records_.template place_of_prefix<2>(v), begin, records_.prefixes.end_of(begin, rows.offsets[v + 1])};
    } else {
      return {};
    }
  }
  /// Returns the record; zeros without `active`.
  __device__ Record operator()(EdgeId e, bool active) {
    if constexpr (std::is_same_v<View, DirectView>) {
      using Pair = std::conditional_t<sizeof(VertexId) == 4, uint2, ulonglong2>;  // one load
      const Pair pair = active ? reinterpret_cast<const Pair*>(records_.neighbours)[e] : Pair{};
      return {pair.x, pair.y};
    } else {
      words_.template reach<NoWeight>(active ? 2 * e : 0, active ? 2 * e + 2 : 0);
      VertexId words[2];
      words_.neighbours({2 * e, 2 * e + 1}, {active, active}, words);
      return {words[0], words[1]};
    }
  }

 private:
  const View& records_;  // a parameter of the kernel
  EdgeReader<View> words_;
};

/// Returns lane `lane`'s `value`.
template <class T>
__device__ T of_lane(const T& value, int lane) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(unsigned) == 0);
  unsigned words[sizeof(T) / sizeof(unsigned)];
  memcpy(words, &value, sizeof(T));
#pragma unroll
  for (unsigned& word : words) word = __shfl_sync(kAllLanes, word, lane);
  T copy;
  memcpy(&copy, words, sizeof(T));
  return copy;
}

/// Neighbouring lanes that read one list. All lanes of the warp call together.
template <int kLanes>
struct Team {
  static __device__ int lane() { return lane_id() % kLanes; }
  static __device__ int leader() { return lane_id() / kLanes * kLanes; }
  template <class T>
  __device__ T operator()(T value) const {  // the least of the team's
    for (int d = kLanes / 2; d > 0; d /= 2) value = min(value, __shfl_xor_sync(kAllLanes, value, d));
    return value;
  }
};

/// A list that a lane, a team or a warp reads.
template <class Cursor>
struct ReadList {
  Cursor cursor;
  VertexId vertex;
  EdgeId at;  ///< the record that is read next
  EdgeId end;

  __device__ bool goes_on() const { return at < end && cursor.goes_on(); }
  /// Returns whether the list can be cut into pieces here, and is long enough. Pieces begin and end where a warp's loads do, so
  /// that none reads records of the next one.
  __device__ bool is_long() const { return at % kWarp == 0 && end - at > kPieceRecords / 2; }
  /// Moves on to record `stop`, the last before it of that weight.
  template <class Weight>
  __device__ void move_to(EdgeId stop, Weight heaviest) {
    cursor.pass(heaviest, static_cast<std::uint32_t>((stop + kRecordsAStep - 1) / kRecordsAStep - at / kRecordsAStep));
    at = stop;
  }
};

/// Reads a team's list on, where `reads`, to a multiple of kLanes records.
template <int kLanes, class View, class Walk, class List>
__device__ void read_on(const Rows& rows, RecordReader<View>& records, const Walk& walk, List& list, bool reads, Tally& tally,
                        PrefixFound& found) {
  using Weight = typename Walk::Weight;
  const EdgeId e = list.at / kLanes * kLanes + Team<kLanes>::lane();
  const EdgeId stop = min(list.end, (list.at / kLanes + 1) * kLanes);
  const bool mine = reads && e >= list.at && e < stop;
  EdgeId far = list.at;  // the first beyond the cached prefix
  EdgeId place = e;
  if (records.has_cached_prefixes() && reads) {
    // Looked up for each step: few lists are read on in their cached prefixes, and registers are scarce.
    const auto prefix = records.prefix(rows, list.vertex);
    if (e < prefix.end) place = prefix.place + (e - prefix.begin);
    far = max(far, min(stop, prefix.end));
  }
  const Record record = records(place, mine);
  if (mine) {
    const auto seen = walk.f.relaxing().state(record.neighbour);
    walk.visit(list.cursor, record.neighbour, weight_of<Weight>(record.weight), seen, found);
  }
  found.counts.read += mine ? 1 : 0;
  list.cursor.combine(Team<kLanes>{});
  const VertexId heaviest = __shfl_sync(kAllLanes, record.weight, Team<kLanes>::leader() + static_cast<int>((stop - 1) % kLanes));
  if (!reads) return;
  if (Team<kLanes>::lane() == 0) {
    tally.add_cached(static_cast<unsigned>(far - list.at));
    tally.add_list<NoWeight>(Access::aligned, 2 * far, 2 * stop);
  }
  list.move_to(stop, weight_of<Weight>(heaviest));
}

/// Reads each lane's list on by a step, where `reads` and the reader is_near().
template <class View, class Walk, class List>
__device__ void read_alone(RecordReader<View>& records, const Walk& walk, List& list, bool reads, PrefixFound& found) {
  using Weight = typename Walk::Weight;
  static_assert(std::is_same_v<View, DirectView>);  // whose lanes read without the others
  if (!reads) return;
  const EdgeId first = list.at / kRecordsAStep * kRecordsAStep;
  const EdgeId stop = min(list.end, first + kRecordsAStep);
  Record step[kRecordsAStep];
  decltype(walk.f.relaxing().state(VertexId{})) seen[kRecordsAStep];
  const auto is_in = [&](unsigned k) { return first + k >= list.at && first + k < stop; };
  // Loads are on their way together.
#pragma unroll
  for (unsigned k = 0; k < kRecordsAStep; ++k) step[k] = records(first + k, is_in(k));
#pragma unroll
  for (unsigned k = 0; k < kRecordsAStep; ++k) {
    if (is_in(k)) seen[k] = walk.f.relaxing().state(step[k].neighbour);
  }
  Weight heaviest{};
#pragma unroll
  for (unsigned k = 0; k < kRecordsAStep; ++k) {
    if (!is_in(k)) continue;
    heaviest = weight_of<Weight>(step[k].weight);
    walk.visit(list.cursor, step[k].neighbour, heaviest, seen[k], found);
  }
  found.counts.read += static_cast<unsigned>(stop - list.at);
  list.cursor.combine(Team<1>{});
  list.move_to(stop, heaviest);
}

/// Reads a list on with the whole warp, up to record `limit`.
template <class View, class Walk, class List>
__device__ void read_together(const Rows& rows, RecordReader<View>& records, const Walk& walk, List& list, EdgeId limit,
                              Tally& tally, PrefixFound& found) {
  while (list.at < limit && list.cursor.goes_on()) read_on<kWarp>(rows, records, walk, list, true, tally, found);
  list.cursor.is_at_end = list.at == list.end;
  if (lane_id() == 0 && (Walk::kEachPieceCloses || !list.goes_on())) walk.close(list.vertex, list.cursor, found);
}

/// Stores finds of lanes' lists, where `is_long`, and queues their rest in pieces for warps. Looks 1, 2, 4 and so on pieces
/// ahead, and queues all up to the first unwanted one. Returns false without room for the lane's list, which is left as it is.
/// All lanes of the warp together.
template <class View, class Walk, class List>
__device__ bool publish(RecordReader<View>& records, const Walk& walk, const List& list, bool is_long, const PieceQueue& pieces,
                        Tally& tally, PrefixTotals* totals) {
  using Weight = typename Walk::Weight;
  if (!__any_sync(kAllLanes, is_long)) return false;
  const auto left = is_long ? static_cast<unsigned>((list.end - list.at + kPieceRecords - 1) / kPieceRecords) : 0;
  unsigned count = min(left, 1u);
  for (bool asks = count < left; __any_sync(kAllLanes, asks);) {
    const EdgeId before = list.at + count * kPieceRecords - 1;
    const Record record = records(before, asks);
    if (!asks) continue;
    tally.add_list<NoWeight>(Access::aligned, 2 * before, 2 * before + 2);
    auto there = list.cursor;
    there.least = weight_of<Weight>(record.weight);
    asks = there.goes_on();
    if (asks) count = min(left, 2 * count);
    asks = asks && count < left;
  }

  const unsigned through = warp_inclusive_scan(count);
  unsigned long long place = lane_id() == kWarp - 1 ? atomicAdd(&totals->pieces, static_cast<unsigned long long>(through)) : 0;
  place = __shfl_sync(kAllLanes, place, kWarp - 1) + through - count;
  const bool has_room = place + count <= pieces.capacity;
  for (unsigned k = 0; k < count && place + k < pieces.capacity; ++k) {
    const auto step = static_cast<VertexId>(list.cursor.steps + k * (kPieceRecords / kRecordsAStep));
    pieces.items[place + k] = {list.vertex, has_room ? step : kNoPiece};
  }
  if (!is_long || !has_room) return false;
  walk.leave(list.vertex, list.cursor);
  return true;
}

/// Reads lists of up to 32 vertices: v of each lane that has one. All lanes of the warp together.
template <class View, class Walk>
__device__ void read_lists(const Rows& rows, RecordReader<View>& records, VertexId v, bool has_one, const Walk& walk,
                           const PieceQueue& pieces, Tally& tally, PrefixFound& found, PrefixTotals* totals) {
  using Step = Team<static_cast<int>(kRecordsAStep)>;
  using Cursor = decltype(walk.open(VertexId{}, EdgeId{}, EdgeId{}, found));
  constexpr unsigned kLeaders = 0x01010101u;
  const bool wanted = has_one && walk.wants(v);
  if (!__any_sync(kAllLanes, wanted)) return;
  ReadList<Cursor> opened{};
  if (wanted) {
    const EdgeId begin = rows.offsets[v];
    opened.vertex = v;
    opened.end = rows.offsets[v + 1];
    opened.cursor = walk.open(v, begin, opened.end, found);
    opened.at = record_of_step(begin, opened.end, opened.cursor.steps);
  }
  bool goes_on = wanted && opened.goes_on();
  bool is_cut = false;
  if constexpr (std::is_same_v<View, DirectView>) {
    for (unsigned read = 1; records.is_near() && read <= kMostAlone; ++read) {
      if (__popc(__ballot_sync(kAllLanes, goes_on)) < kManyLists) break;
      read_alone(records, walk, opened, goes_on, found);
      goes_on = goes_on && opened.goes_on();
      if (!goes_on || read < kLeastAlone || !opened.is_long()) continue;
      is_cut = true;
      goes_on = false;
    }
    const bool is_queued = publish(records, walk, opened, is_cut, pieces, tally, totals);
    goes_on = goes_on || (is_cut && !is_queued);
    is_cut = is_queued;
  }
  if (wanted && !goes_on && !is_cut) {
    opened.cursor.is_at_end = opened.at == opened.end;
    walk.close(v, opened.cursor, found);
  }
  unsigned waiting = __ballot_sync(kAllLanes, goes_on);

  ReadList<Cursor> list{};
  bool busy = false;
  std::uint32_t steps = 0;
  for (;;) {
    const unsigned idle = __ballot_sync(kAllLanes, !busy) & kLeaders;
    if (idle != 0 && waiting != 0) {
      const int turn = __popc(idle & ((1u << Step::leader()) - 1));
      const bool takes = !busy && turn < __popc(waiting);
      const ReadList<Cursor> taken = of_lane(opened, takes ? static_cast<int>(__fns(waiting, 0, turn + 1)) : 0);
      if (takes) {
        list = taken;
        busy = true;
        steps = 0;
      }
      for (int n = __popc(idle); n > 0; --n) waiting &= waiting - 1;
    }
    if (!__any_sync(kAllLanes, busy)) return;
    bool reads = busy && list.goes_on();
    if (busy && !reads && Step::lane() == 0) {
      list.cursor.is_at_end = list.at == list.end;
      walk.close(list.vertex, list.cursor, found);
    }
    const bool is_long = reads && steps >= kTeamSteps && list.is_long();
    const bool leads = is_long && Step::lane() == 0;
    const bool is_queued = publish(records, walk, list, leads, pieces, tally, totals);
    for (unsigned rest = __ballot_sync(kAllLanes, leads && !is_queued); rest != 0; rest &= rest - 1) {
      ReadList<Cursor> whole = of_lane(list, __ffs(static_cast<int>(rest)) - 1);
      read_together(rows, records, walk, whole, whole.end, tally, found);
    }
    reads = reads && !is_long;
    busy = reads;
    read_on<static_cast<int>(kRecordsAStep)>(rows, records, walk, list, reads, tally, found);
    ++steps;
  }
}

template <class View, class Walk>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastBlocks)
    prefix_kernel(Rows rows, View view, Groups words, OrderFor<View> order, Walk walk, PieceQueue pieces, PrefixTotals* totals) {
  RecordReader<View> records(view);
  Tally tally;
  PrefixFound found;
  const std::uint64_t first = rows.own.first_group;
  for (std::uint64_t i = order.first(); i < words.size(); i = order.next(i)) {
    const std::uint64_t word = first + words.spread_item(order.piece(i, words.size()));
    const std::uint32_t members = word < first + words.count ? walk.may_want(word) : 0;
    deal_bits(members, [&](int owner, unsigned bit, bool has_one) {
      const std::uint64_t v = __shfl_sync(kAllLanes, word, owner) * 32 + bit;
      read_lists(rows, records, static_cast<VertexId>(v), has_one && v < rows.num_vertices, walk, pieces, tally, found, totals);
    });
  }
  found.flush(totals);
  tally.flush(view.traffic);
}

template <class View, class Walk>
__global__ void __launch_bounds__(kBlockThreads, EdgeReader<View>::kLeastBlocks)
    prefix_pieces_kernel(Rows rows, View view, OrderFor<View> order, Walk walk, PieceQueue pieces, PrefixTotals* totals) {
  using Weight = typename Walk::Weight;
  using List = ReadList<decltype(walk.resume(VertexId{}))>;
  const std::uint64_t count = min(totals->pieces, static_cast<unsigned long long>(pieces.capacity));
  RecordReader<View> records(view);
  Tally tally;
  PrefixFound found;
  for (std::uint64_t i = order.first(); i < count; i = order.next(i)) {
    const QueueItem item = pieces.items[order.piece(i, count)];
    if (item.piece == kNoPiece) continue;
    const EdgeId begin = rows.offsets[item.vertex];
    const EdgeId at = (begin / kRecordsAStep + item.piece) * kRecordsAStep;
    List list{of_lane(walk.resume(item.vertex), 0), item.vertex, at, rows.offsets[item.vertex + 1]};
    // The record before it tells whether it is wanted.
    const Record before = records(at - 1, lane_id() == 0);
    if (lane_id() == 0) tally.add_list<NoWeight>(Access::aligned, 2 * (at - 1), 2 * at);
    list.cursor.least = weight_of<Weight>(__shfl_sync(kAllLanes, before.weight, 0));
    list.cursor.steps = static_cast<std::uint32_t>(item.piece);
    if (list.goes_on()) read_together(rows, records, walk, list, min(list.end, at + kPieceRecords), tally, found);
  }
  found.flush(totals);
  tally.flush(view.traffic);
}

/// Takes distances that another rank has lowered.
template <class Relax, class Walk, class State>
__global__ void prefix_take_kernel(StatesMessage<State> theirs, Relax relax, Walk walk, PrefixTotals* totals) {
  PrefixFound found;
  const auto take = [&](VertexId v, State distance) {
    if (relax.take(v, distance)) walk.lower(v, found);
  };
  if (theirs.list != nullptr) {
    const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < theirs.count; i += stride)
      take(theirs.list[i], theirs.states[i]);
  } else {
    for_each_far_member(
        theirs.grouped(), 0, [&](std::uint64_t group) { return theirs.words[group]; },
        [&](VertexId v) { take(v, theirs.states[v]); });
  }
  found.flush(totals);
}

/// Splits words from `first` on.
template <class F>
__global__ void prefix_split_kernel(std::uint64_t first, Groups words, BitmapRef far, BitmapRef near, F f, std::uint64_t begin,
                                    std::uint64_t end, PrefixTotals* totals) {
  PrefixFound found;
  const auto read = [&](std::uint64_t own_word) { return far.words[first + own_word]; };
  for_each_busy_word(words, read, [&](std::uint64_t own_word, std::uint32_t members) {
    const std::uint64_t word = first + own_word;
    const std::uint64_t due = (members >> lane_id() & 1u) != 0 ? f.due(static_cast<VertexId>(word * 32 + lane_id())) : kNoBucket;
    const bool waits = due != kNoBucket && due >= end;
    const unsigned waiting = __ballot_sync(kAllLanes, waits);
    const unsigned opening = __ballot_sync(kAllLanes, due >= begin && due < end);
    if (waits) found.lowest = min(found.lowest, static_cast<unsigned long long>(due));
    if (lane_id() == 0) {
      far.words[word] = waiting;
      near.words[word] = opening;
    }
  });
  found.flush(totals);
}

}  // namespace graphrun::cuda::inline GR_IDS
