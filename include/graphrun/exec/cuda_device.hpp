// SPDX-License-Identifier: Apache-2.0
// Facts about GPUs for any build; a build without CUDA reports none.
#pragma once

#include <string>

namespace graphrun {

/// Returns "" when device `index` can be used, else the reason in words.
std::string why_no_cuda(int index);

/// Returns the number of usable GPUs.
int count_cuda_devices();

/// Returns for example "NVIDIA H200, 139 GiB, compute capability 9.0". Precondition: why_no_cuda(index) is empty.
std::string describe_cuda_device(int index);

/// Facts for results and plans. Empty strings where unknown. cuda_facts() makes the GPU current.
struct CudaFacts {
  std::string name;
  std::string compute_capability;
  std::string driver;
  std::string runtime;
  std::string link;         ///< "PCIe 32.0 GT/s x16"
  double link_bytes_s = 0;  ///< bandwidth of the GPU's loads over the link; 0: unknown
  unsigned long long memory_bytes = 0;
  unsigned long long free_bytes = 0;  ///< at the time of the call
};
CudaFacts cuda_facts(int index);

/// Measures the time that a small copy to the GPU takes when copies follow one another, in seconds; 0 where there is no such GPU.
double dma_setup_seconds(int index);

/// Restores the thread's current GPU, or none, in its destructor. For threads that also run other code, such as PyTorch's: this
/// library makes the GPU current that it uses.
class CurrentGpu {
 public:
  CurrentGpu();
  ~CurrentGpu();
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;

 private:
  void* context_ = nullptr;  // the driver's, which all copies of CUDA's runtime in a process share
};

}  // namespace graphrun
