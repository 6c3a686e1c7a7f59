// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <graphrun/graphrun.hpp>

static_assert(graphrun::kVertexBits == 64);

std::uint64_t reached_with_64_bits(const char* graph);

std::uint64_t reached_with_64_bits(const char* graph) {
  const graphrun::Graph star = graphrun::open(graph);
  graphrun::Engine engine(star, {.device = "cpu"});
  return engine.run(graphrun::Bfs{.source = star.max_degree_vertex()}).reached();
}
