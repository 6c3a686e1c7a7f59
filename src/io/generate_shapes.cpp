// Graphs known in every detail: grid, path, star, complete.
#include <cmath>

#include "io/generate_internal.hpp"

namespace graphrun::generators::inline GR_IDS {

Recipe grid(std::uint64_t width, std::uint64_t height) {
  const std::uint64_t across = (width - 1) * height;
  return make_recipe(width * height, across + width * (height - 1), [=](std::uint64_t e) {
    if (e >= across) return Ends{e - across, e - across + width};
    const std::uint64_t u = e / (width - 1) * width + e % (width - 1);
    return Ends{u, u + 1};
  });
}

Recipe path(std::uint64_t n) {
  return make_recipe(n, n - 1, [](std::uint64_t e) { return Ends{e, e + 1}; });
}

Recipe star(std::uint64_t n) {
  return make_recipe(n, n - 1, [](std::uint64_t e) { return Ends{0, e + 1}; });
}

Recipe complete(std::uint64_t n) {
  const auto edges_among = [](std::uint64_t vertices) {
    return vertices % 2 == 0 ? vertices / 2 * (vertices - 1) : (vertices - 1) / 2 * vertices;
  };
  return make_recipe(n, edges_among(n), [=](std::uint64_t e) {
    // Vertex v brings edges to all vertices before it, so e lies between edges_among(v) and edges_among(v + 1).
    auto v = static_cast<std::uint64_t>((1 + std::sqrt(1 + 8 * static_cast<double>(e))) / 2);
    while (edges_among(v) > e) --v;
    while (edges_among(v + 1) <= e) ++v;
    return Ends{e - edges_among(v), v};
  });
}

}  // namespace graphrun::generators::inline GR_IDS
