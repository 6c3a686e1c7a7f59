#include "graphrun/algo/bfs.hpp"

namespace graphrun::inline GR_IDS {

std::vector<std::uint32_t> levels_from_parents(const std::vector<VertexId>& parents, VertexId source) {
  std::vector<std::uint32_t> levels(parents.size(), kUnreachedLevel);
  levels[source] = 0;
  std::vector<VertexId> path;
  for (std::size_t start = 0; start < parents.size(); ++start) {
    auto v = static_cast<VertexId>(start);
    // A path longer than the graph is a cycle: leave it unreached, the verifier will name it.
    while (levels[v] == kUnreachedLevel && parents[v] != kNoVertex && path.size() < parents.size()) {
      path.push_back(v);
      v = parents[v];
    }
    std::uint32_t level = levels[v];
    for (; !path.empty(); path.pop_back()) levels[path.back()] = level == kUnreachedLevel ? level : ++level;
  }
  return levels;
}

}  // namespace graphrun::inline GR_IDS
