// SPDX-License-Identifier: Apache-2.0
// A program over both widths of vertex ids: this source sees 32 bits, wide.cpp 64.
#include <cstdint>
#include <cstdio>
#include <graphrun/graphrun.hpp>

std::uint64_t reached_with_64_bits(const char* graph);

int main() {
  const char* name = "star:9";
  const graphrun::Graph star = graphrun::open(name);
  graphrun::Engine engine(star, {.device = "cpu"});
  const std::uint64_t narrow = engine.run(graphrun::Bfs{.source = star.max_degree_vertex()}).reached();
  const std::uint64_t wide = reached_with_64_bits(name);
  std::printf("%d-bit ids: %d reached, and %d with ids of 64 bits\n", graphrun::kVertexBits, static_cast<int>(narrow),
              static_cast<int>(wide));
  return graphrun::kVertexBits == 32 && narrow == 9 && wide == narrow ? 0 : 1;
}
