// Questions about GPUs that any build can ask; a build without CUDA answers that it has none.
#pragma once

#include <string>

namespace graphrun {

/// Returns "" when device `index` can be used; else what is missing, in words.
std::string why_no_cuda(int index);

/// How many GPUs there are; 0 where none can be used.
int count_cuda_devices();

/// "NVIDIA H200, 139 GiB, compute capability 9.0". Precondition: why_no_cuda(index) is empty.
std::string describe_cuda_device(int index);

/// Facts for results and plans: name, driver and runtime version, link. Empty strings where unknown. Makes the GPU current.
struct CudaFacts {
  std::string name;
  std::string compute_capability;
  std::string driver;
  std::string runtime;
  std::string link;         ///< "PCIe 32.0 GT/s x16"
  double link_bytes_s = 0;  ///< that loads of the GPU get over it; 0: unknown
  unsigned long long memory_bytes = 0;
  unsigned long long free_bytes = 0;  ///< of these, when it was asked
};
CudaFacts cuda_facts(int index);

/// Restores the thread's current GPU, or none, at its end: for threads that also run other code, such as PyTorch's. This library
/// makes the GPU current that it uses.
class CurrentGpu {
 public:
  CurrentGpu();
  ~CurrentGpu();
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;

 private:
  void* context_ = nullptr;  // of the driver: every copy of CUDA's runtime in a process goes by that
};

}  // namespace graphrun
