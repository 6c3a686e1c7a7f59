// Graphs known in every detail: grid, path, star, complete.
#include "graphrun/core/parallel.hpp"
#include "io/generate_internal.hpp"

namespace graphrun::generators {
namespace {

constexpr std::size_t kEdgeGrain = 1 << 16;

void put(EdgeList& list, std::uint64_t edge, std::uint64_t u, std::uint64_t v) {
  list.sources[edge] = static_cast<VertexId>(u);
  list.targets[edge] = static_cast<VertexId>(v);
}

}  // namespace

EdgeList make_list(VertexId num_vertices, std::uint64_t num_edges) {
  EdgeList list;
  list.num_vertices = num_vertices;
  list.sources = Column<VertexId>::allocate(num_edges);
  list.targets = Column<VertexId>::allocate(num_edges);
  list.arcs = Arcs::mirror;
  return list;
}

EdgeList grid(std::uint64_t width, std::uint64_t height, ThreadPool& pool) {
  const std::uint64_t across = (width - 1) * height;
  EdgeList list = make_list(static_cast<VertexId>(width * height), across + width * (height - 1));
  parallel_for(
      pool, across,
      [&](std::size_t i) {
        const std::uint64_t u = i / (width - 1) * width + i % (width - 1);
        put(list, i, u, u + 1);
      },
      kEdgeGrain);
  parallel_for(
      pool, width * (height - 1), [&](std::size_t u) { put(list, across + u, u, u + width); }, kEdgeGrain);
  return list;
}

EdgeList path(std::uint64_t n, ThreadPool& pool) {
  EdgeList list = make_list(static_cast<VertexId>(n), n - 1);
  parallel_for(
      pool, n - 1, [&](std::size_t u) { put(list, u, u, u + 1); }, kEdgeGrain);
  return list;
}

EdgeList star(std::uint64_t n, ThreadPool& pool) {
  EdgeList list = make_list(static_cast<VertexId>(n), n - 1);
  parallel_for(
      pool, n - 1, [&](std::size_t i) { put(list, i, 0, i + 1); }, kEdgeGrain);
  return list;
}

EdgeList complete(std::uint64_t n, ThreadPool& pool) {
  EdgeList list = make_list(static_cast<VertexId>(n), n * (n - 1) / 2);
  parallel_for(
      pool, n,
      [&](std::size_t v) {
        const std::uint64_t first = std::uint64_t{v} * (v - (v != 0)) / 2;  // edges among the vertices before v
        for (std::uint64_t u = 0; u < v; ++u) put(list, first + u, u, v);
      },
      16);
  return list;
}

}  // namespace graphrun::generators
