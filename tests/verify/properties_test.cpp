// SPDX-License-Identifier: Apache-2.0
// Checks of properties against the serial oracles: answers that are right, and seeded changes of them. What one of the two
// rejects the other must reject, too.
#include "graphrun/verify/properties.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "support/shapes.hpp"
#include "verify/bfs_answer.hpp"

namespace graphrun {
namespace {

using test::bfs_answer;
using test::directed_graph;
using test::with_weights;
using verify::Passes;
using verify::Verdict;

constexpr float kEndless = std::numeric_limits<float>::infinity();
constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();
constexpr int kThreads = 3;
constexpr EdgeId kFewArcs = 7;  // pieces cut rows, and all threads get some

/// What is drawn depends on the seed and on how often something was drawn before.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t below(std::uint64_t limit) { return splitmix64(seed_, drawn_++, 0) % limit; }
  VertexId vertex(const Graph& graph) { return static_cast<VertexId>(below(graph.num_vertices())); }
  double unit() { return unit_interval(splitmix64(seed_, drawn_++, 0)); }

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

/// The verdict by properties, which does not depend on threads and pieces.
class Properties : public ::testing::TestWithParam<test::Shape> {
 protected:
  /// `serial` and `properties`, a function of Passes, agree; where `rounded` the serial one may accept what the other does not.
  /// Returns whether both accept.
  template <class Check>
  bool expect_agreement(const Verdict& serial, const Check& properties, const std::string& what, bool rounded = false) {
    const Verdict alone = properties(Passes{alone_, false, count_++ % 2 == 0 ? 0 : kFewArcs});
    EXPECT_TRUE(alone.correct == serial.correct || (rounded && serial.correct))
        << what << ": serial: " << serial.reason << "; properties: " << alone.reason;
    EXPECT_EQ(alone.correct, alone.reason.empty());
    rejected_ += serial.correct ? 0 : 1;
    if (count_ % 4 == 0) {
      const Verdict shared = properties(Passes{shared_, true, kFewArcs});
      EXPECT_EQ(shared.correct, alone.correct) << what << ", many threads: " << shared.reason;
      const bool sums = shared.reason.find("ranks") != std::string::npos;  // their last bits depend on threads
      if (!sums) {
        EXPECT_EQ(shared.reason, alone.reason) << what;
      }
    }
    return serial.correct && alone.correct;
  }

  ThreadPool alone_{1};
  ThreadPool shared_{kThreads};
  std::uint64_t count_ = 0;
  std::uint64_t rejected_ = 0;
};

// Fewer where a graph is large.
std::uint64_t num_changes(const Graph& graph) { return graph.num_edges() > 5000 ? 60 : 300; }

// ---- bfs

bool is_below(const BfsOutput& answer, VertexId v, VertexId top) {
  while (answer.levels[v] != kUnreachedLevel && v != top && v != answer.source) v = answer.parents[v];
  return v == top;
}

/// The answer of a search from `second` wherever that is lower, `offset` levels down: consistent but for `second` itself.
void add_search(const Graph& graph, VertexId second, std::uint32_t offset, BfsOutput& answer) {
  const BfsOutput other = bfs_answer(graph, second);
  for (VertexId v = 0; v < graph.num_vertices(); ++v) {
    if (other.levels[v] == kUnreachedLevel || other.levels[v] + offset >= answer.levels[v]) continue;
    answer.levels[v] = other.levels[v] + offset;
    answer.parents[v] = other.parents[v];
  }
}

const char* change_bfs(const Graph& graph, Chance& chance, BfsOutput& answer) {
  const VertexId v = chance.vertex(graph);
  const VertexId w = chance.vertex(graph);
  const BfsOutput right = answer;
  switch (chance.below(20)) {
    case 0:
      return ++answer.levels[v], "a level raised";
    case 1:
      return --answer.levels[v], "a level lowered";
    case 2:
      return answer.levels[v] = kUnreachedLevel, "a level taken away";
    case 3:
      return answer.levels[v] = answer.parents[v] = kNoVertex, "marked unreached";
    case 4:
      return answer.levels[v] = static_cast<std::uint32_t>(chance.below(4)), "a small level";
    case 5:
      return answer.levels[v] = kUnreachedLevel - 1, "the deepest level there is";
    case 6:
      return std::swap(answer.levels[v], answer.levels[w]), "levels swapped";
    case 7:
    case 8: {
      const std::uint32_t by = chance.below(2) == 0 ? 1 : ~std::uint32_t{0};
      for (VertexId u = 0; u < graph.num_vertices(); ++u) {
        if (right.levels[u] != kUnreachedLevel && is_below(right, u, v)) answer.levels[u] += by;
      }
      return "a subtree shifted";
    }
    case 9:
      for (VertexId u = 0; u < graph.num_vertices(); ++u) {
        if (is_below(right, u, v)) answer.levels[u] = kUnreachedLevel, answer.parents[u] = kNoVertex;
      }
      return "a subtree marked unreached";
    case 10:
      for (std::uint32_t& level : answer.levels) level += level == kUnreachedLevel ? 0 : 1;
      return "all levels raised";
    case 11:
      add_search(graph, v, static_cast<std::uint32_t>(chance.below(3)), answer);
      if (chance.below(2) == 0) answer.parents[v] = chance.below(2) == 0 ? w : kNoVertex;
      return "a second search";
    case 12:
      if (answer.levels[v] != kUnreachedLevel) return answer.parents[v] = w, "another parent";
      answer.levels[v] = right.levels[w] == kUnreachedLevel ? 1 : right.levels[w] + 1;
      return answer.parents[v] = w, "an unreached vertex below another";
    case 13:
      return answer.parents[v] = kNoVertex, "no parent";
    case 14:
      return answer.parents[v] = graph.num_vertices(), "a parent that is no vertex";
    case 15:
      return answer.parents[v] = v, "its own parent";
    case 16:
      return std::swap(answer.parents[v], answer.parents[w]), "parents swapped";
    case 17:
      return answer.source = w, "another source";
    case 18:
      return answer = bfs_answer(graph, v), "another search";
    default:
      for (EdgeId e = graph.out.offsets[v]; e < graph.out.offsets[v + 1]; ++e) answer.parents[graph.out.neighbours[e]] = v;
      return "parent of all its neighbours";
  }
}

TEST_P(Properties, OfSearchesHoldWhereTheSerialOracleAgrees) {
  const Graph graph = GetParam().make();
  const VertexId n = graph.num_vertices();
  Chance chance(1);
  for (std::uint64_t i = 0; i < num_changes(graph); ++i) {
    const VertexId source = n == 0 ? 0 : chance.vertex(graph);
    BfsOutput answer = bfs_answer(graph, source);
    const auto by_properties = [&](const Passes& how) { return verify::check_bfs_properties(graph, answer, how); };
    if (i < 8) {
      EXPECT_TRUE(expect_agreement(verify::check_bfs(graph, answer), by_properties, "the right answer"));
    }
    if (n == 0) return;
    const char* what = change_bfs(graph, chance, answer);
    expect_agreement(verify::check_bfs(graph, answer), by_properties, what);
  }
  EXPECT_GT(rejected_, num_changes(graph) / 3);
}

// ---- sssp

enum class Kind { whole, zeros, equal, floats, rounding };

Graph weighted(Graph graph, Kind kind) {
  const auto word = [&](VertexId u, VertexId v, EdgeId e) -> std::uint32_t {
    const auto hash = static_cast<std::uint32_t>(splitmix64(u, v, e));
    switch (kind) {
      case Kind::whole:
        return hash % 100;
      case Kind::zeros:
        return hash % 4 == 0 ? 1 : 0;
      case Kind::equal:
        return 3;
      case Kind::floats:
        return std::bit_cast<std::uint32_t>(std::ldexp(static_cast<float>(hash >> 8), -static_cast<int>(hash % 12)));
      case Kind::rounding:  // most sums are what they were
        return std::bit_cast<std::uint32_t>(hash % 3 == 0 ? 0x1p30F : hash % 3 == 1 ? 1.0F : 0.0F);
    }
    return 0;
  };
  const bool floats = kind == Kind::floats || kind == Kind::rounding;
  return with_weights(std::move(graph), floats ? WeightKind::f32 : WeightKind::u32, word);
}

template <class Distance>
constexpr Distance kUnreachedOf = std::is_floating_point_v<Distance> ? static_cast<Distance>(kEndless)
                                                                     : std::numeric_limits<Distance>::max();

/// By relaxing everything until nothing changes, with sums of `Distance`.
template <class Distance>
std::vector<Distance> distances_from(const Graph& graph, VertexId source) {
  std::vector<Distance> distances(graph.num_vertices(), kUnreachedOf<Distance>);
  if (distances.empty()) return distances;
  distances[source] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (VertexId u = 0; u < graph.num_vertices(); ++u) {
      if (distances[u] == kUnreachedOf<Distance>) continue;
      for (EdgeId e = graph.out.offsets[u]; e < graph.out.offsets[u + 1]; ++e) {
        const std::uint32_t word = graph.out.weights[e];
        Distance weight = static_cast<Distance>(word);
        if constexpr (std::is_floating_point_v<Distance>) weight = std::bit_cast<float>(word);
        Distance& found = distances[graph.out.neighbours[e]];
        if (!(distances[u] + weight < found)) continue;
        found = distances[u] + weight;
        changed = true;
      }
    }
  }
  return distances;
}

template <class Distance>
const char* change_distances(const Graph& graph, Chance& chance, std::vector<Distance>& distances) {
  constexpr Distance kUnreached = kUnreachedOf<Distance>;
  constexpr bool kFloats = std::is_floating_point_v<Distance>;
  const VertexId v = chance.vertex(graph);
  const VertexId w = chance.vertex(graph);
  const auto moved = [&](Distance distance, bool up) -> Distance {
    if constexpr (kFloats) return std::nextafter(distance, up ? kEndless : -kEndless);
    return up ? distance + 1 : distance - 1;
  };
  switch (chance.below(kFloats ? 20 : 15)) {
    case 0:
      return distances[v] = moved(distances[v], true), "a distance raised";
    case 1:
      return distances[v] = moved(distances[v], false), "a distance lowered";
    case 2:
      return distances[v] = kUnreached, "marked unreached";
    case 3:
      return distances[v] = static_cast<Distance>(chance.below(50)), "a small distance";
    case 4:
      return std::swap(distances[v], distances[w]), "distances swapped";
    case 5:
    case 6: {
      const bool up = chance.below(2) == 0;
      const Distance from = distances[v];
      for (Distance& distance : distances) {
        if (distance >= from && distance != kUnreached) distance = moved(distance, up);
      }
      return "all beyond a vertex shifted";
    }
    case 7: {
      const Distance from = distances[v];
      for (Distance& distance : distances) distance = distance > from ? kUnreached : distance;
      return "all beyond a vertex unreached";
    }
    case 8:
      for (Distance& distance : distances) distance = distance == kUnreached ? kUnreached : distance * 2;
      return "all doubled";
    case 9:
      for (Distance& distance : distances) distance = 0;
      return "all zero";
    case 10:
      for (Distance& distance : distances) distance = distance == kUnreached ? distances[v] : distance;
      return "unreached vertices as far as another";
    case 11:
      return distances[v] = distances[w], "as far as another";
    default: {
      // No arc relaxes, and all but `v` have tight arcs; so has `v` on a cycle without length.
      const auto other = distances_from<Distance>(graph, v);
      const Distance from = distances[v] == kUnreached ? static_cast<Distance>(chance.below(9))
                            : chance.below(2) == 0     ? moved(distances[v], false)
                                                       : distances[v] / 2;
      for (VertexId u = 0; u < graph.num_vertices(); ++u) {
        if (other[u] != kUnreached && from >= 0) distances[u] = std::min(distances[u], from + other[u]);
      }
      return "a second source";
    }
    case 15:
      return distances[v] = static_cast<Distance>(kNoNumber), "NaN";
    case 16:
      return distances[v] = static_cast<Distance>(-kEndless), "minus infinity";
    case 17:
      return distances[v] = static_cast<Distance>(-0.0F), "minus zero";
    case 18:
      return distances[v] = static_cast<Distance>(std::numeric_limits<float>::max()), "the largest float";
    case 19:
      return distances[v] = -distances[v], "a negative distance";
  }
}

class SsspProperties : public Properties {
 protected:
  template <class Distance>
  void compare(Kind kind) {
    constexpr bool kRounded = std::is_floating_point_v<Distance>;
    const Graph graph = weighted(GetParam().make(), kind);
    const VertexId n = graph.num_vertices();
    Chance chance(2 + static_cast<std::uint64_t>(kind));
    for (std::uint64_t i = 0; i < num_changes(graph) / 2; ++i) {
      const VertexId source = n == 0 ? 0 : chance.vertex(graph);
      SsspOutput answer{source, distances_from<Distance>(graph, source)};
      const auto by_properties = [&](const Passes& how) { return verify::check_sssp_properties(graph, answer, how); };
      if (i < 4) {
        EXPECT_TRUE(expect_agreement(verify::check_sssp(graph, answer), by_properties, "the right answer"));
      }
      if (n == 0) return;
      const char* what =
          std::visit([&](auto& distances) { return change_distances(graph, chance, distances); }, answer.distances);
      expect_agreement(verify::check_sssp(graph, answer), by_properties, what, kRounded);
    }
    EXPECT_GT(rejected_, num_changes(graph) / 8);
  }
};

TEST_P(SsspProperties, OfWholeDistances) { compare<std::uint64_t>(Kind::whole); }
TEST_P(SsspProperties, OfDistancesWithManyZeroWeights) { compare<std::uint64_t>(Kind::zeros); }
TEST_P(SsspProperties, OfDistancesWithEqualWeights) { compare<std::uint64_t>(Kind::equal); }
TEST_P(SsspProperties, OfFloats) { compare<double>(Kind::floats); }
TEST_P(SsspProperties, OfFloatsThatRoundAway) { compare<double>(Kind::rounding); }
TEST_P(SsspProperties, OfFloatsInF32) { compare<float>(Kind::floats); }
TEST_P(SsspProperties, OfFloatsThatRoundAwayInF32) { compare<float>(Kind::rounding); }

// ---- cc

const char* change_labels(const Graph& graph, Chance& chance, std::vector<VertexId>& labels) {
  const VertexId v = chance.vertex(graph);
  const VertexId w = chance.vertex(graph);
  const std::vector<VertexId> right = labels;
  const auto relabel = [&](VertexId from, VertexId to) { std::replace(labels.begin(), labels.end(), from, to); };
  switch (chance.below(8)) {
    case 0:
      return relabel(right[v], v), "another member of the component names it";
    case 1:
      return relabel(right[v], w), "any vertex names a component";
    case 2:
      return relabel(right[v], right[w]), "components merged";
    case 3:
      return labels[v] = v, "a vertex alone";
    case 4:
      for (VertexId u = v; u < graph.num_vertices(); ++u) labels[u] = right[u] == right[v] ? v : right[u];
      return "a component split";
    case 5:
      return labels[v] = w, "any label";
    case 6:
      return labels[v] = chance.below(2) == 0 ? graph.num_vertices() : kNoVertex, "a label that is no vertex";
    default:
      for (VertexId& label : labels) label = label == right[v] ? right[w] : label == right[w] ? right[v] : label;
      return "names of components swapped";
  }
}

TEST_P(Properties, OfComponentsHoldWhereTheSerialOracleAgrees) {
  const Graph graph = GetParam().make();
  Chance chance(3);
  for (std::uint64_t i = 0; i < num_changes(graph); ++i) {
    CcOutput answer{verify::serial_components(graph.out)};
    const auto by_properties = [&](const Passes& how) { return verify::check_cc_properties(graph, answer, how); };
    if (i < 8) {
      EXPECT_TRUE(expect_agreement(verify::check_cc(graph, answer), by_properties, "the right answer"));
    }
    if (graph.num_vertices() == 0) return;
    const char* what = change_labels(graph, chance, answer.labels);
    expect_agreement(verify::check_cc(graph, answer), by_properties, what);
  }
  EXPECT_GT(rejected_, graph.num_vertices() > 1 ? num_changes(graph) / 4 : 0);
}

// ---- pagerank

constexpr double kUsualDamping = 0.85;
constexpr double kUsualTolerance = 1e-7;

const char* change_ranks(const Graph& graph, Chance& chance, std::vector<double>& ranks) {
  const VertexId v = chance.vertex(graph);
  const VertexId w = chance.vertex(graph);
  const double amount = std::pow(10.0, -1 - 11 * chance.unit());  // the limits lie between
  switch (chance.below(11)) {
    case 0:
      return ranks[v] += 1e-3, ranks[w] -= 1e-3, "a thousandth moved";
    case 1:
      return ranks[v] += amount * ranks[v], ranks[w] -= amount * ranks[v], "a part of a rank moved";
    case 2:
      for (double& rank : ranks) rank *= 1 + amount;
      return "mass scaled";
    case 3:
      return ranks[v] = std::numeric_limits<double>::quiet_NaN(), "NaN";
    case 4:
      return ranks[v] = std::numeric_limits<double>::infinity(), "infinity";
    case 5:
      return ranks[w] += ranks[v] + 0.1, ranks[v] = -0.1, "a negative rank";
    case 6:
      return std::swap(ranks[v], ranks[w]), "ranks swapped";
    case 7:
      for (double& rank : ranks) rank = 1.0 / static_cast<double>(ranks.size());
      return "uniform ranks";
    case 8:
      return ranks[w] += ranks[v], ranks[v] = 0, "a rank of nothing";
    case 9:
      ranks = verify::serial_pagerank(graph.out, kUsualDamping - amount, kUsualTolerance, 1000).ranks;
      return "another damping";
    default:
      ranks = verify::serial_pagerank(graph.out, kUsualDamping, kUsualTolerance, 1 + chance.below(20)).ranks;
      return "not converged";
  }
}

TEST_P(Properties, OfRanksHoldWhereTheSerialOracleAgrees) {
  const Graph with_transpose = GetParam().make();
  Graph without = with_transpose;
  without.in.reset();
  without.symmetric = false;
  Graph damaged = without;
  damaged.in = with_transpose.out;  // which is not the transpose, but for shapes that are their own
  const Graph* graphs[] = {&with_transpose, &without, &damaged};
  const VertexId n = with_transpose.num_vertices();
  const std::vector<std::uint64_t> restarts[] = {{}, {std::uint64_t{n} / 2, std::uint64_t{n} - 1}};
  const auto rank = [&](const std::vector<std::uint64_t>& where) {
    return verify::serial_pagerank(with_transpose.out, kUsualDamping, kUsualTolerance, 1000, where);
  };
  const PagerankOutput right[] = {rank({}), rank(n == 0 ? restarts[0] : restarts[1])};
  Chance chance(4);
  for (std::uint64_t i = 0; i < num_changes(with_transpose); ++i) {
    const bool personal = n != 0 && i / std::size(graphs) % 2 == 1;
    const std::vector<std::uint64_t>& where = restarts[personal ? 1 : 0];
    PagerankOutput answer = right[personal ? 1 : 0];
    const Graph& graph = *graphs[i % std::size(graphs)];
    bool single = false;
    bool converged = true;
    const auto serial = [&] {
      const double limit = kUsualTolerance;
      return verify::check_pagerank(graph, answer, kUsualDamping, limit, single, converged, where);
    };
    const auto by_properties = [&](const Passes& how) {
      return verify::check_pagerank_properties(graph, answer, kUsualDamping, kUsualTolerance, single, converged, how, where);
    };
    if (i < 12) {
      EXPECT_TRUE(expect_agreement(serial(), by_properties, "the right answer"));
    }
    if (graph.num_vertices() == 0) return;
    const char* what = change_ranks(graph, chance, answer.ranks);
    single = chance.below(3) == 0;
    converged = chance.below(4) != 0;
    expect_agreement(serial(), by_properties, what);
  }
  EXPECT_GT(rejected_, num_changes(with_transpose) / 4);
}

/// A graph in two halves of different kinds, and others that all_shapes() lacks.
std::vector<test::Shape> shapes_for_properties() {
  std::vector<test::Shape> shapes = test::all_shapes();
  std::erase_if(shapes, [](const test::Shape& shape) { return shape.name.starts_with("boundary_1024"); });
  shapes.push_back({"two_rings", [] {
                      std::vector<test::Arc> arcs;
                      for (VertexId v = 0; v < 8; ++v)
                        arcs.emplace_back(v, (v + 1) % 8), arcs.emplace_back(8 + v, 8 + (v + 1) % 8);
                      return directed_graph("two_rings", 17, arcs);
                    }});
  shapes.push_back({"many_components", [] { return test::random_undirected(400, 150, 5); }});
  return shapes;
}

INSTANTIATE_TEST_SUITE_P(Shapes, Properties, ::testing::ValuesIn(shapes_for_properties()), test::shape_name);
INSTANTIATE_TEST_SUITE_P(Shapes, SsspProperties, ::testing::ValuesIn(shapes_for_properties()), test::shape_name);

// ---- what is said

class PropertyReasons : public ::testing::Test {
 protected:
  ThreadPool pool{1};
  const Passes how{pool};
  // 0 -> 1, 0 -> 2, 1 -> 3, 2 -> 4, 3 -> 0; 5 -> 0 is not reached.
  const Graph graph = directed_graph("", 6, {{0, 1}, {0, 2}, {1, 3}, {2, 4}, {3, 0}, {5, 0}});
};

TEST_F(PropertyReasons, OfSearches) {
  const BfsOutput right{0, {0, 0, 0, 1, 2, kNoVertex}, {0, 1, 1, 2, 2, kUnreachedLevel}};
  const auto reason = [&](auto change) {
    BfsOutput answer = right;
    change(answer);
    return verify::check_bfs_properties(graph, answer, how).reason;
  };
  EXPECT_EQ(reason([](BfsOutput&) {}), "");
  EXPECT_EQ(reason([](BfsOutput& a) { a.levels[0] = 1; }), "vertex 0: level 1, expected level 0");
  const char* const too_deep = "vertex 4: level 3, but an arc from vertex 2 at level 1 leads there";
  EXPECT_EQ(reason([](BfsOutput& a) { a.levels[4] = 3; }), too_deep);
  EXPECT_EQ(reason([](BfsOutput& a) { a.levels[3] = kUnreachedLevel; }),
            "vertex 3: unreached, but an arc from vertex 1 at level 1 leads there");
  EXPECT_EQ(reason([](BfsOutput& a) { a.levels[5] = 1; }), "vertex 5: no parent, but it is at level 1");
  EXPECT_EQ(reason([](BfsOutput& a) { a.levels[4] = 1; }), "vertex 4: at level 1, but its parent 2 has level 1");
  EXPECT_EQ(reason([](BfsOutput& a) { a.parents[4] = 1; }), "vertex 4: there is no arc from its parent 1");
  EXPECT_EQ(reason([](BfsOutput& a) { a.levels.pop_back(); }), "5 levels for 6 vertices");
  EXPECT_EQ(reason([](BfsOutput& a) { a.source = 6; }), "source 6 is not below the number of vertices, 6");
}

TEST_F(PropertyReasons, OfDistances) {
  using Whole = std::vector<std::uint64_t>;
  // 1 <-> 2 without length, and 0 -> 1 of length 5.
  const std::uint32_t lengths[] = {5, 0, 0};
  const Graph ring = with_weights(directed_graph("", 3, {{0, 1}, {1, 2}, {2, 1}}), WeightKind::u32,
                                  [&](VertexId, VertexId, EdgeId e) { return lengths[e]; });
  const auto reason = [&](Distances distances) {
    return verify::check_sssp_properties(ring, {0, std::move(distances)}, how).reason;
  };
  EXPECT_EQ(reason(Whole{0, 5, 5}), "");
  EXPECT_EQ(reason(Whole{1, 5, 5}), "vertex 0: distance 1, expected distance 0");
  EXPECT_EQ(reason(Whole{0, 6, 5}), "vertex 1: distance 6, but through vertex 0 it has distance 5");
  EXPECT_EQ(reason(Whole{0, 5, kUnreachedDistance}), "vertex 2: unreached, but through vertex 1 it has distance 5");
  EXPECT_EQ(reason(Whole{0, 4, 4}), "vertex 1: distance 4, which is not that of any path from the source");
  EXPECT_EQ(reason(Whole{0, 5}), "2 distances for 3 vertices");
  EXPECT_EQ(reason(std::vector<float>{0, 5, 5}), "distances are f32, but weights are u32");
  EXPECT_THROW(verify::check_sssp_properties(graph, {0, Whole(6)}, how), UsageError);
  const Graph rough = with_weights(directed_graph("", 2, {{0, 1}}), WeightKind::f32,
                                   [](VertexId, VertexId, EdgeId) { return std::bit_cast<std::uint32_t>(-1.0F); });
  EXPECT_THROW(verify::check_sssp_properties(rough, {0, std::vector<float>{0, 1}}, how), UsageError);
  const Graph fine = with_weights(directed_graph("", 2, {{0, 1}}), WeightKind::f32,
                                  [](VertexId, VertexId, EdgeId) { return std::bit_cast<std::uint32_t>(1.0F); });
  EXPECT_EQ(verify::check_sssp_properties(fine, {0, std::vector<float>{0, kNoNumber}}, how).reason,
            "vertex 1: distance nan, which no path has");
}

TEST_F(PropertyReasons, OfComponents) {
  const Graph apart = directed_graph("", 6, {{3, 0}, {4, 0}, {2, 1}, {5, 5}});
  const auto reason = [&](std::vector<VertexId> labels) {
    return verify::check_cc_properties(apart, {std::move(labels)}, how).reason;
  };
  EXPECT_EQ(reason({4, 2, 2, 4, 4, 5}), "");
  EXPECT_EQ(reason({0, 1, 1, 0, 4, 5}), "vertex 4: label 4, but vertex 0 of the same component has 0");
  EXPECT_EQ(reason({0, 0, 0, 0, 0, 5}), "vertex 1: label 0 is a vertex of another component (that of 0, not that of 1)");
  EXPECT_EQ(reason({0, 1, 1, 0, 0, 6}), "vertex 5: label 6 is not below the number of vertices, 6");
  EXPECT_EQ(reason({0, 1}), "2 labels for 6 vertices");
}

TEST_F(PropertyReasons, OfRanks) {
  const auto right = verify::serial_pagerank(graph.out, kUsualDamping, kUsualTolerance, 1000).ranks;
  const auto reason = [&](auto change) {
    PagerankOutput answer{right};
    change(answer.ranks);
    return verify::check_pagerank_properties(graph, answer, kUsualDamping, kUsualTolerance, false, true, how).reason;
  };
  EXPECT_EQ(reason([](auto&) {}), "");
  EXPECT_EQ(reason([](auto& ranks) { ranks[3] = std::numeric_limits<double>::infinity(); }), "vertex 3: rank inf");
  EXPECT_EQ(reason([](auto& ranks) { ranks[0] += ranks[5], ranks[5] = 0; }).substr(0, 26), "vertex 5: rank 0 is below ");
  EXPECT_EQ(reason([](auto& ranks) { ranks[0] += 1e-6; }).substr(0, 16), "the ranks sum to");
  EXPECT_EQ(reason([](auto& ranks) { ranks[0] += 1e-3, ranks[1] -= 1e-3; }).substr(0, 42),
            "one more iteration changes the ranks by 0.");
  EXPECT_EQ(reason([](auto& ranks) { ranks.pop_back(); }), "5 ranks for 6 vertices");
}

}  // namespace
}  // namespace graphrun
