// SPDX-License-Identifier: Apache-2.0
// Turns CUDA status codes into typed errors. For files that include the CUDA runtime.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "graphrun/core/error.hpp"

namespace graphrun::cuda {

/// Throws RunError "cannot WHAT: REASON (cudaErrorName)" unless `status` is success.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears the error, so that it is reported once; a sticky error stays
  throw RunError(std::string("cannot ") + what + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")");
}

}  // namespace graphrun::cuda
