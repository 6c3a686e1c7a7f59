// Short fingerprints of answers: what results carry under `result`, comparable across systems.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "graphrun/algorithms/outputs.hpp"

namespace graphrun::inline GR_IDS {

/// Checksums are sums modulo 2^64 over the reached vertices of (v+1) * (value(v)+1), with 64-bit arithmetic.
struct BfsDigest {
  VertexId source;
  std::uint64_t reached;  ///< source included
  std::uint64_t max_level;
  std::uint64_t sum_levels;
  std::uint64_t checksum;
};

/// For float distances the checksum takes the bit pattern of the distance as its value.
struct SsspDigest {
  VertexId source;
  std::uint64_t reached;
  double max_distance;
  double sum_distances;  ///< exact for whole distances below 2^53 in sum
  std::uint64_t checksum;
};

/// Labels that are no vertex id (of a wrong answer) are left out.
struct CcDigest {
  std::uint64_t components;                                         ///< isolated vertices included
  std::uint64_t largest;                                            ///< vertices of the largest
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes = {};  ///< size, and how many components have it; largest first
};

struct PagerankDigest {
  double sum;
  std::uint64_t iterations;
  double residual;
  std::optional<PagerankCertificate> certificate;
  std::vector<std::pair<VertexId, double>> top;  ///< ten highest scores, descending, equal scores by smaller id
};

struct BcDigest {
  std::uint64_t sources;
  double largest;                                ///< sum of dependencies, before scores were divided by it
  double sum;                                    ///< of the scores
  std::vector<std::pair<VertexId, double>> top;  ///< as those of PagerankDigest
};

struct TcDigest {
  std::uint64_t triangles;
};

/// How many vertices have each label; 0 for vertices that are none.
std::vector<std::uint64_t> component_sizes(const CcOutput& output);

/// The k largest of `values`, other than `absent`, with their indices: descending, equal ones by smaller index.
template <class T>
std::vector<std::pair<VertexId, T>> largest_of(const std::vector<T>& values, std::size_t k, std::optional<T> absent = {}) {
  using Entry = std::pair<VertexId, T>;
  const auto goes_before = [](const Entry& a, const Entry& b) {
    return a.second > b.second || (a.second == b.second && a.first < b.first);
  };
  std::vector<Entry> heap;  // of the largest so far, the last of them in front
  for (std::size_t v = 0; v < values.size() && k != 0; ++v) {
    if (absent && values[v] == *absent) continue;
    const Entry entry{static_cast<VertexId>(v), values[v]};
    if (heap.size() == k) {
      if (!goes_before(entry, heap.front())) continue;
      std::pop_heap(heap.begin(), heap.end(), goes_before);
      heap.back() = entry;
    } else {
      heap.push_back(entry);
    }
    std::push_heap(heap.begin(), heap.end(), goes_before);
  }
  std::sort_heap(heap.begin(), heap.end(), goes_before);
  return heap;
}

BfsDigest digest(const BfsOutput& output);
SsspDigest digest(const SsspOutput& output);
CcDigest digest(const CcOutput& output);
PagerankDigest digest(const PagerankOutput& output);
BcDigest digest(const BcOutput& output);
TcDigest digest(const TcOutput& output);

}  // namespace graphrun::inline GR_IDS
