// SPDX-License-Identifier: Apache-2.0
// Measures a GPU's link: copies between pinned host memory and the device, in blocks of several sizes. It is the limit of reads
// over the link (Min, dissertation, section 2.5.3: cudaMemcpy, full rate from 16 MB on).
//
//   link_gpu --blocks 64KiB,1MiB,16MiB,256MiB
//
// One JSON object for each size, with the medians of the rounds in both directions.
#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

#include "core/raise.hpp"
#include "exec/cuda/pinned_memory.hpp"
#include "frame.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/median.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/exec/cuda_executor.hpp"

namespace graphrun {
namespace {

constexpr std::uint64_t kRoundBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostCopies = std::uint64_t{1} << 14;
constexpr std::uint64_t kMostBlockBytes = std::uint64_t{4} << 30;

/// Returns GB/s of a gibibyte that is copied block after block; of less when blocks are small, of one block when it is larger.
double copy_rate(CudaExecutor& exec, void* target, const void* source, std::uint64_t block_bytes) {
  const std::uint64_t blocks = std::clamp<std::uint64_t>(kRoundBytes / block_bytes, 1, kMostCopies);
  const Timer timer;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    cuda::check(cudaMemcpyAsync(target, source, block_bytes, cudaMemcpyDefault, static_cast<cudaStream_t>(exec.stream())),
                "copy");
  }
  exec.synchronize();
  return static_cast<double>(blocks * block_bytes) / timer.elapsed_ms() / 1e6;
}

void run(const cxxopts::ParseResult& given) {
  std::vector<std::uint64_t> blocks;
  for (const std::string& text : given["blocks"].as<bench::Texts>()) {
    blocks.push_back(parse_bytes(text));
    if (blocks.back() == 0 || blocks.back() > kMostBlockBytes) {
      raise<UsageError>("--blocks: {} is not between 1 byte and {}", text, format_bytes(kMostBlockBytes));
    }
  }
  const int rounds = given["rounds"].as<int>();
  if (rounds < 1) throw UsageError("--rounds must be at least 1");
  CudaExecutor exec(given["device"].as<int>());
  const std::uint64_t most = *std::max_element(blocks.begin(), blocks.end());
  const cuda::PinnedMemory host(most);
  const DeviceArray<std::byte> device(most);
  for (const std::uint64_t block_bytes : blocks) {
    const auto median_rate = [&](void* target, const void* source) {
      copy_rate(exec, target, source, block_bytes);  // the first of a kind is slower
      std::vector<double> rates;
      for (int round = 0; round < rounds; ++round) rates.push_back(copy_rate(exec, target, source, block_bytes));
      return median(std::move(rates));
    };
    bench::print_json("block_bytes", block_bytes, "to_device_gb_s", median_rate(device.data(), host.data()), "to_host_gb_s",
                      median_rate(host.data(), device.data()));
  }
}

}  // namespace
}  // namespace graphrun

int main(int argc, char** argv) {
  using namespace graphrun::bench;
  cxxopts::Options parser("link_gpu", "Bandwidth of a GPU's link, by copies of pinned memory");
  auto add = parser.add_options();
  add("blocks", "sizes of what is copied at once", with_default<Texts>("64KiB,1MiB,16MiB,256MiB"));
  add("rounds", "of up to a gibibyte each, for each size and direction", with_default<int>("5"));
  add("device", "number of the GPU", with_default<int>("0"));
  return run_program(parser, argc, argv, graphrun::run);
}
