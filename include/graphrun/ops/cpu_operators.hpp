// SPDX-License-Identifier: Apache-2.0
// The operators on host threads, for views that host threads can traverse. Contract: operators.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphrun/core/atomics.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/exec/cpu_executor.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/ops/cpu_ahead.hpp"
#include "graphrun/ops/cpu_frontier.hpp"
#include "graphrun/ops/cpu_ranks.hpp"
#include "graphrun/ops/operators.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::cpu::inline GR_IDS {

inline constexpr std::size_t kVertexGrain = 1024;       // vertices a worker takes at a time; a multiple of 32 (bitmap words)
inline constexpr std::size_t kLeadingGrain = 16 << 10;  // vertices; it reads a few edges of each
inline constexpr std::size_t kFrontierGrain = 64;       // frontier vertices a worker takes at a time
inline constexpr std::size_t kPullBlock = 128;          // vertices asked before a pull traverses lists; whole bitmap words
// Smaller steps run on one thread, in at most 50 us: threads that work together need atomic operations, which cost meshes as much
// as a second thread gives. On a mesh 16 threads took 27 ms with 2048 edges and 36 with 8192; two, of another machine, 34 and 20.
inline constexpr EdgeId kSerialEdgesByPages = 2048;  // their pages are asked for together
inline EdgeId serial_edges(const ThreadPool& pool) {
  return std::clamp<EdgeId>(16384 / static_cast<EdgeId>(pool.size()), kSerialEdgesByPages, 8192);
}

/// Returns the vertices that a worker takes at a time in a pass over all lists. Pages are asked for by the piece: long pieces
/// make long commands, if every worker still gets some pieces.
template <class View>
std::size_t sweep_grain(CpuExecutor& exec, std::size_t vertices) {
  if constexpr (!is_paged<View>) return kVertexGrain;
  constexpr std::size_t kPiecesOfAWorker = 16;
  const std::size_t share = vertices / (kPiecesOfAWorker * static_cast<std::size_t>(exec.pool().size()));
  return std::clamp(share / kVertexGrain, std::size_t{1}, std::size_t{8}) * kVertexGrain;
}

/// Returns whether a push from this frontier is too small a step for more than one thread.
template <class View>
bool is_small_push(const ThreadPool& pool, const View&, const CpuFrontier& frontier) {
  return frontier.edges() + frontier.size() <= (is_paged<View> ? kSerialEdgesByPages : serial_edges(pool));
}

/// Appends of a single worker. It writes every vertex and keeps those that join: in a mesh a branch would be guessed wrong once a
/// vertex.
class SoleAppender {
 public:
  explicit SoleAppender(CpuFrontier& target)
      : target_(&target), room_(target.rows().num_vertices), list_(target.reserve(room_)) {}

  void append(VertexId v) { append_if(true, v); }
  void append_if(bool joins, VertexId v) {
    if (size_ < room_) list_[size_] = v;
    size_ += joins ? 1 : 0;
  }
  /// Sets the size of the frontier. Throws UsageError when too many vertices joined.
  void finish() { target_->finish_appends(size_); }

 private:
  CpuFrontier* target_;
  std::size_t room_;
  VertexId* list_;
  std::size_t size_ = 0;
};

/// The part of lists that a pull traverses: all, or cached prefixes, and then the rest.
enum class PullOf { lists, prefixes, beyond_prefixes };

/// Calls f(source, v, weight) for each of `count` edges of a list; appends the vertices for which it returns true. A push with
/// can::Want first looks which of them it wants. An atomic operation delays later loads, and a mispredicted branch wastes
/// them: there is one for all wanted, not one for each edge. `kAlone`: one thread calls f for each edge, and f should need
/// neither. Always inline: a call would keep SoleAppender's counts in memory.
template <bool kAlone = false, class F, class Source, class Joining>
[[gnu::always_inline]] inline void push_edges(const F& f, const Source& source, const VertexId* ids, const std::uint32_t* words,
                                              std::size_t count, Joining& joining) {
  using Weight = typename F::Weight;
  if constexpr (ChoosingPush<F> && !kAlone) {
    constexpr std::size_t kMost = 128;
    std::array<VertexId, kMost> wanted;
    for (std::size_t size = 0; count != 0; ids += size, count -= size) {
      size = std::min(count, kMost);
      std::size_t few = 0;
      for (std::size_t i = 0; i < size; ++i) {
        wanted[few] = ids[i];
        few += f.wants(ids[i]) ? 1 : 0;
      }
      for (std::size_t i = 0; i < few; ++i) {
        if (f(source, wanted[i], Weight{})) joining.append(wanted[i]);
      }
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      Weight weight{};
      if constexpr (is_weighted<Weight>) std::memcpy(&weight, &words[i], sizeof(weight));
      joining.append_if(f(source, ids[i], weight), ids[i]);
    }
  }
}

/// Appends everything that joins from the edges of one work item.
template <class Reader, class F, class Joining>
void push_item(Reader& reader, const WorkItem& item, const F& f, Joining& joining) {
  const auto source = f.source(item.vertex);
  reader.template for_each_run<is_weighted<typename F::Weight>>(
      item, [&](const VertexId* ids, const std::uint32_t* words, std::size_t count) {
        push_edges(f, source, ids, words, count, joining);
        return true;
      });
}

inline EdgeMapStats one_step(PerThread<EdgeId>& examined) {
  EdgeMapStats stats{0, 1};
  for (auto& slot : examined) stats.edges += slot.value;
  return stats;
}

/// Does edge_map_push() by one thread, from the `size` vertices of `list`.
template <class View, class F>
EdgeMapStats push_alone(const Rows& rows, const View& edges, const VertexId* list, std::size_t size, const F& f,
                        CpuFrontier& next) {
  SoleAppender out(next);
  typename View::Reader reader(edges);
  ListsAhead<View> ahead(rows, edges, list, 0, size);
  const F each = f;
  EdgeMapStats stats{0, 1};
  for (std::size_t i = 0; i < size; ++i) {
    ahead.move_to(i);
    const WorkItem item{list[i], rows.offsets[list[i]], rows.offsets[list[i] + 1]};
    stats.edges += item.end - item.begin;
    const auto source = each.source(item.vertex);
    reader.template for_each_run<is_weighted<typename F::Weight>>(
        item, [&](const VertexId* ids, const std::uint32_t* words, std::size_t count) {
          SoleAppender appender = out;  // in registers
          push_edges<true>(each, source, ids, words, count, appender);
          out = appender;
          return true;
        });
  }
  out.finish();
  return stats;
}

}  // namespace graphrun::cpu::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class F>
void vertex_map(CpuExecutor& exec, std::size_t n, F f, std::size_t grain = kDefaultGrain) {
  parallel_for(
      exec.pool(), n, [&](std::size_t i) { f(i); }, grain);
}

/// Does vertex_sum() on this rank, while others may do something else.
template <class T, class F>
T vertex_sum_here(CpuExecutor& exec, std::size_t n, F f) {
  return parallel_sum<T>(exec.pool(), n, [&](std::size_t i) { return f(i); });
}

template <class T, class F>
T vertex_sum(CpuExecutor& exec, std::size_t n, F f) {
  return ranks::broadcast_from_root(exec, vertex_sum_here<T>(exec, n, f));
}

template <class F>
std::vector<double> vertex_histogram(CpuExecutor& exec, std::size_t n, std::size_t bins, F f) {
  const RankPart part = exec.part().within(n);
  PerThread<std::vector<double>> sums(exec.pool(), std::vector<double>(bins));
  parallel_chunks(exec.pool(), part.last - part.first, kDefaultGrain, [&](std::size_t begin, std::size_t end, int rank) {
    double* const mine = sums[rank].data();
    for (std::size_t i = begin; i < end; ++i)
      f(static_cast<VertexId>(part.first + i), [&](std::size_t bin, double more) { mine[bin] += more; });
  });
  std::vector<double> total(bins);
  for (const auto& slot : sums) std::ranges::transform(total, slot.value, total.begin(), std::plus<>());
  add_over_ranks(exec, total.data(), bins);
  return total;
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

template <class F>
void keep_members(CpuExecutor& exec, CpuFrontier& frontier, F f) {
  const VertexId* const list = frontier.list(exec);
  std::vector<VertexId> kept;
  std::copy_if(list, list + frontier.size(), std::back_inserter(kept), f);
  EdgeId edges = 0;
  for (const VertexId v : kept) edges += frontier.rows().degree(v);
  frontier.assign(exec, kept.data(), kept.size(), edges);
}

template <WalkableView View>
DirectionCosts direction_costs(const CpuExecutor& exec, const View&) {
  return {.push_edge = 1.0, .pull_edge = 0.5, .pull_vertex = 1.0, .look = 0.05, .add = ranks::add_cost(exec)};
}

template <WalkableView View>
bool pushes_alone(CpuExecutor& exec, const View& edges, const CpuFrontier& frontier) {
  // A push over pages in memory becomes one over an array. Where it is small by pages, serial_edges() has it small there, too.
  return exec.pool().size() == 1 || cpu::is_small_push(exec.pool(), edges, frontier);
}

template <WalkableView View, class F>
requires PlainPush<F> EdgeMapStats edge_map_push(CpuExecutor& exec, const Rows& rows, const View& edges, CpuFrontier& frontier,
                                                 F f, CpuFrontier& next) {
  if constexpr (is_paged<View>) {
    if (const auto array = edges.template as_array<is_weighted<typename F::Weight>>(exec.pool()))
      return edge_map_push(exec, rows, *array, frontier, f, next);
  }
  using Weight = typename F::Weight;
  prepare_members(exec, frontier, f);
  next.clear();
  const std::span<const VertexId> list = frontier.own_list(exec, wants_order(edges));
  const std::size_t size = list.size();

  if (!is_paged<View> && pushes_alone(exec, edges, frontier))
    return exchange_after_push(exec, cpu::push_alone(rows, edges, list.data(), size, f, next), f, next);

  using Reader = typename View::Reader;
  // A thread sets aside a list longer than a chunk. All threads then traverse these lists, a piece at a time.
  PerThread<std::vector<WorkItem>> set_aside(exec.pool());
  PerThread<EdgeId> examined(exec.pool(), 0);
  const bool small = cpu::is_small_push(exec.pool(), edges, frontier);
  const std::size_t grain = small ? std::max<std::size_t>(size, 1) : cpu::kFrontierGrain;
  const auto uncut_list = [&](std::size_t i) { return cpu::uncut_list(rows, list[i]); };
  const auto walk_uncut = [&](std::size_t begin, std::size_t end, int rank) {
    cpu::Appender out(next);
    Reader reader(edges);
    cpu::ListsAhead<View> ahead(rows, edges, list.data(), begin, end);
    for (std::size_t i = begin; i < end; ++i) {
      ahead.move_to(i);
      const VertexId u = list[i];
      const EdgeId degree = rows.degree(u);
      const EdgeId pieces = rows.pieces(degree);
      examined[rank] += degree;
      if (pieces == 1) {
        cpu::push_item(reader, rows.piece(u, 0), f, out);
      } else {
        for (EdgeId k = 0; k < pieces; ++k) set_aside[rank].push_back(rows.piece(u, k));
      }
    }
  };
  cpu::for_each_piece<Weight>(exec, edges, cpu::pieces_of_a_pass(edges, size, grain), uncut_list, walk_uncut);
  std::vector<WorkItem> pieces;
  for (auto& slot : set_aside) pieces.insert(pieces.end(), slot.value.begin(), slot.value.end());
  const std::size_t piece_grain = small ? std::max<std::size_t>(pieces.size(), 1) : 1;
  const auto piece = [&](std::size_t i) { return pieces[i]; };
  cpu::Pieces dealt(pieces.size(), piece_grain);
  cpu::for_each_piece<Weight>(exec, edges, std::move(dealt), piece, [&](std::size_t begin, std::size_t end, int) {
    cpu::Appender out(next);
    Reader reader(edges);
    for (std::size_t i = begin; i < end; ++i) cpu::push_item(reader, pieces[i], f, out);
  });
  next.finish_appends();
  return exchange_after_push(exec, cpu::one_step(examined), f, next);
}

template <WalkableView View, class F>
EdgeMapStats edge_map_pull(CpuExecutor& exec, const Rows& rows, const View& edges, const Rows& out, F f, CpuFrontier& next) {
  if constexpr (is_paged<View>) {
    if (const auto array = edges.template as_array<false>(exec.pool())) return edge_map_pull(exec, rows, *array, out, f, next);
  }
  std::uint32_t* words = next.start_bitmap().words;
  struct Sums {
    std::size_t joined = 0;
    EdgeId joined_edges = 0;
    EdgeId examined = 0;
  };
  PerThread<Sums> sums(exec.pool());
  const CachedPrefixes prefixes = cached_prefixes_of(edges);
  const auto list_of = [rows, prefixes](cpu::PullOf part, VertexId v) {
    WorkItem item{v, rows.offsets[v], rows.offsets[v + 1]};
    if (part != cpu::PullOf::lists)
      (part == cpu::PullOf::prefixes ? item.end : item.begin) = prefixes.end_of(v, item.begin, item.end);
    return item;
  };
  const auto wants = [f, words](cpu::PullOf part, VertexId v) {
    const bool joined = part == cpu::PullOf::beyond_prefixes && (words[v / 32] >> (v % 32) & 1u) != 0;
    return f.wants(v) && !joined;
  };
  // Two passes over some words at a time: the first chooses lists, without a branch for each vertex, and the second traverses
  // them. The beginnings of the lists come meanwhile.
  const bool loads = !asks_ahead(edges);
  const auto sweep = [&]<cpu::PullOf kPart>(std::integral_constant<cpu::PullOf, kPart>, std::size_t begin, std::size_t end,
                                            int rank) {
    Sums mine;
    typename View::Reader reader(edges);
    const F wanted = f;  // not reloaded after each store
    const auto list = list_of;
    const auto wanting = wants;
    std::array<WorkItem, cpu::kPullBlock> items;
    for (std::size_t base = begin; base < end; base += cpu::kPullBlock) {
      const std::size_t stop = std::min(base + cpu::kPullBlock, end);
      if constexpr (kPart != cpu::PullOf::beyond_prefixes) std::fill(words + base / 32, words + (stop + 31) / 32, 0u);
      std::size_t count = 0;
      for (std::size_t i = base; i < stop; ++i) {
        const auto v = static_cast<VertexId>(i);
        items[count].vertex = v;
        count += wanting(kPart, v) ? 1 : 0;
      }
      const std::size_t candidates = std::exchange(count, 0);
      for (std::size_t i = 0; i < candidates; ++i) {
        const WorkItem item = list(kPart, items[i].vertex);
        items[count].vertex = item.vertex;  // a copy of the whole would stall on store forwarding
        items[count].begin = item.begin;
        items[count].end = item.end;
        count += item.begin != item.end ? 1 : 0;
        if (loads) edges.prefetch(item);
      }
      for (std::size_t i = 0; i < count; ++i) {
        const VertexId v = items[i].vertex;
        walk<NoWeight>(reader, items[i], [&](VertexId u, NoWeight) {
          ++mine.examined;
          if (!wanted.accepts(u)) return true;
          wanted.visit(v, u);
          words[v / 32] |= 1u << (v % 32);
          ++mine.joined;
          mine.joined_edges += out.degree(v);
          return false;
        });
      }
    }
    sums[rank].joined += mine.joined;
    sums[rank].joined_edges += mine.joined_edges;
    sums[rank].examined += mine.examined;
  };
  // `walked` says how its lists are asked for ahead. Most lists are left early, so only their beginnings are worth asking for.
  const auto pull = [&](const auto part, const auto& walked) {
    const auto beginning = [&](std::size_t i) {
      const auto v = static_cast<VertexId>(i);
      if (!wants(part, v)) return WorkItem{v, 0, 0};
      const WorkItem list = list_of(part, v);
      return WorkItem{v, list.begin, list.begin < list.end ? list.begin + 1 : list.begin};
    };
    cpu::for_each_piece<NoWeight>(exec, walked, cpu::pieces_of_own_lists(exec, walked, rows.num_vertices, cpu::kVertexGrain),
                                  beginning,
                                  [&](std::size_t begin, std::size_t end, int rank) { sweep(part, begin, end, rank); });
  };
  bool prefixes_first = false;
  if constexpr (is_paged<View>) prefixes_first = edges.pulls_prefixes_first();
  if (prefixes_first) {
    pull(std::integral_constant<cpu::PullOf, cpu::PullOf::prefixes>(), DirectView());
    pull(std::integral_constant<cpu::PullOf, cpu::PullOf::beyond_prefixes>(), edges);
  } else {
    pull(std::integral_constant<cpu::PullOf, cpu::PullOf::lists>(), edges);
  }
  Sums total;
  for (auto& slot : sums) {
    total.joined += slot.value.joined;
    total.joined_edges += slot.value.joined_edges;
    total.examined += slot.value.examined;
  }
  next.set_counts(total.joined, total.joined_edges);
  return exchange_after_pull(exec, {total.examined, 1}, f, next);
}

}  // namespace graphrun::inline GR_IDS

namespace graphrun::cpu::inline GR_IDS {

/// Calls body(item, reader) for every non-empty work item of a vertex with wants(vertex), from position `skip` of its list on:
/// whole lists of at most a chunk, then the pieces of the longer ones. It returns the edges that it examined.
template <class View, class Wants, class Body>
EdgeMapStats for_each_item(CpuExecutor& exec, const Rows& rows, const View& edges, EdgeId skip, const Wants& wants,
                           const Body& body) {
  PerThread<EdgeId> examined(exec.pool(), 0);
  const auto behind = [&](const WorkItem& item) {
    const EdgeId begin = std::max(item.begin, rows.offsets[item.vertex] + skip);
    return WorkItem{item.vertex, begin, std::max(begin, item.end)};
  };
  const auto run = [&](Pieces&& pieces, const auto& item_at) {
    for_each_piece<NoWeight>(exec, edges, std::move(pieces), item_at, [&](std::size_t begin, std::size_t end, int rank) {
      typename View::Reader reader(edges);
      for (std::size_t i = begin; i < end; ++i) {
        if (const WorkItem item = item_at(i); item.begin < item.end) examined[rank] += body(item, reader);
      }
    });
  };
  run(Pieces::of_all_lists(rows.num_hub_chunks, 1), [&](std::size_t i) {
    const WorkItem item = rows.hub_item(i);
    return exec.part().owns(item.vertex) && wants(item.vertex) ? behind(item) : WorkItem{item.vertex, 0, 0};
  });
  run(pieces_of_own_lists(exec, edges, rows.num_vertices, sweep_grain<View>(exec, rows.num_vertices)), [&](std::size_t i) {
    const auto v = static_cast<VertexId>(i);
    return wants(v) ? behind(uncut_list(rows, v)) : WorkItem{v, 0, 0};  // most are not wanted, and need no offsets
  });
  return one_step(examined);
}

}  // namespace graphrun::cpu::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <WalkableView View, class F>
EdgeMapStats edge_map_all(CpuExecutor& exec, const Rows& rows, const View& edges, EdgeId skip, F f) {
  if constexpr (is_paged<View>) {
    if (const auto array = edges.template as_array<false>(exec.pool())) return edge_map_all(exec, rows, *array, skip, f);
  }
  const auto wants = [&](VertexId v) { return f.wants(v); };
  const auto visit = [&](const WorkItem& item, typename View::Reader& reader) {
    walk<NoWeight>(reader, item, [&](VertexId u, NoWeight) {
      f(item.vertex, u);
      return true;
    });
    return item.end - item.begin;
  };
  return share_changes(exec, rows, cpu::for_each_item(exec, rows, edges, skip, wants, visit), f);
}

template <WalkableView View, class F>
EdgeMapStats edge_gather_bits(CpuExecutor& exec, const Rows& rows, const View& edges, F f) {
  if constexpr (is_paged<View>) {
    if (const auto array = edges.template as_array<false>(exec.pool())) return edge_gather_bits(exec, rows, *array, f);
  }
  const auto lacks = [&](VertexId v) { return f.lacking(v) != 0; };
  const auto gather = [&](const WorkItem& item, typename View::Reader& reader) {
    const auto lacking = f.lacking(item.vertex);
    auto come = lacking & 0;
    EdgeId walked = 0;
    walk<NoWeight>(reader, item, [&](VertexId u, NoWeight) {
      ++walked;
      come |= f.bits(u) & lacking;
      return come != lacking;
    });
    if (come != 0) f.take(item.vertex, come);
    return walked;
  };
  return share_changes(exec, rows, cpu::for_each_item(exec, rows, edges, 0, lacks, gather), f);
}

template <WalkableView View, class F>
EdgeMapStats edge_map_leading(CpuExecutor& exec, const Rows& rows, const View& edges, EdgeId count, F f) {
  if constexpr (is_paged<View>) {
    if (const auto array = edges.template as_array<false>(exec.pool())) return edge_map_leading(exec, rows, *array, count, f);
  }
  PerThread<EdgeId> examined(exec.pool(), 0);
  const auto leading = [&](std::size_t v) {
    return WorkItem{static_cast<VertexId>(v), rows.offsets[v], std::min(rows.offsets[v] + count, rows.offsets[v + 1])};
  };
  constexpr std::size_t kAhead = 4 * View::kLookahead;  // farther than of whole lists: each scan is short
  const auto sweep = [&](std::size_t begin, std::size_t end, int rank) {
    typename View::Reader reader(edges);
    const F each = f;
    EdgeId mine = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (i + kAhead < end) edges.prefetch(leading(i + kAhead));
      const WorkItem item = leading(i);
      mine += item.end - item.begin;
      walk<NoWeight>(reader, item, [&](VertexId u, NoWeight) {
        each(item.vertex, u);
        return true;
      });
    }
    examined[rank] += mine;
  };
  const std::size_t grain = asks_ahead(edges) ? cpu::sweep_grain<View>(exec, rows.num_vertices) : cpu::kLeadingGrain;
  cpu::for_each_piece<NoWeight>(exec, edges, cpu::pieces_of_own_lists(exec, edges, rows.num_vertices, grain), leading, sweep);
  return share_changes(exec, rows, cpu::one_step(examined), f);
}

}  // namespace graphrun::inline GR_IDS
