// SPDX-License-Identifier: Apache-2.0
// The algorithms' results, in host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "graphrun/core/names.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun {

/// The score of a vertex from its sum of dependencies on the sources.
enum class BcDefinition {
  gap,         ///< GAP's: a source depends on itself, too; divided by the largest sum, so that the largest score is 1
  exact,       ///< Brandes' and unnormalised NetworkX's: each pair of ends counts once, half in symmetric graphs
  normalized,  ///< NetworkX's: divided by the (n - 1) (n - 2) ordered pairs of other vertices
};

template <>
struct ChoicesOf<BcDefinition> {
  static constexpr const char* kWhat = "definition of bc";
  static constexpr Choice<BcDefinition> kAll[] = {
      {"gap", BcDefinition::gap}, {"exact", BcDefinition::exact}, {"normalized", BcDefinition::normalized}};
  static constexpr ShortForm kShortForms[] = {{"normalised", "normalized"}};
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

inline constexpr std::uint64_t kUnreachedDistance = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint32_t kUnreachedLevel = std::numeric_limits<std::uint32_t>::max();

class AnswerData;  // answer.hpp

/// A shortest-path tree in hops. parents[source] == source; kNoVertex where unreached.
struct BfsOutput {
  VertexId source = 0;
  std::vector<VertexId> parents;
  std::vector<std::uint32_t> levels;  ///< hops from the source; kUnreachedLevel where unreached
};
void describe(const BfsOutput& output, AnswerData& answer);

/// Most concurrent searches: the bits of a word.
inline constexpr std::size_t kMostSearches = 64;

/// Levels of several searches over one graph; bit i of each word belongs to search i.
struct BfsBatchOutput {
  std::vector<VertexId> sources;     ///< one a search
  std::size_t planes = 0;            ///< bits of the highest level
  std::vector<std::uint64_t> words;  ///< of each vertex: the searches that reached it, then the bits of their levels, lowest
                                     ///< first

  std::size_t words_a_vertex() const { return 1 + planes; }
  std::size_t num_vertices() const { return words.size() / words_a_vertex(); }
  const std::uint64_t* words_of(std::size_t v) const { return words.data() + v * words_a_vertex(); }
  /// Returns hops from sources[search] to v; kUnreachedLevel where unreached.
  std::uint32_t level(std::size_t v, std::size_t search) const {
    const std::uint64_t* const of = words_of(v);
    if ((of[0] >> search & 1) == 0) return kUnreachedLevel;
    std::uint32_t level = 0;
    for (std::size_t k = 0; k < planes; ++k) level |= static_cast<std::uint32_t>(of[1 + k] >> search & 1) << k;
    return level;
  }
};
void describe(const BfsBatchOutput& output, AnswerData& answer);

/// Whole distances for whole weights (kUnreachedDistance where unreached). For f32 weights f64, or f32 on request (infinity where
/// unreached).
using Distances = std::variant<std::vector<std::uint64_t>, std::vector<double>, std::vector<float>>;

struct SsspOutput {
  VertexId source = 0;
  Distances distances;
  double delta = 0;  ///< used width of a bucket of distances
  int distance_bits = 64;
};
void describe(const SsspOutput& output, AnswerData& answer);

/// labels[u] == labels[v] exactly when u and v are weakly connected. Each label is the id of a vertex of its component.
struct CcOutput {
  std::vector<VertexId> labels;
};
void describe(const CcOutput& output, AnswerData& answer);

/// Change of the returned scores by one exact iteration, their true residual, in 64-bit sums.
struct PagerankCertificate {
  double residual = 0;  ///< sum over all vertices
  double largest = 0;   ///< largest of one vertex
};

/// Scores are non-negative and sum to 1.
struct PagerankOutput {
  std::vector<double> ranks;
  std::uint64_t iterations = 0;
  double residual = 0;  ///< residual of the last sweep: docs/algorithms/pagerank.md
  std::optional<PagerankCertificate> certificate = {};
  int float_bits = 64;  ///< of the scores during the computation
};
void describe(const PagerankOutput& output, AnswerData& answer);

/// All scores are 0 where no shortest path leads anywhere.
struct BcOutput {
  std::vector<double> scores;
  std::vector<std::uint64_t> sources;  ///< sources of the paths; empty: all vertices
  BcDefinition definition = BcDefinition::gap;
  double largest = 0;  ///< largest sum of dependencies, before the division
};
void describe(const BcOutput& output, AnswerData& answer);

/// Triangles, each counted once.
struct TcOutput {
  std::uint64_t triangles = 0;
  bool by_degree = false;   ///< edges were examined by degree; else by id
  std::uint64_t parts = 0;  ///< parts in which the lists were made; 0: read in place
};
void describe(const TcOutput& output, AnswerData& answer);

}  // namespace graphrun::inline GR_IDS
