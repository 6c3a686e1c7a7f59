// SPDX-License-Identifier: Apache-2.0

#include "graphrun/graph/row_scores.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "graphrun/core/column.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/graph/row_windows.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr int kWalkPasses = 5;
constexpr std::uint64_t kTwentieths = 20, kFollowed = 17;  // damping: 0.85
constexpr std::size_t kVerticesAtATime = 4096;

}  // namespace

std::vector<std::uint64_t> arc_counts(const Csr& out, const Workspace& space) {
  std::vector<std::uint64_t> arcs(out.num_vertices());
  for_each_row_window(out, space, [&](VertexId first, VertexId last) {
    for (EdgeId e = out.offsets[first]; e < out.offsets[last]; ++e) ++arcs[out.neighbours[e]];
  });
  return arcs;
}

std::vector<std::uint64_t> walk_scores(const Csr& out, WalkStart start, std::span<const VertexId> starts, ThreadPool& pool,
                                       const Workspace& space) {
  const std::size_t n = out.num_vertices();
  if (n == 0) return {};
  const std::uint64_t of_start = starts.empty() ? 0 : kWholeScore / starts.size();
  const std::uint64_t of_any = start == WalkStart::personalised ? 0 : kWholeScore / n;
  std::vector<std::uint64_t> scores(n, of_any);
  for (const VertexId v : starts) scores[v] = of_start;
  const std::vector<std::uint64_t> restarts = start == WalkStart::personalised ? scores : std::vector<std::uint64_t>{};
  auto next = Column<std::uint64_t>::allocate_guarded(n);  // indexed by ids of a file
  Progress progress("scoring vertices", kWalkPasses, "passes");
  for (int pass = 0; pass < kWalkPasses; ++pass) {
    std::fill_n(next.data(), n, 0);
    for_each_row_window(out, space, [&](VertexId first, VertexId last) {
      const auto follow = [&](std::size_t i) {
        const std::size_t v = first + i;
        const EdgeId begin = out.offsets[v], end = out.offsets[v + 1];
        const std::uint64_t share = begin == end ? 0 : scores[v] / (end - begin);
        if (share == 0) return;
        for (EdgeId e = begin; e < end; ++e) std::atomic_ref(next[out.neighbours[e]]).fetch_add(share, std::memory_order_relaxed);
      };
      parallel_for(pool, last - first, follow, kVerticesAtATime);
    });
    parallel_for(pool, n, [&](std::size_t v) {
      const std::uint64_t restart = restarts.empty() ? of_any : restarts[v];
      scores[v] = restart / kTwentieths * (kTwentieths - kFollowed) + next[v] / kTwentieths * kFollowed;
    });
    progress.advance(1);
  }
  return scores;
}

std::vector<VertexId> by_descending(std::span<const std::uint64_t> scores) {
  std::vector<VertexId> order(scores.size());
  std::iota(order.begin(), order.end(), VertexId{0});
  std::stable_sort(order.begin(), order.end(), [&](VertexId a, VertexId b) { return scores[a] > scores[b]; });
  return order;
}

}  // namespace graphrun::inline GR_IDS
