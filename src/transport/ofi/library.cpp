#include "transport/ofi/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <csignal>
#include <cstdlib>

#include "graphrun/core/error.hpp"

namespace graphrun::ofi {
namespace {

constexpr const char* kName = "libfabric.so.1";

template <class Function>
Function find(void* handle, const char* name) {
  void* found = ::dlsym(handle, name);
  if (found == nullptr) throw UnavailableError(fmt::format("{} has no {}", kName, name));
  return reinterpret_cast<Function>(found);
}

/// What signals do, as it was before. Libraries below libfabric (PSM's) take signals such as SIGTERM for themselves when they are
/// loaded, and end the program.
class KeptSignals {
 public:
  KeptSignals() {
    for (int signal = 1; signal < kSignals; ++signal) known_[signal] = ::sigaction(signal, nullptr, &actions_[signal]) == 0;
  }
  ~KeptSignals() {
    for (int signal = 1; signal < kSignals; ++signal) {
      if (known_[signal]) ::sigaction(signal, &actions_[signal], nullptr);
    }
  }
  KeptSignals(const KeptSignals&) = delete;
  KeptSignals& operator=(const KeptSignals&) = delete;

 private:
  static constexpr int kSignals = 32;
  struct sigaction actions_[kSignals] {};
  bool known_[kSignals]{};
};

/// What libfabric takes from the environment when it is loaded, unless the user has put it there. It is for reliable datagrams
/// over connections (ofi_rxm), which are to carry reads and next to no messages.
void choose_sizes() {
  constexpr int kKeepTheUsers = 0;
  // Peers for whose messages completion queues have room: soft-RoCE has no queues for the 256 that are expected otherwise.
  ::setenv("FI_UNIVERSE_SIZE", "64", kKeepTheUsers);
  // One set of buffers for messages of all peers, and a small one. With a set a peer, RDMA endpoints tell each other in messages
  // how much of it is free, and libfabric 1.17 crashes when it closes an endpoint that has such a message.
  ::setenv("FI_OFI_RXM_USE_SRX", "1", kKeepTheUsers);
  ::setenv("FI_OFI_RXM_MSG_RX_SIZE", "64", kKeepTheUsers);
}

Library load() {
  const KeptSignals kept;
  choose_sizes();
  void* handle = ::dlopen(kName, RTLD_NOW | RTLD_LOCAL);  // never closed: its threads may outlive its last user
  if (handle == nullptr) throw UnavailableError(fmt::format("libfabric cannot be loaded: {}", ::dlerror()));
  const Library loaded{
      find<decltype(&::fi_getinfo)>(handle, "fi_getinfo"),   find<decltype(&::fi_freeinfo)>(handle, "fi_freeinfo"),
      find<decltype(&::fi_dupinfo)>(handle, "fi_dupinfo"),   find<decltype(&::fi_fabric)>(handle, "fi_fabric"),
      find<decltype(&::fi_strerror)>(handle, "fi_strerror"), find<decltype(&::fi_version)>(handle, "fi_version")};
  // The first question loads the providers.
  fi_info* found = nullptr;
  if (loaded.getinfo(FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION), nullptr, nullptr, 0, nullptr, &found) == 0)
    loaded.freeinfo(found);
  return loaded;
}

}  // namespace

const Library& library() {
  static const Library loaded = load();
  return loaded;
}

}  // namespace graphrun::ofi
