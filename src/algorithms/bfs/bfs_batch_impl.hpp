// SPDX-License-Identifier: Apache-2.0
// Many breadth-first searches at once, both executors (Then et al., The More the Merrier, VLDB 2014). Search i is bit i of a word
// a vertex. A push ORs a vertex's word into its neighbours', atomically where that adds bits; a pull gathers neighbours' words
// until all possible searches have arrived. So one scan of a list serves all searches at its vertex in a level.
//
// Levels are kept by their bits: plane k has a word a vertex, of the searches whose level has bit k set. Depths of a small world
// take 3 or 4 planes, where a byte for each level would take 64 bytes a vertex. A plane is cleared when a level first needs it.
//
// The direction is the one expected to examine less, as in bfs_impl.hpp, for each search: in one step searches with small
// frontiers push and the others pull.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <type_traits>
#include <utility>

#include "graphrun/algorithms/bfs_batch.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/ops/ranks.hpp"

namespace graphrun::bfs::inline GR_IDS {

inline constexpr std::size_t kUsualPlanes = 4;
inline constexpr EdgeId kMostSampled = 1 << 14;  // largest sample of edges for the choice of a direction
inline constexpr EdgeId kEdgesASample = 256;     // one sample costs as much as pushing along a few edges
inline constexpr double kLook = 0.25;            // cost of a vertex in a step over all vertices, in pushed edges

struct PushMany {
  using Weight = NoWeight;
  using Can = Capabilities<can::Share>;
  const std::uint64_t* seen;
  const std::uint64_t* visit;
  std::uint64_t* reached;
  std::uint64_t searches;

  GR_HD std::uint64_t source(VertexId u) const { return visit[u] & searches; }
  /// Returns true for the thread that brings v its first search of this level.
  GR_HD bool operator()(std::uint64_t at_source, VertexId v, NoWeight) const {
    if ((at_source & ~atomics::load(reached[v])) == 0) return false;
    return atomics::fetch_or(reached[v], at_source) == seen[v];
  }
  GR_HD std::uint64_t state(VertexId v) const { return reached[v]; }
  GR_HD bool take(VertexId v, std::uint64_t elsewhere) const {
    const std::uint64_t before = reached[v];
    reached[v] |= elsewhere;
    return before == seen[v] && reached[v] != before;
  }
};

struct PullMany {
  using Can = Capabilities<can::Share, can::NoteOwnChanges>;
  const std::uint64_t* seen;
  const std::uint64_t* visit;
  std::uint64_t* reached;
  std::uint64_t searches;
  std::uint64_t common = 0;  ///< no state of a changed vertex

  GR_HD std::uint64_t lacking(VertexId v) const { return searches & ~atomics::load(reached[v]); }
  GR_HD std::uint64_t bits(VertexId u) const { return visit[u]; }
  GR_HD void take(VertexId v, std::uint64_t come) const { atomics::fetch_or(reached[v], come); }
  GR_HD bool changed(VertexId v) const { return reached[v] != seen[v]; }
  GR_HD std::uint64_t state(VertexId v) const { return reached[v]; }
};

/// Vertices that any of some searches reached in the last level.
struct IsNewTo {
  const std::uint64_t* visit;
  std::uint64_t searches;
  GR_HD bool operator()(VertexId v) const { return (visit[v] & searches) != 0; }
};

// A step's edges are estimated from evenly spaced edges and the vertices that own them. A list is sampled in proportion to its
// length, so a few thousand samples suffice for any distribution of degrees.

struct Sample {
  Rows rows;
  EdgeId edges;  ///< of all lists
  std::size_t size;

  /// `most`: edges that a step may examine.
  Sample(const Rows& lists, EdgeId num_edges, EdgeId most)
      : rows(lists),
        edges(num_edges),
        size(static_cast<std::size_t>(std::clamp<EdgeId>(most / kEdgesASample, 1, kMostSampled))) {}

  /// Returns the number of edges that a sample represents.
  GR_HD double weight() const { return static_cast<double>(edges) / static_cast<double>(size); }
  /// Returns the owner of sample `i`.
  GR_HD VertexId owner(std::size_t i) const {
    const auto edge = static_cast<EdgeId>(static_cast<double>(i) * weight());
    VertexId first = 0;
    for (VertexId count = rows.num_vertices; count > 1;) {  // offsets[first] <= edge < offsets[first + count]
      const VertexId half = count / 2;
      const bool above = rows.offsets[first + half] <= edge;
      first = above ? first + half : first;
      count = above ? count - half : half;
    }
    return first;
  }
};

/// Edges of each search's frontier.
struct FrontierEdges {
  Sample sample;
  const std::uint64_t* visit;
  GR_HD Sums<kMostSearches> operator()(std::size_t i) const {
    const std::uint64_t come = visit[sample.owner(i)];
    Sums<kMostSearches> sums;
    for (std::size_t search = 0; search < kMostSearches; ++search)
      sums.of[search] = (come >> search & 1u) != 0 ? sample.weight() : 0;
    return sums;
  }
};

/// Cost of pulls by the number of searches that push instead: the first ones of `order`, which ascends by frontier edges. A
/// vertex scans its list until it meets the smallest frontier of its missing searches.
struct PullCosts {
  Sample sample;
  const std::uint64_t* reached;
  int searches;
  std::uint8_t order[kMostSearches];
  double scanned[kMostSearches];  ///< edges until such a frontier is met
  DirectionCosts cost;

  GR_HD double of_list(EdgeId degree, double edges) const {
    const auto all = static_cast<double>(degree);
    const double looked = cost.pull_edge * (cost.whole_lists || all < edges ? all : edges);
    return looked < cost.pull_vertex ? cost.pull_vertex : looked;
  }
  GR_HD Sums<kMostSearches> operator()(std::size_t i) const {
    const VertexId v = sample.owner(i);
    const EdgeId degree = sample.rows.degree(v);
    const std::uint64_t lacking = ~reached[v];
    Sums<kMostSearches> sums;
    double of_this = 0;
    for (int k = searches - 1; k >= 0; --k) {
      if ((lacking >> order[k] & 1u) != 0) of_this = sample.weight() / static_cast<double>(degree) * of_list(degree, scanned[k]);
      sums.of[k] = of_this;
    }
    return sums;
  }
};

/// Sets this level for the searches that newly reached a vertex.
struct Arrive {
  const std::uint64_t* reached;
  std::uint64_t* seen;
  std::uint64_t* visit;
  std::uint64_t* alive;
  LevelPlanes level;  ///< of the bits that are set in this level

  GR_HD std::uint64_t come(VertexId v) const { return reached[v] & ~seen[v]; }
  GR_HD void operator()(VertexId v) const {
    const std::uint64_t come = this->come(v);
    visit[v] = come;
    seen[v] |= come;
    for (int i = 0; i < level.count; ++i) level.of[i][v] |= come;
    if ((come & ~atomics::load(*alive)) != 0) atomics::fetch_or(*alive, come);
  }
};

/// Does the same for all vertices, and finds the reached ones. Clears the last level.
struct ArriveAnywhere {
  Arrive arrive;
  GR_HD bool operator()(VertexId v) const {
    if (arrive.come(v) != 0) {
      arrive(v);
      return true;
    }
    if (arrive.visit[v] != 0) arrive.visit[v] = 0;
    return false;
  }
};

struct Forget {
  std::uint64_t* visit;
  GR_HD void operator()(VertexId v) const { visit[v] = 0; }
};

}  // namespace graphrun::bfs::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class Exec, class View>
BfsBatchRun<Exec, View>::BfsBatchRun(Exec& exec, const GraphView<View>& graph, const BfsOptions& options)
    : exec_(exec),
      graph_(graph),
      options_(options),
      reached_(exec.template make_array<std::uint64_t>(graph.num_vertices())),
      seen_(exec.template make_array<std::uint64_t>(graph.num_vertices())),
      visit_(exec.template make_array<std::uint64_t>(graph.num_vertices())),
      alive_(exec.template make_array<std::uint64_t>(1)),
      frontier_(exec, graph.out, graph.in.num_hub_chunks),
      found_(exec, graph.out, graph.in.num_hub_chunks) {
  load_kernels<BfsBatchRun>(exec_);
  if (options_.variant == BfsVariant::direction_optimizing) graph_.require_in("direction-optimizing bfs");
  for (std::size_t k = 0; k < bfs::kUsualPlanes; ++k)
    planes_.push_back(exec.template make_array<std::uint64_t>(graph.num_vertices()));
}

template <class Exec, class View>
void BfsBatchRun<Exec, View>::use_plane(std::size_t plane) {
  const std::size_t n = graph_.num_vertices();
  if (plane == planes_.size()) {
    if constexpr (std::is_same_v<Exec, CpuExecutor>) check_room_for_plane(plane, n * ranks::in_this_process(exec_));
    planes_.push_back(exec_.template make_array<std::uint64_t>(n));
  }
  fill(exec_, planes_[plane], std::uint64_t{0});
  planes_in_use_ = plane + 1;
}

/// Returns the searches of `alive` that pull in the next step; the others push. A pull for a search with a small frontier scans
/// long lists in vain, at all vertices that lack it, and its push is cheap. So a mix may be best.
template <class Exec, class View>
std::uint64_t BfsBatchRun<Exec, View>::choose_pulls(std::uint64_t alive) const {
  if (options_.variant == BfsVariant::push) return 0;
  const auto n = static_cast<double>(graph_.num_vertices());
  const auto m = static_cast<double>(graph_.num_edges);
  bfs::PullCosts pull{
      bfs::Sample(graph_.in, graph_.num_edges, frontier_.edges()), reached_.data(), std::popcount(alive), {}, {}, {}};
  pull.cost = direction_costs(exec_, graph_.in_edges);
  double least = pull.cost.push_edge * static_cast<double>(frontier_.edges()) +
                 pull.cost.pull_vertex * static_cast<double>(frontier_.size());
  if (graph_.num_edges == 0 || least <= bfs::kLook * n) return 0;

  const bfs::FrontierEdges count{bfs::Sample(graph_.out, graph_.num_edges, frontier_.edges()), visit_.data()};
  const auto edges = vertex_sum<Sums<kMostSearches>>(exec_, count.sample.size, count);
  std::uint8_t* order_end = pull.order;
  for (std::uint8_t search = 0; search < kMostSearches; ++search) {
    if ((alive >> search & 1u) != 0) *order_end++ = search;
  }
  std::sort(pull.order, order_end, [&](std::uint8_t a, std::uint8_t b) { return edges.of[a] < edges.of[b]; });
  for (int k = 0; k < pull.searches; ++k) pull.scanned[k] = m / std::max(1.0, edges.of[pull.order[k]]);
  const auto pulls = vertex_sum<Sums<kMostSearches>>(exec_, pull.sample.size, pull);

  std::uint64_t best = 0;
  std::uint64_t pulling = alive;
  double pushed = 0;
  for (int k = 0; k < pull.searches; ++k) {
    if (const double all = pushed + pulls.of[k] + bfs::kLook * n; all < least) {
      least = all;
      best = pulling;
    }
    pushed += pull.cost.push_edge * edges.of[pull.order[k]];
    pulling &= ~(std::uint64_t{1} << pull.order[k]);
  }
  return best;
}

template <class Exec, class View>
void BfsBatchRun<Exec, View>::start() {
  for (Words* words : {&seen_, &visit_, &reached_}) fill(exec_, *words, std::uint64_t{0});
  planes_in_use_ = 0;
  std::map<VertexId, std::uint64_t> searches;
  for (std::size_t i = 0; i < sources_.size(); ++i) searches[sources_[i]] |= std::uint64_t{1} << i;
  for (const auto& [source, bits] : searches) exec_.store(reached_, source, bits);
}

template <class Exec, class View>
AlgoStats BfsBatchRun<Exec, View>::run(std::span<const VertexId> sources) {
  sources_.assign(sources.begin(), sources.end());
  start();
  const std::size_t n = graph_.num_vertices();
  AlgoStats stats;
  Progress progress("breadth-first searches", 0, "level");
  std::uint64_t pulling = ~std::uint64_t{0};
  for (std::uint32_t level = 0; pulling != 0 || !found_.empty(); ++level) {
    if (const auto bits = static_cast<std::size_t>(std::bit_width(level)); bits > planes_in_use_) use_plane(bits - 1);
    bfs::Arrive arrive{reached_.data(), seen_.data(), visit_.data(), alive_.data(), {}};
    for (std::size_t k = 0; k < planes_in_use_; ++k) {
      if ((level >> k & 1u) != 0) arrive.level.of[arrive.level.count++] = planes_[k].data();
    }
    exec_.store(alive_, 0, std::uint64_t{0});
    if (pulling == 0) {
      frontier_map(exec_, frontier_, bfs::Forget{visit_.data()});
      frontier_map(exec_, found_, arrive);
    } else {
      vertex_filter(exec_, n, bfs::ArriveAnywhere{arrive}, found_);
    }
    std::swap(frontier_, found_);
    if (frontier_.empty()) break;
    const std::uint64_t alive = exec_.fetch(alive_, 0);
    pulling = choose_pulls(alive);
    EdgeMapStats step;
    if (pulling != alive) {
      if (pulling != 0) vertex_filter(exec_, n, bfs::IsNewTo{visit_.data(), ~pulling}, frontier_);
      const bfs::PushMany push{seen_.data(), visit_.data(), reached_.data(), ~pulling};
      step = edge_map_push(exec_, graph_.out, graph_.out_edges, frontier_, push, found_);
    }
    if (pulling != 0) {
      const bfs::PullMany pull{seen_.data(), visit_.data(), reached_.data(), pulling};
      step.edges += edge_gather_bits(exec_, graph_.in, graph_.in_edges, pull).edges;
    }
    stats.edges_examined += step.edges;
    ++stats.iterations;
    progress.end_round(step.edges);
  }
  exec_.synchronize();
  return stats;
}

template <class Exec, class View>
bfs::LevelPlanes BfsBatchRun<Exec, View>::planes() {
  bfs::LevelPlanes planes{};
  for (std::size_t k = 0; k < planes_in_use_; ++k) planes.of[planes.count++] = planes_[k].data();
  return planes;
}

template <class Exec, class View>
BfsBatchOutput BfsBatchRun<Exec, View>::output() {
  BfsBatchOutput result{sources_, planes_in_use_, {}};
  const std::size_t words = result.words_a_vertex();
  result.words.resize(graph_.num_vertices() * words);
  for (std::size_t k = 0; k < words; ++k) {
    const std::vector<std::uint64_t> column = exec_.download(k == 0 ? seen_ : planes_[k - 1]);
    for (std::size_t v = 0; v < column.size(); ++v) result.words[v * words + k] = column[v];
  }
  return result;
}

}  // namespace graphrun::inline GR_IDS
