#include "transport/ofi/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <csignal>

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

Library load() {
  const KeptSignals kept;
  void* handle = ::dlopen(kName, RTLD_NOW | RTLD_LOCAL);  // for good: its threads may outlive whoever uses it
  if (handle == nullptr) throw UnavailableError(fmt::format("libfabric cannot be loaded: {}", ::dlerror()));
  const Library loaded{find<decltype(&::fi_getinfo)>(handle, "fi_getinfo"), find<decltype(&::fi_freeinfo)>(handle, "fi_freeinfo"),
                       find<decltype(&::fi_dupinfo)>(handle, "fi_dupinfo"), find<decltype(&::fi_fabric)>(handle, "fi_fabric"),
                       find<decltype(&::fi_strerror)>(handle, "fi_strerror")};
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
