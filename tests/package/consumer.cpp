// SPDX-License-Identifier: Apache-2.0
// The smallest program over the installed library: breadth-first search on a star, whose centre reaches every leaf in one step.
#include <algorithm>
#include <cstdio>
#include <graphrun/graphrun.hpp>

int main() {
  const graphrun::Graph star = graphrun::open("star:9");
  graphrun::Engine engine(star, {.backend = "emogi"});
  const auto search = engine.run(graphrun::Bfs{.source = star.max_degree_vertex(), .verify = true});
  const auto leaves = std::count(search.values().begin(), search.values().end(), 1u);
  std::printf("%d-bit ids, %s: %d leaves in %.3f ms\n", graphrun::kVertexBits, search.result().description.c_str(),
              static_cast<int>(leaves), search.trial().elapsed_ms);
  return leaves == 8 && search.verified() ? 0 : 1;
}
