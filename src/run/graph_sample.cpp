// SPDX-License-Identifier: Apache-2.0

#include "run/graph_sample.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "graphrun/core/checksum.hpp"
#include "graphrun/graph/packed_walk.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Returns the neighbour and the weight of an edge, from packed lists where there are no others.
std::pair<VertexId, std::uint32_t> edge_of(const Graph& graph, EdgeId e) {
  const Csr& csr = graph.out;
  const packed::Columns& columns = csr.packed;
  std::pair<VertexId, std::uint32_t> edge{};
  if (csr.neighbours.empty()) {
    const auto offsets = csr.offsets.span();
    const auto v = static_cast<VertexId>(std::ranges::upper_bound(offsets, e) - offsets.begin() - 1);
    const PackedLists lists = packed_lists(csr);
    PackedDecoder decoder(lists, {v, e, e + 1});
    if (decoder.next(InMemory{lists.lines})) edge.first = *decoder.neighbours();
  } else {
    edge.first = csr.neighbours[e];
  }
  if (!csr.weights.empty()) {
    edge.second = csr.weights[e];
  } else if (columns.weight_code.is_packed()) {
    std::uint32_t room[packed::kDecodeRoom];
    edge.second = *unpack_weights(columns.weight_code, e, 1, room, InMemory{columns.weights.data()}).words;
  }
  return edge;
}

}  // namespace

std::uint64_t sample_of(const Graph& graph, bool elsewhere) {
  constexpr std::size_t kPlaces = 256;  // reads this many pages of a file
  Checksum sample;
  const auto add = [&](std::size_t size, const auto& element_at) {
    const std::size_t places = std::min(kPlaces, size);
    for (std::size_t k = 0; k < places; ++k) {
      const auto element = element_at(size * k / places);
      sample.add(&element, sizeof(element));
    }
  };
  add(graph.out.offsets.size(), [&](std::size_t v) { return graph.out.offsets[v]; });
  add(graph.weight_table.size(), [&](std::size_t i) { return graph.weight_table[i]; });
  if (elsewhere) return sample.value();
  add(graph.num_edges(), [&](EdgeId e) { return edge_of(graph, e).first; });
  if (graph.weight_kind != WeightKind::none) add(graph.num_edges(), [&](EdgeId e) { return edge_of(graph, e).second; });
  return sample.value();
}

std::uint64_t checksum_of(const Graph& graph) {
  if (graph.file_checksum != 0) return graph.file_checksum;
  Checksum checksum;
  const auto add = [&](const auto& column) { checksum.add(column.data(), column.bytes()); };
  add(graph.out.offsets);
  add(graph.out.neighbours);
  add(graph.out.weights);
  add(graph.weight_table);
  return checksum.value();
}

}  // namespace graphrun::inline GR_IDS
