// SPDX-License-Identifier: Apache-2.0
// Kernels are loaded by module, before the clock: a load during a run would wait for kernels that wait for host threads.
#include <cuda.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "graphrun/core/error.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/ops/cuda_launch.cuh"

namespace graphrun::test {
namespace {

__global__ void never_launched(std::uint32_t* word) { *word = 1; }

struct Algorithm {};

/// Whether the kernel is in device memory.
bool is_loaded(const void* kernel) {
  cudaFunction_t function = nullptr;
  cuda::check(cudaGetFuncBySymbol(&function, kernel), "find a kernel");
  void* ask = nullptr;
  cudaDriverEntryPointQueryResult found{};
  cuda::check(cudaGetDriverEntryPointByVersion("cuFuncIsLoaded", &ask, 12040, cudaEnableDefault, &found), "examine the driver");
  CUfunctionLoadingState state{};
  EXPECT_EQ(reinterpret_cast<decltype(&cuFuncIsLoaded)>(ask)(&state, function), CUDA_SUCCESS);
  return state == CU_FUNCTION_LOADING_STATE_LOADED;
}

TEST(CudaModules, LoadEveryKernelOfASourceOnRequest) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  CudaExecutor exec(0);
  load_kernels<Algorithm>(exec);
  EXPECT_TRUE(is_loaded(reinterpret_cast<const void*>(&never_launched)));
}

// PageRank that stops at the largest change made its first frontier within the run, and waited for itself.
TEST(CudaModules, AreNotLoadedWithinARun) {
  if (const std::string missing = why_no_cuda(0); !missing.empty()) GTEST_SKIP() << missing;
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own, where nothing is loaded
  const auto load_within_a_run = [] {
    CudaExecutor exec(0);
    const auto kept = CudaExecutor::keep_modules();
    try {
      cuda::load_modules_of(reinterpret_cast<const void*>(&never_launched));
    } catch (const RunError& error) {
      std::cerr << error.what();
      std::exit(3);
    }
    std::exit(0);
  };
  EXPECT_EXIT(load_within_a_run(), testing::ExitedWithCode(3), "make it before");
}

}  // namespace
}  // namespace graphrun::test
