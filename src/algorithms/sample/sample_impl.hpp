// SPDX-License-Identifier: Apache-2.0
// Neighbour sampling, both executors. A hop chooses edges by their positions in the edge list, and then reads them.
//
// Without weights a position is a number below the degree, so that only drawn edges are read. Draws without replacement are
// Floyd's (Bentley and Floyd, CACM 1987), in time quadratic in the draws; many draws from a short list decide on each of its
// edges in turn (Fan et al., JASA 1962). By weight every edge has an alarm after an exponential time of mean 1 / weight, repeated
// with replacement; the earliest alarms are drawn (Efraimidis and Spirakis, 2006; with replacement: a superposition of Poisson
// processes). Alarms depend on the edge alone, so pieces of lists can be merged.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "graphrun/algorithms/sample.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/ops/operators.hpp"

namespace graphrun::sample::inline GR_IDS {

inline constexpr std::size_t kGrain = 64;        // vertices or pieces of a host thread at a time
inline constexpr EdgeId kFewDraws = 512;         // at a vertex, each compared with all before it
inline constexpr EdgeId kMostPieceEdges = 4096;  // of a list in one warp's piece of weights

struct CountPicks {
  const EdgeId* offsets;
  const VertexId* vertices;
  EdgeId fanout;
  bool replace;
  EdgeId* counts;
  GR_HD void operator()(std::size_t i) const {
    const EdgeId degree = offsets[vertices[i] + 1] - offsets[vertices[i]];
    counts[i] = degree != 0 && (replace || degree > fanout) ? fanout : degree;
  }
};

struct PickUniform {
  CountPicks of;
  std::uint64_t seed;
  const EdgeId* starts;
  std::uint64_t end;  ///< of all
  std::size_t count;
  WorkItem* picks;
  VertexId* source_places;

  GR_HD void operator()(std::size_t i) const {
    const VertexId u = of.vertices[i];
    const EdgeId begin = of.offsets[u];
    const EdgeId degree = of.offsets[u + 1] - begin;
    const EdgeId mine = (i + 1 < count ? starts[i + 1] : end) - starts[i];
    WorkItem* const to = picks + starts[i];
    if (!of.replace && mine > kFewDraws && degree > mine && degree / mine < mine) {
      EdgeId taken = 0;
      for (EdgeId k = 0; taken < mine; ++k) {
        if (number_below(degree - k, splitmix64(seed, u, k)) >= mine - taken) continue;
        source_places[starts[i] + taken] = static_cast<VertexId>(i);
        to[taken++] = {u, begin + k, begin + k + 1};
      }
      return;
    }
    for (EdgeId j = 0; j < mine; ++j) {
      EdgeId e = begin + j;  // all
      if (of.replace) {
        e = begin + number_below(degree, splitmix64(seed, u, j));
      } else if (degree > mine) {
        const EdgeId last = degree - mine + j;
        e = begin + number_below(last + 1, splitmix64(seed, u, j));
        for (EdgeId k = 0; k < j; ++k) {
          if (to[k].begin == e) e = begin + last;
        }
      }
      to[j] = {u, e, e + 1};
      source_places[starts[i] + j] = static_cast<VertexId>(i);
    }
  }
};

struct CountPieces {
  const EdgeId* offsets;
  const VertexId* vertices;
  EdgeId piece_edges;
  EdgeId* counts;
  GR_HD void operator()(std::size_t i) const {
    counts[i] = (offsets[vertices[i] + 1] - offsets[vertices[i]] + piece_edges - 1) / piece_edges;
  }
};

/// Splits lists into pieces, and counts possible alarms: in a list's first piece the whole list's, to merge the others into it.
struct CutLists {
  CountPieces of;
  EdgeId fanout;
  bool replace;
  const EdgeId* starts;
  WorkItem* pieces;
  EdgeId* alarms;
  GR_HD void operator()(std::size_t i) const {
    const VertexId u = of.vertices[i];
    const EdgeId begin = of.offsets[u], end = of.offsets[u + 1];
    EdgeId piece = starts[i];
    for (EdgeId e = begin; e < end; e += of.piece_edges, ++piece) {
      const EdgeId last = end - e > of.piece_edges ? e + of.piece_edges : end;
      const EdgeId edges = (e == begin ? end : last) - e;
      pieces[piece] = {u, e, last};
      alarms[piece] = replace || fanout < edges ? fanout : edges;
    }
  }
};

/// A heap of the earliest `size` alarms, the latest in front. Missing alarms are at kNever.
struct Earliest {
  double* times;
  EdgeId* edges;
  EdgeId size;

  GR_HD double latest() const { return times[0]; }
  GR_HD void replace_latest(double time, EdgeId edge) const {
    EdgeId hole = 0;
    for (EdgeId child; (child = 2 * hole + 1) < size; hole = child) {
      if (child + 1 < size && times[child] < times[child + 1]) ++child;
      if (times[child] <= time) break;
      times[hole] = times[child];
      edges[hole] = edges[child];
    }
    times[hole] = time;
    edges[hole] = edge;
  }
};

inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// The common state of draws by weight.
struct Alarms {
  std::uint64_t seed;
  bool replace;
  const EdgeId* places;  ///< of each piece, in times and edges
  std::uint64_t pieces;
  EdgeId size;
  double* times;
  EdgeId* edges;

  GR_HD EdgeId place(std::uint64_t piece) const { return piece < pieces ? places[piece] : size; }
  GR_HD Earliest of_piece(std::uint64_t piece) const {
    return {times + place(piece), edges + place(piece), place(piece + 1) - place(piece)};
  }
};

struct NeverRing {
  double* times;
  GR_HD void operator()(std::size_t i) const { times[i] = kNever; }
};

template <class W>
struct HearAlarms {
  using Weight = W;
  Alarms all;
  const std::uint64_t* table;  ///< GraphView::weight_table

  GR_HD double value(W w) const {
    if constexpr (std::is_integral_v<W>) {
      if (table != nullptr) return static_cast<double>(table[w]);
    }
    return static_cast<double>(w);
  }

  /// Returns random bits for the wait between alarms `count - 1` and `count` of edge e. Waits have mean 1.
  GR_HD std::uint64_t word(EdgeId e, std::uint64_t count) const { return splitmix64(all.seed, e, count); }
  /// A number u of [0, 1) is at most -ln(1 - u): most edges are skipped without a logarithm.
  GR_HD bool skips(std::size_t piece, EdgeId e, W w) const {
    return !(unit_interval(word(e, 0)) < all.of_piece(piece).latest() * value(w));
  }
  GR_HD void operator()(std::size_t piece, EdgeId e, W w) const {
    if (skips(piece, e, w)) return;
    const Earliest heard = all.of_piece(piece);
    double time = 0;
    for (std::uint64_t count = 0;; ++count) {
      time += exponential(word(e, count)) / value(w);
      if (!(time < heard.latest())) return;
      heard.replace_latest(time, e);
      if (!all.replace) return;
    }
  }
};

/// Merges the alarms of a list's pieces into its first piece's, and counts them.
struct MergePieces {
  Alarms all;
  const EdgeId* starts;
  std::size_t count;
  EdgeId* counts;

  GR_HD EdgeId end_of(std::size_t i) const { return i + 1 < count ? starts[i + 1] : all.pieces; }
  GR_HD void operator()(std::size_t i) const {
    const EdgeId last = end_of(i);
    counts[i] = 0;
    if (starts[i] == last) return;
    const Earliest heard = all.of_piece(starts[i]);
    for (EdgeId k = all.place(starts[i] + 1); k < all.place(last); ++k) {
      if (all.times[k] < heard.latest()) heard.replace_latest(all.times[k], all.edges[k]);
    }
    for (EdgeId k = 0; k < heard.size; ++k) counts[i] += heard.times[k] < kNever ? 1 : 0;
  }
};

/// Picks in ascending order, independent of the pieces.
struct PickEarliest {
  MergePieces of;
  const VertexId* vertices;
  const EdgeId* starts;
  WorkItem* picks;
  VertexId* source_places;

  GR_HD void operator()(std::size_t i) const {
    if (of.starts[i] == of.end_of(i)) return;
    const Earliest heard = of.all.of_piece(of.starts[i]);
    WorkItem* const to = picks + starts[i];
    EdgeId picked = 0;
    for (EdgeId k = 0; k < heard.size; ++k) {
      if (!(heard.times[k] < kNever)) continue;
      const EdgeId e = heard.edges[k];
      source_places[starts[i] + picked] = static_cast<VertexId>(i);
      to[picked++] = {vertices[i], e, e + 1};
    }
    sort_by_edge(to, picked);
  }

  /// Shell's sort: in place, for few items.
  GR_HD static void sort_by_edge(WorkItem* items, EdgeId count) {
    for (EdgeId gap = count; gap > 1;) {
      gap = gap < 4 ? 1 : gap * 5 / 11;
      for (EdgeId i = gap; i < count; ++i) {
        const WorkItem item = items[i];
        EdgeId at = i;
        for (; at >= gap && items[at - gap].begin > item.begin; at -= gap) items[at] = items[at - gap];
        items[at] = item;
      }
    }
  }
};

struct TakeEdges {
  const WorkItem* picks;
  EdgeId* edges;
  GR_HD void operator()(std::size_t i) const { edges[i] = picks[i].begin; }
};

struct TakeTargets {
  VertexId* targets;
  GR_HD void operator()(std::size_t i, VertexId v) const { targets[i] = v; }
};

/// Marks a vertex without an index with the first edge that leads to it, until it gets one. Marks are larger than all indices,
/// and ascend with the edges.
struct FirstEdges {
  const VertexId* targets;
  VertexId* place_of;
  VertexId first_mark;
  GR_HD VertexId mark(std::size_t i) const { return first_mark + static_cast<VertexId>(i); }
  GR_HD bool is_first(std::size_t i) const { return place_of[targets[i]] == mark(i); }
};
struct MarkTargets {
  FirstEdges edges;
  GR_HD void operator()(std::size_t i) const {
    VertexId& place = edges.place_of[edges.targets[i]];
    if (atomics::load(place) > edges.mark(i)) atomics::fetch_min(place, edges.mark(i));
  }
};
struct CountFirst {
  FirstEdges edges;
  EdgeId* counts;
  GR_HD void operator()(std::size_t i) const { counts[i] = edges.is_first(i) ? 1 : 0; }
};
struct TakeFirst {
  FirstEdges edges;
  const EdgeId* ranks;
  VertexId* vertices;  ///< new ones
  GR_HD void operator()(std::size_t i) const {
    if (edges.is_first(i)) vertices[ranks[i]] = edges.targets[i];
  }
};

struct GivePlaces {
  const VertexId* vertices;
  std::size_t first;
  VertexId* place_of;
  GR_HD void operator()(std::size_t i) const { place_of[vertices[first + i]] = static_cast<VertexId>(first + i); }
};
struct TakePlacesBack {
  const VertexId* vertices;
  VertexId* place_of;
  GR_HD void operator()(std::size_t i) const { place_of[vertices[i]] = kNoVertex; }
};
struct LookUpPlaces {
  const VertexId* targets;
  const VertexId* place_of;
  VertexId* places;
  GR_HD void operator()(std::size_t i) const { places[i] = place_of[targets[i]]; }
};

/// Makes room for `count` elements; growing loses the old ones.
template <class Exec, class Array>
void make_room(Exec& exec, Array& array, std::size_t count) {
  using T = std::remove_pointer_t<decltype(array.data())>;
  if (array.size() >= count) return;
  array = Array{};  // first: there may be no room for two
  array = exec.template make_array<T>(count + count / 2);
}

template <class Exec, class T>
std::vector<T> download(Exec& exec, const T* from, std::size_t count) {
  if constexpr (requires(T * to) { exec.copy_to_host(to, from, count); }) {
    std::vector<T> all(count);
    exec.copy_to_host(all.data(), from, count * sizeof(T));
    return all;
  } else {
    return std::vector<T>(from, from + count);
  }
}

}  // namespace graphrun::sample::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
SampleRun<Exec, View>::SampleRun(Exec& exec, const GraphView<View>& graph, WeightKind weights, const Sampling& options,
                                 SampleState<Exec>& state)
    : exec_(exec), graph_(graph), weights_(weights), options_(options), state_(state) {
  load_kernels<SampleRun>(exec_);
  load_list_kernels(exec_);
  if (state_.place_of.size() == graph.num_vertices()) return;
  state_.place_of = exec_.template make_array<VertexId>(graph.num_vertices());
  state_.vertices = exec_.template make_array<VertexId>(graph.num_vertices());
  fill(exec_, state_.place_of, kNoVertex);
}

/// Assigns indices to the next `count` vertices.
template <class Exec, class View>
void SampleRun<Exec, View>::enter(std::size_t count) {
  vertex_map(exec_, count, sample::GivePlaces{state_.vertices.data(), known_, state_.place_of.data()});
  known_ += count;
  sample_.counts.push_back(known_);
}

/// Makes room for a hop's picks.
template <class Exec, class View>
void SampleRun<Exec, View>::make_room_for(std::uint64_t picked) {
  if (known_ + picked >= kNoVertex) {
    throw UsageError("a hop of this sample has " + std::to_string(picked) + " edges, more than vertex ids can number");
  }
  sample::make_room(exec_, state_.picks, picked);
  sample::make_room(exec_, state_.source_places, picked);
}

/// Returns the number of picked edges.
template <class Exec, class View>
std::uint64_t SampleRun<Exec, View>::pick_uniform(std::uint64_t seed, EdgeId fanout) {
  const std::size_t count = known_;
  auto starts = exec_.template make_array<EdgeId>(count);
  const sample::CountPicks of{graph_.out.offsets, state_.vertices.data(), fanout, options_.replace, starts.data()};
  vertex_map(exec_, count, of);
  const EdgeId picked = exclusive_sums(exec_, starts);
  make_room_for(picked);
  const sample::PickUniform pick{of, seed, starts.data(), picked, count, state_.picks.data(), state_.source_places.data()};
  vertex_map(exec_, count, pick, sample::kGrain);
  return picked;
}

template <class Exec, class View>
template <class Weight>
std::uint64_t SampleRun<Exec, View>::pick_by_weight(std::uint64_t seed, EdgeId fanout) {
  const std::size_t count = known_;
  const VertexId* const vertices = state_.vertices.data();
  auto piece_starts = exec_.template make_array<EdgeId>(count);
  const sample::CountPieces of{graph_.out.offsets, vertices, std::min(sample::kMostPieceEdges, graph_.out.chunk_edges),
                               piece_starts.data()};
  vertex_map(exec_, count, of);
  const EdgeId pieces = exclusive_sums(exec_, piece_starts);
  sample::make_room(exec_, state_.pieces, pieces);
  auto places = exec_.template make_array<EdgeId>(pieces);
  const sample::CutLists cut{of, fanout, options_.replace, piece_starts.data(), state_.pieces.data(), places.data()};
  vertex_map(exec_, count, cut, sample::kGrain);
  const EdgeId size = exclusive_sums(exec_, places);
  sample::make_room(exec_, state_.times, size);
  sample::make_room(exec_, state_.edges, size);
  vertex_map(exec_, size, sample::NeverRing{state_.times.data()});
  const sample::Alarms alarms{seed, options_.replace, places.data(), pieces, size, state_.times.data(), state_.edges.data()};
  edge_map_serial(exec_, graph_.out, graph_.out_edges, state_.pieces.data(), pieces,
                  sample::HearAlarms<Weight>{alarms, graph_.weight_table});

  auto starts = exec_.template make_array<EdgeId>(count);
  const sample::MergePieces merge{alarms, piece_starts.data(), count, starts.data()};
  vertex_map(exec_, count, merge, sample::kGrain);
  const EdgeId picked = exclusive_sums(exec_, starts);
  make_room_for(picked);
  vertex_map(exec_, count, sample::PickEarliest{merge, vertices, starts.data(), state_.picks.data(), state_.source_places.data()},
             sample::kGrain);
  return picked;
}

/// Follows the picked edges.
template <class Exec, class View>
void SampleRun<Exec, View>::follow(std::uint64_t picked) {
  sample::make_room(exec_, state_.targets, picked);
  sample::make_room(exec_, state_.target_places, picked);
  VertexId* const targets = state_.targets.data();
  edge_map_picked(exec_, graph_.out, graph_.out_edges, state_.picks.data(), picked, sample::TakeTargets{targets});

  const sample::FirstEdges first{targets, state_.place_of.data(), kNoVertex - static_cast<VertexId>(picked)};
  auto ranks = exec_.template make_array<EdgeId>(picked);
  vertex_map(exec_, picked, sample::MarkTargets{first});
  vertex_map(exec_, picked, sample::CountFirst{first, ranks.data()});
  const EdgeId found = exclusive_sums(exec_, ranks);
  vertex_map(exec_, picked, sample::TakeFirst{first, ranks.data(), state_.vertices.data() + known_});
  enter(found);
  vertex_map(exec_, picked, sample::LookUpPlaces{targets, state_.place_of.data(), state_.target_places.data()});

  sample::make_room(exec_, state_.edges, picked);
  vertex_map(exec_, picked, sample::TakeEdges{state_.picks.data(), state_.edges.data()});

  SampledHop& hop = sample_.hops.emplace_back();
  hop.edges = sample::download(exec_, state_.edges.data(), picked);
  hop.targets = sample::download(exec_, targets, picked);
  hop.target_places = sample::download(exec_, state_.target_places.data(), picked);
  hop.source_places = sample::download(exec_, state_.source_places.data(), picked);
  stats_.edges_examined += picked;
  ++stats_.iterations;
}

template <class Exec, class View>
AlgoStats SampleRun<Exec, View>::run() {
  stats_ = {};
  sample_ = {};
  known_ = 0;
  exec_.upload(options_.starts, state_.vertices);
  enter(options_.starts.size());
  for (std::size_t hop = 0; hop < options_.fanouts.size(); ++hop) {
    const std::uint64_t seed = splitmix64(options_.seed, hop, options_.weighted);
    const EdgeId fanout = options_.fanouts[hop];
    if (!options_.weighted)
      follow(pick_uniform(seed, fanout));
    else if (weights_ == WeightKind::f32)
      follow(pick_by_weight<float>(seed, fanout));
    else
      follow(pick_by_weight<std::uint32_t>(seed, fanout));
  }
  vertex_map(exec_, known_, sample::TakePlacesBack{state_.vertices.data(), state_.place_of.data()});
  sample_.vertices = sample::download(exec_, state_.vertices.data(), known_);
  for (SampledHop& hop : sample_.hops) {
    hop.sources.reserve(hop.source_places.size());
    for (const VertexId place : hop.source_places) hop.sources.push_back(sample_.vertices[place]);
  }
  return stats_;
}

}  // namespace graphrun::inline GR_IDS
