// The generators behind generate(), once their parameters have been read and found possible.
#pragma once

#include <cstdint>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"

namespace graphrun::generators {

/// Room for a graph of `num_edges` undirected edges.
EdgeList make_list(VertexId num_vertices, std::uint64_t num_edges);

// Each has `num_edges` edges over 2^scale vertices.
EdgeList kron(int scale, std::uint64_t num_edges, std::uint64_t seed, ThreadPool& pool);
EdgeList urand(int scale, std::uint64_t num_edges, std::uint64_t seed, ThreadPool& pool);
EdgeList web(int scale, std::uint64_t num_edges, std::uint64_t seed, ThreadPool& pool);

// Vertex y * width + x has the neighbours left, right, above and below.
EdgeList grid(std::uint64_t width, std::uint64_t height, ThreadPool& pool);
// 0 - 1 - ... - n-1.
EdgeList path(std::uint64_t n, ThreadPool& pool);
// Vertex 0 joined to all others.
EdgeList star(std::uint64_t n, ThreadPool& pool);
EdgeList complete(std::uint64_t n, ThreadPool& pool);

}  // namespace graphrun::generators
