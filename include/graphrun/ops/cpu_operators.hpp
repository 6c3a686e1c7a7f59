// The operators on host threads, for views that host threads can walk. Contract: operators.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "graphrun/core/atomics.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/cpu_frontier.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun {

namespace cpu {

inline constexpr std::size_t kVertexGrain = 1024;      // vertices a worker takes at a time; a multiple of 32 (bitmap words)
inline constexpr std::size_t kFrontierGrain = 64;      // frontier vertices a worker takes at a time
inline constexpr EdgeId kSerialEdges = 2048;           // a step with fewer edges is faster on one thread than a fork
inline constexpr std::size_t kSumBlock = 1024;         // terms added in the precision of ranks before they join a 64-bit sum

/// Appends of one worker to a frontier's list, in batches.
class Appender {
 public:
  explicit Appender(CpuFrontier& target) : target_(target) {}
  ~Appender() { flush(); }
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  void append(VertexId v) {
    if (count_ == buffer_.size()) flush();
    buffer_[count_++] = v;
  }

 private:
  void flush() {
    std::copy_n(buffer_.begin(), count_, target_.reserve(count_));
    count_ = 0;
  }

  CpuFrontier& target_;
  std::array<VertexId, 1024> buffer_;
  std::size_t count_ = 0;
};

/// Asks for the lists of a worker's vertices before it comes to them.
template <class View>
class ListsAhead {
 public:
  /// The worker walks the lists of list[begin .. end).
  ListsAhead(const Rows& rows, const View& edges, const VertexId* list, std::size_t begin, std::size_t end)
      : rows_(rows), edges_(edges), list_(list), next_(begin), end_(end) {}

  /// It is at list[i] now.
  void move_to(std::size_t i) {
    for (const std::size_t stop = std::min(i + View::kLookahead + 1, end_); next_ < stop; ++next_) {
      if (next_ + kOffsetsAhead < end_) __builtin_prefetch(&rows_.offsets[list_[next_ + kOffsetsAhead]]);
      const VertexId v = list_[next_];
      edges_.prefetch(rows_.offsets[v], rows_.offsets[v + 1]);
    }
  }

 private:
  static constexpr std::size_t kOffsetsAhead = 4;  // the place of a list must be here before the list can be asked for
  const Rows& rows_;
  const View& edges_;
  const VertexId* list_;
  std::size_t next_;
  std::size_t end_;
};

/// The same for a worker that comes by vertices [begin, end) in a pass over all, and walks the lists of those it wants.
template <class View, class Range>
class SweepAhead {
 public:
  /// range(v) is the work item of v that will be walked; empty when v is not wanted.
  SweepAhead(const View& edges, std::size_t begin, std::size_t end, const Range& range)
      : edges_(edges), range_(range), next_(begin), end_(end) {}

  void move_to(std::size_t v) {
    if constexpr (View::kSweepsLookAhead) {
      for (const std::size_t stop = std::min(v + View::kLookahead + 1, end_); next_ < stop; ++next_) {
        const WorkItem item = range_(static_cast<VertexId>(next_));
        if (item.begin < item.end) edges_.prefetch(item.begin, item.end);
      }
    }
  }

 private:
  const View& edges_;
  const Range& range_;
  std::size_t next_;
  std::size_t end_;
};

}  // namespace cpu

template <class F>
void vertex_map(CpuExecutor& exec, std::size_t n, F f) {
  parallel_for(exec.pool(), n, [&](std::size_t i) { f(i); });
}

template <class T, class F>
T vertex_sum(CpuExecutor& exec, std::size_t n, F f) {
  return parallel_sum<T>(exec.pool(), n, [&](std::size_t i) { return f(i); });
}

template <class T>
void fill(CpuExecutor& exec, Column<T>& array, T value) {
  T* data = array.data();
  parallel_chunks(exec.pool(), array.size(), 1 << 16,
                  [&](std::size_t begin, std::size_t end, int) { std::fill(data + begin, data + end, value); });
}

template <class F>
void frontier_map(CpuExecutor& exec, CpuFrontier& frontier, F f) {
  const VertexId* list = frontier.list(exec);
  parallel_for(exec.pool(), frontier.size(), [&](std::size_t i) { f(list[i]); });
}

template <class View>
DirectionCosts direction_costs(const CpuExecutor&, const View&) {
  return {.push_edge = 1.0, .pull_edge = 0.5, .pull_vertex = 1.0};
}

template <class View, class F>
EdgeMapStats edge_map_push(CpuExecutor& exec, const Rows& rows, const View& edges, CpuFrontier& frontier, F f,
                           CpuFrontier& next) {
  using Weight = typename F::Weight;
  next.clear();
  const EdgeId work = frontier.edges();
  const std::size_t size = frontier.size();
  const VertexId* list = frontier.list(exec);

  const auto walk_piece = [&](const WorkItem& item, cpu::Appender& out) {
    const auto source = f.source(item.vertex);
    walk<Weight>(edges, item.begin, item.end, [&](VertexId v, Weight w) {
      if (f(source, v, w)) out.append(v);
      return true;
    });
  };

  // Lists longer than a chunk are set aside by whoever meets them and then walked by all, a piece at a time.
  PerThread<std::vector<WorkItem>> set_aside(exec.pool());
  PerThread<EdgeId> examined(exec.pool(), 0);
  const std::size_t grain = work <= cpu::kSerialEdges ? std::max<std::size_t>(size, 1) : cpu::kFrontierGrain;
  parallel_chunks(exec.pool(), size, grain, [&](std::size_t begin, std::size_t end, int rank) {
    cpu::Appender out(next);
    cpu::ListsAhead<View> ahead(rows, edges, list, begin, end);
    for (std::size_t i = begin; i < end; ++i) {
      ahead.move_to(i);
      const VertexId u = list[i];
      const EdgeId degree = rows.degree(u);
      const EdgeId pieces = rows.pieces(degree);
      examined[rank] += degree;
      if (pieces == 1) {
        walk_piece(rows.piece(u, 0), out);
      } else {
        for (EdgeId k = 0; k < pieces; ++k) set_aside[rank].push_back(rows.piece(u, k));
      }
    }
  });
  std::vector<WorkItem> pieces;
  for (auto& slot : set_aside) pieces.insert(pieces.end(), slot.value.begin(), slot.value.end());
  parallel_chunks(exec.pool(), pieces.size(), 1, [&](std::size_t begin, std::size_t end, int) {
    cpu::Appender out(next);
    for (std::size_t i = begin; i < end; ++i) walk_piece(pieces[i], out);
  });
  next.estimate_edges();
  EdgeMapStats stats{0, 1};
  for (auto& slot : examined) stats.edges += slot.value;
  return stats;
}

template <class View, class F>
EdgeMapStats edge_map_pull(CpuExecutor& exec, const Rows& rows, const View& edges, const Rows& out, F f, CpuFrontier& next) {
  std::uint32_t* words = next.start_bitmap().words;
  struct Sums {
    std::size_t joined = 0;
    EdgeId joined_edges = 0;
    EdgeId examined = 0;
  };
  PerThread<Sums> sums(exec.pool());
  parallel_chunks(exec.pool(), rows.num_vertices, cpu::kVertexGrain, [&](std::size_t begin, std::size_t end, int rank) {
    Sums mine;
    // Most lists are left early, so only their beginnings are worth asking for.
    const auto beginning = [&](VertexId v) {
      const EdgeId first = rows.offsets[v];
      return WorkItem{v, first, f.wants(v) && first < rows.offsets[v + 1] ? first + 1 : first};
    };
    cpu::SweepAhead ahead(edges, begin, end, beginning);
    for (std::size_t base = begin; base < end; base += 32) {
      std::uint32_t word = 0;
      const std::size_t stop = std::min(base + 32, end);
      for (std::size_t i = base; i < stop; ++i) {
        const auto v = static_cast<VertexId>(i);
        ahead.move_to(i);
        if (!f.wants(v)) continue;
        walk<NoWeight>(edges, rows.offsets[v], rows.offsets[v + 1], [&](VertexId u, NoWeight) {
          ++mine.examined;
          if (!f.accepts(u)) return true;
          f.visit(v, u);
          word |= 1u << (i - base);
          ++mine.joined;
          mine.joined_edges += out.degree(v);
          return false;
        });
      }
      words[base / 32] = word;
    }
    sums[rank].joined += mine.joined;
    sums[rank].joined_edges += mine.joined_edges;
    sums[rank].examined += mine.examined;
  });
  Sums total;
  for (auto& slot : sums) {
    total.joined += slot.value.joined;
    total.joined_edges += slot.value.joined_edges;
    total.examined += slot.value.examined;
  }
  next.set_counts(total.joined, total.joined_edges);
  return {total.examined, 1};
}

namespace cpu {

/// Calls body(item, rank) for every work item: whole lists of at most a chunk, then the pieces of the longer ones.
template <class View, class Body>
void for_each_item(CpuExecutor& exec, const Rows& rows, const View& edges, std::size_t grain, Body&& body) {
  parallel_chunks(exec.pool(), rows.num_hub_chunks, 1, [&](std::size_t begin, std::size_t end, int rank) {
    for (std::size_t i = begin; i < end; ++i) body(rows.hub_item(i), rank);
  });
  const auto whole_list = [&](VertexId v) {
    const WorkItem whole{v, rows.offsets[v], rows.offsets[v + 1]};
    return rows.is_cut(whole.end - whole.begin) ? WorkItem{v, whole.begin, whole.begin} : whole;
  };
  parallel_chunks(exec.pool(), rows.num_vertices, grain, [&](std::size_t begin, std::size_t end, int rank) {
    cpu::SweepAhead ahead(edges, begin, end, whole_list);
    for (std::size_t i = begin; i < end; ++i) {
      ahead.move_to(i);
      if (const WorkItem item = whole_list(static_cast<VertexId>(i)); item.begin < item.end) body(item, rank);
    }
  });
}

}  // namespace cpu

template <class View, class F>
EdgeMapStats edge_map_all(CpuExecutor& exec, const Rows& rows, const View& edges, EdgeId skip, F f) {
  PerThread<EdgeId> examined(exec.pool(), 0);
  cpu::for_each_item(exec, rows, edges, cpu::kVertexGrain, [&](const WorkItem& item, int rank) {
    const EdgeId begin = std::max(item.begin, rows.offsets[item.vertex] + skip);
    if (begin >= item.end || !f.wants(item.vertex)) return;
    examined[rank] += item.end - begin;
    walk<NoWeight>(edges, begin, item.end, [&](VertexId u, NoWeight) {
      f(item.vertex, u);
      return true;
    });
  });
  EdgeMapStats stats{0, 1};
  for (auto& slot : examined) stats.edges += slot.value;
  return stats;
}

template <class View, class F>
EdgeMapStats edge_map_leading(CpuExecutor& exec, const Rows& rows, const View& edges, EdgeId count, F f) {
  PerThread<EdgeId> examined(exec.pool(), 0);
  const auto leading = [&](VertexId v) {
    return WorkItem{v, rows.offsets[v], std::min(rows.offsets[v] + count, rows.offsets[v + 1])};
  };
  parallel_chunks(exec.pool(), rows.num_vertices, cpu::kVertexGrain, [&](std::size_t begin, std::size_t end, int rank) {
    cpu::SweepAhead ahead(edges, begin, end, leading);
    for (std::size_t i = begin; i < end; ++i) {
      ahead.move_to(i);
      const auto v = static_cast<VertexId>(i);
      const WorkItem item = leading(v);
      examined[rank] += item.end - item.begin;
      walk<NoWeight>(edges, item.begin, item.end, [&](VertexId u, NoWeight) {
        f(v, u);
        return true;
      });
    }
  });
  EdgeMapStats stats{0, 1};
  for (auto& slot : examined) stats.edges += slot.value;
  return stats;
}

template <class View, class F>
double edge_reduce_pull(CpuExecutor& exec, const Rows& rows, const View& edges, F f) {
  using Value = typename F::Value;
  // One plain loop for a list: each further loop's end would be a branch guessed wrong, which costs more than adding side by
  // side saves. Long lists in blocks, because a million 32-bit terms added one by one lose a hundredth of their sum.
  const auto sum_of = [&](const WorkItem& item) {
    double sum = 0;
    edges.template for_each_run<false>(item.begin, item.end, [&](const VertexId* ids, const std::uint32_t*, std::size_t count) {
      for (; count > cpu::kSumBlock; ids += cpu::kSumBlock, count -= cpu::kSumBlock) {
        Value block{};
        for (std::size_t i = 0; i < cpu::kSumBlock; ++i) block += f.value(ids[i]);
        sum += static_cast<double>(block);
      }
      Value block{};
      for (std::size_t i = 0; i < count; ++i) block += f.value(ids[i]);
      sum += static_cast<double>(block);
      return true;
    });
    return sum;
  };
  PerThread<double> total(exec.pool(), 0.0);
  parallel_chunks(exec.pool(), rows.num_vertices, 16 * cpu::kVertexGrain, [&](std::size_t begin, std::size_t end, int rank) {
    double mine = 0;
    const Rows local = rows;  // not reloaded after each store
    EdgeId first = local.offsets[begin];
    const auto whole_list = [&](VertexId v) { return WorkItem{v, local.offsets[v], local.offsets[v + 1]}; };
    cpu::SweepAhead ahead(edges, begin, end, whole_list);
    for (std::size_t i = begin; i < end; ++i) {
      ahead.move_to(i);
      const auto v = static_cast<VertexId>(i);
      const EdgeId last = local.offsets[i + 1];
      if (!local.is_cut(last - first)) mine += f.finish(v, static_cast<Value>(sum_of({v, first, last})));
      first = last;
    }
    total[rank] += mine;
  });
  // Cut lists: pieces in parallel, then one finish a hub.
  std::vector<double> sums(rows.num_hub_chunks);
  parallel_for(exec.pool(), sums.size(), [&](std::size_t i) { sums[i] = sum_of(rows.hub_item(i)); }, 1);
  double result = 0;
  for (std::size_t i = 0; i < sums.size();) {
    const VertexId v = rows.hub_chunks[i].vertex;
    double sum = 0;
    for (; i < sums.size() && rows.hub_chunks[i].vertex == v; ++i) sum += sums[i];
    result += f.finish(v, static_cast<Value>(sum));
  }
  for (auto& slot : total) result += slot.value;
  return result;
}

}  // namespace graphrun
