// SPDX-License-Identifier: Apache-2.0
// PageRank, SSSP, BFS and components that push along edges. Ranks own ranges of vertices with even edges. A rank has a copy of
// all states; what it pushes to a vertex of another rank it stores into that rank's memory, in a slot for this sender and vertex.
// The owner merges the slots after the fence. A warp takes the list of a vertex, 32 edges an instruction.
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/raise.hpp"
#include "finepack/warps.hpp"
#include "finepack/work.hpp"
#include "graphrun/core/error.hpp"

namespace graphrun::bench::finepack {
namespace {

constexpr double kEdgeBytes = 4 + 2 * 32;  ///< a neighbour's id, and a sector of states read and written
constexpr double kVertexBytes = 3 * 8;     ///< two offsets and a state

class GraphWork : public Work {
 protected:
  GraphWork(const Graph& graph, const WorkOptions& options, unsigned element_bytes)
      : Work(options.ranks), graph_(graph), options_(options), element_bytes_(element_bytes), active_(options.ranks) {
    const VertexId n = graph.out.num_vertices();
    const EdgeId* const offsets = graph.out.offsets.data();
    firsts_.push_back(0);
    for (int rank = 1; rank <= options.ranks; ++rank) {
      const EdgeId share = graph.out.num_edges() / options.ranks * rank;
      const auto first = static_cast<VertexId>(std::lower_bound(offsets, offsets + n, share) - offsets);
      firsts_.push_back(rank == options.ranks ? n : std::max(firsts_.back(), first));
    }
    for (int from = 0; from < options.ranks; ++from) {
      for (int to = 0; to < options.ranks; ++to) {
        if (from == to) continue;
        const std::uint64_t bytes = std::uint64_t{firsts_[to + 1] - firsts_[to]} * element_bytes;
        place(from, to, bytes, std::uint64_t{firsts_[to]} * element_bytes, bytes);
      }
    }
  }

  unsigned element_bytes() const override { return element_bytes_; }
  int owner(VertexId v) const {
    return static_cast<int>(std::upper_bound(firsts_.begin() + 1, firsts_.end() - 1, v) - firsts_.begin()) - 1;
  }
  std::uint64_t offset(int to, VertexId v) const { return std::uint64_t{v - firsts_[to]} * element_bytes_; }

  template <class Element>
  Element slot(int from, int to, VertexId v) const {
    Element value;
    std::memcpy(&value, traffic_.channel(from, to).memory.data() + offset(to, v), sizeof value);
    return value;
  }

  /// Runs the kernel of a rank: visit(u, edge) returns whether the edge stores, and what.
  template <class Element, class Visit>
  void push(int rank, bool is_atomic, Visit&& visit) {
    std::vector<Lanes<Element>> lanes(options_.ranks);
    std::uint64_t position = 0;
    double edges = 0;
    const Csr& out = graph_.out;
    std::array<VertexId, kWarpLanes> stored;
    for_each_instruction(
        active_[rank], options_.resident_warps, [&](VertexId u) { return out.degree(u); },
        [&](VertexId u, std::uint64_t first, std::uint64_t last) {
          unsigned count = 0;
          for (EdgeId edge = out.offsets[u] + first; edge < out.offsets[u] + last; ++edge) {
            if (visit.update(u, edge)) stored[count++] = out.neighbours[edge];
          }
          // Lanes store after all of the warp have updated, so the last value counts.
          for (unsigned lane = 0; lane < count; ++lane) {
            const int to = owner(stored[lane]);
            if (to != rank) lanes[to].add(offset(to, stored[lane]), visit.value(u, stored[lane]));
          }
          for (int to = 0; count != 0 && to < options_.ranks; ++to)
            lanes[to].put(traffic_.channel(rank, to), position, is_atomic);
          ++position;
          edges += static_cast<double>(last - first);
        });
    traffic_.compute_bytes[rank] = edges * kEdgeBytes + static_cast<double>(active_[rank].size()) * kVertexBytes;
  }

  const Graph& graph_;
  WorkOptions options_;
  unsigned element_bytes_;
  std::vector<VertexId> firsts_;
  std::vector<std::vector<VertexId>> active_;  ///< by rank, ascending
};

/// Scores are integers, so that no order of additions changes them.
class PageRank : public GraphWork {
 public:
  PageRank(const Graph& graph, const WorkOptions& options, bool is_atomic)
      : GraphWork(graph, options, 8), is_atomic_(is_atomic), scores_(graph.out.num_vertices()), taken_(graph.out.num_vertices()) {
    std::ranges::fill(scores_, kOne / scores_.size());
    for (int rank = 0; rank < options.ranks; ++rank) {
      active_[rank].resize(firsts_[rank + 1] - firsts_[rank]);
      std::iota(active_[rank].begin(), active_[rank].end(), firsts_[rank]);
    }
  }

  bool step() override {
    if (steps_++ == options_.steps) return false;
    begin_step();
    const VertexId n = graph_.out.num_vertices();
    std::vector<std::uint64_t> next(n);
    for (int rank = 0; rank < options_.ranks; ++rank) {
      std::vector<std::uint64_t> sums(n);
      Push visit{*this, sums};
      push<std::uint64_t>(rank, is_atomic_, visit);
      for (VertexId v = firsts_[rank]; v < firsts_[rank + 1]; ++v) next[v] += sums[v];
    }
    for (int to = 0; to < options_.ranks; ++to) {
      for (VertexId v = firsts_[to]; v < firsts_[to + 1]; ++v) {
        std::uint64_t arrived = 0;
        for (int from = 0; from < options_.ranks; ++from) arrived += from == to ? 0 : slot<std::uint64_t>(from, to, v);
        // Additions of all steps are in the slots; stores of sums replace those of the last step.
        const std::uint64_t sum = next[v] + arrived - (is_atomic_ ? std::exchange(taken_[v], arrived) : 0);
        scores_[v] = kOne / n / 20 * 3 + sum / 20 * 17;
      }
    }
    return true;
  }

  std::vector<double> answer() const override { return {scores_.begin(), scores_.end()}; }

 private:
  static constexpr std::uint64_t kOne = std::uint64_t{1} << 48;

  struct Push {
    PageRank& work;
    std::vector<std::uint64_t>& sums;
    std::uint64_t share(VertexId u) const { return work.scores_[u] / work.graph_.out.degree(u); }
    bool update(VertexId u, EdgeId edge) {
      sums[work.graph_.out.neighbours[edge]] += share(u);
      return true;
    }
    std::uint64_t value(VertexId u, VertexId v) const { return work.is_atomic_ ? share(u) : sums[v]; }
  };

  bool is_atomic_;
  int steps_ = 0;
  std::vector<std::uint64_t> scores_, taken_;
};

enum class Rule { hops, distance, label };

/// Bellman-Ford, as the paper's SSSP: vertices whose state fell push to all neighbours. A rank stores only what is below its
/// copy.
class Falling : public GraphWork {
 public:
  Falling(const Graph& graph, const WorkOptions& options, Rule rule)
      : GraphWork(graph, options, 4),
        rule_(rule),
        copies_(options.ranks, std::vector<std::uint32_t>(graph.out.num_vertices(), kNone)) {
    const VertexId n = graph.out.num_vertices();
    for (int from = 0; from < options.ranks; ++from) {
      for (int to = 0; to < options.ranks; ++to) std::ranges::fill(traffic_.channel(from, to).memory, std::uint8_t{0xff});
    }
    VertexId source = 0;  // with the most edges
    for (VertexId v = 0; v < n; ++v) source = graph.out.degree(v) > graph.out.degree(source) ? v : source;
    for (VertexId v = 0; v < n; ++v) {
      if (rule != Rule::label && v != source) continue;
      for (std::vector<std::uint32_t>& copy : copies_) copy[v] = rule == Rule::label ? static_cast<std::uint32_t>(v) : 0;
      active_[owner(v)].push_back(v);
    }
  }

  bool step() override {
    if (std::ranges::all_of(active_, [](const auto& list) { return list.empty(); })) return false;
    begin_step();
    std::vector<std::vector<VertexId>> fell(options_.ranks);
    for (int rank = 0; rank < options_.ranks; ++rank) {
      Push visit{*this, rank, copies_[rank], fell[rank]};
      push<std::uint32_t>(rank, false, visit);
    }
    for (int to = 0; to < options_.ranks; ++to) {
      for (int from = 0; from < options_.ranks; ++from) {
        const Channel& channel = traffic_.channel(from, to);
        for (const Store& store : channel.stores) {
          for (std::uint64_t byte = 0; byte < store.bytes; byte += 4) {
            const auto v = static_cast<VertexId>(firsts_[to] + (store.address - channel.base + byte) / 4);
            const auto value = slot<std::uint32_t>(from, to, v);
            if (value >= copies_[to][v]) continue;
            copies_[to][v] = value;
            fell[to].push_back(v);
          }
        }
      }
      std::ranges::sort(fell[to]);
      fell[to].erase(std::unique(fell[to].begin(), fell[to].end()), fell[to].end());
    }
    active_ = std::move(fell);
    return true;
  }

  std::vector<double> answer() const override {
    std::vector<double> found;
    for (VertexId v = 0; v < graph_.out.num_vertices(); ++v) {
      const std::uint32_t state = copies_[owner(v)][v];
      found.push_back(state == kNone ? std::numeric_limits<double>::infinity() : state);
    }
    return found;
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// Weights of the file, or from 1 to 64 by the ends of the edge.
  std::uint32_t weight(VertexId u, EdgeId edge) const {
    if (graph_.weight_kind == WeightKind::u32 && !graph_.out.weights.empty()) return graph_.out.weights[edge];
    std::uint64_t mixed = (std::uint64_t{u} << 32 ^ graph_.out.neighbours[edge]) * 0x9e3779b97f4a7c15ull;
    mixed ^= mixed >> 29;
    return 1 + static_cast<std::uint32_t>(mixed % 64);
  }

  struct Push {
    Falling& work;
    int rank;
    std::vector<std::uint32_t>& copy;
    std::vector<VertexId>& fell;
    bool update(VertexId u, EdgeId edge) {
      const VertexId v = work.graph_.out.neighbours[edge];
      const std::uint64_t through = copy[u] + std::uint64_t{work.rule_ == Rule::label  ? 0
                                                            : work.rule_ == Rule::hops ? 1
                                                                                       : work.weight(u, edge)};
      if (through >= copy[v]) return false;
      copy[v] = static_cast<std::uint32_t>(through);
      if (work.owner(v) == rank) fell.push_back(v);
      return true;
    }
    std::uint32_t value(VertexId, VertexId v) const { return copy[v]; }
  };

  Rule rule_;
  std::vector<std::vector<std::uint32_t>> copies_;  ///< by rank
};

}  // namespace

std::unique_ptr<Work> graph_work(const std::string& name, const Graph& graph, const WorkOptions& options) {
  const VertexId n = graph.out.num_vertices();
  if (n == 0 || std::uint64_t{n} >= std::uint64_t{1} << 31) throw UsageError("the graph needs from 1 to 2^31 - 1 vertices");
  if (name == "pagerank" || name == "pagerank-atomics") return std::make_unique<PageRank>(graph, options, name != "pagerank");
  if (name == "sssp") return std::make_unique<Falling>(graph, options, Rule::distance);
  if (name == "bfs") return std::make_unique<Falling>(graph, options, Rule::hops);
  if (name != "cc") raise<UsageError>("--works: {} is not known", name);
  if (!graph.symmetric) throw UsageError("cc needs a symmetric graph: --undirected makes one");
  return std::make_unique<Falling>(graph, options, Rule::label);
}

}  // namespace graphrun::bench::finepack
