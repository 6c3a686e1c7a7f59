// SPDX-License-Identifier: Apache-2.0
// The generators of generate(), for parameters that were read and checked.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"
#include "io/entry_stream.hpp"

namespace graphrun::generators::inline GR_IDS {

/// An undirected graph as a function: any range of edges can be made by itself.
struct Recipe {
  VertexId num_vertices = 0;
  std::uint64_t num_edges = 0;
  /// Makes edges [first, first + count).
  std::function<void(std::uint64_t first, std::uint64_t count, VertexId* sources, VertexId* targets, ThreadPool& pool)> fill;
};

struct Ends {
  std::uint64_t u;
  std::uint64_t v;
};

/// edge_of(e) returns the ends of edge e.
template <class EdgeOf>
Recipe make_recipe(std::uint64_t num_vertices, std::uint64_t num_edges, EdgeOf edge_of) {
  constexpr std::size_t kEdgeGrain = 1 << 15;
  const auto fill = [edge_of](std::uint64_t first, std::uint64_t count, VertexId* sources, VertexId* targets, ThreadPool& pool) {
    Progress progress("generating", count, "edges");
    parallel_chunks(pool, count, kEdgeGrain, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) {
        const Ends ends = edge_of(first + i);
        sources[i] = static_cast<VertexId>(ends.u);
        targets[i] = static_cast<VertexId>(ends.v);
      }
      progress.advance(end - begin);
    });
  };
  return {static_cast<VertexId>(num_vertices), num_edges, fill};
}

// Each has `num_edges` edges over 2^scale vertices.
Recipe kron(int scale, std::uint64_t num_edges, std::uint64_t seed);
Recipe urand(int scale, std::uint64_t num_edges, std::uint64_t seed);
Recipe web(int scale, std::uint64_t num_edges, std::uint64_t seed);

}  // namespace graphrun::generators::inline GR_IDS

namespace graphrun::io::inline GR_IDS {

/// Opens the entries of generate() in batches. Throws UsageError.
std::unique_ptr<EntryStream> open_generator(const std::string& spec, const ReadOptions& options, ThreadPool& pool);

/// Numbers of vertices and undirected edges of a generated graph.
struct GeneratedSize {
  std::uint64_t vertices;
  std::uint64_t edges;
};
GeneratedSize generated_size(const std::string& spec);

}  // namespace graphrun::io::inline GR_IDS
