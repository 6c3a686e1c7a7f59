// SPDX-License-Identifier: Apache-2.0
// Label propagation, both executors. Each vertex has a hash table of the labels of its neighbours, which its edges fill in any
// order and by any thread; then the most frequent label is taken out of it. Lists are read as they come, whole or in pieces, in
// one pass over the out-edges and, where the graph is directed, one over the in-edges. Tables are in memory for a batch of
// vertices at a time. A table has at least one slot more than its vertex has edges, so that looking for a label ends.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "graphrun/algorithms/cdlp.hpp"
#include "graphrun/algorithms/label_table.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::cdlp::inline GR_IDS {

inline constexpr Slot kEmpty{kNoVertex, 0};

/// Where the table of each vertex begins and ends in one array: 3 slots for 2 edges, and one more.
struct Tables {
  const EdgeId* out;
  const EdgeId* in;  ///< null: the graph is symmetric

  GR_HD EdgeId edges_before(std::uint64_t v) const { return out[v] + (in == nullptr ? 0 : in[v]); }
  GR_HD EdgeId begin(std::uint64_t v) const { return edges_before(v) + edges_before(v) / 2 + v; }
  GR_HD EdgeId end(std::uint64_t v) const { return begin(v + 1); }
  GR_HD bool is_long(std::uint64_t v) const { return end(v) - begin(v) > kLongTable; }
};

/// What the constructor has to know of the tables of [first, first + n).
struct Survey {
  Tables tables;
  std::uint64_t first;
  EdgeId* longest;  ///< slots
  EdgeId* pieces;
  EdgeId* degree;  ///< the largest

  GR_HD void operator()(std::size_t i) const {
    const std::uint64_t v = first + i;
    const EdgeId slots = tables.end(v) - tables.begin(v);
    if (slots > atomics::load(*longest)) atomics::fetch_max(*longest, slots);
    const EdgeId edges = tables.edges_before(v + 1) - tables.edges_before(v);
    if (edges > atomics::load(*degree)) atomics::fetch_max(*degree, edges);
    if (slots > kLongTable) atomics::fetch_add(*pieces, (slots + kPieceSlots - 1) / kPieceSlots);
  }
};

/// Finds where the batch that begins with `first` ends: after at least one table, within `room` slots.
struct FindEnd {
  Tables tables;
  std::uint64_t first;
  std::uint64_t last;
  EdgeId room;
  EdgeId* found;  ///< the end, the first slot, and the slot after the last

  GR_HD void operator()(std::size_t) const {
    const EdgeId base = tables.begin(first);
    std::uint64_t low = first + 1;
    for (std::uint64_t high = last; low < high;) {
      const std::uint64_t middle = high - (high - low) / 2;
      if (tables.begin(middle) - base <= room)
        low = middle;
      else
        high = middle - 1;
    }
    found[0] = low;
    found[1] = base;
    found[2] = tables.begin(low);
  }
};

struct ListPieces {
  Tables tables;
  std::uint64_t first;
  TablePiece* pieces;
  EdgeId* listed;

  GR_HD void operator()(std::size_t i) const {
    const std::uint64_t v = first + i;
    if (!tables.is_long(v)) return;
    const EdgeId begin = tables.begin(v);
    const EdgeId count = (tables.end(v) - begin + kPieceSlots - 1) / kPieceSlots;
    const std::uint64_t head = atomics::fetch_add(*listed, count);
    for (EdgeId k = 0; k < count; ++k) pieces[head + k] = {static_cast<VertexId>(v), begin + k * kPieceSlots, head};
  }
};

struct BeginLabels {
  const VertexId* places;
  VertexId* labels;
  GR_HD void operator()(std::size_t v) const { labels[v] = places == nullptr ? static_cast<VertexId>(v) : places[v]; }
};

/// Enters the label of each neighbour of the vertices of a batch into their tables.
struct Count {
  using Can = Capabilities<can::Want, can::ExchangeLater>;
  Tables tables;
  Batch batch;
  Slot* slots;
  const VertexId* labels;

  GR_HD bool wants(VertexId v) const { return batch.first <= v && v < batch.last; }
  GR_HD void operator()(VertexId v, VertexId u) const {
    const VertexId label = labels[u];
    const EdgeId begin = tables.begin(v);
    const EdgeId size = tables.end(v) - begin;
    add_to_table(slots + (begin - batch.base), size, label, VertexId{1});
  }
};

/// Gives each vertex of a batch the most frequent label of its table, the smallest of several, and empties the table.
struct Choose {
  Tables tables;
  Batch batch;
  Slot* slots;
  const VertexId* labels;
  VertexId* next;

  GR_HD void operator()(std::size_t i) const {
    const std::uint64_t v = batch.first + i;
    const EdgeId begin = tables.begin(v) - batch.base;
    const EdgeId end = tables.end(v) - batch.base;
    Slot best = kEmpty;
    if (end - begin <= kLongTable) {
      for (EdgeId s = begin; s < end; ++s) {
        const Slot slot = slots[s];
        // Avoids branches on a CPU, which would guess two of three wrong, and stores to empty slots on a GPU: on an H200 the
        // stores made ten iterations of kron:22:16 2.4 times slower.
#if defined(__CUDA_ARCH__)
        if (slot.count == 0) continue;
#endif
        const bool is_better = (slot.count > best.count) | ((slot.count == best.count) & (slot.label < best.label));
        best.label = is_better ? slot.label : best.label;
        best.count = is_better ? slot.count : best.count;
        slots[s] = kEmpty;
      }
      if (best.count == 0) best.label = labels[v];
    }
    next[v] = best.label;  // of a long table none yet
  }
};

/// A long table in two passes: its largest count, then the smallest label that has it.
struct OfPieces {
  Tables tables;
  Batch batch;
  Slot* slots;
  const TablePiece* pieces;
  VertexId* most;

  /// Calls visit(slot) for the slots of piece i, if its table is of this batch.
  template <class Visit>
  GR_HD void visit_slots(std::size_t i, const Visit& visit) const {
    const TablePiece& piece = pieces[i];
    if (piece.vertex < batch.first || piece.vertex >= batch.last) return;
    const EdgeId end = tables.end(piece.vertex);
    const EdgeId last = end - piece.begin < kPieceSlots ? end : piece.begin + kPieceSlots;
    for (EdgeId s = piece.begin; s < last; ++s) visit(slots[s - batch.base]);
  }
};

struct FindMost : OfPieces {
  GR_HD void operator()(std::size_t i) const {
    VertexId largest = 0;
    visit_slots(i, [&](const Slot& slot) { largest = slot.count > largest ? slot.count : largest; });
    if (largest != 0) atomics::fetch_max(most[pieces[i].head], largest);
  }
};

struct ChooseLong : OfPieces {
  VertexId* next;
  GR_HD void operator()(std::size_t i) const {
    const VertexId largest = most[pieces[i].head];
    VertexId smallest = kNoVertex;
    visit_slots(i, [&](Slot& slot) {
      if (slot.count == largest && slot.label < smallest) smallest = slot.label;
      slot = kEmpty;
    });
    if (smallest != kNoVertex) atomics::fetch_min(next[pieces[i].vertex], smallest);
  }
};

struct Differ {
  const VertexId* labels;
  const VertexId* next;
  GR_HD std::uint64_t operator()(std::size_t v) const { return labels[v] != next[v]; }
};

}  // namespace graphrun::cdlp::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
CdlpRun<Exec, View>::CdlpRun(Exec& exec, const GraphView<View>& graph, const CdlpOptions& options,
                             const std::vector<VertexId>& order)
    : exec_(exec),
      graph_(graph),
      options_(options),
      order_(order),
      labels_(exec.template make_array<VertexId>(graph.num_vertices())),
      next_(exec.template make_array<VertexId>(graph.num_vertices())),
      places_(exec.template make_array<VertexId>(order.size())) {
  load_kernels<CdlpRun>(exec_);
  graph_.require_in("cdlp of a directed graph");
  std::vector<VertexId> places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<VertexId>(i);
  exec_.upload(places, places_);
  make_batches();
}

template <class Exec, class View>
cdlp::Tables CdlpRun<Exec, View>::tables() const {
  return {graph_.out.offsets, graph_.symmetric ? nullptr : graph_.in.offsets};
}

template <class Exec, class View>
void CdlpRun<Exec, View>::make_batches() {
  const auto own = exec_.part().within(graph_.num_vertices());
  if (own.first >= own.last) return;
  auto found = exec_.template make_array<EdgeId>(3);
  fill(exec_, found, EdgeId{0});
  EdgeId* const of = found.data();
  vertex_map(exec_, own.last - own.first, cdlp::Survey{tables(), own.first, of, of + 1, of + 2});
  const EdgeId longest = exec_.fetch(found, 0);
  const EdgeId pieces = exec_.fetch(found, 1);
  if (exec_.fetch(found, 2) >= kNoVertex)
    throw UsageError("cdlp counts up to " + std::to_string(kNoVertex - 1) + " neighbours of a vertex, and one has more");
  const std::uint64_t bytes = options_.table_bytes / static_cast<std::uint64_t>(ranks::in_this_process(exec_));
  const EdgeId room = std::max<EdgeId>(longest, bytes / sizeof(cdlp::Slot));
  EdgeId most = 0;
  for (std::uint64_t first = own.first; first < own.last; first = batches_.back().last) {
    vertex_map(exec_, 1, cdlp::FindEnd{tables(), first, own.last, room, of});
    batches_.push_back({static_cast<VertexId>(first), static_cast<VertexId>(exec_.fetch(found, 0)), exec_.fetch(found, 1)});
    most = std::max(most, exec_.fetch(found, 2) - batches_.back().base);
  }
  slots_ = exec_.template make_array<cdlp::Slot>(most);
  fill(exec_, slots_, cdlp::kEmpty);
  if (pieces == 0) return;
  exec_.store(found, 0, EdgeId{0});
  pieces_ = exec_.template make_array<TablePiece>(pieces);
  most_ = exec_.template make_array<VertexId>(pieces);
  vertex_map(exec_, own.last - own.first, cdlp::ListPieces{tables(), own.first, pieces_.data(), of});
}

template <class Exec, class View>
std::uint64_t CdlpRun<Exec, View>::find_labels(const cdlp::Batch& batch) {
  const cdlp::Count count{tables(), batch, slots_.data(), labels_.data()};
  std::uint64_t edges = edge_map_all(exec_, graph_.out, graph_.out_edges, 0, count).edges;
  if (!graph_.symmetric) edges += edge_map_all(exec_, graph_.in, graph_.in_edges, 0, count).edges;
  vertex_map(exec_, batch.last - batch.first, cdlp::Choose{tables(), batch, slots_.data(), labels_.data(), next_.data()});
  const cdlp::OfPieces of{tables(), batch, slots_.data(), pieces_.data(), most_.data()};
  vertex_map(exec_, pieces_.size(), cdlp::FindMost{of}, 1);
  vertex_map(exec_, pieces_.size(), cdlp::ChooseLong{of, next_.data()}, 1);
  return edges;
}

template <class Exec, class View>
AlgoStats CdlpRun<Exec, View>::run() {
  AlgoStats stats;
  const std::size_t n = graph_.num_vertices();
  stable_ = n == 0;
  vertex_map(exec_, n, cdlp::BeginLabels{order_.empty() ? nullptr : places_.data(), labels_.data()});
  Progress progress("label propagation", options_.max_iterations, "iteration");
  while (!stable_ && stats.iterations < options_.max_iterations) {
    fill(exec_, most_, VertexId{0});
    std::uint64_t edges = 0;
    for (const cdlp::Batch& batch : batches_) edges += find_labels(batch);
    edges = sum_of_ranks(exec_, edges);
    collect_parts(exec_, next_);
    stable_ = vertex_sum<std::uint64_t>(exec_, n, cdlp::Differ{labels_.data(), next_.data()}) == 0;
    std::swap(labels_, next_);
    stats.edges_examined += edges;
    ++stats.iterations;
    progress.end_round(edges);
  }
  exec_.synchronize();
  return stats;
}

template <class Exec, class View>
CdlpOutput CdlpRun<Exec, View>::output() {
  CdlpOutput found{exec_.download(labels_), stable_};
  if (!order_.empty()) {
    for (VertexId& label : found.labels) label = order_[label];
  }
  return found;
}

}  // namespace graphrun::inline GR_IDS
