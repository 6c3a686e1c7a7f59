// SPDX-License-Identifier: Apache-2.0

#include "graphrun/ops/cpu_subgraphs.hpp"

#include <algorithm>

#include "graphrun/core/atomics.hpp"
#include "graphrun/ops/gather.hpp"

namespace graphrun::inline GR_IDS {

CpuSubgraphs::CpuSubgraphs(CpuExecutor& exec, const SubgraphOptions& options)
    : exec_(exec),
      options_(options),
      vertices_(exec.make_array<VertexId>(options.most_rows)),
      sources_(exec.make_array<EdgeId>(options.most_rows)),
      places_(exec.make_array<EdgeId>(options.most_rows + 1)),
      neighbours_(exec.make_array<VertexId>(options.capacity)),
      weights_(exec.make_array<std::uint32_t>(options.weighted ? options.capacity : 0)) {
  if (!options.asynchronous) return;
  const std::size_t words = BitmapRef::words_for(options.num_vertices);
  for (auto* bits : {&loaded_, &rounds_[0], &rounds_[1]}) *bits = exec.make_array<std::uint32_t>(words);
}

bool CpuSubgraphs::plan_more() {
  if (planned_ == to_plan_) return false;
  const std::size_t first = planned_;
  planned_ = std::min<std::size_t>(to_plan_, first + options_.most_vertices);
  plan_(first, planned_);
  return true;
}

void CpuSubgraphs::begin_rounds() {
  if (!are_clear_) {
    for (auto* bits : {&loaded_, &rounds_[0], &rounds_[1]}) std::fill_n(bits->data(), bits->size(), 0u);
  }
  are_clear_ = false;
}

void CpuSubgraphs::end_rounds(const Subgraph& part) {
  for (auto* bits : {&loaded_, &rounds_[0], &rounds_[1]}) clear_marks(*bits, part);
  are_clear_ = true;
}

void CpuSubgraphs::clear_marks(Column<std::uint32_t>& bits, const Subgraph& part) {
  std::uint32_t* const words = bits.data();
  if (part.rows.count < bits.size() / 8) {
    parallel_for(exec_.pool(), part.rows.count, [&](std::size_t i) { atomics::store(words[part.rows.vertices[i] / 32], 0u); });
  } else {
    parallel_chunks(exec_.pool(), bits.size(), 1 << 16,
                    [&](std::size_t begin, std::size_t end, int) { std::fill(words + begin, words + end, 0u); });
  }
}

Subgraph CpuSubgraphs::load(const HostEdges& edges, bool weighted, std::uint64_t first, std::uint64_t last) {
  const Timer gathering;
  const PlannedRows planned = plan();
  const EdgeId begin = planned.places[first];
  const EdgeId end = planned.places[last];
  gather(exec_.pool(), planned, begin, end, edges.neighbours, neighbours_.data());
  if (weighted) gather(exec_.pool(), planned, begin, end, edges.weights, weights_.data());
  counters_.gather_ms += gathering.elapsed_ms();
  ++counters_.subgraphs;
  ++counters_.copies;
  counters_.bytes += (end - begin) * (sizeof(VertexId) + (weighted ? sizeof(std::uint32_t) : 0));
  Subgraph made;
  made.rows = {vertices_.data() + first, sources_.data() + first, places_.data() + first, begin, last - first};
  made.edges = {.neighbours = neighbours_.data(), .weights = weighted ? weights_.data() : nullptr};
  made.num_edges = end - begin;
  return made;
}

}  // namespace graphrun::inline GR_IDS
