#include "exec/cuda/pinned_memory.hpp"

#include <map>
#include <mutex>

#include "graphrun/core/bytes.hpp"

namespace graphrun::cuda {
namespace {

struct Pins {
  std::mutex mutex;
  std::map<void*, int> users;
};

Pins& pins() {
  static Pins all;
  return all;
}

}  // namespace

void pin(void* memory, std::size_t bytes) {
  const std::lock_guard lock(pins().mutex);
  int& users = pins().users[memory];
  if (users == 0) {
    check(cudaHostRegister(memory, bytes, cudaHostRegisterMapped | cudaHostRegisterPortable),
          ("pin " + format_bytes(bytes) + " of host memory").c_str());
  }
  ++users;
}

void unpin(void* memory) noexcept {
  const std::lock_guard lock(pins().mutex);
  const auto found = pins().users.find(memory);
  if (found == pins().users.end() || --found->second > 0) return;
  pins().users.erase(found);
  cudaHostUnregister(memory);
}

}  // namespace graphrun::cuda
