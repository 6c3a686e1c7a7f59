// What a build without CUDA says about GPUs. Left out of a build with CUDA.
#include "graphrun/exec/cuda_device.hpp"

namespace graphrun {

std::string why_no_cuda(int) { return "this program was built without CUDA"; }
std::string describe_cuda_device(int) { return {}; }
CudaFacts cuda_facts(int) { return {}; }

}  // namespace graphrun
