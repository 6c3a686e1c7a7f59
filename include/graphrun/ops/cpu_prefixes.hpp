// Walks of prefixes on host threads: lists of records are read from where they were left, a few records at a time, as far as the
// functor wants. Contract: operators.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/ops/cpu_operators.hpp"
#include "graphrun/ops/cpu_ordered.hpp"
#include "graphrun/ops/cpu_ordered_queue.hpp"

namespace graphrun::cpu::inline GR_IDS {

/// Reads the list [begin, end) of records of v on from where `cursor` is, in steps that end at multiples of kRecordsAStep, while
/// cursor.goes_on(): visit(neighbour, weight) for each record. Returns how many it read.
template <class Reader, class Cursor, class Visit>
EdgeId read_prefix(Reader& reader, VertexId v, EdgeId begin, EdgeId end, Cursor& cursor, const Visit& visit) {
  EdgeId e = record_of_step(begin, end, cursor.steps);
  const EdgeId first = e;
  while (e < end && cursor.goes_on()) {
    const EdgeId stop = std::min(end, (e / kRecordsAStep + 1) * kRecordsAStep);
    VertexId heaviest = 0;
    reader.template for_each_run<false>(WorkItem{v, 2 * e, 2 * stop},
                                        [&](const VertexId* words, const std::uint32_t*, std::size_t count) {
                                          for (std::size_t i = 0; i < count; i += 2)
                                            visit(words[i], weight_of<typename Cursor::Weight>(words[i + 1]));
                                          heaviest = words[count - 1];
                                          return true;
                                        });
    cursor.pass(weight_of<typename Cursor::Weight>(heaviest));
    e = stop;
  }
  cursor.is_at_end = e == end;
  return e - first;
}

/// A vertex whose list one worker reads. A worker that finds it taken tells that one to look at it again.
class Claim {
 public:
  /// `steps` is the word of the vertex that says how far its list was read.
  explicit Claim(std::uint32_t& steps) : word_(steps) {}
  bool take() {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    while (!word_.compare_exchange_weak(seen, seen | ((seen & kPrefixClaimed) != 0 ? kPrefixAgain : kPrefixClaimed),
                                        std::memory_order_acq_rel, std::memory_order_relaxed)) {
    }
    return (seen & kPrefixClaimed) == 0;
  }
  /// Whether it is to be looked at again.
  bool leave(std::uint32_t steps) { return (word_.exchange(steps, std::memory_order_acq_rel) & kPrefixAgain) != 0; }

 private:
  std::atomic_ref<std::uint32_t> word_;
};

/// Where the words of the record lie that is read next; empty at the end of the list.
inline WorkItem next_record(const Rows& rows, VertexId v, std::uint32_t steps) {
  const EdgeId end = rows.offsets[v + 1];
  const EdgeId at = record_of_step(rows.offsets[v], end, steps);
  return {v, 2 * at, at < end ? 2 * at + 2 : 2 * at};
}

/// Brings what a walk of a vertex's list needs near, some vertices before a worker comes to it.
template <class View, class F>
class RecordsAhead {
 public:
  RecordsAhead(const Rows& rows, const View& records, const F& f, const VertexId* list, std::size_t begin, std::size_t end)
      : rows_(rows), records_(records), f_(f), list_(list), rows_next_(begin), next_(begin), end_(end) {}

  void move_to(std::size_t i) {
    for (const std::size_t stop = std::min(i + 2 * kAhead, end_); rows_next_ < stop; ++rows_next_) {
      __builtin_prefetch(&rows_.offsets[list_[rows_next_]]);
      f_.prefetch(list_[rows_next_]);
    }
    for (const std::size_t stop = std::min(i + kAhead, end_); next_ < stop; ++next_) {
      const WorkItem item = next_record(rows_, list_[next_], f_.steps(list_[next_]));
      records_.prefetch(item);
    }
  }

 private:
  static constexpr std::size_t kAhead = 4;
  const Rows& rows_;
  const View& records_;
  const F& f_;
  const VertexId* list_;
  std::size_t rows_next_;
  std::size_t next_;
  std::size_t end_;
};

}  // namespace graphrun::cpu::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <WalkableView View, class F>
EdgeMapStats edge_map_prefixes(CpuExecutor& exec, const Rows& rows, const View& records, F f) {
  PerThread<EdgeId> examined(exec.pool(), 0);
  const auto next_record = [&](std::size_t i) {
    const auto v = static_cast<VertexId>(i);
    return f.wants(v) ? cpu::next_record(rows, v, f.steps(v)) : WorkItem{v, 0, 0};
  };
  const auto read = [&](std::size_t first, std::size_t last, int rank) {
    std::array<VertexId, cpu::kVertexGrain> wanted;
    std::size_t count = 0;
    for (std::size_t v = first; v < last; ++v) {
      wanted[count] = static_cast<VertexId>(v);
      count += f.wants(static_cast<VertexId>(v)) ? 1 : 0;
    }
    typename View::Reader reader(records);
    cpu::RecordsAhead<View, F> ahead(rows, records, f, wanted.data(), 0, count);
    for (std::size_t i = 0; i < count; ++i) {
      ahead.move_to(i);
      const VertexId v = wanted[i];
      auto cursor = f.open(v);
      const auto visit = [&](VertexId u, typename F::Weight weight) { f.visit(cursor, u, weight); };
      examined[rank] += cpu::read_prefix(reader, v, rows.offsets[v], rows.offsets[v + 1], cursor, visit);
      f.close(v, cursor);
    }
  };
  cpu::for_each_piece<NoWeight>(exec, records, cpu::pieces_of_a_pass(records, rows.num_vertices, cpu::kVertexGrain), next_record,
                                read);
  EdgeMapStats stats{0, 1};
  for (auto& slot : examined) stats.edges += slot.value;
  return stats;
}

template <WalkableView View, class F, class BetweenBuckets>
EdgeMapStats edge_map_prefixes_ordered(CpuExecutor& exec, const Rows& rows, const View& records, CpuOrderedQueue& queue,
                                       CpuFrontier& start, F& f, BetweenBuckets&& go_on) {
  using cpu::BucketWindow;
  using Worker = CpuOrderedQueue::Worker;
  auto& workers = queue.workers;
  std::uint64_t bucket = BucketWindow::kNoBucket;
  PerThread<PrefixCounts> counts(exec.pool());

  const auto read_list = [&](Worker& worker, PrefixCounts& counted, typename View::Reader& reader, VertexId u) {
    const EdgeId begin = rows.offsets[u];
    const EdgeId end = rows.offsets[u + 1];
    cpu::Claim claim(f.states[u].steps);
    while (claim.take()) {
      auto cursor = f.open(u, bucket, begin, end, counted);
      const EdgeId read = cpu::read_prefix(reader, u, begin, end, cursor, [&](VertexId v, typename F::Weight weight) {
        if (f.relax(cursor.from, v, weight)) worker.window.insert(std::max(bucket, f.bucket(v)), v);
      });
      counted.read += read;
      counted.unread -= static_cast<std::int64_t>(read);
      const std::uint64_t due = f.close(u, cursor);
      if (due != BucketWindow::kNoBucket) worker.window.insert(due, u);
      if (!claim.leave(cursor.steps)) break;
    }
  };
  const auto read_lists = [&](int rank, const VertexId* list, std::size_t first, std::size_t last) {
    Worker& worker = workers[static_cast<std::size_t>(rank)];
    PrefixCounts counted;
    typename View::Reader reader(records);
    cpu::RecordsAhead<View, F> ahead(rows, records, f, list, first, last);
    for (std::size_t i = first; i < last; ++i) {
      ahead.move_to(i);
      if (f.is_due(list[i], bucket)) read_list(worker, counted, reader, list[i]);
    }
    counts[rank] += counted;
  };
  const auto put_in_order = [&](std::vector<VertexId>& list) {
    if (!wants_order(records)) return;
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  const auto read_some = [&](int rank, const std::vector<VertexId>& list, cpu::Pieces& pieces) {
    const auto next_record = [&](std::size_t i) {
      return f.is_due(list[i], bucket) ? cpu::next_record(rows, list[i], f.steps(list[i])) : WorkItem{list[i], 0, 0};
    };
    cpu::work_on_pieces<NoWeight>(records, pieces, next_record,
                                  [&](std::size_t first, std::size_t last) { read_lists(rank, list.data(), first, last); });
  };
  const auto read_alone = [&](int rank, std::vector<VertexId>& list) {
    put_in_order(list);
    cpu::Pieces pieces(list.size(), cpu::kFrontierGrain);
    read_some(rank, list, pieces);
  };
  const auto fuse = [&](int rank) {
    Worker& worker = workers[static_cast<std::size_t>(rank)];
    for (auto* bin = &worker.window.open(bucket); !bin->empty() && bin->size() < cpu::kFusionLimit;) {
      worker.batch.swap(*bin);
      read_alone(rank, worker.batch);
      worker.batch.clear();
    }
  };

  EdgeMapStats stats;
  Progress progress("shortest paths", 0, "bucket");
  auto& frontier = queue.frontier;
  const VertexId* const list = start.list(exec);
  for (std::size_t i = 0; i < start.size(); ++i) bucket = std::min(bucket, f.bucket(list[i]));
  for (auto& worker : workers) worker.window.clear(bucket == BucketWindow::kNoBucket ? 0 : bucket);
  for (std::size_t i = 0; i < start.size(); ++i) workers[i % workers.size()].window.insert(f.bucket(list[i]), list[i]);
  while (bucket != BucketWindow::kNoBucket) {
    frontier.clear();
    for (auto& worker : workers) {
      auto& bin = worker.window.open(bucket);
      frontier.insert(frontier.end(), bin.begin(), bin.end());
      bin.clear();
    }
    if (frontier.size() <= cpu::kFrontierGrain) {
      read_alone(0, frontier);
      fuse(0);
    } else {
      put_in_order(frontier);
      cpu::Pieces pieces = cpu::pieces_of_a_pass(records, frontier.size(), cpu::kFrontierGrain);
      exec.pool().run([&](int rank) {
        read_some(rank, frontier, pieces);
        fuse(rank);
      });
    }
    ++stats.steps;

    const std::uint64_t from = bucket;
    bucket = BucketWindow::kNoBucket;
    for (auto& worker : workers) bucket = std::min(bucket, worker.window.first_open(from));
    if (bucket == from) continue;
    if (bucket == BucketWindow::kNoBucket) {
      for (auto& worker : workers) bucket = std::min(bucket, worker.window.first_later());
      if (bucket != BucketWindow::kNoBucket) {
        for (auto& worker : workers) worker.window.move_to(bucket);
      }
    }
    PrefixCounts found;
    for (auto& slot : counts) found += std::exchange(slot.value, {});
    stats.edges += found.read;
    progress.end_round(found.read);
    if (!go_on(std::as_const(found), from)) break;
  }
  for (auto& worker : workers) worker.window.clear(0);
  return stats;
}

}  // namespace graphrun::inline GR_IDS
