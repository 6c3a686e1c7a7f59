// Algorithms that a program brings, over every backend of a GPU.
#include "graphrun/exec/cuda_device.hpp"
#include "support/own_algorithms.hpp"

namespace graphrun::test {
namespace {

class OwnAlgorithmOnGpu : public ::testing::TestWithParam<const char*> {};

TEST_P(OwnAlgorithmOnGpu, GetsWhatItReadsAndCountsTrials) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  expect_own_algorithms(GetParam(), "cuda");
}

INSTANTIATE_TEST_SUITE_P(Backends, OwnAlgorithmOnGpu, ::testing::Values("emogi", "uvm", "bam", "gpuvm", "subway"),
                         [](const auto& backend) { return std::string(backend.param); });

}  // namespace
}  // namespace graphrun::test
