// SPDX-License-Identifier: Apache-2.0
// Errors of a build without CUDA for sessions on a GPU. Left out of a build with CUDA.
#include "graphrun/core/error.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "run/open.hpp"

namespace graphrun::inline GR_IDS {

std::unique_ptr<Session> open_cuda_session(const Graph&, const SessionOptions&) { throw UnavailableError(why_no_cuda(0)); }
std::unique_ptr<Session> open_cuda_rank(const Graph&, const SessionOptions&, const RankPart&) {
  throw UnavailableError(why_no_cuda(0));
}

}  // namespace graphrun::inline GR_IDS
