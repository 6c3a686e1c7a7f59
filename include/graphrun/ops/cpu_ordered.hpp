// edge_map_ordered on host threads: buckets in the memory of each worker, small buckets finished without a barrier
// (delta-stepping; bucket fusion as in Zhang et al., CGO 2020).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "graphrun/core/progress.hpp"
#include "graphrun/ops/cpu_operators.hpp"
#include "graphrun/ops/cpu_ordered_queue.hpp"

namespace graphrun::cpu::inline GR_IDS {

inline constexpr std::size_t kFusionLimit = 1000;  // a worker finishes a bucket of its own up to this size by itself

}  // namespace graphrun::cpu::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <WalkableView View, class F>
EdgeMapStats edge_map_ordered(CpuExecutor& exec, const Rows& rows, const View& edges, CpuOrderedQueue& queue, VertexId source,
                              F f) {
  using Weight = typename F::Weight;
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
      const WorkItem item{u, rows.offsets[u], rows.offsets[u + 1]};
      worker.examined += item.end - item.begin;
      walk<Weight>(reader, item, [&](VertexId v, Weight w) {
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
