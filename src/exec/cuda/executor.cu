// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <system_error>
#include <tuple>

#include "exec/cuda/other_processes.hpp"
#include "exec/cuda/streams.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/exec/cuda_device.hpp"
#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/ops/cuda_launch.cuh"

namespace graphrun {
namespace {

cudaStream_t as_stream(void* stream) { return static_cast<cudaStream_t>(stream); }

__global__ void fill_words_kernel(std::uint32_t* to, std::uint32_t word, std::size_t count) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count; i += std::size_t{gridDim.x} * blockDim.x)
    to[i] = word;
}

struct SmallBlock {
  std::uint32_t words[16];
};

__global__ void set_words_kernel(std::uint32_t* to, SmallBlock block, int count) {
  if (static_cast<int>(threadIdx.x) < count) to[threadIdx.x] = block.words[threadIdx.x];
}

/// Returns whether the system lists a GPU of NVIDIA, with or without a driver.
bool sees_nvidia_gpu() {
  constexpr const char* kDevices = "/sys/bus/pci/devices";
  constexpr std::uint32_t kNvidia = 0x10de;
  constexpr std::uint32_t kDisplay = 0x03;
  const auto number_in = [](const std::filesystem::path& path) {
    std::uint32_t number = 0;
    std::ifstream(path) >> std::hex >> number;
    return number;
  };
  std::error_code unknown;
  for (const auto& device : std::filesystem::directory_iterator(kDevices, unknown)) {
    if (number_in(device.path() / "vendor") == kNvidia && number_in(device.path() / "class") >> 16 == kDisplay) return true;
  }
  return false;
}

/// Returns the reason for the lack of devices. The runtime calls a missing driver too old.
std::string why_no_devices(cudaError_t status) {
  int driver = 0;
  const bool has_driver = cudaDriverGetVersion(&driver) == cudaSuccess && driver != 0;
  const bool none = status == cudaErrorNoDevice || (status == cudaErrorInsufficientDriver && !has_driver);
  const char* const likely = status == cudaErrorInitializationError
                                 ? ", as in a child process that fork() made when its parent had used the GPU: start it by spawn"
                                 : "";
  if (!none) return std::string("no usable GPU: ") + cudaGetErrorString(status) + likely;
  return sees_nvidia_gpu() ? "there is an NVIDIA GPU, but no driver for it" : "no GPU found";
}

}  // namespace

namespace cuda {

void* allocate_device(std::size_t bytes) {
  void* pointer = nullptr;
  const cudaError_t status = cudaMalloc(&pointer, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    std::size_t free_bytes = 0, total_bytes = 0;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    throw RunError("not enough device memory: " + format_bytes(bytes) + " asked for, " + format_bytes(free_bytes) + " free");
  }
  check(status, "allocate device memory");
  return pointer;
}

void free_device(void* pointer) noexcept {
  if (pointer != nullptr) cudaFree(pointer);
}

unsigned most_clusters(int device, const void* kernel, unsigned block_threads) {
  static std::mutex mutex;
  static std::map<std::tuple<int, const void*, unsigned>, unsigned> known;
  const std::lock_guard lock(mutex);
  const std::tuple asked{device, kernel, block_threads};
  if (const auto at = known.find(asked); at != known.end()) return at->second;
  constexpr int kWithClusters = 90;  // of PTX and of machine code
  cudaFuncAttributes code{};
  check(cudaFuncGetAttributes(&code, kernel), "ask for a kernel's code");
  int clusters = 0;
  if (std::min(code.ptxVersion, code.binaryVersion) >= kWithClusters) {
    cudaLaunchAttribute in_clusters{};
    in_clusters.id = cudaLaunchAttributeClusterDimension;
    in_clusters.val.clusterDim = {kClusterBlocks, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = kClusterBlocks;
    config.blockDim = block_threads;
    config.attrs = &in_clusters;
    config.numAttrs = 1;
    check(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config), "ask for clusters");
  }
  return known[asked] = static_cast<unsigned>(clusters);
}

}  // namespace cuda

std::string why_no_cuda(int index) {
  cuda::choose_loading();
  // The driver makes 8 queues to a GPU by default, which are too few (exec/cuda/streams.hpp); the variable may name fewer still.
  constexpr int kLeastQueues = 8;
  const char* const asked = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", asked != nullptr && std::atoi(asked) < kLeastQueues ? 1 : 0);
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    cudaGetLastError();
    return why_no_devices(status);
  }
  if (index >= count)
    return "there " + std::string(count == 1 ? "is 1 GPU" : "are " + std::to_string(count) + " GPUs") + ", numbered from 0";
  cudaFuncAttributes attributes{};
  cudaError_t found = cudaSetDevice(index);
  if (found == cudaSuccess) found = cudaFuncGetAttributes(&attributes, fill_words_kernel);
  if (found == cudaSuccess) return {};
  cudaGetLastError();
  if (found == cudaErrorInitializationError) return why_no_devices(found);
  return "this program was built for other GPUs than number " + std::to_string(index) + " (" + cudaGetErrorString(found) + ")";
}

int count_cuda_devices() {
  int count = 0;
  return why_no_cuda(0).empty() && cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

CudaFacts cuda_facts(int index) {
  CudaFacts facts;
  cudaDeviceProp prop{};
  if (cudaGetDeviceProperties(&prop, index) != cudaSuccess) return facts;
  facts.name = prop.name;
  facts.compute_capability = std::to_string(prop.major) + "." + std::to_string(prop.minor);
  facts.memory_bytes = prop.totalGlobalMem;
  std::size_t free_bytes = 0, total_bytes = 0;
  if (cudaSetDevice(index) == cudaSuccess && cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess)
    facts.free_bytes = free_bytes;
  const auto version = [](int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); };
  int driver = 0, runtime = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess) facts.driver = version(driver);
  if (cudaRuntimeGetVersion(&runtime) == cudaSuccess) facts.runtime = version(runtime);
  // Reads the link from the kernel's files; absent in some containers.
  char folder[64];
  std::snprintf(folder, sizeof(folder), "/sys/bus/pci/devices/%04x:%02x:%02x.0/", prop.pciDomainID, prop.pciBusID,
                prop.pciDeviceID);
  const auto read_line = [](const std::filesystem::path& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
  };
  std::error_code absent;
  const std::filesystem::path card = std::filesystem::canonical(folder, absent);
  constexpr double kLoads = 0.73;                                        // of the lanes' rate: 46.7 GB/s of 64 on an H100
  for (const std::filesystem::path& end : {card, card.parent_path()}) {  // the card, and the port that it is in
    const std::string speed = read_line(end / "max_link_speed"), width = read_line(end / "max_link_width");
    std::istringstream words(speed);
    double transfers = 0;
    if (absent || !(words >> transfers) || width.empty()) continue;
    const double bytes_s = kLoads * transfers * 1e9 / 8 * std::atof(width.c_str());
    if (!facts.link.empty() && bytes_s >= facts.link_bytes_s) continue;
    facts.link = "PCIe " + speed.substr(0, speed.find(" PCIe")) + " x" + width;
    facts.link_bytes_s = bytes_s;
  }
  return facts;
}

double dma_setup_seconds(int index) {
  constexpr int kCopies = 1024;
  constexpr std::size_t kSmall = 64;
  if (!why_no_cuda(index).empty()) return 0;
  CudaExecutor exec(index);
  const auto copy_all = [&] {
    const Timer timer;
    for (int i = 0; i < kCopies; ++i) {
      cuda::check(
          cudaMemcpyAsync(exec.device_scratch(), exec.host_scratch(), kSmall, cudaMemcpyHostToDevice, as_stream(exec.stream())),
          "copy to the GPU");
    }
    exec.finish();
    return timer.elapsed_ms() / 1000 / kCopies;
  };
  copy_all();  // warms up
  return std::min({copy_all(), copy_all(), copy_all()});
}

std::string describe_cuda_device(int index) {
  const CudaFacts facts = cuda_facts(index);
  return facts.name + ", " + format_bytes(facts.memory_bytes) + ", compute capability " + facts.compute_capability;
}

std::uint64_t CudaExecutor::message_bytes(std::uint64_t num_vertices) {
  constexpr std::uint64_t kMoreRoom = 1 << 16;  // room for messages of small graphs, so that they are not split
  return num_vertices * sizeof(std::uint64_t) + 2 * ((num_vertices + 31) / 32) * sizeof(std::uint32_t) + kMoreRoom;
}

CudaExecutor::CudaExecutor(int device) : device_(device) {
  if (const std::string missing = why_no_cuda(device); !missing.empty()) throw UnavailableError(missing);
  cuda::check(cudaSetDevice(device), "select the GPU");
  cudaDeviceProp prop{};
  cuda::check(cudaGetDeviceProperties(&prop, device), "examine the GPU");
  multiprocessors_ = prop.multiProcessorCount;
  device_scratch_ = cuda::allocate_device(kScratchBytes);
  cuda::check(cudaMallocHost(&host_scratch_, kScratchBytes), "allocate pinned memory");
  cuda::load_modules_of(reinterpret_cast<const void*>(&fill_words_kernel));
  stream_ = cuda::take_stream();  // last: an exception before it loses none
}

CudaExecutor::CudaExecutor(int device, const RankPart& part, const std::vector<int>& devices, std::uint64_t num_vertices)
    : CudaExecutor(device) {
  part_ = part;
  for (const int other : devices) {
    if (other == device) continue;
    int reaches = 0;
    cuda::check(cudaDeviceCanAccessPeer(&reaches, device, other), "examine the GPUs");
    if (reaches == 0)
      throw UnavailableError("cuda:" + std::to_string(device) + " does not reach the memory of cuda:" + std::to_string(other) +
                             ": they cannot share a run");
    const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled) {
      cudaGetLastError();
    } else {
      cuda::check(status, "let a GPU reach the memory of another");
    }
  }
  // Allocates now: while other ranks run kernels that wait for host threads, an allocation may have to wait for them.
  for (auto& room : messages_) room = DeviceArray<std::byte>(message_bytes(num_vertices));
  // Loads now: one rank may run kernels that wait for host threads when another rank needs a module.
  if (!part.is_single_rank()) cuda::load_all_modules();
  if (!part.is_single_rank()) other_processes();  // opens them outside a trial's timed region
}

CudaExecutor::~CudaExecutor() {
  others_.reset();
  cuda::free_device(device_scratch_);
  cudaFreeHost(host_scratch_);
  cuda::give_back_stream(device_, as_stream(stream_));
}

bool CudaExecutor::is_on_device(const void* data) {
  cudaPointerAttributes known{};
  cuda::check(cudaPointerGetAttributes(&known, data), "examine memory");
  return known.type == cudaMemoryTypeDevice;
}

void CudaExecutor::make_current() const { cuda::check(cudaSetDevice(device_), "select the GPU"); }

cuda::KernelNeeds CudaExecutor::kernel_needs() const {
  cuda::KernelNeeds most;
  for (const void* kernel : launched_) {
    cudaFuncAttributes attributes{};
    cuda::check(cudaFuncGetAttributes(&attributes, kernel), "examine a kernel");
    most.registers = std::max(most.registers, attributes.numRegs);
    most.local_bytes = std::max(most.local_bytes, attributes.localSizeBytes);
  }
  return most;
}

void CudaExecutor::finish() { cuda::check(cudaStreamSynchronize(as_stream(stream_)), "finish work on the GPU"); }

void CudaExecutor::synchronize() {
  finish();
  if (!part_.is_single_rank()) part_.exchange->all_gather({});
}

std::byte* CudaExecutor::message_room(std::size_t bytes) {
  DeviceArray<std::byte>& room = messages_[last_message_ ^= 1];
  if (bytes > room.size()) throw RunError("a message to other GPUs is longer than its room: this is a bug in graphrun");
  return room.data();
}

bool CudaExecutor::brings_messages() const { return others_ != nullptr && !others_->opens(); }

cuda::OtherProcesses* CudaExecutor::other_processes() {
  if (part_.exchange->place().one_process) return nullptr;
  if (!others_) others_ = std::make_unique<cuda::OtherProcesses>(*this, messages_[0].data(), messages_[1].data());
  return others_.get();
}

std::vector<const std::byte*> CudaExecutor::reach(const std::vector<PublishedRoom>& all) {
  if (cuda::OtherProcesses* const others = other_processes()) return others->reach(all);
  std::vector<const std::byte*> rooms;
  for (const PublishedRoom& each : all) rooms.push_back(each.room);
  return rooms;
}

std::vector<void*> CudaExecutor::enter_others(void* mine) {
  if (cuda::OtherProcesses* const others = other_processes()) return others->enter(mine);
  std::vector<void*> places = gather_values(*part_.exchange, mine);
  places.erase(places.begin() + part_.exchange->rank());
  return places;
}

void CudaExecutor::leave_others() noexcept {
  if (others_) others_->leave();
}

void CudaExecutor::copy_to_host(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  // A copy to pageable memory waits within the driver, which then takes no copies of other threads, even if a running kernel
  // waits for them.
  if (to != host_scratch_) finish();
  cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, as_stream(stream_)), "copy from the GPU");
  finish();
}

void CudaExecutor::copy_to_device(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, as_stream(stream_)), "copy to the GPU");
  finish();
}

void CudaExecutor::set_counters(void* to, const void* from, std::size_t bytes) {
  SmallBlock block{};
  if (bytes > sizeof(block.words) || bytes % 4 != 0) throw RunError("set_counters takes whole words, 64 bytes at most");
  std::memcpy(block.words, from, bytes);
  set_words_kernel<<<1, 32, 0, as_stream(stream_)>>>(static_cast<std::uint32_t*>(to), block, static_cast<int>(bytes / 4));
  cuda::check(cudaGetLastError(), "set counters");
}

double* CudaExecutor::piece_sums(std::size_t count) {
  if (piece_sums_.size() < count) piece_sums_ = DeviceArray<double>(count);
  return piece_sums_.data();
}

unsigned* CudaExecutor::piece_counts(std::size_t count) {
  if (piece_counts_.size() < count) {
    piece_counts_ = DeviceArray<unsigned>(count);
    fill_words(piece_counts_.data(), 0, count);
  }
  return piece_counts_.data();
}

unsigned long long* CudaExecutor::fresh_tickets() {
  if (tickets_.size() == 0) tickets_ = DeviceArray<unsigned long long>(1);
  fill_words(tickets_.data(), 0, 2);
  return tickets_.data();
}

void CudaExecutor::fill_words(void* to, std::uint32_t word, std::size_t count) {
  if (count == 0) return;
  const auto blocks =
      static_cast<unsigned>(std::min<std::size_t>((count + 1023) / 1024, static_cast<std::size_t>(multiprocessors_) * 8));
  fill_words_kernel<<<blocks, 256, 0, as_stream(stream_)>>>(static_cast<std::uint32_t*>(to), word, count);
  cuda::check(cudaGetLastError(), "fill device memory");
}

}  // namespace graphrun
