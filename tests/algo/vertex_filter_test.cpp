// SPDX-License-Identifier: Apache-2.0
// Frontiers that a predicate makes: what they held before does not matter.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "graphrun/ops/cpu_frontier.hpp"
#include "graphrun/ops/cpu_operators.hpp"
#include "support/shapes.hpp"

namespace graphrun::test {
namespace {

struct IsOdd {
  bool operator()(VertexId v) const { return v % 2 == 1; }
};

TEST(VertexFilter, HoldsWhatIsWantedAndNothingElse) {
  for (const VertexId n : {0u, 1u, 31u, 32u, 33u, 5000u}) {
    std::vector<EdgeId> offsets(n + 1);
    for (VertexId v = 0; v <= n; ++v) offsets[v] = 3 * v;
    CpuExecutor exec(3);
    CpuFrontier frontier(exec, Rows{.offsets = offsets.data(), .num_vertices = n});
    if (n > 0) frontier.insert(exec, 0);
    for (int again = 0; again < 2; ++again) {
      vertex_filter(exec, n, IsOdd{}, frontier);
      ASSERT_EQ(frontier.size(), n / 2) << n;
      EXPECT_EQ(frontier.edges(), 3 * (n / 2));
      std::vector<VertexId> found(frontier.list(exec), frontier.list(exec) + frontier.size());
      std::sort(found.begin(), found.end());
      for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], 2 * i + 1);
    }
  }
}

}  // namespace
}  // namespace graphrun::test
