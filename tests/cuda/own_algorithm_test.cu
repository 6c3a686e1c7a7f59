// SPDX-License-Identifier: Apache-2.0
// Algorithms that a program brings, over every backend of a GPU.
#include "graphrun/exec/cuda_device.hpp"
#include "support/own_algorithms.hpp"

namespace graphrun::test {
namespace {

class OwnAlgorithmOnGpu : public ::testing::TestWithParam<BackendKind> {};

TEST_P(OwnAlgorithmOnGpu, GetsWhatItReadsAndCountsTrials) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  expect_own_algorithms(name_of(GetParam()), "cuda");
}

TEST_P(OwnAlgorithmOnGpu, RunsOnRanks) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  expect_own_algorithms(name_of(GetParam()), "cuda:0,0", {{"subway-variant", "sync"}});
}

INSTANTIATE_TEST_SUITE_P(Backends, OwnAlgorithmOnGpu, ::testing::ValuesIn(presets_where(has_gpu_views)),
                         [](const auto& backend) { return std::string(name_of(backend.param)); });

}  // namespace
}  // namespace graphrun::test
