#include "run/weight_stats.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace graphrun::inline GR_IDS {

WeightStats weight_stats(const Graph& graph) {
  constexpr std::size_t kSample = 1 << 20;
  const auto& words = graph.out.weights;
  if (words.empty()) return {};
  const std::size_t stride = std::max<std::size_t>(1, words.size() / kSample);
  WeightStats stats{std::numeric_limits<double>::infinity(), 0, 0};
  std::size_t count = 0;
  for (std::size_t i = 0; i < words.size(); i += stride, ++count) {
    const double weight = graph.weight_kind == WeightKind::f32 ? static_cast<double>(std::bit_cast<float>(words[i]))
                                                               : static_cast<double>(words[i]);
    stats.smallest = std::min(stats.smallest, weight);
    stats.largest = std::max(stats.largest, weight);
    stats.mean += weight;
  }
  stats.mean /= static_cast<double>(count);
  return stats;
}

}  // namespace graphrun::inline GR_IDS
