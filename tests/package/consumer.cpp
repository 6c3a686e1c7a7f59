// The smallest program over the installed library: a star's centre reaches every leaf in one step.
#include <cstdio>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/io/load.hpp"
#include "graphrun/verify/verify.hpp"

int main() {
  graphrun::ThreadPool pool;
  const graphrun::Loaded star = graphrun::load_graph("star:9", {}, pool);
  const graphrun::Csr& arcs = star.graph.out;
  const graphrun::VertexId centre = graphrun::max_degree_vertex(arcs, pool);
  std::size_t leaves = 0;
  for (const std::uint32_t level : graphrun::verify::serial_bfs_levels(arcs, centre)) leaves += level == 1;
  std::printf("%d-bit ids: %zu leaves of %llu vertices\n", graphrun::kVertexBits, leaves,
              static_cast<unsigned long long>(arcs.num_vertices()));
  return arcs.num_vertices() >= 9 && leaves + 1 == arcs.num_vertices() ? 0 : 1;
}
