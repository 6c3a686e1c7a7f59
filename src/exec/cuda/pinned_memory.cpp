#include "exec/cuda/pinned_memory.hpp"

#include <map>
#include <mutex>

#include "graphrun/core/bytes.hpp"

namespace graphrun::cuda {
namespace {

struct Pins {
  std::mutex mutex;
  struct Pin {
    std::size_t bytes = 0;
    int users = 0;
  };
  std::map<void*, Pin> by_address;
};

Pins& pins() {
  static Pins all;
  return all;
}

}  // namespace

void pin(void* memory, std::size_t bytes) {
  const std::lock_guard lock(pins().mutex);
  Pins::Pin& pin = pins().by_address[memory];
  if (pin.users == 0 || bytes > pin.bytes) {  // the second is an error of the system
    check(cudaHostRegister(memory, bytes, cudaHostRegisterMapped | cudaHostRegisterPortable),
          ("pin " + format_bytes(bytes) + " of host memory").c_str());
    pin.bytes = bytes;
  }
  ++pin.users;
}

void unpin(void* memory) noexcept {
  const std::lock_guard lock(pins().mutex);
  const auto found = pins().by_address.find(memory);
  if (found == pins().by_address.end() || --found->second.users > 0) return;
  pins().by_address.erase(found);
  cudaHostUnregister(memory);
}

}  // namespace graphrun::cuda
