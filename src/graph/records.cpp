// SPDX-License-Identifier: Apache-2.0
// Lists as records, neighbour and weight side by side, in the order of their weights.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/raise.hpp"
#include "graph/gpu_rows.hpp"
#include "graph/partition.hpp"
#include "graph/phase_time.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/row_windows.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kRecordListsAPiece = 256;
constexpr std::size_t kRecordBytes = 2 * sizeof(VertexId);

/// Returns a word that sorts as its weight does; f32 weights are not negative, but for minus zero.
std::uint32_t ordered_word(std::uint32_t word, WeightKind kind) {
  return kind == WeightKind::f32 && word == 0x80000000u ? 0 : word;
}

/// As Csr::records has it.
struct Record {
  VertexId neighbour;
  VertexId weight;
};
static_assert(sizeof(Record) == kRecordBytes);

/// Sorts a list by weights, then by neighbours. `spare` takes as much memory as a long list, which no estimate knows: the longest
/// list may have all edges.
void sort_records(std::span<Record> list, std::vector<Record>& spare) {
  constexpr std::size_t kLong = 1024;  // where counting is faster than comparing
  if (list.size() < kLong) {
    std::ranges::sort(list, {}, [](const Record& record) { return std::pair(record.weight, record.neighbour); });
    return;
  }
  if (spare.size() < list.size()) {
    spare = {};  // not beside its successor
    spare.resize(list.size());
  }
  Record* from = list.data();
  Record* to = spare.data();
  const auto sort_by = [&](VertexId Record::*member, int bits) {
    Record* const sorted = radix_sort(from, to, list.size(), bits, [member](const Record& record) { return record.*member; });
    if (sorted != from) std::swap(from, to);
  };
  if (!std::ranges::is_sorted(list, {}, &Record::neighbour)) sort_by(&Record::neighbour, std::numeric_limits<VertexId>::digits);
  sort_by(&Record::weight, std::numeric_limits<std::uint32_t>::digits);
  if (from != list.data()) std::copy_n(from, list.size(), list.data());
}

void fill_records(const Csr& csr, WeightKind kind, Column<VertexId>& records, bool on_gpu, ThreadPool& pool,
                  const Workspace& space) {
  const PhaseTime time("sorting lists by weight");
  if (on_gpu) return fill_records_on_gpu(csr, kind, records, space, pool);
  Progress progress("sorting lists by weight", csr.num_edges());
  PerThread<std::vector<Record>> spares(pool);
  for_each_row_window(csr, space, kRecordBytes, [&](VertexId first, VertexId last) {
    parallel_chunks(pool, last - first, kRecordListsAPiece, [&](std::size_t begin, std::size_t end, int rank) {
      Record* const all = reinterpret_cast<Record*>(records.data());
      for (std::size_t v = first + begin; v < first + end; ++v) {
        for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e)
          all[e] = {csr.neighbours[e], ordered_word(csr.weights[e], kind)};
        sort_records({all + csr.offsets[v], all + csr.offsets[v + 1]}, spares[rank]);
      }
      progress.advance(csr.offsets[first + end] - csr.offsets[first + begin]);
    });
    if (space.is_on_disk()) records.release(2 * csr.offsets[first], 2 * csr.offsets[last]);
  });
}

std::uint64_t weighted_arc(std::uint64_t from, std::uint64_t to, std::uint32_t weight) { return splitmix64(from, to, weight); }

/// Returns the sum of weighted_arc() over graph.out's lists. `reversed` takes arcs backwards.
std::uint64_t fingerprint_of_lists(const Graph& graph, bool reversed, ThreadPool& pool, const Workspace& space) {
  const Csr& csr = graph.out;
  return sum_over_arcs(csr, pool, space, [&](std::uint64_t v, EdgeId e) {
    const std::uint32_t weight = ordered_word(csr.weights[e], graph.weight_kind);
    return reversed ? weighted_arc(csr.neighbours[e], v, weight) : weighted_arc(v, csr.neighbours[e], weight);
  });
}

/// Returns the same over records. Throws DataError where a list does not ascend, or beyond the largest weight of its kind.
std::uint64_t fingerprint_of_records(const Csr& csr, WeightKind kind, const std::string& where, ThreadPool& pool,
                                     const Workspace& space) {
  constexpr std::uint32_t kLargestFloat = 0x7f7fffff;
  const VertexId most = kind == WeightKind::f32 ? kLargestFloat : std::numeric_limits<std::uint32_t>::max();
  std::uint64_t sum = 0;
  FirstIndex descent;
  for_each_row_window(csr, space, kRecordBytes, [&](VertexId first, VertexId last) {
    sum += parallel_sum<std::uint64_t>(pool, last - first, [&](std::size_t i) {
      const std::size_t v = first + i;
      std::uint64_t of_row = 0;
      VertexId heaviest = 0;
      for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
        const VertexId weight = csr.records[2 * e + 1];
        if (weight < heaviest || weight > most) descent.report(v);
        heaviest = weight;
        of_row += weighted_arc(v, csr.records[2 * e], static_cast<std::uint32_t>(weight));
      }
      return of_row;
    });
    if (space.is_on_disk()) csr.records.release(2 * csr.offsets[first], 2 * csr.offsets[last]);
  });
  if (const std::uint64_t v = descent.get(); v != kNoIndex)
    raise<DataError>("{}: the records of vertex index:{} are not in the order of weights that shortest paths take", where, v);
  return sum;
}

}  // namespace

void add_records(Graph& graph, ThreadPool& pool, const Workspace& space) { begin_records(graph, pool, space)(); }

std::function<void()> begin_records(Graph& graph, ThreadPool& pool, const Workspace& space) {
  require_lists(graph.out);
  graph.weight_stats = measure_weights(graph);
  graph.by_target.reset();
  const auto make = [&] { return space.make<VertexId>(2 * graph.num_edges()); };
  if (!is_balanced(graph, pool, space)) {
    Csr reversed = transpose_with_weights(graph.out, graph.weight_kind, space, pool);
    Csr in;
    in.records = make();
    fill_records(reversed, graph.weight_kind, in.records, gpu_takes_records(reversed, space), pool, space);
    in.offsets = std::move(reversed.offsets);
    graph.by_target = std::move(in);
  }
  graph.out.records = make();
  const bool on_gpu = gpu_takes_records(graph.out, space);  // or throws, before what precedes records is written
  return [csr = graph.out, kind = graph.weight_kind, on_gpu, &pool, space]() mutable {
    fill_records(csr, kind, csr.records, on_gpu, pool, space);
  };
}

std::uint64_t records_bytes(std::uint64_t vertices, std::uint64_t arcs, bool both_ways) {
  return arcs * kRecordBytes + (both_ways ? arcs * kRecordBytes + vertices * sizeof(EdgeId) : 0);
}

std::uint64_t records_peak_bytes(std::uint64_t vertices, std::uint64_t arcs, bool both_ways) {
  if (!both_ways) return records_bytes(vertices, arcs, false);
  const std::uint64_t rows = arcs * (sizeof(VertexId) + sizeof(std::uint32_t)) + vertices * sizeof(EdgeId);
  const std::uint64_t arcs_of_builder = arcs * (2 * sizeof(VertexId) + sizeof(std::uint32_t));
  return arcs * kRecordBytes + rows + std::max<std::uint64_t>(arcs_of_builder, arcs * kRecordBytes);
}

void drop_records(Graph& graph) {
  graph.out.records = {};
  graph.by_target.reset();
  graph.weight_stats.reset();
}

void check_records(const Graph& graph, const std::string& where, ThreadPool& pool, const Workspace& space) {
  const auto check = [&](const Csr& csr, bool reversed) {
    if (fingerprint_of_records(csr, graph.weight_kind, where, pool, space) !=
        fingerprint_of_lists(graph, reversed, pool, space)) {
      raise<DataError>("{}: the records of {} are not those of the arcs", where, reversed ? "in-lists" : "lists");
    }
  };
  check(graph.out, false);
  if (graph.by_target) return check(*graph.by_target, true);
  if (!is_balanced(graph, pool, space))
    raise<DataError>("{}: both directions of some edge weigh differently, and the records of in-lists are missing", where);
}

}  // namespace graphrun::inline GR_IDS
