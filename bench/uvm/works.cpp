// SPDX-License-Identifier: Apache-2.0

#include "uvm/works.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/raise.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/random.hpp"

namespace graphrun::bench::uvm {
namespace {

constexpr double kStateBytes = 64;   ///< of an edge: a sector of states, read and written
constexpr double kVertexBytes = 24;  ///< two offsets and a state

/// Scans the out-lists of active vertices in ascending order, a warp a list, as EMOGI's kernels do.
class GraphWork : public Work {
 public:
  std::size_t tasks() const override { return active_.size(); }
  Task task(std::size_t index) const override {
    const EdgeId* const offsets = graph_.out.offsets.data();
    return {.begin = offsets[active_[index]], .end = offsets[active_[index] + 1]};
  }
  std::vector<Array> arrays() const override { return {{graph_.out.num_edges(), options_.edge_bytes}}; }
  double compute_bytes() const override {
    double edges = 0;
    for (const VertexId v : active_) edges += static_cast<double>(graph_.out.degree(v));
    return edges * (options_.edge_bytes + kStateBytes) + static_cast<double>(graph_.num_vertices()) * kVertexBytes;
  }

 protected:
  GraphWork(const Graph& graph, const WorkOptions& options) : graph_(graph), options_(options) {}

  const Graph& graph_;
  WorkOptions options_;
  std::vector<VertexId> active_;
};

class PageRank final : public GraphWork {
 public:
  PageRank(const Graph& graph, const WorkOptions& options) : GraphWork(graph, options) {
    active_.resize(graph.num_vertices());
    std::iota(active_.begin(), active_.end(), VertexId{0});
  }
  bool step() override { return steps_++ < options_.steps; }

 private:
  int steps_ = 0;
};

/// Levels, distances and labels: states that only fall. A vertex whose state fell pushes it along its edges in the next step.
class Falling final : public GraphWork {
 public:
  enum class Rule { hops, distance, label };
  Falling(const Graph& graph, const WorkOptions& options, Rule rule)
      : GraphWork(graph, options), rule_(rule), states_(graph.num_vertices()), fell_(graph.num_vertices()) {
    for (std::uint64_t draw = 0; rule != Rule::label && sources_.size() < options.sources; ++draw) {
      const auto v = static_cast<VertexId>(number_below(graph.num_vertices(), splitmix64(draw, 0, 0)));
      if (graph.out.degree(v) != 0) sources_.push_back(v);
    }
  }

  std::vector<Array> arrays() const override {
    std::vector<Array> all = GraphWork::arrays();
    if (rule_ == Rule::distance) all.push_back({graph_.out.num_edges(), 4});
    return all;
  }
  bool step() override {
    std::vector<VertexId> next;
    for (const VertexId u : active_) {
      for (EdgeId edge = graph_.out.offsets[u]; edge < graph_.out.offsets[u + 1]; ++edge) {
        const VertexId v = graph_.out.neighbours[edge];
        const std::uint64_t through = states_[u] + step_of(u, edge);
        if (through >= states_[v]) continue;
        states_[v] = static_cast<std::uint32_t>(through);
        if (!fell_[v]) next.push_back(v);
        fell_[v] = true;
      }
    }
    for (const VertexId v : next) fell_[v] = false;
    std::ranges::sort(next);
    active_ = std::move(next);
    starts_anew_ = active_.empty() && started_ < runs();
    if (starts_anew_) start();
    return !active_.empty();
  }
  bool starts_anew() const override { return starts_anew_; }
  unsigned runs() const override { return rule_ == Rule::label ? 1 : options_.sources; }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  void start() {
    if (rule_ == Rule::label) {
      std::iota(states_.begin(), states_.end(), 0u);
      active_.resize(graph_.num_vertices());
      std::iota(active_.begin(), active_.end(), VertexId{0});
    } else {
      std::ranges::fill(states_, kNone);
      active_ = {sources_[started_]};
      states_[sources_[started_]] = 0;
    }
    ++started_;
  }
  /// Returns 1, 0, or a weight: the file's, or one from 8 to 72 by the ends of the edge (Min, section 2.5.2).
  std::uint64_t step_of(VertexId u, EdgeId edge) const {
    if (rule_ != Rule::distance) return rule_ == Rule::hops ? 1 : 0;
    if (graph_.weight_kind == WeightKind::u32 && !graph_.out.weights.empty()) return graph_.out.weights[edge];
    return 8 + number_below(65, splitmix64(std::uint64_t{u} << 32 ^ graph_.out.neighbours[edge], 0, 0));
  }

  Rule rule_;
  std::vector<std::uint32_t> states_;
  std::vector<bool> fell_;
  std::vector<VertexId> sources_;
  unsigned started_ = 0;
  bool starts_anew_ = false;
};

/// Two passes over a matrix of floats, as in Polybench: a thread a row, whose warps read 32 rows at a time; and a thread a
/// column, whose warps read along rows. bicg has them in the other order.
class Matrix final : public Work {
 public:
  Matrix(const WorkOptions& options, bool columns_first) : options_(options), columns_first_(columns_first) {}
  std::vector<Array> arrays() const override { return {{options_.rows * options_.columns, 4}}; }
  bool step() override { return passes_++ < 2; }
  std::size_t tasks() const override { return (by_row() ? options_.rows : options_.columns) / 32; }
  Task task(std::size_t index) const override {
    const std::uint64_t first = 32 * index;
    if (!by_row()) return {.begin = first, .end = options_.rows * options_.columns, .advance = options_.columns};
    const std::uint64_t begin = first * options_.columns;
    return {.begin = begin, .end = begin + options_.columns, .lanes = 32, .lane_stride = options_.columns};
  }
  double compute_bytes() const override { return static_cast<double>(bytes()); }

 private:
  bool by_row() const { return (passes_ == 1) != columns_first_; }

  WorkOptions options_;
  bool columns_first_;
  int passes_ = 0;
};

/// va: c = a + b. sum: of all elements of a. A warp takes 1024 elements.
class Stream final : public Work {
 public:
  Stream(const WorkOptions& options, bool adds) : elements_(options.elements / kElements * kElements), adds_(adds) {}
  std::vector<Array> arrays() const override {
    std::vector<Array> all(adds_ ? 3 : 1, Array{elements_, 4});
    all.back().written = adds_;
    return all;
  }
  bool step() override { return steps_++ == 0; }
  std::size_t tasks() const override { return elements_ / kElements; }
  Task task(std::size_t index) const override { return {.begin = index * kElements, .end = (index + 1) * kElements}; }
  double compute_bytes() const override { return static_cast<double>(bytes()); }

 private:
  static constexpr std::uint64_t kElements = 1024;
  std::uint64_t elements_;
  bool adds_;
  int steps_ = 0;
};

}  // namespace

bool needs_graph(const std::string& name) { return name == "bfs" || name == "sssp" || name == "cc" || name == "pagerank"; }

std::unique_ptr<Work> make_work(const std::string& name, const Graph* graph, const WorkOptions& options) {
  if (needs_graph(name)) {
    const VertexId n = graph->num_vertices();
    if (graph->out.num_edges() == 0 || std::uint64_t{n} >= std::uint64_t{1} << 31)
      throw UsageError("the graph needs edges, and fewer than 2^31 vertices");
    if (name == "pagerank") return std::make_unique<PageRank>(*graph, options);
    if (name == "cc" && !graph->symmetric) throw UsageError("cc needs a symmetric graph: --undirected makes one");
    return std::make_unique<Falling>(*graph, options,
                                     name == "bfs"    ? Falling::Rule::hops
                                     : name == "sssp" ? Falling::Rule::distance
                                                      : Falling::Rule::label);
  }
  if (name == "mvt" || name == "atax" || name == "bicg") return std::make_unique<Matrix>(options, name == "bicg");
  if (name == "va" || name == "sum") return std::make_unique<Stream>(options, name == "va");
  raise<UsageError>("--works: {} is not known", name);
}

}  // namespace graphrun::bench::uvm
