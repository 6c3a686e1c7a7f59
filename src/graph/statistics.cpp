// SPDX-License-Identifier: Apache-2.0

#include "graphrun/graph/statistics.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <vector>

#include "graph/gpu_rows.hpp"
#include "graph/phase_time.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/graph/row_windows.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kRowsAPiece = 4096;

class ListExaminer {
 public:
  void count(EdgeId degree) {
    seen.max_degree = std::max(seen.max_degree, degree);
    seen.empty_lists += degree == 0;
    ++seen.lists_by_degree_bits[static_cast<std::size_t>(std::bit_width(degree))];
  }
  void examine(const Csr& csr, VertexId v) {
    const VertexId* list = csr.neighbours.data() + csr.offsets[v];
    const EdgeId degree = csr.degree(v);
    std::uint64_t repeated = 0;
    bool ascends = true;
    for (EdgeId i = 0; i < degree; ++i) {
      seen.self_loops += list[i] == v;
      if (i == 0) continue;
      repeated += list[i - 1] == list[i];
      ascends &= list[i - 1] <= list[i];
    }
    seen.sorted &= ascends;
    seen.duplicates += ascends ? repeated : count_duplicates(list, degree);
  }

  ListStatistics seen;

 private:
  std::uint64_t count_duplicates(const VertexId* list, EdgeId degree) {
    copy_.assign(list, list + degree);
    std::sort(copy_.begin(), copy_.end());
    return static_cast<std::uint64_t>(copy_.end() - std::unique(copy_.begin(), copy_.end()));
  }

  std::vector<VertexId> copy_;
};

void add(ListStatistics& all, const ListStatistics& part) {
  all.max_degree = std::max(all.max_degree, part.max_degree);
  all.empty_lists += part.empty_lists;
  all.self_loops += part.self_loops;
  all.duplicates += part.duplicates;
  all.sorted &= part.sorted;
  for (std::size_t b = 0; b < all.lists_by_degree_bits.size(); ++b) all.lists_by_degree_bits[b] += part.lists_by_degree_bits[b];
}

}  // namespace

ListStatistics examine_lists(const Csr& csr, ThreadPool& pool, const Workspace& space) {
  const PhaseTime time("examining lists");
  const auto sums = examine_on_gpu(csr, {}, space, pool);
  PerThread<ListExaminer> examiners(pool);
  for_each_row_window(csr, space, [&](VertexId first, VertexId last) {
    parallel_chunks(pool, last - first, kRowsAPiece, [&](std::size_t begin, std::size_t end, int rank) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto v = static_cast<VertexId>(first + i);
        examiners[rank].count(csr.degree(v));
        if (!sums) examiners[rank].examine(csr, v);
      }
    });
  });
  ListStatistics all;
  for (const auto& slot : examiners) add(all, slot.value.seen);
  if (sums) {
    all.self_loops = sums->self_loops;
    all.duplicates = sums->duplicates;
    all.sorted = sums->descents == 0;
  }
  return all;
}

VertexId count_isolated(const Graph& graph, ThreadPool& pool, const Workspace& space) {
  if (graph.symmetric) return examine_lists(graph.out, pool, space).empty_lists;
  const PhaseTime time("looking for isolated vertices");
  if (const auto sums = examine_on_gpu(graph.out, {}, space, pool)) return static_cast<VertexId>(sums->isolated);
  const VertexId n = graph.num_vertices();
  constexpr std::size_t kBits = 64;
  auto touched = Column<std::uint64_t>::allocate(n / kBits + 1);
  const auto mark = [&](VertexId v) {
    const std::atomic_ref<std::uint64_t> word(touched[v / kBits]);
    const std::uint64_t bit = std::uint64_t{1} << (v % kBits);
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
  };
  for_each_row_window(graph.out, space, [&](VertexId first, VertexId last) {
    parallel_for(pool, last - first, [&](std::size_t i) {
      const std::size_t v = first + i;
      if (graph.out.offsets[v] != graph.out.offsets[v + 1]) mark(static_cast<VertexId>(v));
      for (EdgeId e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; ++e) mark(graph.out.neighbours[e]);
    });
  });
  return n - parallel_sum<VertexId>(pool, touched.size(),
                                    [&](std::size_t w) { return static_cast<VertexId>(std::popcount(touched[w])); });
}

}  // namespace graphrun::inline GR_IDS
