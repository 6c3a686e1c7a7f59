#include "graph/parallel_arcs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "graphrun/core/parallel.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kRowGrain = 1024;

/// Orders f32 bit patterns as the numbers they stand for.
std::uint32_t f32_rank(std::uint32_t bits) { return bits >> 31 != 0 ? ~bits : bits | 0x80000000u; }

}  // namespace

void sort_weights(std::uint32_t* begin, std::uint32_t* end, WeightKind kind) {
  if (kind == WeightKind::f32) {
    std::sort(begin, end, [](auto a, auto b) { return f32_rank(a) < f32_rank(b); });
  } else {
    std::sort(begin, end);
  }
}

void sort_parallel_arcs(Csr& csr, WeightKind kind, ThreadPool& pool) {
  const VertexId* neighbours = csr.neighbours.data();
  std::uint32_t* weights = csr.weights.data();
  parallel_for(
      pool, csr.num_vertices(),
      [&](std::size_t v) {
        const EdgeId end = csr.offsets[v + 1];
        for (EdgeId run = csr.offsets[v]; run < end;) {
          EdgeId next = run + 1;
          while (next < end && neighbours[next] == neighbours[run]) ++next;
          if (next - run > 1) sort_weights(weights + run, weights + next, kind);
          run = next;
        }
      },
      kRowGrain);
}

void drop_parallel_arcs(Csr& csr, ThreadPool& pool) {
  const VertexId n = csr.num_vertices();
  const auto is_first = [&](std::size_t v, EdgeId e) {
    return e == csr.offsets[v] || csr.neighbours[e] != csr.neighbours[e - 1];
  };
  Csr kept;
  kept.offsets = Column<EdgeId>::allocate(std::size_t{n} + 1);
  parallel_for(
      pool, n,
      [&](std::size_t v) {
        EdgeId distinct = 0;
        for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) distinct += is_first(v, e);
        kept.offsets[v] = distinct;
      },
      kRowGrain);
  const EdgeId total = exclusive_scan(pool, kept.offsets.data(), n);
  kept.offsets[n] = total;
  if (total == csr.num_edges()) return;

  kept.neighbours = Column<VertexId>::allocate(total);
  if (!csr.weights.empty()) kept.weights = Column<std::uint32_t>::allocate(total);
  parallel_for(
      pool, n,
      [&](std::size_t v) {
        EdgeId to = kept.offsets[v];
        for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
          if (!is_first(v, e)) continue;
          kept.neighbours[to] = csr.neighbours[e];
          if (!csr.weights.empty()) kept.weights[to] = csr.weights[e];
          ++to;
        }
      },
      kRowGrain);
  csr = std::move(kept);
}

}  // namespace graphrun::inline GR_IDS
