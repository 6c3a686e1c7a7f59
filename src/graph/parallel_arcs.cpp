// SPDX-License-Identifier: Apache-2.0

#include "graph/parallel_arcs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/raise.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/parallel.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kRowGrain = 1024;

/// Orders f32 bit patterns as the numbers they stand for.
std::uint32_t f32_rank(std::uint32_t bits) { return bits >> 31 != 0 ? ~bits : bits | 0x80000000u; }

/// Returns the end of the parallel arcs that begin at `run`.
EdgeId end_of_run(const Csr& csr, EdgeId run, EdgeId end) {
  const VertexId* neighbours = csr.neighbours.data();
  EdgeId next = run + 1;
  while (next < end && neighbours[next] == neighbours[run]) ++next;
  return next;
}

}  // namespace

void sort_weights(std::uint32_t* begin, std::uint32_t* end, WeightKind kind) {
  if (kind == WeightKind::f32) {
    std::sort(begin, end, [](auto a, auto b) { return f32_rank(a) < f32_rank(b); });
  } else {
    std::sort(begin, end);
  }
}

void sort_parallel_arcs(Csr& csr, WeightKind kind, ThreadPool& pool) {
  std::uint32_t* weights = csr.weights.data();
  const auto sort_list = [&](std::size_t v) {
    const EdgeId end = csr.offsets[v + 1];
    for (EdgeId run = csr.offsets[v], next = run; run < end; run = next) {
      next = end_of_run(csr, run, end);
      if (next - run > 1) sort_weights(weights + run, weights + next, kind);
    }
  };
  parallel_for(pool, csr.num_vertices(), sort_list, kRowGrain);
}

std::optional<std::uint32_t> merged_weight(const std::uint32_t* begin, const std::uint32_t* end, const RowsRequest& request) {
  if (request.merge == MergeRule::max) return end[-1];
  if (request.merge != MergeRule::sum || end - begin == 1) return *begin;
  if (request.kind == WeightKind::u64) {
    std::uint64_t sum = 0;
    for (const std::uint32_t* word = begin; word < end; ++word) {
      if (__builtin_add_overflow(sum, request.sums->weight(*word), &sum)) return std::nullopt;
    }
    return request.sums->word_of(sum);
  }
  if (request.kind == WeightKind::f32) {
    double sum = 0;
    bool finite = true;
    for (const std::uint32_t* word = begin; word < end; ++word) {
      const auto weight = std::bit_cast<float>(*word);
      finite = finite && std::isfinite(weight);
      sum += static_cast<double>(weight);
    }
    const auto fits = static_cast<float>(sum);
    if (finite && !std::isfinite(fits)) return std::nullopt;
    return std::bit_cast<std::uint32_t>(fits);
  }
  std::uint64_t sum = 0;  // of fewer than 2^32 arcs
  for (const std::uint32_t* word = begin; word < end; ++word) sum += *word;
  if (sum > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(sum);
}

void refuse_sum(WeightKind kind) {
  if (kind == WeightKind::f32) throw DataError("--merge sum: parallel edges weigh more together than a 32-bit float holds");
  raise<DataError>("--merge sum: parallel edges weigh more together than {} bits hold: --float-weights sums f32 weights",
                   kind == WeightKind::u64 ? 64 : 32);
}

void merge_parallel_arcs(Csr& csr, const RowsRequest& request, ThreadPool& pool) {
  const VertexId n = csr.num_vertices();
  Csr kept;
  kept.offsets = Column<EdgeId>::allocate(std::size_t{n} + 1);
  const auto count_list = [&](std::size_t v) {
    const EdgeId end = csr.offsets[v + 1];
    EdgeId distinct = 0;
    for (EdgeId run = csr.offsets[v]; run < end; run = end_of_run(csr, run, end)) ++distinct;
    kept.offsets[v] = distinct;
  };
  parallel_for(pool, n, count_list, kRowGrain);
  const EdgeId total = exclusive_scan(pool, kept.offsets.data(), n);
  kept.offsets[n] = total;
  if (total == csr.num_edges()) return;

  kept.neighbours = Column<VertexId>::allocate(total);
  if (!csr.weights.empty()) kept.weights = Column<std::uint32_t>::allocate(total);
  FirstIndex overflow;
  const auto merge_list = [&](std::size_t v) {
    EdgeId to = kept.offsets[v];
    const EdgeId end = csr.offsets[v + 1];
    for (EdgeId run = csr.offsets[v], next = run; run < end; run = next, ++to) {
      next = end_of_run(csr, run, end);
      kept.neighbours[to] = csr.neighbours[run];
      if (csr.weights.empty()) continue;
      const auto weight = merged_weight(csr.weights.data() + run, csr.weights.data() + next, request);
      if (!weight) overflow.report(v);
      kept.weights[to] = weight.value_or(0);
    }
  };
  parallel_for(pool, n, merge_list, kRowGrain);
  if (overflow.get() != kNoIndex) refuse_sum(request.kind);
  csr = std::move(kept);
}

}  // namespace graphrun::inline GR_IDS
