// SPDX-License-Identifier: Apache-2.0
// edge_map_ordered on host threads: buckets in the memory of each worker, small buckets finished without a barrier
// (delta-stepping; bucket fusion as in Zhang et al., CGO 2020).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/ops/cpu_operators.hpp"
#include "graphrun/ops/cpu_ordered_queue.hpp"
#include "graphrun/ops/subgraph.hpp"

namespace graphrun::cpu::inline GR_IDS {

inline constexpr std::size_t kFusionLimit = 1000;  // a worker finishes a bucket of its own up to this size by itself
// Smaller rounds run on one thread. Relaxations are atomic in any case, so sharing pays sooner than in a search.
inline constexpr EdgeId kSerialBucketEdges = 512;
inline constexpr std::size_t kBucketGrain = 32;  // vertices a worker takes at a time

/// Returns whether the lists of these vertices are for one thread.
template <class View>
bool is_small_bucket(const Rows& rows, const View& edges, const std::vector<VertexId>& list) {
  if (list.size() <= kBucketGrain) return true;
  if (list.size() > kFusionLimit || asks_ahead(edges)) return false;
  EdgeId work = list.size();
  for (std::size_t i = 0; i < list.size() && work <= kSerialBucketEdges; ++i) work += rows.degree(list[i]);
  return work <= kSerialBucketEdges;
}

/// Empties the workers' windows bucket by bucket, the lowest first, until none has a vertex. `bucket` is the current one. Its
/// vertices are published in rounds: walk(rank, list, first, last) for list[first .. last), which may insert into the worker's
/// window, into this bucket or later ones. item_of(v) is the work item of v, empty when it is not traversed. Calls
/// end_round(before) after each round, with that round's bucket; it returns false to stop.
template <class Weight, class View, class ItemOf, class Walk, class EndRound>
void for_each_bucket(CpuExecutor& exec, const Rows& rows, const View& edges, CpuOrderedQueue& queue, std::uint64_t& bucket,
                     const ItemOf& item_of, const Walk& walk, const EndRound& end_round) {
  auto& workers = queue.workers;
  auto& frontier = queue.frontier;
  // Sorting pays for pages: each is read once a round, with its neighbours, and no vertex is looked at twice.
  const auto put_in_order = [&](std::vector<VertexId>& list) {
    if (!wants_order(edges)) return;
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  const auto walk_some = [&](int rank, const std::vector<VertexId>& list, Pieces& pieces) {
    work_on_pieces<Weight>(
        edges, pieces, rank, [&](std::size_t i) { return item_of(list[i]); },
        [&](std::size_t first, std::size_t last) { walk(rank, list.data(), first, last); });
  };
  const auto walk_alone = [&](int rank, std::vector<VertexId>& list) {
    put_in_order(list);
    Pieces pieces(list.size(), kBucketGrain);
    walk_some(rank, list, pieces);
  };
  const auto fuse = [&](int rank) {
    auto& [window, batch, examined] = workers[static_cast<std::size_t>(rank)];
    for (auto* bin = &window.open(bucket); !bin->empty() && bin->size() < kFusionLimit;) {
      batch.swap(*bin);
      walk_alone(rank, batch);
      batch.clear();
    }
  };
  while (bucket != kNoBucket) {
    frontier.clear();
    for (auto& worker : workers) {
      auto& bin = worker.window.open(bucket);
      frontier.insert(frontier.end(), bin.begin(), bin.end());
      bin.clear();
    }
    if (is_small_bucket(rows, edges, frontier)) {
      walk_alone(0, frontier);
      fuse(0);
    } else {
      put_in_order(frontier);
      Pieces pieces = pieces_of_a_pass(edges, frontier.size(), kBucketGrain);
      exec.pool().offer(pieces.count(), [&](int rank) {
        walk_some(rank, frontier, pieces);
        fuse(rank);
      });
    }
    const std::uint64_t before = bucket;
    bucket = kNoBucket;
    for (auto& worker : workers) bucket = worker.window.first_open(before, bucket);
    if (bucket == kNoBucket) {
      for (auto& worker : workers) bucket = std::min(bucket, worker.window.first_later());
      if (bucket != kNoBucket) {
        for (auto& worker : workers) worker.window.move_to(bucket);
      }
    }
    if (!end_round(before)) return;
  }
}

}  // namespace graphrun::cpu::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// Makes a bucket a push at a time; several ranks exchange after each.
template <WalkableView View, class F>
EdgeMapStats edge_map_ordered_by_ranks(CpuExecutor& exec, const Rows& rows, const View& edges, CpuOrderedQueue& queue, F f) {
  std::map<std::uint64_t, std::vector<VertexId>> waiting;
  return push_in_rounds(exec, rows, edges, queue, f, [&] {
    const VertexId* const improved = queue.next.list(exec);
    for (std::size_t i = 0; i < queue.next.size(); ++i) waiting[f.bucket(improved[i])].push_back(improved[i]);
    for (queue.near.clear(); queue.near.empty() && !waiting.empty();) {
      const auto first = waiting.extract(waiting.begin());
      std::vector<VertexId> members = first.mapped();
      std::erase_if(members, [&](VertexId v) { return f.bucket(v) != first.key(); });  // in an earlier one since
      std::sort(members.begin(), members.end());
      members.erase(std::unique(members.begin(), members.end()), members.end());
      EdgeId lists = 0;
      for (const VertexId v : members) lists += rows.degree(v);
      queue.near.assign(exec, members.data(), members.size(), lists);
    }
  });
}

template <WalkableView View, class F>
EdgeMapStats edge_map_ordered(CpuExecutor& exec, const Rows& rows, const View& edges, CpuOrderedQueue& queue, F f) {
  using Weight = typename F::Weight;
  if (!exec.part().is_single_rank()) return edge_map_ordered_by_ranks(exec, rows, edges, queue, f);
  if constexpr (is_paged<View>) {
    if (const auto array = edges.template as_array<is_weighted<Weight>>(exec.pool())) {
      return edge_map_ordered(exec, rows, *array, queue, f);
    }
  }
  auto& workers = queue.workers;
  const std::span<const VertexId> starts(queue.near.list(exec), queue.near.size());
  std::uint64_t bucket = kNoBucket;
  for (const VertexId v : starts) bucket = std::min(bucket, f.bucket(v));
  const auto relax_lists = [&](int rank, const VertexId* list, std::size_t first, std::size_t last) {
    CpuOrderedQueue::Worker& worker = workers[static_cast<std::size_t>(rank)];
    cpu::ListsAhead<View> ahead(rows, edges, list, first, last);
    typename View::Reader reader(edges);
    for (std::size_t i = first; i < last; ++i) {
      ahead.move_to(i);
      const VertexId u = list[i];
      if (f.settled(u, bucket)) continue;
      const WorkItem item{u, rows.offsets[u], rows.offsets[u + 1]};
      worker.examined += item.end - item.begin;
      walk<Weight>(reader, item, [f, from = f.source(u), &window = worker.window](VertexId v, Weight w) {
        if (f(from, v, w)) window.insert(f.bucket(v), v);
        return true;
      });
    }
  };
  const auto unsettled = [&](VertexId u) {
    return WorkItem{u, rows.offsets[u], f.settled(u, bucket) ? rows.offsets[u] : rows.offsets[u + 1]};
  };
  EdgeMapStats stats;
  Progress progress("shortest paths", 0, "bucket");
  for (auto& worker : workers) {
    worker.window.clear(bucket);
    worker.examined = 0;
  }
  for (const VertexId v : starts) workers[0].window.insert(f.bucket(v), v);
  cpu::for_each_bucket<Weight>(exec, rows, edges, queue, bucket, unsettled, relax_lists, [&](std::uint64_t) {
    ++stats.steps;
    std::uint64_t examined = 0;
    for (const auto& worker : workers) examined += worker.examined;
    progress.end_round(examined - std::exchange(stats.edges, examined));
    if (queue.after_round) queue.after_round();
    return true;
  });
  return stats;
}

}  // namespace graphrun::inline GR_IDS
