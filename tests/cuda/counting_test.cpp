// SPDX-License-Identifier: Apache-2.0
// Counted requests of loads whose places are known, and of searches of which one can say what they read.
#include <gtest/gtest.h>

#include "cuda/counting_kernels.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/run/trials.hpp"
#include "support/shapes.hpp"

namespace graphrun::test {
namespace {

constexpr EdgeId kSectorIds = kSectorBytes / sizeof(VertexId);
constexpr EdgeId kLineIds = kLineSectors * kSectorIds;
constexpr std::size_t kEdges = 1 << 16;

/// Lane i reads first + i * stride.
Loads strided(EdgeId first, EdgeId stride, int lanes = 32) {
  Loads loads(32);
  for (int i = 0; i < lanes; ++i) loads[i] = first + i * stride;
  return loads;
}

/// As many loads of consecutive edges as there are in `lines` lines, beginning `first` edges behind a line's beginning.
std::vector<Loads> consecutive(EdgeId first, EdgeId lines) {
  std::vector<Loads> loads;
  for (EdgeId read = 0; read < lines * kLineIds; read += 32) loads.push_back(strided(first + read, 1));
  return loads;
}

class CountedRequests : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
    exec_ = std::make_unique<CudaExecutor>(0);
  }
  LinkRequests of(const std::vector<Loads>& loads, bool weighted = false) const {
    return requests_of(*exec_, loads, kEdges, weighted);
  }
  static void expect(const LinkRequests& counted, const LinkRequests& right) {
    for (int i = 0; i < kLineSectors; ++i) {
      EXPECT_EQ(counted.aligned[i], right.aligned[i]) << kSectorBytes * (i + 1) << " bytes on a line";
      EXPECT_EQ(counted.misaligned[i], right.misaligned[i]) << kSectorBytes * (i + 1) << " bytes off a line";
    }
  }

  std::unique_ptr<CudaExecutor> exec_;
};

TEST_F(CountedRequests, MergedLoadsOnLinesAreWholeLines) { expect(of(consecutive(0, 100)), {.aligned = {0, 0, 0, 100}}); }

TEST_F(CountedRequests, MergedLoadsOffLinesAreSplit) {
  // By one, two and three sectors, as in EMOGI's figure 2.4 (c): the rest of a line, and the beginning of the next.
  if (kVertexBits != 32) GTEST_SKIP() << "a load of wider ids has whole lines between its ends";
  expect(of(consecutive(kSectorIds, 100)), {.aligned = {100, 0, 0, 0}, .misaligned = {0, 0, 100}});
  expect(of(consecutive(2 * kSectorIds, 100)), {.aligned = {0, 100, 0, 0}, .misaligned = {0, 100, 0}});
  expect(of(consecutive(3 * kSectorIds, 100)), {.aligned = {0, 0, 100, 0}, .misaligned = {100, 0, 0}});
}

TEST_F(CountedRequests, TheSectorInWhichALoadEndsIsNotAskedForAgain) {
  if (kVertexBits != 32) GTEST_SKIP() << "a load of wider ids has whole lines between its ends";
  // The first load has a line and the first sector of the next; the others the rest of one and the first sector of the next.
  expect(of(consecutive(1, 100)), {.aligned = {100, 0, 0, 1}, .misaligned = {0, 0, 99}});
}

TEST_F(CountedRequests, ALaneThatWalksAListAsksOnceForEachSector) {
  std::vector<Loads> naive;
  for (EdgeId k = 0; k < kLineIds; ++k) naive.push_back(strided(k, 4 * kLineIds));
  expect(of(naive), {.aligned = {32, 0, 0, 0}, .misaligned = {96, 0, 0}});
}

TEST_F(CountedRequests, LanesWithTheSameSectorAskOnce) {
  expect(of({strided(1, 0)}), {.aligned = {1, 0, 0, 0}});
  expect(of({strided(kSectorIds, 0), strided(kSectorIds, 0)}), {.misaligned = {1, 0, 0}});
}

TEST_F(CountedRequests, SectorsWithAGapBetweenAreTwoRequests) {
  expect(of({strided(0, 2 * kSectorIds, 2)}), {.aligned = {1, 0, 0, 0}, .misaligned = {1, 0, 0}});
  expect(of({strided(0, 3 * kSectorIds, 2)}), {.aligned = {1, 0, 0, 0}, .misaligned = {1, 0, 0}});
}

TEST_F(CountedRequests, LanesThatDoNotReadAskForNothing) {
  expect(of({Loads(32)}), {});
  expect(of({strided(0, 1, 3)}), {.aligned = {1, 0, 0, 0}});
}

TEST_F(CountedRequests, WeightsAreAColumnOfTheirOwn) {
  const LinkRequests counted = of({strided(0, 1)}, true);
  EXPECT_EQ(counted.bytes(), 32 * (sizeof(VertexId) + sizeof(std::uint32_t)));
  EXPECT_EQ(counted.total(), sizeof(VertexId) / 4 + 1);
  EXPECT_EQ(counted.total(), counted.of_size(4));
}

/// A search from a hub, whose list is read in the way that `access` says, to leaves whose lists are a sector each, however many
/// of them a warp takes at a time.
class CountedSearch : public CountedRequests, public ::testing::WithParamInterface<Access> {};

TEST_P(CountedSearch, AStarIsReadAsItsAccessSays) {
  if (const std::string missing = why_no_counted_kernels(); !missing.empty()) GTEST_SKIP() << missing;
  constexpr VertexId kLeaves = 1024;
  std::vector<Arc> arcs;
  for (VertexId leaf = 1; leaf <= kLeaves; ++leaf) {
    arcs.emplace_back(0, leaf);
    for (EdgeId k = 0; k < kSectorIds; ++k) arcs.emplace_back(leaf, 0);
  }
  const Graph star = directed_graph("star", kLeaves + 1, arcs);
  SessionOptions options;
  options.device = {DeviceKind::cuda, 0};
  options.backend.kind = BackendKind::emogi;
  options.backend.layout = Layout::csr;
  options.backend.access = GetParam();
  options.backend.count_requests = true;
  const Trial trial = run_bfs(*open_session(star, options), 0, {BfsVariant::push}, nullptr);

  const std::uint64_t lines = kLeaves / kLineIds;  // of the hub, which begins on one
  const std::uint64_t bytes = kSectorBytes * (lines * kLineSectors + kLeaves);
  ASSERT_TRUE(trial.moved.link_requests.has_value());
  const LinkRequests& counted = *trial.moved.link_requests;
  EXPECT_EQ(counted.bytes(), bytes);
  if (GetParam() == Access::naive) {
    EXPECT_GE(counted.misaligned[0], 3 * lines);
  } else {
    EXPECT_GE(counted.aligned[3], lines);
  }
  EXPECT_EQ(trial.moved.bytes, bytes) << "what the walks say that they read";
}

INSTANTIATE_TEST_SUITE_P(Accesses, CountedSearch, ::testing::Values(Access::naive, Access::merged, Access::aligned),
                         [](const auto& access) { return std::string(name_of(access.param)); });

}  // namespace
}  // namespace graphrun::test
