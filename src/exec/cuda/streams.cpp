// SPDX-License-Identifier: Apache-2.0

#include "exec/cuda/streams.hpp"

#include <array>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#include "graphrun/exec/cuda_check.hpp"

namespace graphrun::cuda {
namespace {

struct Kept {
  std::vector<cudaStream_t> idle;
  std::array<cudaStream_t, 4> for_copies{};
  std::size_t next = 0;
};

std::mutex mutex;
std::map<int, Kept>& kept() {
  static auto* const streams = new std::map<int, Kept>;  // the driver may be gone when static objects are destroyed
  return *streams;
}

Kept& kept_for_current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "examine the GPU");
  return kept()[device];
}

cudaStream_t make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
  return stream;
}

}  // namespace

cudaStream_t take_stream() {
  const std::scoped_lock lock(mutex);
  auto& idle = kept_for_current_device().idle;
  if (idle.empty()) return make_stream();
  cudaStream_t stream = idle.back();
  idle.pop_back();
  return stream;
}

void give_back_stream(int device, cudaStream_t stream) noexcept {
  cudaStreamSynchronize(stream);
  try {
    const std::scoped_lock lock(mutex);
    kept()[device].idle.push_back(stream);
  } catch (const std::bad_alloc&) {
    cudaStreamDestroy(stream);
  }
}

cudaStream_t shared_copy_stream() {
  const std::scoped_lock lock(mutex);
  Kept& here = kept_for_current_device();
  cudaStream_t& stream = here.for_copies[here.next++ % here.for_copies.size()];
  if (stream == nullptr) stream = make_stream();
  return stream;
}

}  // namespace graphrun::cuda
