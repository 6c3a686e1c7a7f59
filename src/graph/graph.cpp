// SPDX-License-Identifier: Apache-2.0

#include "graphrun/graph/graph.hpp"

#include <algorithm>

#include "core/raise.hpp"
#include "graph/gpu_rows.hpp"
#include "graph/phase_time.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/random.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/row_windows.hpp"
#include "graphrun/graph/rows.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Returns a hash of the multiset of arcs; `reversed` takes them backwards.
std::uint64_t fingerprint(const Csr& csr, bool reversed, ThreadPool& pool, const Workspace& space) {
  return sum_over_arcs(csr, pool, space, [&](std::uint64_t v, EdgeId e) {
    const std::uint64_t w = csr.neighbours[e];
    return reversed ? splitmix64(splitmix64(w) ^ v) : splitmix64(splitmix64(v) ^ w);
  });
}

}  // namespace

void check_offsets(const Csr& csr, const std::string& where, ThreadPool& pool, const Workspace& space) {
  if (csr.offsets.empty()) raise<DataError>("{}: the offsets are missing", where);
  const VertexId n = csr.num_vertices();
  const EdgeId m = csr.num_edges();
  if (csr.offsets[0] != 0) raise<DataError>("{}: the first offset is {}, not 0", where, csr.offsets[0]);
  if (csr.offsets[n] != m) raise<DataError>("{}: the last offset is {} but there are {} edges", where, csr.offsets[n], m);
  for_each_window(csr.offsets, space, [&](std::size_t begin, std::size_t end) {
    const auto rises = [&](std::size_t i) { return csr.offsets[i] <= csr.offsets[i + 1]; };
    if (const auto v = first_failure(pool, begin, std::min<std::size_t>(end, n), rises); v != kNoIndex) {
      raise<DataError>("{}: offsets decrease after vertex {} (from {} to {})", where, v, csr.offsets[v], csr.offsets[v + 1]);
    }
  });
}

void check_hub_table(const Graph& graph, const std::string& where) {
  const EdgeId* offsets = graph.out.offsets.data();
  for (const HubChunk& chunk : graph.hub_table.chunks.span()) {
    if (chunk.vertex < graph.num_vertices() && chunk.begin >= offsets[chunk.vertex] && chunk.begin < offsets[chunk.vertex + 1]) {
      continue;
    }
    raise<DataError>("{}: a hub chunk of vertex {} begins at edge {}, outside of its list", where, chunk.vertex, chunk.begin);
  }
}

void check_csr(const Csr& csr, const std::string& where, ThreadPool& pool, const Workspace& space) {
  check_offsets(csr, where, pool, space);
  const VertexId n = csr.num_vertices();
  const EdgeId m = csr.num_edges();
  for_each_window(csr.neighbours, space, [&](std::size_t begin, std::size_t end) {
    if (const auto e = first_failure(pool, begin, end, [&](std::size_t i) { return csr.neighbours[i] < n; }); e != kNoIndex) {
      raise<DataError>("{}: edge {} leads to vertex {} but there are only {} vertices", where, e, csr.neighbours[e], n);
    }
  });
  if (!csr.weights.empty() && csr.weights.size() != m) {
    raise<DataError>("{}: {} weights for {} edges", where, csr.weights.size(), m);
  }
}

void require_lists(const Csr& csr) {
  if (csr.neighbours.empty() && csr.num_edges() != 0)
    throw UsageError(
        "the graph has packed lists alone: unpack_lists() gives it plain ones, which weights, records, transposes and checks "
        "read");
}

bool has_all_opposites(const Csr& csr, ThreadPool& pool, const Workspace& space) {
  const PhaseTime time("looking for opposites");
  if (const auto sums = examine_on_gpu(csr, {}, space, pool)) return sums->forward == sums->backward;
  return fingerprint(csr, false, pool, space) == fingerprint(csr, true, pool, space);
}

bool is_transpose(const Csr& csr, const Csr& reversed, ThreadPool& pool, const Workspace& space) {
  return csr.num_vertices() == reversed.num_vertices() && csr.num_edges() == reversed.num_edges() &&
         fingerprint(csr, false, pool, space) == fingerprint(reversed, true, pool, space);
}

VertexId max_degree_vertex(const Csr& csr, ThreadPool& pool) {
  struct Best {
    EdgeId degree = 0;
    VertexId vertex = kNoVertex;
    void operator+=(const Best& other) {
      if (other.degree != degree ? other.degree > degree : other.vertex < vertex) *this = other;
    }
  };
  const auto of_vertex = [&](std::size_t v) { return Best{csr.degree(static_cast<VertexId>(v)), static_cast<VertexId>(v)}; };
  return parallel_sum<Best>(pool, csr.num_vertices(), of_vertex, 1 << 16).vertex;
}

std::vector<HubChunk> cut_hubs(const Csr& csr, EdgeId chunk_edges, ThreadPool& pool) {
  PerThread<std::vector<HubChunk>> found(pool);
  parallel_chunks(pool, csr.num_vertices(), 1 << 16, [&](std::size_t begin, std::size_t end, int rank) {
    for (std::size_t v = begin; v < end; ++v) {
      if (csr.offsets[v + 1] - csr.offsets[v] <= chunk_edges) continue;
      for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; e += chunk_edges) {
        found[rank].push_back({e, static_cast<VertexId>(v)});
      }
    }
  });
  std::vector<HubChunk> all;
  for (const auto& slot : found) all.insert(all.end(), slot.value.begin(), slot.value.end());
  std::ranges::sort(all, {}, &HubChunk::begin);
  return all;
}

std::vector<HubChunk> hub_chunks_of(const Graph& graph, const Csr& side, EdgeId chunk_edges, ThreadPool& pool) {
  if (&side != &graph.out || graph.hub_table.chunk_edges != chunk_edges) return cut_hubs(side, chunk_edges, pool);
  const auto stored = graph.hub_table.chunks.span();
  return {stored.begin(), stored.end()};
}

VertexId Graph::max_degree_vertex() const {
  ThreadPool pool;
  return graphrun::max_degree_vertex(out, pool);
}

}  // namespace graphrun::inline GR_IDS
