// Copies between host and device memory, many at a time, whose ends one can ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace graphrun::cuda {

/// A stream of its own, so that copies run beside kernels that wait for them. For one thread at a time.
class DeviceCopies {
 public:
  DeviceCopies();
  ~DeviceCopies();
  DeviceCopies(const DeviceCopies&) = delete;
  DeviceCopies& operator=(const DeviceCopies&) = delete;

  /// To be sent with send(). `tag` is handed back when it is over. Both addresses are such as kernels could use.
  void add(void* to, const void* from, std::size_t bytes, std::uint64_t tag);
  /// Starts what was added, as one batch where the runtime knows how. Throws RunError.
  void send();
  /// take(tag) for copies that are over. Throws RunError.
  template <class Take>
  void take_finished(const Take& take) {
    while (front_is_over()) {
      for (const std::uint64_t tag : sent_.front().tags) take(tag);
      recycle_front();
    }
  }

 private:
  struct Batch {
    void* event;  ///< a cudaEvent_t
    std::vector<std::uint64_t> tags;
  };

  bool front_is_over() const;
  void recycle_front();

  void* stream_ = nullptr;  ///< a cudaStream_t
  std::vector<void*> to_;
  std::vector<const void*> from_;
  std::vector<std::size_t> bytes_;
  std::vector<std::uint64_t> tags_;
  std::deque<Batch> sent_;
  std::vector<Batch> spare_;
};

}  // namespace graphrun::cuda
