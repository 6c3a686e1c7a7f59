// What a build without CUDA says about GPUs. Left out of a build with CUDA.
#include <stdexcept>

#include "graphrun/core/error.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "run/open.hpp"

namespace graphrun {

std::string why_no_cuda(int) { return "this program was built without CUDA"; }
std::string describe_cuda_device(int) { return {}; }
CudaFacts cuda_facts(int) { return {}; }

std::unique_ptr<Session> open_cuda_session(const Graph&, const SessionOptions&) { throw UnavailableError(why_no_cuda(0)); }

}  // namespace graphrun
