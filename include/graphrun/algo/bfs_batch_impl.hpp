// Many breadth-first searches at once, both executors (Then et al., The More the Merrier, VLDB 2014). Search i is bit i of a word
// a vertex: a push hands the word of a vertex to its neighbours by an atomic or, less the searches that have been there; a pull
// gathers words of neighbours until all searches that can still come have come. So a list is read once for all searches that are
// at its vertex, and once more for those that come there on another level.
//
// Levels are kept by their bits: plane k has a word a vertex, of the searches in whose level bit k is set. Depths of a small
// world take 3 or 4 planes, where a byte for each level would take 64 bytes a vertex. A plane is cleared when a level needs it
// first.
//
// The step that is expected to examine less is taken, as in bfs_impl.hpp. A pull scans lists of all vertices that lack a search,
// most of which are left before their end.
#pragma once

#include <algorithm>
#include <bit>
#include <map>
#include <type_traits>
#include <utility>

#include "graphrun/algo/bfs_batch.hpp"
#include "graphrun/core/atomics.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/exec/cpu_executor.hpp"

namespace graphrun::bfs::inline GR_IDS {

inline constexpr std::size_t kUsualPlanes = 4;
inline constexpr std::size_t kMostPlanes = 32;

struct PushMany {
  using Weight = NoWeight;
  const std::uint64_t* seen;
  const std::uint64_t* visit;
  std::uint64_t* next;

  GR_HD std::uint64_t source(VertexId u) const { return visit[u]; }
  /// True for the one that brings v its first search.
  GR_HD bool operator()(std::uint64_t searches, VertexId v, NoWeight) const {
    const std::uint64_t come = searches & ~seen[v];
    return (come & ~atomics::load(next[v])) != 0 && atomics::fetch_or(next[v], come) == 0;
  }
};

struct PullMany {
  const std::uint64_t* seen;
  const std::uint64_t* visit;
  std::uint64_t* next;
  std::uint64_t alive;

  GR_HD std::uint64_t lacking(VertexId v) const { return alive & ~(seen[v] | atomics::load(next[v])); }
  GR_HD bool wants(VertexId v) const { return lacking(v) != 0; }
  /// True when v lacks none any more. Several threads may be at pieces of its list.
  GR_HD bool operator()(VertexId v, VertexId u) const {
    const std::uint64_t left = lacking(v);
    const std::uint64_t come = visit[u] & left;
    if (come != 0) atomics::fetch_or(next[v], come);
    return come == left;
  }
};

/// In-edges of vertices that a pull would look at.
struct EdgesToPull {
  Rows in;
  const std::uint64_t* seen;
  std::uint64_t alive;
  GR_HD std::uint64_t operator()(std::size_t v) const {
    return (alive & ~seen[v]) == 0 ? 0 : in.degree(static_cast<VertexId>(v));
  }
};

/// The planes of the bits that are set in a level.
struct LevelPlanes {
  std::uint64_t* of[kMostPlanes];
  int count;
};

/// Vertices that searches came to are at this level in these.
struct Arrive {
  const std::uint64_t* next;
  std::uint64_t* seen;
  std::uint64_t* alive;
  LevelPlanes level;
  GR_HD void operator()(VertexId v) const {
    const std::uint64_t come = next[v];
    seen[v] |= come;
    for (int i = 0; i < level.count; ++i) level.of[i][v] |= come;
    if ((come & ~atomics::load(*alive)) != 0) atomics::fetch_or(*alive, come);
  }
};

/// The same for all vertices: which they are is found out here. The last level is forgotten.
struct ArriveAnywhere {
  Arrive arrive;
  std::uint64_t* visit;
  GR_HD bool operator()(VertexId v) const {
    if (visit[v] != 0) visit[v] = 0;
    if (arrive.next[v] == 0) return false;
    arrive(v);
    return true;
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
      seen_(exec.template make_array<std::uint64_t>(graph.num_vertices())),
      visit_(exec.template make_array<std::uint64_t>(graph.num_vertices())),
      next_(exec.template make_array<std::uint64_t>(graph.num_vertices())),
      alive_(exec.template make_array<std::uint64_t>(1)),
      frontier_(exec, graph.out, graph.in.num_hub_chunks),
      found_(exec, graph.out, graph.in.num_hub_chunks) {
  if (options_.variant == BfsVariant::direction_optimizing) graph_.require_in("direction-optimizing bfs");
  for (std::size_t k = 0; k < bfs::kUsualPlanes; ++k)
    planes_.push_back(exec.template make_array<std::uint64_t>(graph.num_vertices()));
}

template <class Exec, class View>
void BfsBatchRun<Exec, View>::use_plane(std::size_t plane) {
  const std::size_t n = graph_.num_vertices();
  if (plane == planes_.size()) {
    if constexpr (std::is_same_v<Exec, CpuExecutor>) check_room_for_plane(plane, n);
    planes_.push_back(exec_.template make_array<std::uint64_t>(n));
  }
  fill(exec_, planes_[plane], std::uint64_t{0});
  planes_in_use_ = plane + 1;
}

template <class Exec, class View>
bool BfsBatchRun<Exec, View>::better_to_pull(std::uint64_t alive) const {
  if (options_.variant == BfsVariant::push) return false;
  const DirectionCosts cost = direction_costs(exec_, graph_.in_edges);
  const double push = cost.push_edge * static_cast<double>(frontier_.edges());
  const auto n = static_cast<double>(graph_.num_vertices());
  if (push <= n) return false;  // what it costs to find out
  const auto edges = vertex_sum<std::uint64_t>(exec_, graph_.num_vertices(), bfs::EdgesToPull{graph_.in, seen_.data(), alive});
  return n * cost.pull_vertex + static_cast<double>(edges) * cost.pull_edge < push;
}

template <class Exec, class View>
void BfsBatchRun<Exec, View>::start() {
  for (Words* words : {&seen_, &visit_, &next_}) fill(exec_, *words, std::uint64_t{0});
  planes_in_use_ = 0;
  std::map<VertexId, std::uint64_t> searches;
  for (std::size_t i = 0; i < sources_.size(); ++i) searches[sources_[i]] |= std::uint64_t{1} << i;
  for (const auto& [source, bits] : searches) exec_.store(next_, source, bits);
}

template <class Exec, class View>
AlgoStats BfsBatchRun<Exec, View>::run(std::span<const VertexId> sources) {
  sources_.assign(sources.begin(), sources.end());
  start();
  const std::size_t n = graph_.num_vertices();
  AlgoStats stats;
  Progress progress("breadth-first searches", 0, "level");
  bool pushed = false;
  for (std::uint32_t level = 0; !(pushed && found_.empty()); ++level) {
    if (const auto bits = static_cast<std::size_t>(std::bit_width(level)); bits > planes_in_use_) use_plane(bits - 1);
    bfs::Arrive arrive{next_.data(), seen_.data(), alive_.data(), {}};
    for (std::size_t k = 0; k < planes_in_use_; ++k) {
      if ((level >> k & 1u) != 0) arrive.level.of[arrive.level.count++] = planes_[k].data();
    }
    exec_.store(alive_, 0, std::uint64_t{0});
    if (pushed) {
      frontier_map(exec_, frontier_, bfs::Forget{visit_.data()});
      frontier_map(exec_, found_, arrive);
    } else {
      vertex_filter(exec_, n, bfs::ArriveAnywhere{arrive, visit_.data()}, found_);
    }
    std::swap(frontier_, found_);
    std::swap(visit_, next_);
    if (frontier_.empty()) break;
    const std::uint64_t alive = exec_.fetch(alive_, 0);
    pushed = !better_to_pull(alive);
    EdgeMapStats step;
    if (pushed) {
      step = edge_map_push(exec_, graph_.out, graph_.out_edges, frontier_,
                           bfs::PushMany{seen_.data(), visit_.data(), next_.data()}, found_);
    } else {
      step = edge_map_all(exec_, graph_.in, graph_.in_edges, 0, bfs::PullMany{seen_.data(), visit_.data(), next_.data(), alive});
    }
    stats.edges_examined += step.edges;
    ++stats.iterations;
    progress.end_round(step.edges);
  }
  exec_.synchronize();
  return stats;
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
