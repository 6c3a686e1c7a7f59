// SPDX-License-Identifier: Apache-2.0

#include <dlfcn.h>

#include "graphrun/exec/cuda_device.hpp"

namespace graphrun {
namespace {

/// A function of CUDA's driver; null until a runtime has loaded it. Loading it here would keep children of fork() from CUDA.
template <class Function>
Function* of_driver(const char* name) {
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  auto* const found = reinterpret_cast<Function*>(::dlsym(library, name));
  ::dlclose(library);
  return found;
}

}  // namespace

CurrentGpu::CurrentGpu() {
  auto* const get = of_driver<int(void**)>("cuCtxGetCurrent");
  if (get != nullptr && get(&context_) != 0) context_ = nullptr;  // not initialised
}

CurrentGpu::~CurrentGpu() {
  void* now = nullptr;
  auto* const get = of_driver<int(void**)>("cuCtxGetCurrent");
  auto* const set = of_driver<int(void*)>("cuCtxSetCurrent");
  if (get != nullptr && set != nullptr && get(&now) == 0 && now != context_) set(context_);
}

}  // namespace graphrun
