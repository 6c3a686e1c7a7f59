// SPDX-License-Identifier: Apache-2.0
// Each way to build rows builds the same ones through scratch files as in memory, word for word.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <bit>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "graph/naive.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/graph/build.hpp"
#include "support/quick_folder.hpp"
#include "support/sanitized.hpp"

namespace graphrun {
namespace {

constexpr std::uint64_t kTiny = std::uint64_t{64} << 10;  // about a thousand arcs at a time
constexpr std::uint64_t kSmall = std::uint64_t{256} << 10;

struct Input {
  std::string name;
  VertexId n;
  WeightKind kind;
  naive::Arcs arcs;
};

void PrintTo(const Input& input, std::ostream* stream) { *stream << input.name; }

/// Vertex `hub` to and from all, listed backwards, each arc from it twice with different weights.
naive::Arcs star_arcs(VertexId n, VertexId hub) {
  naive::Arcs arcs;
  for (VertexId leaf = n; leaf-- > 0;) {
    const auto weight = static_cast<std::uint32_t>(leaf % 5);
    arcs.push_back({hub, leaf, weight + 1});
    arcs.push_back({hub, leaf, weight});
    arcs.push_back({leaf, hub, weight});
  }
  return arcs;
}

/// Nine pairs, a thousand arcs each: a pair fits into the smallest memory, a list of three pairs does not.
naive::Arcs parallel_arcs(const std::vector<std::uint32_t>& words) {
  naive::Arcs arcs;
  for (std::size_t i = 0; i < std::size_t{9} * 1000; ++i) {
    arcs.push_back({static_cast<VertexId>(i % 3), static_cast<VertexId>(i / 3 % 3 * 4), words[i * i % words.size()]});
  }
  return arcs;
}

/// Few arcs, at both ends of many rows and from there to anywhere.
naive::Arcs scattered_arcs(VertexId n) {
  naive::Arcs arcs;
  for (VertexId i = 0; i < 2000; ++i) {
    arcs.push_back({n - 1 - i % 7, i * 1009 % n, 1});
    arcs.push_back({i % 5, n - 1 - i * 2003 % n, 2});
  }
  return arcs;
}

std::vector<Input> inputs() {
  using enum WeightKind;
  const auto word = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  return {
      {"no_vertices", 0, none, {}},
      {"no_vertices_but_weights", 0, f32, {}},
      {"one_vertex", 1, u32, {}},
      {"one_vertex_with_loops", 1, f32, {{0, 0, word(2.5f)}, {0, 0, word(-0.0f)}, {0, 0, word(0.0f)}}},
      {"no_arcs", 1000, none, {}},
      {"skewed", 300, none, naive::random_arcs(300, 6000, 1, none)},
      {"skewed_u32", 3000, u32, naive::random_arcs(3000, 6000, 2, u32)},
      {"skewed_f32", 40, f32, naive::random_arcs(40, 6000, 3, f32)},
      {"star_from_the_first", 2000, none, star_arcs(2000, 0)},
      {"star_from_the_last", 2000, u32, star_arcs(2000, 1999)},
      {"parallel_u32", 9, u32, parallel_arcs({7, 0, 0xffffffffu, 1u << 31, 7, 3})},
      {"parallel_f32", 9, f32, parallel_arcs({word(1), word(-1), word(-0.0f), word(0.0f), word(-1e30f), word(1e-40f)})},
      {"many_empty_rows", 100000, u32, scattered_arcs(100000)},
  };
}

std::vector<BuildOptions> options_to_try() {
  return {{},
          {.symmetrise = true},
          {.drop_self_loops = true, .merge = MergeRule::min},
          {.symmetrise = true, .drop_self_loops = true, .merge = MergeRule::min, .sort_lists = false},
          {.symmetrise = true, .merge = MergeRule::first},
          {.merge = MergeRule::max},
          {.sort_lists = false},
          {.symmetrise = true, .drop_self_loops = true, .sort_lists = false}};
}

template <class T>
bool same(const Column<T>& a, const Column<T>& b) {
  return std::equal(a.data(), a.data() + a.size(), b.data(), b.data() + b.size());
}

testing::AssertionResult same_rows(const Csr& a, const Csr& b) {
  if (!same(a.offsets, b.offsets)) return testing::AssertionFailure() << "offsets differ";
  if (!same(a.neighbours, b.neighbours)) return testing::AssertionFailure() << "neighbours differ";
  if (!same(a.weights, b.weights)) return testing::AssertionFailure() << "weights differ";
  return testing::AssertionSuccess();
}

testing::AssertionResult same_graph(const Graph& a, const Graph& b) {
  if (a.weight_kind != b.weight_kind) return testing::AssertionFailure() << "kinds of weights differ";
  if (a.symmetric != b.symmetric) return testing::AssertionFailure() << "one is symmetric";
  if (a.hub_first != b.hub_first) return testing::AssertionFailure() << "one has its hubs first";
  if (a.name != b.name) return testing::AssertionFailure() << "names differ";
  if (a.in.has_value() != b.in.has_value()) return testing::AssertionFailure() << "one has a transpose";
  if (a.names != b.names) return testing::AssertionFailure() << "vertices are called otherwise";
  return same_rows(a.out, b.out);
}

/// Scratch files have no names, so that they need no directory of their own.
Workspace within(std::uint64_t memory_bytes) { return Workspace::on_disk(test::quick_folder().string(), memory_bytes); }

/// `arcs` in `count` batches, the first of them the shortest.
Graph build_in_batches(const Input& input, Arcs meaning, const BuildOptions& options, const Workspace& space, ThreadPool& pool,
                       std::size_t count) {
  GraphBuilder builder(options, space, pool);
  std::size_t begin = 0;
  for (std::size_t batch = 1; batch <= count; ++batch) {
    const std::size_t end = input.arcs.size() * batch * batch / (count * count);
    const naive::Arcs part(input.arcs.begin() + static_cast<std::ptrdiff_t>(begin),
                           input.arcs.begin() + static_cast<std::ptrdiff_t>(end));
    builder.add(naive::list_of(input.n, part, meaning, input.kind));
    begin = end;
  }
  return builder.finish();
}

class ExternalRowsTest : public testing::TestWithParam<Input> {
 protected:
  const Input& input() const { return GetParam(); }

  /// Made anew each time: what changes a graph may write to its columns.
  Graph in_memory(const BuildOptions& options = {}, Arcs meaning = Arcs::directed) {
    Graph graph = build_graph(naive::list_of(input().n, input().arcs, meaning, input().kind), options, one_thread_);
    graph.name = input().name;
    return graph;
  }

  /// Compares make(pool, workspace) in memory and with one thread to other ways; `compare` takes two of its results.
  template <class Make, class Compare>
  void expect_same_everywhere(const Make& make, const Compare& compare) {
    const auto wanted = make(one_thread_, Workspace{});
    EXPECT_TRUE(compare(make(three_threads_, Workspace{}), wanted)) << "in memory, three threads";
    EXPECT_TRUE(compare(make(three_threads_, within(kTiny)), wanted)) << "tiny, three threads";
    if (test::kFewCases) return;
    EXPECT_TRUE(compare(make(one_thread_, within(kSmall)), wanted)) << "small, one thread";
  }

  ThreadPool one_thread_{1};
  ThreadPool three_threads_{3};
};

TEST_P(ExternalRowsTest, GraphBuilderMakesWhatBuildGraphMakes) {
  for (const BuildOptions& options : options_to_try()) {
    SCOPED_TRACE(testing::Message() << "symmetrise " << options.symmetrise << ", loops " << !options.drop_self_loops
                                    << ", duplicates " << static_cast<int>(options.merge) << ", sorted " << options.sort_lists);
    Graph wanted = in_memory(options);
    wanted.name.clear();
    EXPECT_TRUE(same_graph(build_in_batches(input(), Arcs::directed, options, within(kTiny), three_threads_, 5), wanted))
        << "tiny";
    if (test::kFewCases) continue;
    EXPECT_TRUE(same_graph(build_in_batches(input(), Arcs::directed, options, within(kSmall), one_thread_, 1), wanted))
        << "small";
  }
}

TEST_P(ExternalRowsTest, MirroredAndMirrorAreTakenAsTheyAre) {
  for (const Arcs meaning : {Arcs::mirror, Arcs::mirrored}) {
    Graph wanted = in_memory({}, meaning);
    wanted.name.clear();
    EXPECT_TRUE(same_graph(build_in_batches(input(), meaning, {}, within(kTiny), one_thread_, 3), wanted));
  }
}

TEST_P(ExternalRowsTest, Rebuild) {
  for (const BuildOptions& options : options_to_try()) {
    expect_same_everywhere(
        [&](ThreadPool& pool, const Workspace& space) {
          Graph graph = in_memory({.sort_lists = false});
          auto names = Column<std::uint64_t>::allocate(input().n);
          for (VertexId v = 0; v < input().n; ++v) names[v] = std::uint64_t{v} * 3;
          graph.names = VertexNames::numbers(names);
          return rebuild(std::move(graph), options, pool, space);
        },
        same_graph);
  }
}

TEST_P(ExternalRowsTest, RebuildOfASymmetricGraph) {
  const BuildOptions thinner{.drop_self_loops = true, .merge = MergeRule::min};
  expect_same_everywhere(
      [&](ThreadPool& pool, const Workspace& space) { return rebuild(in_memory({}, Arcs::mirror), thinner, pool, space); },
      same_graph);
}

TEST_P(ExternalRowsTest, TransposeWithAndWithoutWeights) {
  const Graph graph = in_memory({.sort_lists = false});
  expect_same_everywhere([&](ThreadPool& pool, const Workspace& space) { return transpose(graph.out, pool, space); }, same_rows);
  expect_same_everywhere(
      [&](ThreadPool& pool, const Workspace& space) { return transpose_with_weights(graph.out, graph.weight_kind, space, pool); },
      same_rows);
}

// What the weighted transpose is, told without rows.
TEST_P(ExternalRowsTest, TransposeTwiceIsTheSortedGraph) {
  const Graph graph = in_memory({.sort_lists = false});
  const Csr once = transpose_with_weights(graph.out, graph.weight_kind, within(kTiny), three_threads_);
  const Csr twice = transpose_with_weights(once, graph.weight_kind, within(kTiny), three_threads_);
  EXPECT_TRUE(naive::arcs_of(twice) == naive::expected(input().arcs, false, {}, input().kind));
}

TEST_P(ExternalRowsTest, Symmetrise) {
  expect_same_everywhere(
      [&](ThreadPool& pool, const Workspace& space) { return rebuild(in_memory(), {.symmetrise = true}, pool, space); },
      same_graph);
}

TEST_P(ExternalRowsTest, RelabelByDegree) {
  for (const Arcs meaning : {Arcs::directed, Arcs::mirror}) {
    expect_same_everywhere(
        [&](ThreadPool& pool, const Workspace& space) { return relabel(in_memory({}, meaning), VertexOrder::degree, pool, space); },
        same_graph);
  }
}

TEST_P(ExternalRowsTest, HubsFirst) {
  const auto put = [](Graph&& graph, ThreadPool& pool, const Workspace& space) {
    put_hubs_first(graph, pool, space);
    EXPECT_TRUE(is_hub_first(graph.out, pool, space));
    return std::move(graph);
  };
  expect_same_everywhere([&](ThreadPool& pool, const Workspace& space) { return put(in_memory(), pool, space); }, same_graph);
  // The order of hubs goes into columns that are in scratch files already.
  expect_same_everywhere(
      [&](ThreadPool& pool, const Workspace& space) {
        return put(rebuild(in_memory({.sort_lists = false}), {}, pool, space), pool, space);
      },
      same_graph);
}

INSTANTIATE_TEST_SUITE_P(Inputs, ExternalRowsTest, testing::ValuesIn(inputs()),
                         [](const auto& tested) { return tested.param.name; });

class ScratchLimits : public testing::Test {
 protected:
  ThreadPool pool_{2};
};

TEST_F(ScratchLimits, AnyNumberOfArcsOfOnePairFitsInAnyMemory) {
  naive::Arcs arcs = naive::random_arcs(1000, 5000, 4, WeightKind::u32);
  for (std::uint32_t i = 0; i < 3000; ++i) arcs.push_back({17, 923, i * 7 % 1000});
  const Input input{"", 1000, WeightKind::u32, arcs};
  for (const BuildOptions& options : {BuildOptions{}, BuildOptions{.merge = MergeRule::min},
                                      BuildOptions{.merge = MergeRule::sum}, BuildOptions{.merge = MergeRule::first}}) {
    for (const std::uint64_t bytes : {kTiny, kSmall}) {
      const Graph graph = build_in_batches(input, Arcs::directed, options, within(bytes), pool_, 2);
      EXPECT_TRUE(naive::arcs_of(graph.out) == naive::expected(arcs, false, options, input.kind)) << bytes;
    }
  }
  // In the order they come, arcs are not put side by side, and any number will do.
  const Graph unsorted = build_in_batches(input, Arcs::directed, {.sort_lists = false}, within(kTiny), pool_, 2);
  EXPECT_EQ(unsorted.num_edges(), arcs.size());
}

TEST_F(ScratchLimits, BatchesAreCheckedLikeLists) {
  const Workspace space = within(kTiny);
  GraphBuilder builder({}, space, pool_);
  EXPECT_THROW(builder.add(naive::list_of(5, {{0, 1}, {2, 5}})), DataError);
}

TEST_F(ScratchLimits, ADirectoryThatIsNotThereIsNamed) {
  const std::string missing = (std::filesystem::temp_directory_path() / "graphrun no such directory").string();
  try {
    Workspace::on_disk(missing, kTiny);
    ADD_FAILURE() << "accepted";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find(missing), std::string::npos) << error.what();
  }
}

/// As many files open as a login session usually may, for a while.
class UsualFileLimit {
 public:
  UsualFileLimit() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    rlimit usual = before_;
    usual.rlim_cur = std::min<rlim_t>(before_.rlim_cur, 1024);
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
  }
  ~UsualFileLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  UsualFileLimit(const UsualFileLimit&) = delete;
  UsualFileLimit& operator=(const UsualFileLimit&) = delete;

 private:
  rlimit before_{};
};

// Each level of division has 256 files; a hub of small id in a large graph is four levels down.
TEST_F(ScratchLimits, AHubAmongManyVerticesUsedToNeedTooManyOpenFiles) {
  constexpr VertexId kVertices = 1u << 24;
  naive::Arcs arcs;
  for (VertexId i = 0; i < 3000; ++i) arcs.push_back({0, i * 5000});
  const UsualFileLimit limit;
  const Graph graph = build_in_batches({"", kVertices, WeightKind::none, arcs}, Arcs::directed, {}, within(kTiny), pool_, 1);
  EXPECT_TRUE(naive::arcs_of(graph.out) == arcs);
}

}  // namespace
}  // namespace graphrun
