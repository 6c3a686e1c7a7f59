// SPDX-License-Identifier: Apache-2.0
// The functions of cuda_device.hpp in a build without CUDA.
#include "graphrun/core/error.hpp"
#include "graphrun/exec/arc_sorter.hpp"
#include "graphrun/exec/cuda_device.hpp"

namespace graphrun {

std::string why_no_cuda(int) { return "this program was built without CUDA"; }
int count_cuda_devices() { return 0; }
CurrentGpu::CurrentGpu() = default;
CurrentGpu::~CurrentGpu() = default;
std::string describe_cuda_device(int) { return {}; }
CudaFacts cuda_facts(int) { return {}; }
double dma_setup_seconds(int) { return 0; }
std::shared_ptr<ArcSorter> open_arc_sorter(int device, bool) { throw UnavailableError(why_no_cuda(device)); }

}  // namespace graphrun
