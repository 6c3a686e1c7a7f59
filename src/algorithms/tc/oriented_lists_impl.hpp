// SPDX-License-Identifier: Apache-2.0
// See oriented_lists.hpp. With ranks by degree, hubs first, no list is longer than the square root of twice the number of edges,
// and common entries are close together. A graph relabelled by degree has a part's edges side by side.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "graphrun/algorithms/oriented_lists.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::oriented::inline GR_IDS {

inline constexpr std::size_t kListGrain = 256;  // lists of a host thread at a time

// Classes of degrees, the largest first: one for each degree below kExact, then four for each power of two.
inline constexpr EdgeId kExact = 256;
inline constexpr std::size_t kClasses = kExact + 4 * 56;

GR_HD inline std::size_t class_of(EdgeId degree) {
  if (degree < kExact) return kClasses - 1 - static_cast<std::size_t>(degree);
  int log = 8;
  while (degree >> (log + 1) != 0) ++log;
  return kClasses - 1 - kExact - static_cast<std::size_t>(4 * (log - 8)) - static_cast<std::size_t>(degree >> (log - 2) & 3);
}

inline constexpr std::size_t kBlock = 4096;  // vertices that are ranked in sequence

/// Counts the vertices of each class in each block of vertices.
struct CountClasses {
  Degrees degree;
  std::size_t num_vertices;
  std::size_t blocks;
  EdgeId* counts;
  GR_HD void operator()(std::size_t block) const {
    const std::size_t end = (block + 1) * kBlock < num_vertices ? (block + 1) * kBlock : num_vertices;
    for (std::size_t v = block * kBlock; v < end; ++v) ++counts[class_of(degree(v)) * blocks + block];
  }
};

/// Assigns ranks, once `counts` are sums: the next rank of each class in each block.
struct GiveRanks {
  CountClasses of;
  VertexId* ranks;
  GR_HD void operator()(std::size_t block) const {
    const std::size_t end = (block + 1) * kBlock < of.num_vertices ? (block + 1) * kBlock : of.num_vertices;
    for (std::size_t v = block * kBlock; v < end; ++v)
      ranks[v] = static_cast<VertexId>(of.counts[class_of(of.degree(v)) * of.blocks + block]++);
  }
};

/// Counts the lengths of lists.
struct Count {
  using Can = Capabilities<can::Want, can::ExchangeLater>;
  Entries entry;
  EdgeId* lengths;
  GR_HD bool wants(VertexId) const { return true; }
  GR_HD void operator()(VertexId v, VertexId u) const {
    const VertexId r = entry.rank(v);
    if (entry.rank(u) < r) atomics::fetch_add(lengths[r], EdgeId{1});
  }
};

struct PlaceLists {
  Lists lists;
  const EdgeId* starts;
  EdgeId base;
  bool filled;  ///< by all ranks: places lists with their entries
  GR_HD void operator()(std::size_t i) const {
    const EdgeId* const start = starts + lists.first + i;
    lists.places[lists.first + i] = {start[0] - base, start[filled ? 1 : 0] - base};
  }
};

struct Fill {
  using Can = Capabilities<can::Want, can::ExchangeLater>;
  Entries entry;
  Lists lists;
  GR_HD bool wants(VertexId v) const { return lists.has(entry.rank(v)); }
  GR_HD void operator()(VertexId v, VertexId u) const {
    const VertexId r = entry.rank(v);
    const VertexId q = entry.rank(u);
    if (q < r) lists.entries[atomics::fetch_add(lists.places[r].end, EdgeId{1})] = entry.of(q);
  }
};

/// Leaves one entry of two that differ in their direction alone, with a bit that tells that there were two.
struct JoinDirections {
  Lists lists;
  GR_HD void operator()(std::size_t i) const {
    ListPlace& place = lists.places[lists.first + i];
    EdgeId kept = place.begin;
    for (EdgeId e = place.begin; e < place.end; ++e) {
      const VertexId entry = lists.entries[e];
      const bool both = e + 1 < place.end && lists.entries[e + 1] >> 1 == entry >> 1;
      lists.entries[kept++] = entry >> 1 << 1 | VertexId{both};
      e += both;
    }
    place.end = kept;
  }
};

/// Of every `stride`th vertex: whether it has edges, its degree, and its square.
struct DegreeMoments {
  Degrees degree_of;
  std::size_t stride;
  GR_HD Sums<3> operator()(std::size_t i) const {
    const auto degree = static_cast<double>(degree_of(i * stride));
    return {{degree > 0 ? 1.0 : 0.0, degree, degree * degree}};
  }
};

struct DegreeRises {
  Degrees degree;
  GR_HD std::uint64_t operator()(std::size_t v) const { return degree(v + 1) > degree(v); }
};

}  // namespace graphrun::oriented::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
OrientedLists<Exec, View>::OrientedLists(Exec& exec, const GraphView<View>& graph)
    : exec_(exec), graph_(graph), places_(exec.template make_array<ListPlace>(graph.num_vertices())) {
  load_list_kernels(exec_);
  if (!graph.symmetric) {
    graph.require_in("lists of neighbours in a directed graph");
    if (graph.num_vertices() > kNoVertex / 2)
      throw UsageError("lists of neighbours in a directed graph of more than " + std::to_string(kNoVertex / 2) +
                       " vertices need --ids 64");
  }
  fill(exec_, places_, ListPlace{0, 0});  // touches memory before timing starts
}

template <class Exec, class View>
bool OrientedLists<Exec, View>::is_skewed() {
  constexpr std::size_t kSample = 1 << 18;
  const std::size_t n = graph_.num_vertices();
  const std::size_t stride = (n + kSample - 1) / kSample;
  const Sums<3> sums = vertex_sum<Sums<3>>(exec_, n / stride, oriented::DegreeMoments{degrees(), stride});
  return sums.of[2] * sums.of[0] > 2 * sums.of[1] * sums.of[1];
}

template <class Exec, class View>
bool OrientedLists<Exec, View>::degrees_descend() {
  const std::size_t n = graph_.num_vertices();
  return n < 2 || vertex_sum<std::uint64_t>(exec_, n - 1, oriented::DegreeRises{degrees()}) == 0;
}

template <class Exec, class View>
void OrientedLists<Exec, View>::rank_by(bool degree) {
  ranks_ = {};
  if (!degree) return;
  const std::size_t n = graph_.num_vertices();
  const std::size_t blocks = (n + oriented::kBlock - 1) / oriented::kBlock;
  auto counts = exec_.template make_array<EdgeId>(oriented::kClasses * blocks);
  fill(exec_, counts, EdgeId{0});
  ranks_ = exec_.template make_array<VertexId>(n);
  const oriented::CountClasses of{degrees(), n, blocks, counts.data()};
  vertex_map(exec_, blocks, of, 1);
  exclusive_sums(exec_, counts);
  vertex_map(exec_, blocks, oriented::GiveRanks{of, ranks_.data()}, 1);
}

template <class Exec, class View>
template <class Of>
void OrientedLists<Exec, View>::read_edges(AlgoStats& stats, const Of& of) {
  std::uint64_t edges = edge_map_all(exec_, graph_.out, graph_.out_edges, 0, of(0)).edges;
  if (!graph_.symmetric) edges += edge_map_all(exec_, graph_.in, graph_.in_edges, 0, of(1)).edges;
  stats.edges_examined += sum_of_ranks(exec_, edges);
}

template <class Exec, class View>
void OrientedLists<Exec, View>::count_entries(AlgoStats& stats) {
  const std::size_t n = graph_.num_vertices();
  if (starts_.size() != n + 1) starts_ = exec_.template make_array<EdgeId>(n + 1);
  fill(exec_, starts_, EdgeId{0});
  read_edges(stats, [&](VertexId direction) { return oriented::Count{entry_of(direction), starts_.data()}; });
  add_over_ranks(exec_, starts_.data(), n);
  exclusive_sums(exec_, starts_);
}

/// Returns the last rank of `part`, or its end, whose list starts at `entries` or before.
template <class Exec, class View>
VertexId OrientedLists<Exec, View>::last_begun(EdgeId entries, const Part& part) {
  VertexId first = part.first;
  for (VertexId last = part.last; first < last;) {
    const VertexId middle = last - (last - first) / 2;
    if (exec_.fetch(starts_, middle) <= entries)
      first = middle;
    else
      last = middle - 1;
  }
  return first;
}

/// Returns the fewest parts of at most `entries` entries each.
template <class Exec, class View>
std::vector<typename OrientedLists<Exec, View>::Part> OrientedLists<Exec, View>::divide(EdgeId entries) {
  std::vector<Part> parts;
  const VertexId n = graph_.num_vertices();
  for (VertexId first = 0; first < n;) {
    const VertexId last = last_begun(exec_.fetch(starts_, first) + entries, {first, n});
    if (last == first) {
      const EdgeId length = exec_.fetch(starts_, first + 1) - exec_.fetch(starts_, first);
      throw UsageError("the lists need a --cache of " + std::to_string(2 * length * sizeof(VertexId)) +
                       " bytes: two lists of neighbours of smaller rank must fit, and the longest has " + std::to_string(length) +
                       " entries or more");
    }
    parts.push_back({first, last});
    first = last;
  }
  return parts;
}

template <class Exec, class View>
Lists OrientedLists<Exec, View>::make(const Part& part, VertexId* entries, AlgoStats& stats) {
  const Lists lists{places_.data(), entries, part.first, part.last};
  const std::size_t count = part.last - part.first;
  const EdgeId base = exec_.fetch(starts_, part.first);
  const EdgeId size = exec_.fetch(starts_, part.last) - base;
  vertex_map(exec_, count, oriented::PlaceLists{lists, starts_.data(), base, false});
  ranks::begin_parts(exec_, entries, size);
  read_edges(stats, [&](VertexId direction) { return oriented::Fill{entry_of(direction), lists}; });
  ++stats.iterations;
  add_over_ranks(exec_, entries, size);
  vertex_map(exec_, count, oriented::PlaceLists{lists, starts_.data(), base, true});
  vertex_map(exec_, count, PutInOrder{lists}, oriented::kListGrain);
  if (!graph_.symmetric) vertex_map(exec_, count, oriented::JoinDirections{lists}, oriented::kListGrain);
  return lists;
}

/// Returns this rank's share: lists with an equal share of the entries.
template <class Exec, class View>
Lists OrientedLists<Exec, View>::own_share(Lists lists) {
  const Part all{lists.first, lists.last};
  const EdgeId begin = exec_.fetch(starts_, all.first);
  const EdgeId size = exec_.fetch(starts_, all.last) - begin;
  const auto [first, last] = ranks::share_of(exec_, size);
  if (first != 0) lists.first = last_begun(begin + first, all);
  if (last != size) lists.last = last_begun(begin + last, all);
  return lists;
}

template <class Exec, class View>
template <class Made, class Visit>
std::uint64_t OrientedLists<Exec, View>::for_each_pair(std::uint64_t buffer_bytes, AlgoStats& stats, const Made& made,
                                                       const Visit& visit) {
  count_entries(stats);
  const EdgeId all = exec_.fetch(starts_, graph_.num_vertices());
  const EdgeId room = buffer_bytes == 0 ? all : std::min<EdgeId>(all, buffer_bytes / sizeof(VertexId));
  const std::vector<Part> parts = divide(room == all ? all : room / 2);
  if (entries_.size() < room) entries_ = exec_.template make_array<VertexId>(room);
  Progress progress("looking for triangles", parts.size() * (parts.size() + 1) / 2);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Lists part = make(parts[i], entries_.data(), stats);
    made(part);
    const Lists mine = own_share(part);
    visit(mine, part);
    progress.advance(1);
    for (std::size_t j = 0; j < i; ++j) {
      visit(mine, make(parts[j], entries_.data() + room / 2, stats));
      progress.advance(1);
    }
  }
  return parts.size();
}

}  // namespace graphrun::inline GR_IDS
