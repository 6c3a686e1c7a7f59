// SPDX-License-Identifier: Apache-2.0
// Triangle counting, both executors. Vertices have ranks; each has a list of its neighbours of smaller rank. A triangle is an
// entry q of the list of r, and a common entry of both lists: each is found once, at its vertex of largest rank. With ranks by
// degree, hubs first, no list is longer than the square root of twice the number of edges, and common entries are close together.
// Self loops are in no list, and parallel arcs are one entry.
//
// Two passes over the view make the lists: one counts edges, one fills them, a part of the ranks at a time where the buffer
// cannot hold all. It then holds two parts: k parts take k (k + 1) / 2 passes, each over the edges of one part (Hu, Tao and
// Chung, SIGMOD 2013, scan the whole graph once a part). A graph relabelled by degree has a part's edges side by side. Where all
// edges are in the fast tier and lists ascend, their prefixes are the lists.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "graphrun/algorithms/tc.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::tc::inline GR_IDS {

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
  const EdgeId* offsets;
  std::size_t num_vertices;
  std::size_t blocks;
  EdgeId* counts;
  GR_HD void operator()(std::size_t block) const {
    const std::size_t end = (block + 1) * kBlock < num_vertices ? (block + 1) * kBlock : num_vertices;
    for (std::size_t v = block * kBlock; v < end; ++v) ++counts[class_of(offsets[v + 1] - offsets[v]) * blocks + block];
  }
};

/// Assigns ranks, once `counts` are sums: the next rank of each class in each block.
struct GiveRanks {
  CountClasses of;
  VertexId* ranks;
  GR_HD void operator()(std::size_t block) const {
    const std::size_t end = (block + 1) * kBlock < of.num_vertices ? (block + 1) * kBlock : of.num_vertices;
    for (std::size_t v = block * kBlock; v < end; ++v)
      ranks[v] = static_cast<VertexId>(of.counts[class_of(of.offsets[v + 1] - of.offsets[v]) * of.blocks + block]++);
  }
};

struct Ranks {
  const VertexId* ranks;  ///< null: the ids
  GR_HD VertexId operator()(VertexId v) const { return ranks == nullptr ? v : ranks[v]; }
};

/// Counts the lengths of lists.
struct Count {
  using Can = Capabilities<can::Want, can::ExchangeLater>;
  Ranks rank;
  EdgeId* lengths;
  GR_HD bool wants(VertexId) const { return true; }
  GR_HD void operator()(VertexId v, VertexId u) const {
    const VertexId r = rank(v);
    if (rank(u) < r) atomics::fetch_add(lengths[r], EdgeId{1});
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
  Ranks rank;
  Lists lists;
  GR_HD bool wants(VertexId v) const { return lists.has(rank(v)); }
  GR_HD void operator()(VertexId v, VertexId u) const {
    const VertexId r = rank(v);
    const VertexId q = rank(u);
    if (q < r) lists.entries[atomics::fetch_add(lists.places[r].end, EdgeId{1})] = q;
  }
};

/// Finds the neighbours below v in the ascending list of v; returns 1 where it does not ascend.
struct FindLists {
  const EdgeId* offsets;
  Lists lists;
  GR_HD std::uint64_t operator()(std::size_t i) const {
    const auto v = static_cast<VertexId>(i);
    const EdgeId begin = offsets[i];
    EdgeId below = 0;
    bool ascends = true;
    for (EdgeId e = begin; e < offsets[i + 1]; ++e) {
      below += lists.entries[e] < v;
      ascends &= e == begin || lists.entries[e - 1] < lists.entries[e];
    }
    lists.places[v] = {begin, begin + below};
    return !ascends;
  }
};

/// Counts at v without lists, by merging v's list with those of its smaller neighbours. For graphs with short lists. The second
/// sum is 1 where v's list does not ascend; then the first is invalid.
struct CountShort {
  const EdgeId* offsets;
  const VertexId* entries;

  GR_HD Sums<2> operator()(std::size_t i) const {
    const auto v = static_cast<VertexId>(i);
    const EdgeId begin = offsets[i];
    EdgeId end = begin;
    bool ascends = true;
    for (EdgeId e = begin; e < offsets[i + 1]; ++e) {
      end += entries[e] < v;
      ascends &= e == begin || entries[e - 1] < entries[e];
    }
    Sums<2> sums;
    if (!ascends) sums.of[1] = 1;
    for (EdgeId e = begin + 1; ascends && e < end; ++e) sums.of[0] += static_cast<double>(common(begin, e));
    return sums;
  }

 private:
  static constexpr EdgeId kShort = 32;

  /// Returns the number of common entries of [first, at) and the list of entry `at`.
  GR_HD EdgeId common(EdgeId first, EdgeId at) const {
    const VertexId q = entries[at];
    const bool searches = at - first > kShort;
    EdgeId count = 0;
    for (EdgeId e = offsets[q]; e < offsets[q + 1] && entries[e] < q; ++e) {
      if (searches) {
        for (EdgeId size = at - first; size > 0;) {
          const EdgeId half = size / 2;
          const bool below = entries[first + half] < entries[e];
          first = below ? first + half + 1 : first;
          size = below ? size - half - 1 : half;
        }
      } else {
        while (first < at && entries[first] < entries[e]) ++first;
      }
      if (first == at) break;
      count += entries[first] == entries[e];
    }
    return count;
  }
};

/// Of every `stride`th vertex: whether it has edges, its degree, and its square.
struct DegreeMoments {
  const EdgeId* offsets;
  std::size_t stride;
  GR_HD Sums<3> operator()(std::size_t i) const {
    const auto degree = static_cast<double>(offsets[i * stride + 1] - offsets[i * stride]);
    return {{degree > 0 ? 1.0 : 0.0, degree, degree * degree}};
  }
};

struct DegreeRises {
  const EdgeId* offsets;
  GR_HD std::uint64_t operator()(std::size_t v) const { return offsets[v + 2] - offsets[v + 1] > offsets[v + 1] - offsets[v]; }
};

}  // namespace graphrun::tc::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
TcRun<Exec, View>::TcRun(Exec& exec, const GraphView<View>& graph, const TcOptions& options)
    : exec_(exec), graph_(graph), options_(options), places_(exec.template make_array<ListPlace>(graph.num_vertices())) {
  load_kernels<TcRun>(exec_);
  load_list_kernels(exec_);
  if (!graph.symmetric) throw UsageError("tc counts triangles of undirected graphs, and this one is directed");
  fill(exec_, places_, ListPlace{0, 0});  // touches memory before timing starts
}

/// Returns whether a neighbour has, on average, more than twice a vertex's degree.
template <class Exec, class View>
bool TcRun<Exec, View>::is_skewed() {
  constexpr std::size_t kSample = 1 << 18;
  const std::size_t n = graph_.num_vertices();
  const std::size_t stride = (n + kSample - 1) / kSample;
  const Sums<3> sums = vertex_sum<Sums<3>>(exec_, n / stride, tc::DegreeMoments{graph_.out.offsets, stride});
  return sums.of[2] * sums.of[0] > 2 * sums.of[1] * sums.of[1];
}

template <class Exec, class View>
bool TcRun<Exec, View>::degrees_descend() {
  const std::size_t n = graph_.num_vertices();
  return n < 2 || vertex_sum<std::uint64_t>(exec_, n - 1, tc::DegreeRises{graph_.out.offsets}) == 0;
}

template <class Exec, class View>
void TcRun<Exec, View>::rank_by_degree() {
  const std::size_t n = graph_.num_vertices();
  const std::size_t blocks = (n + tc::kBlock - 1) / tc::kBlock;
  auto counts = exec_.template make_array<EdgeId>(tc::kClasses * blocks);
  fill(exec_, counts, EdgeId{0});
  if (ranks_.size() != n) ranks_ = exec_.template make_array<VertexId>(n);
  const tc::CountClasses of{graph_.out.offsets, n, blocks, counts.data()};
  vertex_map(exec_, blocks, of, 1);
  exclusive_sums(exec_, counts);
  vertex_map(exec_, blocks, tc::GiveRanks{of, ranks_.data()}, 1);
}

template <class Exec, class View>
bool TcRun<Exec, View>::count_in_place(AlgoStats& stats) {
  if constexpr (std::is_same_v<View, DirectView>) {
    if (!array_now<false>(exec_, graph_.out_edges)) return false;
    const VertexId n = graph_.num_vertices();
    constexpr EdgeId kFewEdges = 8;  // a vertex
    if (graph_.num_edges / kFewEdges < n) {
      const auto sums = vertex_sum<Sums<2>>(exec_, n, tc::CountShort{graph_.out.offsets, graph_.out_edges.neighbours});
      if (sums.of[1] != 0) return false;
      stats.edges_examined += graph_.num_edges;
      found_.triangles = static_cast<std::uint64_t>(sums.of[0]);
      return true;
    }
    // Nothing writes to sorted lists.
    const Lists lists{places_.data(), const_cast<VertexId*>(graph_.out_edges.neighbours), 0, n};
    if (vertex_sum<std::uint64_t>(exec_, n, tc::FindLists{graph_.out.offsets, lists}) != 0) return false;
    stats.edges_examined += graph_.num_edges;
    found_.triangles = list_intersections(exec_, lists, lists);
    return true;
  }
  return false;
}

template <class Exec, class View>
void TcRun<Exec, View>::count_lists(AlgoStats& stats) {
  const std::size_t n = graph_.num_vertices();
  if (starts_.size() != n + 1) starts_ = exec_.template make_array<EdgeId>(n + 1);
  fill(exec_, starts_, EdgeId{0});
  const tc::Count count{{ranks_.data()}, starts_.data()};
  stats.edges_examined += sum_of_ranks(exec_, edge_map_all(exec_, graph_.out, graph_.out_edges, 0, count).edges);
  add_over_ranks(exec_, starts_.data(), n);
  exclusive_sums(exec_, starts_);
}

/// Returns the last rank of `part`, or its end, whose list starts at `entries` or before.
template <class Exec, class View>
VertexId TcRun<Exec, View>::last_begun(EdgeId entries, const Part& part) {
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
std::vector<typename TcRun<Exec, View>::Part> TcRun<Exec, View>::divide(EdgeId entries) {
  std::vector<Part> parts;
  const VertexId n = graph_.num_vertices();
  for (VertexId first = 0; first < n;) {
    const VertexId last = last_begun(exec_.fetch(starts_, first) + entries, {first, n});
    if (last == first) {
      const EdgeId length = exec_.fetch(starts_, first + 1) - exec_.fetch(starts_, first);
      throw UsageError("tc needs a --cache of " + std::to_string(2 * length * sizeof(VertexId)) +
                       " bytes: two lists of neighbours of smaller rank must fit, and the longest has " + std::to_string(length) +
                       " entries or more");
    }
    parts.push_back({first, last});
    first = last;
  }
  return parts;
}

template <class Exec, class View>
Lists TcRun<Exec, View>::make_lists(const Part& part, VertexId* entries, AlgoStats& stats) {
  const Lists lists{places_.data(), entries, part.first, part.last};
  const std::size_t count = part.last - part.first;
  const EdgeId base = exec_.fetch(starts_, part.first);
  const EdgeId size = exec_.fetch(starts_, part.last) - base;
  vertex_map(exec_, count, tc::PlaceLists{lists, starts_.data(), base, false});
  ranks::begin_parts(exec_, entries, size);
  const tc::Fill fill{{ranks_.data()}, lists};
  stats.edges_examined += sum_of_ranks(exec_, edge_map_all(exec_, graph_.out, graph_.out_edges, 0, fill).edges);
  ++stats.iterations;
  add_over_ranks(exec_, entries, size);
  vertex_map(exec_, count, tc::PlaceLists{lists, starts_.data(), base, true});
  vertex_map(exec_, count, PutInOrder{lists}, tc::kListGrain);
  return lists;
}

/// Intersects lists; each of several ranks takes lists of `a` with an equal share of its entries.
template <class Exec, class View>
std::uint64_t TcRun<Exec, View>::intersect(Lists a, const Lists& b) {
  const Part all{a.first, a.last};
  const EdgeId begin = exec_.fetch(starts_, all.first);
  const EdgeId size = exec_.fetch(starts_, all.last) - begin;
  const auto [first, last] = ranks::share_of(exec_, size);
  if (first != 0) a.first = last_begun(begin + first, all);
  if (last != size) a.last = last_begun(begin + last, all);
  return list_intersections(exec_, a, b);
}

template <class Exec, class View>
AlgoStats TcRun<Exec, View>::run() {
  AlgoStats stats;
  found_ = {};
  if (graph_.num_edges == 0) return stats;
  found_.by_degree = options_.variant == TcVariant::by_degree || (options_.variant == TcVariant::hybrid && is_skewed());
  const bool ids_are_ranks = !found_.by_degree || degrees_descend();
  if (ids_are_ranks && options_.in_place && count_in_place(stats)) return stats;
  ranks_ = {};
  if (!ids_are_ranks) rank_by_degree();
  count_lists(stats);
  const EdgeId all = exec_.fetch(starts_, graph_.num_vertices());
  const EdgeId room = options_.buffer_bytes == 0 ? all : std::min<EdgeId>(all, options_.buffer_bytes / sizeof(VertexId));
  const bool one_part = room == all;
  const std::vector<Part> parts = divide(one_part ? all : room / 2);
  if (entries_.size() < room) entries_ = exec_.template make_array<VertexId>(room);
  found_.parts = parts.size();
  Progress progress("counting triangles", parts.size() * (parts.size() + 1) / 2);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Lists mine = make_lists(parts[i], entries_.data(), stats);
    found_.triangles += intersect(mine, mine);
    progress.advance(1);
    for (std::size_t j = 0; j < i; ++j) {
      found_.triangles += intersect(mine, make_lists(parts[j], entries_.data() + room / 2, stats));
      progress.advance(1);
    }
  }
  found_.triangles = sum_of_ranks(exec_, found_.triangles);
  exec_.synchronize();
  return stats;
}

}  // namespace graphrun::inline GR_IDS
