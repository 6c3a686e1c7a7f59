// SPDX-License-Identifier: Apache-2.0
// Random walks, both executors. docs/algorithms/walks.md describes the method.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "algorithms/walks/walks_functors.hpp"
#include "graphrun/algorithms/walks.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::walks::inline GR_IDS {

/// Returns a * b. Throws UsageError where 64 bits do not hold it.
inline std::uint64_t checked_product(std::uint64_t a, std::uint64_t b) {
  if (b == 0 || a <= ~std::uint64_t{0} / b) return a * b;
  throw UsageError("walks of this length and number have more steps than 64 bits can count: choose fewer");
}

/// Returns the number of walks. Throws UsageError where walks or their vertices cannot be counted.
inline std::size_t count_walks(std::uint64_t sources, const WalksOptions& options) {
  if (options.per_source == 0) throw UsageError("there would be 0 walks from each source: choose 1 or more");
  const std::uint64_t walks = checked_product(sources, options.per_source);
  const std::size_t candidates = options.biased() ? kRoomForCandidates : 1;  // of each walk, numbered by ids
  if (checked_product(walks, candidates) >= kNoVertex)
    throw UsageError("there would be " + std::to_string(walks) + " walks, more than vertex ids can number: choose fewer");
  checked_product(checked_product(walks, sizeof(VertexId)), std::max(options.length, options.length + 1));
  return walks;
}

}  // namespace graphrun::walks::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
WalksRun<Exec, View>::WalksRun(Exec& exec, const GraphView<View>& graph, WeightKind weights, const WalksOptions& options)
    : exec_(exec), graph_(graph), weights_(weights), options_(options) {
  load_kernels<WalksRun>(exec_);
  load_list_kernels(exec_);
  if (options.weighted && weights == WeightKind::none)
    throw UsageError("walks by weight need weights: give the graph some and open the session with BackendOptions::needs_weights");
  const std::uint64_t n = graph.num_vertices();
  std::vector<VertexId> sources;
  for (const std::uint64_t source : options_.sources) {
    if (source >= n)
      throw UsageError("vertex " + std::to_string(source) + " is not in the graph, which has " + std::to_string(n) +
                       " vertices: no walk can begin there");
    sources.push_back(static_cast<VertexId>(source));
  }
  walks_ = walks::count_walks(sources.empty() ? n : sources.size(), options_);
  sources_ = exec.template make_array<VertexId>(sources.size());
  exec_.upload(sources, sources_);
  vertices_ = exec.template make_array<VertexId>(walks_ * (options_.length + 1));
  fill(exec_, vertices_, kNoVertex);  // touches memory before timing starts
  alive_ = exec.template make_array<EdgeId>(walks_);
  next_ = exec.template make_array<EdgeId>(walks_);
  const std::size_t room = walks_ * (options_.biased() ? walks::kRoomForCandidates : 1);
  places_ = exec.template make_array<EdgeId>(room);
  items_ = exec.template make_array<WorkItem>(room);
  visits_ = exec.template make_array<std::uint64_t>(n);
  if (options_.biased()) {
    pending_ = exec.template make_array<EdgeId>(walks_);
    candidates_ = exec.template make_array<VertexId>(room);
    adjacent_ = exec.template make_array<VertexId>(room);
  }
  if (options_.weighted) {
    edges_ = exec.template make_array<EdgeId>(room);
    left_ = exec.template make_array<std::uint64_t>(room);
    piece_starts_ = exec.template make_array<EdgeId>(n + 1);
    scales_ = exec.template make_array<double>(n);
  }
  if (options_.biased()) require_ascending_lists();
}

/// Returns the pieces of lists, with their sums where weights are read.
template <class Exec, class View>
walks::Pieces WalksRun<Exec, View>::pieces() {
  if (!options_.weighted) return {};
  const EdgeId edges = std::min(walks::kPieceEdges, graph_.out.chunk_edges);
  return {graph_.out, piece_starts_.data(), edges, sums_.data(), scales_.data()};
}

/// Reads stretches of edges, each from the last edge of the one before.
template <class Exec, class View>
void WalksRun<Exec, View>::require_ascending_lists() {
  constexpr EdgeId kStretch = walks::kItemsAtOnce;
  const EdgeId all = graph_.num_edges;
  const walks::Pieces lists{graph_.out, graph_.out.offsets, 1, nullptr, nullptr};
  auto items = exec_.template make_array<WorkItem>(std::min(kStretch, all));
  auto ends = exec_.template make_array<VertexId>(std::min(kStretch, all));
  for (EdgeId first = 0; first + 1 < all; first += kStretch - 1) {
    const EdgeId count = std::min(kStretch, all - first);
    vertex_map(exec_, count, walks::ListEdges{lists, first, items.data()});
    edge_map_picked(exec_, graph_.out, graph_.out_edges, items.data(), count, walks::TakeCandidate{ends.data()});
    if (vertex_sum<std::uint64_t>(exec_, count - 1, walks::Descends{items.data(), ends.data()}) == 0) continue;
    throw UsageError(
        "walks with --node2vec-p or -q look neighbours up in ascending lists, and lists of this graph do not ascend: graphconv "
        "--sort id makes a .grf of it whose lists do, and from_edges() of Python a graph");
  }
}

/// Adds up the weights of the pieces of all lists, in two passes.
template <class Exec, class View>
void WalksRun<Exec, View>::sum_weights() {
  constexpr EdgeId kStretch = walks::kItemsAtOnce;
  const VertexId n = graph_.num_vertices();
  vertex_map(exec_, std::size_t{n} + 1, walks::CountPieces{pieces(), piece_starts_.data()});
  const EdgeId count = exclusive_sums(exec_, piece_starts_);
  if (sums_.size() != count) sums_ = exec_.template make_array<std::uint64_t>(count);
  const walks::Pieces all = pieces();
  auto largest = exec_.template make_array<double>(count);
  auto items = exec_.template make_array<WorkItem>(std::min(kStretch, count));
  fill(exec_, sums_, std::uint64_t{0});
  fill(exec_, largest, 0.0);
  const auto pass = [&](const auto& functor_at) {
    for (EdgeId first = 0; first < count; first += kStretch) {
      const EdgeId some = std::min(kStretch, count - first);
      vertex_map(exec_, some, walks::ListPieces{all, first, items.data()});
      edge_map_serial(exec_, graph_.out, graph_.out_edges, items.data(), some, functor_at(first));
    }
    stats_.edges_examined += graph_.num_edges;
  };
  const WordWeight weight_of{weights_, graph_.weight_table};
  pass([&](EdgeId first) { return walks::FindLargest{weight_of, largest.data() + first}; });
  vertex_map(exec_, n, walks::SetScales{all, largest.data()});
  pass([&](EdgeId first) { return walks::AddWeights{weight_of, items.data(), scales_.data(), sums_.data() + first}; });
  vertex_map(exec_, n, walks::AddPieces{all});
}

/// Moves the entries of `from` for which keep(j) is true to `to`, and returns their number. Moves none where that is all.
template <class Exec, class View>
template <class Keep>
std::uint64_t WalksRun<Exec, View>::keep(const Keep& keep, const Array<EdgeId>& from, std::uint64_t count, Array<EdgeId>& to) {
  vertex_map(exec_, count, walks::CountKept<Keep>{keep, places_.data()});
  const std::uint64_t kept = exclusive_sums(exec_, places_, count);
  if (kept != count) vertex_map(exec_, count, walks::MoveKept<Keep>{keep, places_.data(), from.data(), to.data()});
  return kept;
}

/// Draws `count` edges for the candidates of pending walkers, and reads where they lead.
template <class Exec, class View>
void WalksRun<Exec, View>::pick(const walks::Walkers& walkers, std::uint64_t count) {
  if (!options_.weighted) {
    vertex_map(exec_, count, walks::PickUniform{walkers, items_.data()});
  } else {
    vertex_map(exec_, count, walks::PickPiece{walkers, pieces(), items_.data(), left_.data()});
    const walks::FindEdge find{{weights_, graph_.weight_table}, items_.data(), scales_.data(), left_.data(), edges_.data()};
    edge_map_serial(exec_, graph_.out, graph_.out_edges, items_.data(), count, find);
    vertex_map(exec_, count, walks::PickFound{edges_.data(), items_.data()});
  }
  if (options_.biased())
    edge_map_picked(exec_, graph_.out, graph_.out_edges, items_.data(), count, walks::TakeCandidate{candidates_.data()});
  else
    edge_map_picked(exec_, graph_.out, graph_.out_edges, items_.data(), count, walks::TakeStep{walkers});
  stats_.edges_examined += count;
  ++stats_.iterations;
}

/// Accepts candidates of `count` walkers. Looks some up in lists, up to kItemsAtOnce pieces of these in a pass.
template <class Exec, class View>
void WalksRun<Exec, View>::judge(const walks::Walkers& walkers, std::uint64_t count) {
  const walks::Judge judge{walkers, candidates_.data(), 1 / options_.p, 1 / options_.q, graph_.symmetric};
  vertex_map(exec_, count, judge);
  if (walkers.step == 0) return;
  const std::uint64_t all = count * walkers.copies();
  vertex_map(exec_, count, walks::CountPiecesAsked{judge, places_.data(), adjacent_.data()});
  stats_.edges_examined += vertex_sum<std::uint64_t>(exec_, all, walks::IsAsked{places_.data()});
  const EdgeId pieces = exclusive_sums(exec_, places_, all);
  if (pieces == 0) return;
  if (const EdgeId room = std::min(walks::kItemsAtOnce, pieces); asked_.size() < room) {
    asked_ = exec_.template make_array<WorkItem>(room);
    askers_ = exec_.template make_array<EdgeId>(room);
  }
  for (EdgeId first = 0; first < pieces; first += asked_.size()) {
    const EdgeId some = std::min<EdgeId>(asked_.size(), pieces - first);
    vertex_map(exec_, some, walks::ListPiecesAsked{judge, places_.data(), all, first, asked_.data(), askers_.data()});
    edge_map_picked(exec_, graph_.out, graph_.out_edges, asked_.data(), some,
                    walks::LookUp{judge, askers_.data(), adjacent_.data()});
  }
  vertex_map(exec_, count, walks::JudgeAnswers{judge, adjacent_.data()});
}

template <class Exec, class View>
void WalksRun<Exec, View>::take_step(std::uint64_t step) {
  walks::Walkers walkers{graph_.out, vertices_.data(), walks_, options_.seed, step, 0, alive_.data()};
  const walks::GoesOn goes_on{walkers, pieces(), options_.weighted};
  if (const std::uint64_t kept = keep(goes_on, alive_, alive_count_, next_); kept != alive_count_) {
    std::swap(alive_, next_);
    alive_count_ = kept;
  }
  const Array<EdgeId>* pending = &alive_;
  for (std::uint64_t count = alive_count_; count != 0; walkers.trial += walkers.copies()) {
    walkers.pending = pending->data();
    walkers.copy_bits = 0;
    // Candidates of one walker are in one list. As many as there is room for take fewer passes over the edges.
    if (options_.biased() && step != 0) walkers.copy_bits = walks::copy_bits_for(items_.size() / count);
    pick(walkers, count << walkers.copy_bits);
    if (!options_.biased()) return;
    judge(walkers, count);
    walks::Walkers one_each = walkers;
    one_each.copy_bits = 0;
    const std::uint64_t kept = keep(walks::IsPending{one_each}, *pending, count, next_);
    if (kept == count) continue;
    std::swap(pending_, next_);
    pending = &pending_;
    count = kept;
  }
}

template <class Exec, class View>
AlgoStats WalksRun<Exec, View>::run() {
  stats_ = {};
  if (options_.weighted) sum_weights();
  fill(exec_, vertices_, kNoVertex);
  const VertexId* const sources = options_.sources.empty() ? nullptr : sources_.data();
  vertex_map(exec_, walks_, walks::BeginWalks{vertices_.data(), alive_.data(), sources, options_.per_source});
  alive_count_ = walks_;
  Progress progress("random walks", options_.length, "step");
  for (std::uint64_t step = 0; step < options_.length && alive_count_ != 0; ++step) {
    take_step(step);
    progress.advance(1);
  }
  fill(exec_, visits_, std::uint64_t{0});
  vertex_map(exec_, vertices_.size(), walks::CountVisits{vertices_.data(), visits_.data()});
  exec_.synchronize();
  return stats_;
}

template <class Exec, class View>
WalksOutput WalksRun<Exec, View>::output() {
  WalksOutput found{walks_, options_.length, exec_.download(vertices_), exec_.download(visits_), 0, 0};
  for (const std::uint64_t visits : found.visits) found.steps += visits;
  found.steps -= walks_;
  found.dead_ends = static_cast<std::uint64_t>(
      std::count(found.vertices.end() - static_cast<std::ptrdiff_t>(walks_), found.vertices.end(), kNoVertex));
  return found;
}

}  // namespace graphrun::inline GR_IDS
