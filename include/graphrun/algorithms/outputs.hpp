// What the algorithms return, in host memory.
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

/// How the score of a vertex follows from its sum of dependencies on the sources.
enum class BcDefinition {
  gap,         ///< GAP's: a source depends on itself, too; divided by the largest sum, so that 1 is the largest score
  exact,       ///< Brandes' and NetworkX's without normalisation: each pair of ends counts once, half where a graph is symmetric
  normalized,  ///< NetworkX's: the share of the (n - 1) (n - 2) ordered pairs of other vertices
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

/// Searches that run at once: the bits of a word.
inline constexpr std::size_t kMostSearches = 64;

/// Levels of several searches over one graph, bit by bit: bit i of each word is that of search i.
struct BfsBatchOutput {
  std::vector<VertexId> sources;     ///< of each search
  std::size_t planes = 0;            ///< bits of the highest level
  std::vector<std::uint64_t> words;  ///< of each vertex: which searches reached it, then the bits of their levels, lowest first

  std::size_t words_a_vertex() const { return 1 + planes; }
  std::size_t num_vertices() const { return words.size() / words_a_vertex(); }
  const std::uint64_t* words_of(std::size_t v) const { return words.data() + v * words_a_vertex(); }
  /// Hops from sources[search] to v; kUnreachedLevel where unreached.
  std::uint32_t level(std::size_t v, std::size_t search) const {
    const std::uint64_t* const of = words_of(v);
    if ((of[0] >> search & 1) == 0) return kUnreachedLevel;
    std::uint32_t level = 0;
    for (std::size_t k = 0; k < planes; ++k) level |= static_cast<std::uint32_t>(of[1 + k] >> search & 1) << k;
    return level;
  }
};
void describe(const BfsBatchOutput& output, AnswerData& answer);

/// Whole distances for whole weights (kUnreachedDistance where unreached); for f32 weights f64, or f32 where that was asked for
/// (infinity where unreached).
using Distances = std::variant<std::vector<std::uint64_t>, std::vector<double>, std::vector<float>>;

struct SsspOutput {
  VertexId source = 0;
  Distances distances;
  double delta = 0;  ///< width of a bucket of distances that was used
  int distance_bits = 64;
};
void describe(const SsspOutput& output, AnswerData& answer);

/// labels[u] == labels[v] exactly when u and v are weakly connected. Each label is the id of a vertex of its component.
struct CcOutput {
  std::vector<VertexId> labels;
};
void describe(const CcOutput& output, AnswerData& answer);

/// By how much one exact iteration changes the ranks that are returned: their true residual, taken with 64-bit sums.
struct PagerankCertificate {
  double residual = 0;  ///< sum over all vertices
  double largest = 0;   ///< of one vertex
};

/// Non-negative, summing to 1.
struct PagerankOutput {
  std::vector<double> ranks;
  std::uint64_t iterations = 0;
  double residual = 0;  ///< what the last sweep tells: docs/algorithms/pagerank.md
  std::optional<PagerankCertificate> certificate = {};
  int float_bits = 64;  ///< of the scores while they were computed
};
void describe(const PagerankOutput& output, AnswerData& answer);

/// All scores are 0 where no shortest path leads anywhere.
struct BcOutput {
  std::vector<double> scores;
  std::vector<std::uint64_t> sources;  ///< where the paths start; empty: at all vertices
  BcDefinition definition = BcDefinition::gap;
  double largest = 0;  ///< sum of dependencies, before it was divided
};
void describe(const BcOutput& output, AnswerData& answer);

/// Each three vertices with edges between all of them count once.
struct TcOutput {
  std::uint64_t triangles = 0;
  bool by_degree = false;   ///< the order in which edges were examined; else by id
  std::uint64_t parts = 0;  ///< in which the lists were made; 0: they were read where they are
};
void describe(const TcOutput& output, AnswerData& answer);

}  // namespace graphrun::inline GR_IDS
