#include "graphrun/verify/digest.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <variant>

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kTopRanks = 10;

std::uint64_t checksum_term(std::size_t v, std::uint64_t value) { return (std::uint64_t{v} + 1) * (value + 1); }

bool is_reached(std::uint64_t distance) { return distance != kUnreachedDistance; }
bool is_reached(double distance) { return distance != std::numeric_limits<double>::infinity(); }

std::uint64_t checksum_value(std::uint64_t distance) { return distance; }
std::uint64_t checksum_value(double distance) { return std::bit_cast<std::uint64_t>(distance); }
std::uint64_t checksum_value(float distance) { return std::bit_cast<std::uint32_t>(distance); }

template <class Distance>
void add_distances(const std::vector<Distance>& distances, SsspDigest& digest) {
  for (std::size_t v = 0; v < distances.size(); ++v) {
    if (!is_reached(distances[v])) continue;
    const auto distance = static_cast<double>(distances[v]);
    ++digest.reached;
    digest.max_distance = std::max(digest.max_distance, distance);
    digest.sum_distances += distance;
    digest.checksum += checksum_term(v, checksum_value(distances[v]));
  }
}

}  // namespace

BfsDigest digest(const BfsOutput& output) {
  BfsDigest digest{output.source, 0, 0, 0, 0};
  for (std::size_t v = 0; v < output.levels.size(); ++v) {
    const std::uint64_t level = output.levels[v];
    if (level == kUnreachedLevel) continue;
    ++digest.reached;
    digest.max_level = std::max(digest.max_level, level);
    digest.sum_levels += level;
    digest.checksum += checksum_term(v, level);
  }
  return digest;
}

SsspDigest digest(const SsspOutput& output) {
  SsspDigest digest{output.source, 0, 0, 0, 0};
  std::visit([&](const auto& distances) { add_distances(distances, digest); }, output.distances);
  return digest;
}

std::vector<std::uint64_t> component_sizes(const CcOutput& output) {
  std::vector<std::uint64_t> sizes(output.labels.size(), 0);
  for (const VertexId label : output.labels) {
    if (label < sizes.size()) ++sizes[label];
  }
  return sizes;
}

CcDigest digest(const CcOutput& output) {
  std::map<std::uint64_t, std::uint64_t, std::greater<>> counts;
  for (const std::uint64_t size : component_sizes(output)) {
    if (size != 0) ++counts[size];
  }
  CcDigest digest{0, counts.empty() ? 0 : counts.begin()->first, {counts.begin(), counts.end()}};
  for (const auto& [size, count] : counts) digest.components += count;
  return digest;
}

PagerankDigest digest(const PagerankOutput& output) {
  PagerankDigest digest{0, output.iterations, output.residual, output.certificate, largest_of(output.ranks, kTopRanks)};
  for (const double rank : output.ranks) digest.sum += rank;
  return digest;
}

BcDigest digest(const BcOutput& output) {
  BcDigest digest{output.sources.empty() ? output.scores.size() : output.sources.size(), output.largest, 0,
                  largest_of(output.scores, kTopRanks)};
  for (const double score : output.scores) digest.sum += score;
  return digest;
}

TcDigest digest(const TcOutput& output) { return {output.triangles}; }

}  // namespace graphrun::inline GR_IDS
