// edge_map_ordered on host threads: buckets in the memory of each worker, small buckets finished without a barrier
// (delta-stepping; bucket fusion as in Zhang et al., CGO 2020).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/ops/cpu_operators.hpp"
#include "graphrun/ops/cpu_ordered_queue.hpp"
#include "graphrun/ops/subgraph.hpp"

namespace graphrun::cpu::inline GR_IDS {

inline constexpr std::size_t kFusionLimit = 1000;  // a worker finishes a bucket of its own up to this size by itself

}  // namespace graphrun::cpu::inline GR_IDS

namespace graphrun::inline GR_IDS {

/// Over several ranks a bucket is a push at a time, after each of which they meet.
template <WalkableView View, class F>
EdgeMapStats edge_map_ordered_by_ranks(CpuExecutor& exec, const Rows& rows, const View& edges, CpuOrderedQueue& queue,
                                       VertexId source, F f) {
  EdgeMapStats stats;
  Progress progress("shortest paths", 0, "round");
  std::map<std::uint64_t, std::vector<VertexId>> waiting{{f.bucket(source), {source}}};
  while (!waiting.empty()) {
    const auto first = waiting.extract(waiting.begin());
    std::vector<VertexId> members = first.mapped();
    std::erase_if(members, [&](VertexId v) { return f.bucket(v) != first.key(); });  // in an earlier one since
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    EdgeId lists = 0;
    for (const VertexId v : members) lists += rows.degree(v);
    queue.near.assign(exec, members.data(), members.size(), lists);
    const EdgeMapStats step = edge_map_push(exec, rows, edges, queue.near, subway::AnyOrder<F>{f}, queue.next);
    stats.edges += step.edges;
    ++stats.steps;
    progress.end_round(step.edges);
    const VertexId* const improved = queue.next.list(exec);
    for (std::size_t i = 0; i < queue.next.size(); ++i) waiting[f.bucket(improved[i])].push_back(improved[i]);
  }
  return stats;
}

template <WalkableView View, class F>
EdgeMapStats edge_map_ordered(CpuExecutor& exec, const Rows& rows, const View& edges, CpuOrderedQueue& queue, VertexId source,
                              F f) {
  using Weight = typename F::Weight;
  if (!exec.part().alone()) return edge_map_ordered_by_ranks(exec, rows, edges, queue, source, f);
  if constexpr (is_paged<View>) {
    if (const auto array = edges.template as_array<is_weighted<Weight>>(exec.pool())) {
      return edge_map_ordered(exec, rows, *array, queue, source, f);
    }
  }
  using cpu::BucketWindow;
  using Worker = CpuOrderedQueue::Worker;
  auto& workers = queue.workers;

  std::uint64_t bucket = f.bucket(source);
  const auto relax_lists = [&](Worker& worker, const VertexId* list, std::size_t first, std::size_t last) {
    cpu::ListsAhead<View> ahead(rows, edges, list, first, last);
    typename View::Reader reader(edges);
    for (std::size_t i = first; i < last; ++i) {
      ahead.move_to(i);
      const VertexId u = list[i];
      if (f.settled(u, bucket)) continue;
      const auto from = f.source(u);
      const EdgeId begin = rows.offsets[u];
      const EdgeId end = rows.offsets[u + 1];
      worker.examined += end - begin;
      walk<Weight>(reader, begin, end, [&](VertexId v, Weight w) {
        if (f(from, v, w)) worker.window.insert(f.bucket(v), v);
        return true;
      });
    }
  };
  // Pages are worth an order: each is come to once a bucket, with its neighbours, and no vertex is looked at twice.
  const auto put_in_order = [&](std::vector<VertexId>& list) {
    if (wants_order(edges)) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  };
  const auto relax_some = [&](Worker& worker, const std::vector<VertexId>& list, cpu::Pieces& pieces) {
    const auto unsettled = [&](std::size_t i) {
      const VertexId u = list[i];
      return WorkItem{u, rows.offsets[u], f.settled(u, bucket) ? rows.offsets[u] : rows.offsets[u + 1]};
    };
    cpu::work_on_pieces<Weight>(edges, pieces, unsettled,
                                [&](std::size_t first, std::size_t last) { relax_lists(worker, list.data(), first, last); });
  };
  const auto relax_alone = [&](Worker& worker, std::vector<VertexId>& list) {
    put_in_order(list);
    cpu::Pieces pieces(list.size(), cpu::kFrontierGrain);
    relax_some(worker, list, pieces);
  };
  const auto fuse = [&](Worker& worker) {
    for (auto* bin = &worker.window.open(bucket); !bin->empty() && bin->size() < cpu::kFusionLimit;) {
      worker.batch.swap(*bin);
      relax_alone(worker, worker.batch);
      worker.batch.clear();
    }
  };

  EdgeMapStats stats;
  Progress progress("shortest paths", 0, "bucket");
  for (auto& worker : workers) {
    worker.window.move_to(bucket);
    worker.examined = 0;
  }
  auto& frontier = queue.frontier;
  frontier.assign(1, source);
  while (!frontier.empty()) {
    if (frontier.size() <= cpu::kFrontierGrain) {
      relax_alone(workers[0], frontier);
      fuse(workers[0]);
    } else {
      put_in_order(frontier);
      cpu::Pieces pieces = cpu::pieces_of_a_pass(edges, frontier.size(), cpu::kFrontierGrain);
      exec.pool().run([&](int rank) {
        Worker& worker = workers[static_cast<std::size_t>(rank)];
        relax_some(worker, frontier, pieces);
        fuse(worker);
      });
    }
    ++stats.steps;
    std::uint64_t examined = 0;
    for (const auto& worker : workers) examined += worker.examined;
    progress.end_round(examined - std::exchange(stats.edges, examined));

    const std::uint64_t from = bucket;
    bucket = BucketWindow::kNoBucket;
    for (auto& worker : workers) bucket = std::min(bucket, worker.window.first_open(from));
    if (bucket == BucketWindow::kNoBucket) {
      for (auto& worker : workers) bucket = std::min(bucket, worker.window.first_later());
      if (bucket == BucketWindow::kNoBucket) break;
      for (auto& worker : workers) worker.window.move_to(bucket);
    }
    frontier.clear();
    for (auto& worker : workers) {
      auto& bin = worker.window.open(bucket);
      frontier.insert(frontier.end(), bin.begin(), bin.end());
      bin.clear();
    }
  }
  return stats;
}

}  // namespace graphrun::inline GR_IDS
