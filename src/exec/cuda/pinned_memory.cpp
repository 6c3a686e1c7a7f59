// SPDX-License-Identifier: Apache-2.0

#include "exec/cuda/pinned_memory.hpp"

#include <map>
#include <mutex>

#include "graphrun/core/bytes.hpp"

namespace graphrun::cuda {
namespace {

struct Pin {
  std::size_t bytes = 0;
  int users = 0;
};
std::mutex pins_mutex;
std::map<void*, Pin>& pins() {  // by address; made at first use, because initialisers before main() may pin
  static std::map<void*, Pin> all;
  return all;
}

}  // namespace

void pin(void* memory, std::size_t bytes) {
  const std::lock_guard lock(pins_mutex);
  Pin& pin = pins()[memory];
  if (pin.users == 0 || bytes > pin.bytes) {  // the latter is an error of the system
    check(cudaHostRegister(memory, bytes, cudaHostRegisterMapped | cudaHostRegisterPortable),
          ("pin " + format_bytes(bytes) + " of host memory").c_str());
    pin.bytes = bytes;
  }
  ++pin.users;
}

void unpin(void* memory) noexcept {
  const std::lock_guard lock(pins_mutex);
  const auto found = pins().find(memory);
  if (found == pins().end() || --found->second.users > 0) return;
  pins().erase(found);
  cudaHostUnregister(memory);
}

}  // namespace graphrun::cuda
