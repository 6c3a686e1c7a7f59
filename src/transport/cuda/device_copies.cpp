#include "transport/cuda/device_copies.hpp"

#include <cuda_runtime.h>

#include <utility>

#include "graphrun/exec/cuda_check.hpp"

namespace graphrun::cuda {
namespace {

cudaStream_t as_stream(void* stream) { return static_cast<cudaStream_t>(stream); }
cudaEvent_t as_event(void* event) { return static_cast<cudaEvent_t>(event); }

#if CUDART_VERSION >= 13000
void copy_all(std::vector<void*>& to, std::vector<const void*>& from, std::vector<std::size_t>& bytes, cudaStream_t stream) {
  cudaMemcpyAttributes how{};
  how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  how.flags = cudaMemcpyFlagPreferOverlapWithCompute;  // by copy engines: kernels fill the multiprocessors, and wait
  std::size_t first = 0;
  check(cudaMemcpyBatchAsync(to.data(), from.data(), bytes.data(), to.size(), &how, &first, 1, stream), "copy pages in a batch");
}
#else
void copy_all(const std::vector<void*>& to, const std::vector<const void*>& from, const std::vector<std::size_t>& bytes,
              cudaStream_t stream) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    check(cudaMemcpyAsync(to[i], from[i], bytes[i], cudaMemcpyDefault, stream), "copy a page");
  }
}
#endif

}  // namespace

DeviceCopies::DeviceCopies() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream for copies");
  stream_ = stream;
}

DeviceCopies::~DeviceCopies() {
  cudaStreamSynchronize(as_stream(stream_));
  for (const Batch& batch : sent_) cudaEventDestroy(as_event(batch.event));
  for (const Batch& batch : spare_) cudaEventDestroy(as_event(batch.event));
  cudaStreamDestroy(as_stream(stream_));
}

void DeviceCopies::add(void* to, const void* from, std::size_t bytes, std::uint64_t tag) {
  to_.push_back(to);
  from_.push_back(from);
  bytes_.push_back(bytes);
  tags_.push_back(tag);
}

void DeviceCopies::send() {
  if (tags_.empty()) return;
  if (spare_.empty()) {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "create an event for copies");
    spare_.push_back({event, {}});
  }
  Batch batch = std::move(spare_.back());
  spare_.pop_back();
  copy_all(to_, from_, bytes_, as_stream(stream_));
  check(cudaEventRecord(as_event(batch.event), as_stream(stream_)), "record an event for copies");
  batch.tags.swap(tags_);
  sent_.push_back(std::move(batch));
  to_.clear();
  from_.clear();
  bytes_.clear();
}

bool DeviceCopies::front_is_over() const {
  if (sent_.empty()) return false;
  const cudaError_t status = cudaEventQuery(as_event(sent_.front().event));
  if (status == cudaErrorNotReady) return false;
  check(status, "copy pages");
  return true;
}

void DeviceCopies::recycle_front() {
  sent_.front().tags.clear();
  spare_.push_back(std::move(sent_.front()));
  sent_.pop_front();
}

}  // namespace graphrun::cuda
