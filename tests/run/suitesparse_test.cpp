// All graphs of the shared collection against results that were computed elsewhere (the folder's truth/README.md says
// how): four algorithms, from text over incore and from a container over emogi. Skipped where the folder is missing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/io/readers.hpp"
#include "graphrun/run/run.hpp"
#include "support/shared.hpp"
#include "support/truth.hpp"

namespace graphrun::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoData = "no_shared_datasets";

std::vector<std::string> graph_names() {
  std::vector<std::string> names;
  if (const auto datasets = shared_datasets()) {
    for (const auto& entry : fs::directory_iterator(*datasets / "truth")) {
      if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  if (names.empty()) names.emplace_back(kNoData);
  return names;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& graph) {
  std::string name = graph.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class SuiteSparse : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == kNoData) GTEST_SKIP() << "set GRAPHRUN_SHARED to the folder that holds suitesparse/ and truth/";
    truth_ = read_truth(*shared_datasets(), GetParam());
    container_ = (fs::path(::testing::TempDir()) / ("graphrun_suitesparse_" + std::to_string(::getpid()) + ".grf")).string();
  }
  void TearDown() override {
    if (!container_.empty()) fs::remove(container_);
  }

  Graph load(bool undirected) const {
    LoadOptions how;
    how.undirected = undirected;
    how.bipartite = truth_.bipartite;
    how.need_transpose = true;
    ThreadPool pool(2);
    Graph graph = load_graph((*shared_datasets() / "suitesparse" / truth_.file).string(), how, pool).graph;
    assign_weights(graph, {.kind = WeightSource::Kind::truth}, pool);
    return graph;
  }
  Graph through_container(const Graph& graph) const {
    ThreadPool pool(2);
    write_native(graph, container_, pool);
    return read_native(container_, true, pool);
  }

  template <class DigestType>
  DigestType digest_of(const Graph& graph, Algorithm algorithm, BackendKind backend) const {
    RunOptions options;
    options.algorithm = algorithm;
    options.device = device_;
    options.threads = 2;
    options.backend.kind = backend;
    options.pagerank.tolerance = 1e-12;
    options.verify = true;
    const RunResult result = run(graph, options);
    EXPECT_EQ(result.verification, Verification::verified) << result.trials.front().reason;
    return std::get<DigestType>(result.digests.front());
  }

  static void expect_equal(const BfsDigest& found, const BfsTruth& expected) {
    EXPECT_EQ(found.reached, expected.reached);
    EXPECT_EQ(found.max_level, expected.eccentricity);
    EXPECT_EQ(found.sum_levels, expected.sum_levels);
    EXPECT_EQ(found.checksum, expected.checksum);
  }

  /// Everything but the symmetrised search.
  void expect_all(const Graph& graph, BackendKind backend) const {
    SCOPED_TRACE(name_of(backend));
    EXPECT_EQ(graph.num_vertices(), truth_.n);
    EXPECT_EQ(graph.num_edges(), truth_.m);
    expect_equal(digest_of<BfsDigest>(graph, Algorithm::bfs, backend), truth_.bfs_directed);

    const auto paths = digest_of<SsspDigest>(graph, Algorithm::sssp, backend);
    EXPECT_EQ(paths.source, truth_.source);
    EXPECT_EQ(paths.reached, truth_.sssp_directed.reached);
    EXPECT_EQ(paths.max_distance, static_cast<double>(truth_.sssp_directed.max_distance));
    EXPECT_EQ(paths.sum_distances, static_cast<double>(truth_.sssp_directed.sum_distances));
    EXPECT_EQ(paths.checksum, truth_.sssp_directed.checksum);

    const auto components = digest_of<CcDigest>(graph, Algorithm::cc, backend);
    EXPECT_EQ(components.components, truth_.wcc.count);
    EXPECT_EQ(components.largest, truth_.wcc.largest);

    const auto ranks = digest_of<PagerankDigest>(graph, Algorithm::pagerank, backend);
    const auto& top = truth_.pagerank.top;
    ASSERT_EQ(ranks.top.size(), top.size());
    const bool order_is_certain = truth_.pagerank.min_gap_top11 > 2 * kScoreTolerance;
    for (std::size_t i = 0; i < top.size(); ++i) {
      EXPECT_NEAR(ranks.top[i].second, top[i].second, kScoreTolerance) << "place " << i + 1;
      if (order_is_certain) {
        EXPECT_EQ(ranks.top[i].first, top[i].first) << "place " << i + 1;
      }
    }
  }

  std::string device_ = "cpu";
  Truth truth_;
  std::string container_;
};

TEST_P(SuiteSparse, AgreesWithTruth) {
  const Graph graph = load(false);
  expect_all(graph, BackendKind::incore);
  expect_all(through_container(graph), BackendKind::emogi);
}

TEST_P(SuiteSparse, AgreesWithTruthOnTheGpu) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  device_ = "cuda";
  const Graph graph = load(false);
  for (const auto backend : {BackendKind::incore, BackendKind::emogi, BackendKind::uvm}) expect_all(graph, backend);
}

TEST_P(SuiteSparse, SymmetrisedAgreesWithTruth) {
  const Graph graph = load(true);
  ASSERT_TRUE(graph.symmetric);
  RunOptions options;
  options.device = "cpu";
  options.threads = 2;
  // The source is the vertex of largest out-degree before symmetrising.
  options.source = {SourceSpec::Kind::vertex, truth_.source, 0};
  options.verify = true;
  const Graph mapped = through_container(graph);
  for (const auto kind : {BackendKind::incore, BackendKind::emogi}) {
    SCOPED_TRACE(name_of(kind));
    options.backend.kind = kind;
    const RunResult result = run(kind == BackendKind::emogi ? mapped : graph, options);
    EXPECT_EQ(result.verification, Verification::verified) << result.trials.front().reason;
    expect_equal(std::get<BfsDigest>(result.digests.front()), truth_.bfs_symmetrised);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SuiteSparse, ::testing::ValuesIn(graph_names()), test_name);

}  // namespace
}  // namespace graphrun::test
