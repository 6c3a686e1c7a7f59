#include "graphrun/graph/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "graphrun/core/error.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/graph/rows.hpp"

namespace graphrun {
namespace {

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

/// Smallest i in [0, n) for which bad(i), or kNone.
template <class Bad>
std::uint64_t first_bad(ThreadPool& pool, std::size_t n, Bad&& bad) {
  std::atomic<std::uint64_t> first{kNone};
  parallel_chunks(pool, n, 1 << 16, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!bad(i)) continue;
      std::uint64_t seen = first.load(std::memory_order_relaxed);
      while (i < seen && !first.compare_exchange_weak(seen, i, std::memory_order_relaxed)) {
      }
      return;
    }
  });
  return first.load();
}

}  // namespace

void check_csr(const Csr& csr, const std::string& where, ThreadPool& pool) {
  if (csr.offsets.empty()) throw DataError(fmt::format("{}: the offsets are missing", where));
  const VertexId n = csr.num_vertices();
  const EdgeId m = csr.num_edges();
  if (csr.offsets[0] != 0) throw DataError(fmt::format("{}: the first offset is {}, not 0", where, csr.offsets[0]));
  if (csr.offsets[n] != m) {
    throw DataError(fmt::format("{}: the last offset is {} but there are {} edges", where, csr.offsets[n], m));
  }
  if (const auto v = first_bad(pool, n, [&](std::size_t i) { return csr.offsets[i] > csr.offsets[i + 1]; }); v != kNone) {
    throw DataError(fmt::format("{}: offsets decrease after vertex {} (from {} to {})", where, v, csr.offsets[v],
                                csr.offsets[v + 1]));
  }
  if (const auto e = first_bad(pool, m, [&](std::size_t i) { return csr.neighbours[i] >= n; }); e != kNone) {
    throw DataError(fmt::format("{}: edge {} leads to vertex {} but there are only {} vertices", where, e, csr.neighbours[e], n));
  }
  if (!csr.weights.empty() && csr.weights.size() != m) {
    throw DataError(fmt::format("{}: {} weights for {} edges", where, csr.weights.size(), m));
  }
}

VertexId max_degree_vertex(const Csr& csr, ThreadPool& pool) {
  struct Best {
    EdgeId degree = 0;
    VertexId vertex = kNoVertex;
  };
  const auto better = [](const Best& a, const Best& b) {
    return a.degree != b.degree ? a.degree > b.degree : a.vertex < b.vertex;
  };
  PerThread<Best> best(pool);
  parallel_chunks(pool, csr.num_vertices(), 1 << 16, [&](std::size_t begin, std::size_t end, int rank) {
    for (std::size_t v = begin; v < end; ++v) {
      const Best candidate{csr.degree(static_cast<VertexId>(v)), static_cast<VertexId>(v)};
      if (better(candidate, best[rank])) best[rank] = candidate;
    }
  });
  Best overall;
  for (const auto& slot : best) {
    if (better(slot.value, overall)) overall = slot.value;
  }
  return overall.vertex;
}

std::vector<HubChunk> cut_hubs(const Csr& csr, EdgeId chunk_edges, ThreadPool& pool) {
  std::vector<std::vector<HubChunk>> found(static_cast<std::size_t>(pool.size()));
  parallel_chunks(pool, csr.num_vertices(), 1 << 16, [&](std::size_t begin, std::size_t end, int rank) {
    for (std::size_t v = begin; v < end; ++v) {
      if (csr.offsets[v + 1] - csr.offsets[v] <= chunk_edges) continue;
      for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; e += chunk_edges) {
        found[static_cast<std::size_t>(rank)].push_back({e, static_cast<VertexId>(v)});
      }
    }
  });
  std::vector<HubChunk> all;
  for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end(), [](const HubChunk& a, const HubChunk& b) { return a.begin < b.begin; });
  return all;
}

}  // namespace graphrun
