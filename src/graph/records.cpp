// Lists as records, neighbour and weight side by side, in the order of their weights.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "graph/phase_time.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/row_windows.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kRecordListsAPiece = 256;

/// Words of weights order as the weights do: f32 weights are not negative. Minus zero is the exception.
std::uint32_t ordered_word(std::uint32_t word, WeightKind kind) {
  return kind == WeightKind::f32 && word == 0x80000000u ? 0 : word;
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
  if (is_balanced(graph, pool, space)) return;
  Csr reversed = transpose_with_weights(graph.out, graph.weight_kind, space, pool);
  Csr in;
  in.records = records_of(reversed, graph.weight_kind, pool, space);
  in.offsets = std::move(reversed.offsets);
  graph.by_target = std::move(in);
}

}  // namespace graphrun::inline GR_IDS
