// SPDX-License-Identifier: Apache-2.0

#include <cuda.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "graphrun/core/cancellation.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/exec/cuda_check.hpp"
#include "graphrun/exec/cuda_executor.hpp"

namespace graphrun::cuda {
namespace {

constexpr int kLoadsFunctions = 12040;  // driver version with the functions called here

/// Returns the mutex that runs hold for reading, loads for writing.
std::shared_timed_mutex& modules_mutex() {
  static std::shared_timed_mutex mutex;
  return mutex;
}
thread_local bool keeps_modules = false;

/// Returns a kernel of each module; filled before main().
std::vector<const void*>& modules() {
  static std::vector<const void*> all;
  return all;
}

/// Returns a function of the driver. Throws RunError where the driver lacks it.
template <class Function>
Function* driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check(cudaGetDriverEntryPointByVersion(name, &found, kLoadsFunctions, cudaEnableDefault, &result), "examine the driver");
  if (found == nullptr) throw RunError(std::string("this driver has no ") + name + ": update it to one of CUDA 12.4 or later");
  return reinterpret_cast<Function*>(found);
}

void check_driver(CUresult status, const char* what) {
  if (status != CUDA_SUCCESS)
    throw RunError(std::string("cannot ") + what + ": error " + std::to_string(status) + " of the driver");
}

/// Logs that the driver compiles, once loading takes longer than from a file.
class CompilingNotice {
 public:
  CompilingNotice() : thread_([this] { wait(); }) {}
  ~CompilingNotice() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

 private:
  void wait() {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::chrono::milliseconds(500), [this] { return done_; })) return;
    static std::once_flag said;
    std::call_once(said, [] {
      log::info(
          "loading kernels: where this program has no machine code for the GPU, its driver compiles those of this run, and keeps "
          "them for later runs. That takes tens of seconds, and minutes for several ranks (none with "
          "-DCMAKE_CUDA_ARCHITECTURES=native on this machine)");
    });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;  // last: it uses the others
};

/// Kernels with loaded modules on a GPU; null stands for all.
class Loaded {
 public:
  static Loaded& of_current_gpu() {
    static std::mutex mutex;
    static std::map<int, Loaded> all;
    int device = 0;
    check(cudaGetDevice(&device), "examine the GPU");
    const std::lock_guard lock(mutex);
    return all[device];
  }
  bool has(const void* kernel) {
    const std::lock_guard lock(mutex_);
    return kernels_.contains(kernel) || kernels_.contains(nullptr);
  }
  void add(const void* kernel) {
    const std::lock_guard lock(mutex_);
    kernels_.insert(kernel);
  }

 private:
  std::mutex mutex_;
  std::set<const void*> kernels_;
};

void load_all_functions(const void* kernel) {
  cudaFunction_t function = nullptr;
  check(cudaGetFuncBySymbol(&function, kernel), "load kernels");
  CUmodule module = nullptr;
  check_driver(driver_function<decltype(cuFuncGetModule)>("cuFuncGetModule")(&module, function), "find kernels");
  unsigned count = 0;
  check_driver(driver_function<decltype(cuModuleGetFunctionCount)>("cuModuleGetFunctionCount")(&count, module), "count kernels");
  std::vector<CUfunction> functions(count);
  check_driver(
      driver_function<decltype(cuModuleEnumerateFunctions)>("cuModuleEnumerateFunctions")(functions.data(), count, module),
      "list kernels");
  const auto load = driver_function<decltype(cuFuncLoad)>("cuFuncLoad");
  for (CUfunction each : functions) check_driver(load(each), "load a kernel");
}

}  // namespace

void choose_loading() {
  int version = 0;
  const bool loads = cudaDriverGetVersion(&version) == cudaSuccess && version >= kLoadsFunctions;
  ::setenv("CUDA_MODULE_LOADING", loads ? "LAZY" : "EAGER", 0);
}

bool add_module(const void* kernel) {
  modules().push_back(kernel);
  return true;
}

KeptModules::KeptModules() {
  modules_mutex().lock_shared();
  keeps_modules = true;
}
KeptModules::~KeptModules() {
  keeps_modules = false;
  modules_mutex().unlock_shared();
}

void load_modules_of(const void* kernel) {
  Loaded& loaded = Loaded::of_current_gpu();
  if (loaded.has(kernel)) return;
  if (keeps_modules)
    throw RunError("an algorithm was made within the run of another one, whose kernels cannot be loaded: make it before");
  std::unique_lock alone(modules_mutex(), std::defer_lock);
  while (!alone.try_lock_for(std::chrono::milliseconds(50))) check_cancelled();
  if (loaded.has(kernel)) return;
  int version = 0;
  check(cudaDriverGetVersion(&version), "examine the driver");
  if (version >= kLoadsFunctions) {
    const CompilingNotice notice;
    load_all_functions(kernel);
  }
  loaded.add(kernel);
}

void load_all_modules() {
  for (const void* kernel : modules()) load_modules_of(kernel);
  Loaded::of_current_gpu().add(nullptr);
}

}  // namespace graphrun::cuda
