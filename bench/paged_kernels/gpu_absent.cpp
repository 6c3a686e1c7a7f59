// What a build without CUDA says about ways of a GPU.
#include "graphrun/core/error.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "ways.hpp"

namespace graphrun::bench {

const std::vector<WayKind>& gpu_ways() {
  static const std::vector<WayKind> none;
  return none;
}
std::unique_ptr<Way> open_gpu_way(const WayKind&, Problem&, const WayPlan&, ThreadPool&) {
  throw UnavailableError(why_no_cuda(0));
}

}  // namespace graphrun::bench
