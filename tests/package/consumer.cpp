// The smallest program over the installed library: breadth-first search on a star, whose centre reaches every leaf in one step.
#include <cstdio>

#include "graphrun/io/load.hpp"
#include "graphrun/run/session.hpp"

int main() {
  graphrun::ThreadPool pool;
  const graphrun::Loaded star = graphrun::load_graph("star:9", {}, pool);
  const auto session = graphrun::open_session(star.graph, {.backend = {.kind = graphrun::BackendKind::emogi}});
  graphrun::BfsOutput answer;
  const graphrun::Trial trial = session->bfs(graphrun::max_degree_vertex(star.graph.out, pool), {}, &answer);
  std::size_t leaves = 0;
  for (const std::uint32_t level : answer.levels) leaves += level == 1;
  std::printf("%d-bit ids, %s: %zu leaves in %.3f ms\n", graphrun::kVertexBits, session->description().c_str(), leaves,
              trial.elapsed_ms);
  return leaves == 8 ? 0 : 1;
}
