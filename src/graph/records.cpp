// Lists as records, neighbour and weight side by side, in the order of their weights.
#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

#include "graph/phase_time.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/row_windows.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kRecordListsAPiece = 256;

/// Words of weights order as the weights do: f32 weights are not negative. Minus zero is the exception.
std::uint32_t ordered_word(std::uint32_t word, WeightKind kind) {
  return kind == WeightKind::f32 && word == 0x80000000u ? 0 : word;
}

/// Whether each arc's opposite has its weight, told as has_all_opposites() tells of arcs.
bool weights_agree(const Graph& graph, ThreadPool& pool, const Workspace& space) {
  PerThread<std::uint64_t> sums(pool, 0);
  const Csr& csr = graph.out;
  for_each_row_window(csr, space, [&](VertexId first, VertexId last) {
    parallel_chunks(pool, last - first, kRecordListsAPiece, [&](std::size_t begin, std::size_t end, int rank) {
      std::uint64_t sum = 0;
      for (std::uint64_t u = first + begin; u < first + end; ++u) {
        for (EdgeId e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) {
          const std::uint64_t v = csr.neighbours[e];
          const std::uint64_t weight = ordered_word(csr.weights[e], graph.weight_kind);
          sum += splitmix64(weight, u, v) - splitmix64(weight, v, u);
        }
      }
      sums[rank] += sum;
    });
  });
  std::uint64_t total = 0;
  for (const auto& slot : sums) total += slot.value;
  return total == 0;
}

Column<VertexId> records_of(const Csr& csr, WeightKind kind, ThreadPool& pool, const Workspace& space) {
  Column<VertexId> records = space.make<VertexId>(2 * csr.num_edges());
  Progress progress("sorting lists by weight", csr.num_edges());
  using Entry = std::pair<std::uint32_t, VertexId>;
  PerThread<std::vector<Entry>> lists(pool);
  for_each_row_window(csr, space, [&](VertexId first, VertexId last) {
    parallel_chunks(pool, last - first, kRecordListsAPiece, [&](std::size_t begin, std::size_t end, int rank) {
      std::vector<Entry>& list = lists[rank];
      for (std::size_t v = first + begin; v < first + end; ++v) {
        list.clear();
        for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
          list.emplace_back(ordered_word(csr.weights[e], kind), csr.neighbours[e]);
        }
        std::sort(list.begin(), list.end());
        VertexId* record = records.data() + 2 * csr.offsets[v];
        for (const auto& [weight, neighbour] : list) {
          *record++ = neighbour;
          *record++ = weight;
        }
      }
      progress.advance(csr.offsets[first + end] - csr.offsets[first + begin]);
    });
    if (space.is_on_disk()) records.release(2 * csr.offsets[first], 2 * csr.offsets[last]);
  });
  return records;
}

}  // namespace

void add_records(Graph& graph, ThreadPool& pool, const Workspace& space) {
  const PhaseTime time("sorting lists by weight");
  graph.out.records = records_of(graph.out, graph.weight_kind, pool, space);
  if (graph.symmetric && weights_agree(graph, pool, space)) return;
  Csr reversed = transpose_with_weights(graph.out, graph.weight_kind, space, pool);
  Csr in;
  in.records = records_of(reversed, graph.weight_kind, pool, space);
  in.offsets = std::move(reversed.offsets);
  graph.by_target = std::move(in);
}

}  // namespace graphrun::inline GR_IDS
