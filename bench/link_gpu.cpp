// What a GPU's link gives: copies between pinned host memory and the device, in blocks of several sizes. It is the roof that
// reads over the link are held against (Min, dissertation, section 2.5.3: cudaMemcpy, full rate from 16 MB on).
//
//   link_gpu --blocks 64KiB,1MiB,16MiB,256MiB
//
// One JSON object for each size, with the medians of the rounds in both directions.
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cxxopts.hpp>
#include <string>
#include <vector>

#include "exec/cuda/pinned_memory.hpp"
#include "frame.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/exec/cuda_check.hpp"

namespace graphrun {
namespace {

constexpr std::uint64_t kRoundBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostCopies = std::uint64_t{1} << 14;
constexpr std::uint64_t kMostBlockBytes = std::uint64_t{4} << 30;

class DeviceMemory {
 public:
  explicit DeviceMemory(std::uint64_t bytes) { cuda::check(cudaMalloc(&data_, bytes), "allocate device memory"); }
  ~DeviceMemory() { cudaFree(data_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

/// A moment on the device's own clock.
class Moment {
 public:
  Moment() { cuda::check(cudaEventCreate(&event_), "create an event"); }
  ~Moment() { cudaEventDestroy(event_); }
  Moment(const Moment&) = delete;
  Moment& operator=(const Moment&) = delete;
  void record() { cuda::check(cudaEventRecord(event_), "record an event"); }
  double ms_since(const Moment& start) const {
    float ms = 0;
    cuda::check(cudaEventSynchronize(event_), "wait for copies");
    cuda::check(cudaEventElapsedTime(&ms, start.event_, event_), "read a time");
    return ms;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// GB/s of a gibibyte that is copied block after block; of less when blocks are small, of one block when it is larger.
double copy_rate(const cuda::PinnedMemory& host, const DeviceMemory& device, std::uint64_t block_bytes, bool to_device) {
  const std::uint64_t blocks = std::clamp<std::uint64_t>(kRoundBytes / block_bytes, 1, kMostCopies);
  const cudaMemcpyKind kind = to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  void* const target = to_device ? device.data() : host.data();
  const void* const source = to_device ? static_cast<const void*>(host.data()) : device.data();
  Moment start, end;
  start.record();
  for (std::uint64_t i = 0; i < blocks; ++i) cuda::check(cudaMemcpyAsync(target, source, block_bytes, kind), "copy");
  end.record();
  return static_cast<double>(blocks * block_bytes) / end.ms_since(start) / 1e6;
}

std::vector<std::uint64_t> read_blocks(const std::vector<std::string>& texts) {
  std::vector<std::uint64_t> blocks;
  for (const std::string& text : texts) {
    blocks.push_back(parse_bytes(text));
    if (blocks.back() == 0 || blocks.back() > kMostBlockBytes) {
      throw UsageError(fmt::format("--blocks: {} is not between 1 byte and {}", text, format_bytes(kMostBlockBytes)));
    }
  }
  return blocks;
}

void run(const std::vector<std::uint64_t>& blocks, int rounds, int device_number) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) throw UnavailableError("there is no GPU here");
  if (device_number < 0 || device_number >= devices) {
    throw UnavailableError(fmt::format("there is no GPU {}: the last one is {}", device_number, devices - 1));
  }
  cuda::check(cudaSetDevice(device_number), "choose a device");
  const std::uint64_t most = *std::max_element(blocks.begin(), blocks.end());
  const cuda::PinnedMemory host(most);
  const DeviceMemory device(most);
  for (const std::uint64_t block_bytes : blocks) {
    const auto median_rate = [&](bool to_device) {
      copy_rate(host, device, block_bytes, to_device);  // the first of a kind is slower
      std::vector<double> rates;
      for (int round = 0; round < rounds; ++round) rates.push_back(copy_rate(host, device, block_bytes, to_device));
      return bench::median(std::move(rates));
    };
    fmt::print("{{\"block_bytes\": {}, \"to_device_gb_s\": {:.2f}, \"to_host_gb_s\": {:.2f}}}\n", block_bytes, median_rate(true),
               median_rate(false));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace graphrun

int main(int argc, char** argv) {
  cxxopts::Options parser("link_gpu", "Bandwidth of a GPU's link, by copies of pinned memory");
  parser.add_options()("blocks", "sizes of what is copied at once",
                       cxxopts::value<std::vector<std::string>>()->default_value("64KiB,1MiB,16MiB,256MiB"))(
      "rounds", "of up to a gibibyte each, for each size and direction", cxxopts::value<int>()->default_value("5"))(
      "device", "number of the GPU", cxxopts::value<int>()->default_value("0"));
  return graphrun::bench::run_program(parser, argc, argv, [](const cxxopts::ParseResult& given) {
    if (given["rounds"].as<int>() < 1) throw graphrun::UsageError("--rounds must be at least 1");
    graphrun::run(graphrun::read_blocks(given["blocks"].as<std::vector<std::string>>()), given["rounds"].as<int>(),
                  given["device"].as<int>());
  });
}
