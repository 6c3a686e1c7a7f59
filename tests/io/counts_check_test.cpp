// SPDX-License-Identifier: Apache-2.0
// Fuzzing found it: read a line at a time, a first line of counts was taken for an edge.
#include "io/counts_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "graphrun/core/thread_pool.hpp"

namespace graphrun::test {
namespace {

TEST(CountsCheck, CountsAreFoundInBatchesOfAnySize) {
  const std::vector<std::pair<VertexId, VertexId>> lines = {{3, 3}, {1, 3}, {1, 2}, {3, 3}};
  ThreadPool pool(1);
  for (std::size_t size = 1; size <= lines.size(); ++size) {
    io::CountsCheck check({.numbers = {3, 3}});
    bool goes_on = true;
    for (std::size_t begin = 0; begin < lines.size(); begin += size) {
      EdgeList batch;
      batch.allocate(std::min(size, lines.size() - begin));
      for (std::size_t i = 0; i < batch.sources.size(); ++i) {
        batch.sources[i] = lines[begin + i].first;
        batch.targets[i] = lines[begin + i].second;
      }
      goes_on = goes_on && check.goes_on(batch, begin + size >= lines.size(), pool);
    }
    EXPECT_TRUE(goes_on && check.verdict() == io::CountsCheck::Verdict::unclear) << "batches of " << size;
  }
}

}  // namespace
}  // namespace graphrun::test
