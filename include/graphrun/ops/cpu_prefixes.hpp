// SPDX-License-Identifier: Apache-2.0
// Reads prefixes on host threads: lists of records are read on from where they were left, a few records at a time, until the
// functor stops. Contract: operators.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/ops/cpu_operators.hpp"
#include "graphrun/ops/cpu_ordered.hpp"
#include "graphrun/ops/cpu_ordered_queue.hpp"

namespace graphrun::cpu::inline GR_IDS {

/// Reads the lists of one worker's piece of a pass, and counts.
template <class View>
class PrefixReader {
 public:
  PrefixReader(const Rows& rows, const View& records)
      : rows_(rows), prefixes_(cached_prefixes_of(records)), stops_(asks_ahead(records)), reader_(records) {}

  /// Reads v's list on from where `cursor` is, in steps that end at multiples of kRecordsAStep, while cursor.goes_on():
  /// visit(neighbour, weight) for each record. Returns the number of records. Where pages are asked for ahead, a read that begins
  /// in a cached prefix ends with it: the next page was not asked for.
  template <class Cursor, class Visit>
  EdgeId read(VertexId v, Cursor& cursor, const Visit& visit) {
    using Weight = typename Cursor::Weight;
    const EdgeId begin = rows_.offsets[v];
    const EdgeId end = rows_.offsets[v + 1];
    const EdgeId head = prefixes_.end_of(v, begin, end);
    EdgeId e = record_of_step(begin, end, cursor.steps);
    const EdgeId first = e;
    VertexId heaviest = 0;
    const auto take = [&](const VertexId* words, const std::uint32_t*, std::size_t count) {
      for (std::size_t i = 0; i < count; i += 2) visit(words[i], weight_of<Weight>(words[i + 1]));
      heaviest = words[count - 1];
      return true;
    };
    while (e < end && cursor.goes_on()) {
      const EdgeId stop = std::min(end, (e / kRecordsAStep + 1) * kRecordsAStep);
      if (e < head) {
        take(prefixes_.of(v) + 2 * (e - begin), nullptr, static_cast<std::size_t>(2 * (stop - e)));
      } else if (stops_ && first < head) {
        break;
      } else {
        reader_.template for_each_run<false>(WorkItem{v, 2 * e, 2 * stop}, take);
      }
      cursor.pass(weight_of<Weight>(heaviest));
      e = stop;
    }
    cursor.is_at_end = e == end;
    answered_ += std::min(e, std::max(first, head)) - first;
    return e - first;
  }
  /// Returns whether a list is read on beyond its cached prefix, once its page was asked for.
  template <class Cursor>
  bool stopped_at_head(VertexId v, const Cursor& cursor) const {
    const EdgeId begin = rows_.offsets[v];
    const EdgeId end = rows_.offsets[v + 1];
    return stops_ && !cursor.is_at_end && record_of_step(begin, end, cursor.steps) == prefixes_.end_of(v, begin, end) &&
           begin != prefixes_.end_of(v, begin, end) && cursor.goes_on();
  }
  /// Returns the bytes of records that cached prefixes had.
  std::uint64_t answered() const { return answered_ * 2 * sizeof(VertexId); }

 private:
  const Rows& rows_;
  CachedPrefixes prefixes_;
  bool stops_;
  typename View::Reader reader_;
  std::uint64_t answered_ = 0;
};

/// A vertex whose list one worker reads. A worker that finds it claimed tells the owner to look at it again.
class Claim {
 public:
  /// Claims a vertex; `steps` is its word with the progress of its list.
  explicit Claim(std::uint32_t& steps) : word_(steps) {}
  bool take() {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    while (!word_.compare_exchange_weak(seen, seen | ((seen & kPrefixClaimed) != 0 ? kPrefixAgain : kPrefixClaimed),
                                        std::memory_order_acq_rel, std::memory_order_relaxed)) {
    }
    return (seen & kPrefixClaimed) == 0;
  }
  /// Releases the vertex; returns whether it is to be looked at again.
  bool leave(std::uint32_t steps) { return (word_.exchange(steps, std::memory_order_acq_rel) & kPrefixAgain) != 0; }

 private:
  std::atomic_ref<std::uint32_t> word_;
};

/// Returns where the words of the next record lie; empty at the end of the list, and where a cached prefix has it.
inline WorkItem next_record(const Rows& rows, const CachedPrefixes& prefixes, VertexId v, std::uint32_t steps) {
  const EdgeId begin = rows.offsets[v];
  const EdgeId end = rows.offsets[v + 1];
  const EdgeId at = record_of_step(begin, end, steps);
  return {v, 2 * at, at < end && at >= prefixes.end_of(v, begin, end) ? 2 * at + 2 : 2 * at};
}

/// Prefetches data for a vertex's list, some vertices before a worker comes to it.
template <class View, class F>
class RecordsAhead {
 public:
  RecordsAhead(const Rows& rows, const View& records, const F& f, const VertexId* list, std::size_t begin, std::size_t end)
      : rows_(rows),
        records_(records),
        prefixes_(cached_prefixes_of(records)),
        f_(f),
        list_(list),
        rows_next_(begin),
        next_(begin),
        end_(end) {}

  void move_to(std::size_t i) {
    for (const std::size_t stop = std::min(i + 2 * kAhead, end_); rows_next_ < stop; ++rows_next_) {
      __builtin_prefetch(&rows_.offsets[list_[rows_next_]]);
      prefixes_.prefetch_start(list_[rows_next_]);
      f_.prefetch(list_[rows_next_]);
    }
    for (const std::size_t stop = std::min(i + kAhead, end_); next_ < stop; ++next_) {
      const WorkItem item = next_record(rows_, prefixes_, list_[next_], f_.steps(list_[next_]));
      records_.prefetch(item);
      prefixes_.prefetch(list_[next_]);
    }
  }

 private:
  static constexpr std::size_t kAhead = 4;
  const Rows& rows_;
  const View& records_;
  CachedPrefixes prefixes_;
  const F& f_;
  const VertexId* list_;
  std::size_t rows_next_;
  std::size_t next_;
  std::size_t end_;
};

/// Reads the list of u for `bucket`, and calls fell(v) for each vertex whose distance fell. Returns the bucket in which the list
/// is to be read on, or kNoBucket.
template <class View, class F, class Fell>
std::uint64_t read_due(const Rows& rows, F& f, PrefixReader<View>& reader, VertexId u, std::uint64_t bucket, std::uint32_t& steps,
                       PrefixCounts& counted, const Fell& fell) {
  auto cursor = f.open(u, bucket, rows.offsets[u], rows.offsets[u + 1], counted);
  const EdgeId read = reader.read(u, cursor, [&](VertexId v, typename F::Weight weight) {
    if (f.relax(cursor.from, v, weight, f.relax.state(v))) fell(v);
  });
  counted.read += read;
  counted.unread -= static_cast<std::int64_t>(read);
  steps = cursor.steps;
  return f.close(u, cursor);
}

/// Publishes `mine` and then the distances of `fell`, which may have a vertex twice, and merges the other ranks'. Calls
/// read(message) for each rank's `mine`, by rank, and moved(rank, v) for each distance that fell.
template <class Relax, class Read, class Moved>
void exchange_after_relaxing(CpuExecutor& exec, const Relax& relax, MessageWriter mine, std::vector<VertexId> fell,
                             const Read& read, const Moved& moved) {
  using State = ranks::StateOf<Relax>;
  std::sort(fell.begin(), fell.end());
  fell.erase(std::unique(fell.begin(), fell.end()), fell.end());
  put_list<State>(mine, exec.pool(), fell, [&](VertexId v) { return relax.state(v); });
  std::vector<std::span<const VertexId>> moving;
  exchange(exec, mine, [&](std::size_t, MessageReader& message) {
    read(message);
    const auto list = take_list<State>(message);
    moving.push_back(list.ids);
    parallel_for(exec.pool(), list.ids.size(), [&](std::size_t i) { relax.take(list.ids[i], list.states[i]); });
  });
  for (int rank = 0; rank < exec.part().exchange->size(); ++rank) {
    for (const VertexId v : moving[static_cast<std::size_t>(rank)]) {
      relax.lowered.words[v / 32] = 0;
      moved(rank, v);
    }
  }
}

}  // namespace graphrun::cpu::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <WalkableView View, class F>
EdgeMapStats edge_map_prefixes(CpuExecutor& exec, const Rows& rows, const View& records, F f) {
  look_between_steps(records);
  const CachedPrefixes prefixes = cached_prefixes_of(records);
  struct Books {
    EdgeId examined = 0;
    std::uint64_t answered = 0;
    std::vector<VertexId> set_aside;  // lists that go on behind their cached prefixes, from the start again
  };
  PerThread<Books> books(exec.pool());
  const auto read_lists = [&](const VertexId* list, std::size_t first, std::size_t last, bool sets_aside, int rank) {
    Books& mine = books[rank];
    cpu::PrefixReader<View> reader(rows, records);
    cpu::RecordsAhead<View, F> ahead(rows, records, f, list, first, last);
    for (std::size_t i = first; i < last; ++i) {
      ahead.move_to(i);
      const VertexId v = list[i];
      auto cursor = f.open(v);
      const auto visit = [&](VertexId u, typename F::Weight weight) { f.visit(cursor, u, weight, f.relaxing().state(u)); };
      EdgeId read = reader.read(v, cursor, visit);
      if (reader.stopped_at_head(v, cursor)) {
        if (sets_aside) {
          mine.set_aside.push_back(v);
          continue;
        }
        read += reader.read(v, cursor, visit);
      }
      mine.examined += read;
      f.close(v, cursor);
    }
    mine.answered += reader.answered();
  };
  const auto next_record = [&](std::size_t i) {
    const auto v = static_cast<VertexId>(i);
    return f.wants(v) ? cpu::next_record(rows, prefixes, v, f.steps(v)) : WorkItem{v, 0, 0};
  };
  const auto read = [&](std::size_t first, std::size_t last, int rank) {
    std::array<VertexId, cpu::kVertexGrain> wanted;
    std::size_t count = 0;
    for (std::size_t v = first; v < last; ++v) {
      wanted[count] = static_cast<VertexId>(v);
      count += f.wants(static_cast<VertexId>(v)) ? 1 : 0;
    }
    read_lists(wanted.data(), 0, count, true, rank);
  };
  cpu::for_each_piece<NoWeight>(exec, records, cpu::pieces_of_own_lists(exec, records, rows.num_vertices, cpu::kVertexGrain),
                                next_record, read);
  std::vector<VertexId> rest;
  for (auto& slot : books) rest.insert(rest.end(), slot.value.set_aside.begin(), slot.value.set_aside.end());
  std::sort(rest.begin(), rest.end());
  const auto beyond_prefix = [&](std::size_t i) {
    const EdgeId at = prefixes.end_of(rest[i], rows.offsets[rest[i]], rows.offsets[rest[i] + 1]);
    return WorkItem{rest[i], 2 * at, 2 * at + 2};
  };
  const auto read_rest = [&](std::size_t first, std::size_t last, int rank) {
    read_lists(rest.data(), first, last, false, rank);
  };
  cpu::for_each_piece<NoWeight>(exec, records, cpu::Pieces(rest.size(), cpu::kFrontierGrain), beyond_prefix, read_rest);
  EdgeMapStats stats{0, 1};
  for (auto& slot : books) {
    stats.edges += slot.value.examined;
    if (prefixes.answered != nullptr) *prefixes.answered += slot.value.answered;
  }
  if (exec.part().is_single_rank()) return stats;
  std::vector<VertexId> fell;
  const auto& relax = f.relaxing();
  for_each_member(relax.lowered.words, 0, BitmapRef::words_for(rows.num_vertices), [&](VertexId v) { fell.push_back(v); });
  cpu::MessageWriter mine;
  mine.put(stats.edges);
  stats.edges = 0;
  cpu::exchange_after_relaxing(
      exec, relax, std::move(mine), std::move(fell),
      [&](cpu::MessageReader& message) { stats.edges += message.get<std::uint64_t>(); }, [](int, VertexId) {});
  return stats;
}

/// Reads the due lists of a bucket, on each rank its own, and exchanges once a round.
template <WalkableView View, class F, class BetweenBuckets>
EdgeMapStats edge_map_prefixes_ordered_by_ranks(CpuExecutor& exec, const Rows& rows, const View& records, CpuFrontier& start,
                                                F& f, BetweenBuckets&& go_on) {
  struct Books {
    PrefixCounts counts;
    std::uint64_t answered = 0;
    std::vector<VertexId> fell;
    std::vector<std::pair<std::uint64_t, VertexId>> read_on;  // with the bucket in which it is due
  };
  PerThread<Books> books(exec.pool());
  const RankPart& part = exec.part();
  const CachedPrefixes prefixes = cached_prefixes_of(records);
  std::map<std::uint64_t, std::vector<VertexId>> waiting;  // own vertices
  const auto first_waiting = [&] { return waiting.empty() ? kNoBucket : waiting.begin()->first; };
  for (const VertexId v : start.own_list(exec, false)) waiting[f.bucket(v)].push_back(v);
  EdgeMapStats stats;
  PrefixCounts found;  // of all ranks, in this bucket
  Progress progress("shortest paths", 0, "bucket");
  for (std::uint64_t bucket = std::ranges::min(ranks::gather_from_ranks(exec, first_waiting())); bucket != kNoBucket;) {
    ++stats.steps;
    std::vector<VertexId> members;
    if (first_waiting() == bucket) members = std::move(waiting.extract(waiting.begin()).mapped());
    const auto next_record = [&](std::size_t i) {
      const VertexId u = members[i];
      return f.is_due(u, bucket) ? cpu::next_record(rows, prefixes, u, f.steps(u)) : WorkItem{u, 0, 0};
    };
    const auto read = [&](std::size_t first, std::size_t last, int rank) {
      Books& mine = books[rank];
      cpu::PrefixReader<View> reader(rows, records);
      cpu::RecordsAhead<View, F> ahead(rows, records, f, members.data(), first, last);
      for (std::size_t i = first; i < last; ++i) {
        ahead.move_to(i);
        const VertexId u = members[i];
        if (!f.is_due(u, bucket)) continue;
        const std::uint64_t due = cpu::read_due(rows, f, reader, u, bucket, f.states[u].steps, mine.counts,
                                                [&](VertexId v) { mine.fell.push_back(v); });
        if (due != kNoBucket) mine.read_on.emplace_back(due, u);
      }
      mine.answered += reader.answered();
    };
    std::vector<VertexId> fell;
    PrefixCounts counts;
    while (!members.empty()) {
      std::sort(members.begin(), members.end());
      members.erase(std::unique(members.begin(), members.end()), members.end());
      cpu::Pieces pieces = cpu::pieces_of_a_pass(records, members.size(), cpu::kFrontierGrain);
      cpu::for_each_piece<NoWeight>(exec, records, std::move(pieces), next_record, read);
      members.clear();
      for (auto& [mine] : books) {
        for (const auto& [due, u] : mine.read_on) (due <= bucket ? members : waiting[due]).push_back(u);
        std::ranges::copy_if(mine.fell, std::back_inserter(members),
                             [&](VertexId v) { return part.owns(v) && f.bucket(v) <= bucket; });
        fell.insert(fell.end(), mine.fell.begin(), mine.fell.end());
        counts += std::exchange(mine.counts, {});
        mine.read_on.clear(), mine.fell.clear();
      }
    }
    // Distances that fell within the bucket were read here. The owners of the rest read them in their buckets.
    for (const VertexId v : fell) {
      if (part.owns(v) && !f.is_open(v)) waiting[f.bucket(v)].push_back(v);
    }
    cpu::MessageWriter mine;
    mine.put(first_waiting());
    mine.put(part.first);
    mine.put(part.last);
    mine.put(counts);
    const std::uint64_t before = std::exchange(bucket, kNoBucket);
    std::vector<RankPart> parts;
    cpu::exchange_after_relaxing(
        exec, f.relaxing(), std::move(mine), std::move(fell),
        [&](cpu::MessageReader& message) {
          bucket = std::min(bucket, message.get<std::uint64_t>());
          RankPart& theirs = parts.emplace_back();
          theirs.first = message.get<std::uint64_t>();
          theirs.last = message.get<std::uint64_t>();
          found += message.get<PrefixCounts>();
        },
        [&](int rank, VertexId v) {
          if (parts[static_cast<std::size_t>(rank)].owns(v)) return;
          const std::uint64_t to = std::max(before, f.bucket(v));
          bucket = std::min(bucket, to);
          if (part.owns(v) && !f.is_open(v)) waiting[to].push_back(v);
        });
    look_between_steps(records);
    if (bucket == before) continue;
    stats.edges += found.read;
    progress.end_round(found.read);
    if (!go_on(std::as_const(found), before)) break;
    found = {};
  }
  for (auto& [mine] : books) {
    if (prefixes.answered != nullptr) *prefixes.answered += mine.answered;
  }
  return stats;
}

template <WalkableView View, class F, class BetweenBuckets>
EdgeMapStats edge_map_prefixes_ordered(CpuExecutor& exec, const Rows& rows, const View& records, CpuOrderedQueue& queue,
                                       CpuFrontier& start, F& f, BetweenBuckets&& go_on) {
  using Worker = CpuOrderedQueue::Worker;
  if (!exec.part().is_single_rank()) return edge_map_prefixes_ordered_by_ranks(exec, rows, records, start, f, go_on);
  auto& workers = queue.workers;
  std::uint64_t bucket = kNoBucket;
  PerThread<PrefixCounts> counts(exec.pool());
  PerThread<std::uint64_t> answered(exec.pool(), 0);
  const CachedPrefixes prefixes = cached_prefixes_of(records);

  const auto read_list = [&](Worker& worker, PrefixCounts& counted, cpu::PrefixReader<View>& reader, VertexId u) {
    cpu::Claim claim(f.states[u].steps);
    while (claim.take()) {
      std::uint32_t steps = 0;
      const std::uint64_t due = cpu::read_due(rows, f, reader, u, bucket, steps, counted,
                                              [&](VertexId v) { worker.window.insert(std::max(bucket, f.bucket(v)), v); });
      if (due != kNoBucket) worker.window.insert(std::max(bucket, due), u);
      if (!claim.leave(steps)) break;
    }
  };
  const auto read_lists = [&](int rank, const VertexId* list, std::size_t first, std::size_t last) {
    Worker& worker = workers[static_cast<std::size_t>(rank)];
    PrefixCounts counted;
    cpu::PrefixReader<View> reader(rows, records);
    cpu::RecordsAhead<View, F> ahead(rows, records, f, list, first, last);
    for (std::size_t i = first; i < last; ++i) {
      ahead.move_to(i);
      if (f.is_due(list[i], bucket)) read_list(worker, counted, reader, list[i]);
    }
    counts[rank] += counted;
    answered[rank] += reader.answered();
  };
  const auto next_record = [&](VertexId u) {
    return f.is_due(u, bucket) ? cpu::next_record(rows, prefixes, u, f.steps(u)) : WorkItem{u, 0, 0};
  };

  look_between_steps(records);
  EdgeMapStats stats;
  Progress progress("shortest paths", 0, "bucket");
  const VertexId* const list = start.list(exec);
  for (std::size_t i = 0; i < start.size(); ++i) bucket = std::min(bucket, f.bucket(list[i]));
  for (auto& worker : workers) worker.window.clear(bucket == kNoBucket ? 0 : bucket);
  for (std::size_t i = 0; i < start.size(); ++i) workers[i % workers.size()].window.insert(f.bucket(list[i]), list[i]);
  cpu::for_each_bucket<NoWeight>(exec, rows, records, queue, bucket, next_record, read_lists, [&](std::uint64_t before) {
    ++stats.steps;
    look_between_steps(records);
    if (bucket == before) return true;
    PrefixCounts found;
    for (auto& slot : counts) found += std::exchange(slot.value, {});
    stats.edges += found.read;
    progress.end_round(found.read);
    return go_on(std::as_const(found), before);
  });
  for (auto& worker : workers) worker.window.clear(0);
  for (auto& slot : answered) {
    if (prefixes.answered != nullptr) *prefixes.answered += slot.value;
  }
  return stats;
}

}  // namespace graphrun::inline GR_IDS
