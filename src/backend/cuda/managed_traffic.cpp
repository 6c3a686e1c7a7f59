// SPDX-License-Identifier: Apache-2.0
// CUPTI is loaded when it is first needed: graphrun runs without it.
#include "backend/cuda/managed_traffic.hpp"

#include <string>

#include "core/raise.hpp"
#include "graphrun/core/error.hpp"

#if __has_include(<cupti.h>)
#include <cupti.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <type_traits>

namespace graphrun::cuda::inline GR_IDS {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kAlignment = 8;
constexpr std::uint32_t kMostDevices = 64;

#if CUPTI_API_VERSION >= 130000
using Record = CUpti_ActivityUnifiedMemoryCounter3;
#else
using Record = CUpti_ActivityUnifiedMemoryCounter2;
#endif

/// Counts of a GPU since recording began.
struct Counters {
  std::atomic<std::uint64_t> bytes_in, bytes_out, faults;
};
std::array<Counters, kMostDevices>& counters() {
  static std::array<Counters, kMostDevices> all;
  return all;
}

/// The functions of the library.
struct Cupti {
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityConfigureUnifiedMemoryCounter) configure = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiActivityGetNextRecord) next = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped = nullptr;
  decltype(&cuptiGetResultString) text = nullptr;
  std::string missing;  ///< why it cannot be used

  Cupti();
};

std::atomic<bool>& lost() {
  static std::atomic<bool> any = false;
  return any;
}

const Cupti& cupti() {
  static const Cupti library;
  return library;
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;  // as many as fit
}

void add(const Record& record) {
  const bool goes_out = record.counterKind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH;
  const bool comes_in = record.counterKind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD;
  const std::uint32_t device = comes_in ? record.dstId : record.srcId;
  if (device >= kMostDevices) return;
  Counters& of = counters()[device];
  if (comes_in) of.bytes_in += record.value;
  if (goes_out) of.bytes_out += record.value;
  if (record.counterKind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT) ++of.faults;
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cupti().next(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER) add(*reinterpret_cast<const Record*>(record));
  }
  std::size_t dropped = 0;
  if (cupti().dropped(context, stream, &dropped) == CUPTI_SUCCESS && dropped != 0) lost() = true;
  std::free(buffer);
}

Cupti::Cupti() {
  void* library = nullptr;
  const std::string versioned = fmt::format("libcupti.so.{}", CUPTI_API_VERSION >= 130000 ? CUPTI_API_VERSION / 10000 : 12);
  for (const std::string& name :
       {versioned, "/usr/local/cuda/lib64/" + versioned, "/usr/local/cuda/extras/CUPTI/lib64/" + versioned}) {
    if (library == nullptr) library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) {
    missing = fmt::format("{} is not here ({})", versioned, ::dlerror());
    return;
  }
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    if (function == nullptr && missing.empty()) missing = fmt::format("libcupti has no {}", name);
  };
  find(register_callbacks, "cuptiActivityRegisterCallbacks");
  find(configure, "cuptiActivityConfigureUnifiedMemoryCounter");
  find(enable, "cuptiActivityEnable");
  find(flush, "cuptiActivityFlushAll");
  find(next, "cuptiActivityGetNextRecord");
  find(dropped, "cuptiActivityGetNumDroppedRecords");
  find(text, "cuptiGetResultString");
}

void require(CUptiResult status, const char* doing) {
  if (status == CUPTI_SUCCESS) return;
  const char* why = nullptr;
  cupti().text(status, &why);
  raise<UnavailableError>("CUPTI cannot {}: {}", doing, why == nullptr ? "no reason given" : why);
}

/// Begins to record, once.
void begin() {
  if (!cupti().missing.empty()) throw UnavailableError("--count-migrations: " + cupti().missing);
  static const bool begun = [] {
    require(cupti().register_callbacks(give_buffer, take_buffer), "hand out records");
    std::array<CUpti_ActivityUnifiedMemoryCounterConfig, 3> kinds{};
    kinds[0].kind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD;
    kinds[1].kind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH;
    kinds[2].kind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT;
    for (auto& each : kinds) {
      each.scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_ALL_DEVICES;
      each.enable = 1;
    }
    require(cupti().configure(kinds.data(), static_cast<std::uint32_t>(kinds.size())), "count migrations");
    require(cupti().enable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER), "record migrations");
    return true;
  }();
  static_cast<void>(begun);
}

}  // namespace

ManagedTraffic::ManagedTraffic(int device) : device_(device) {
  begin();
  reset();
}

ManagedTraffic::Counts ManagedTraffic::now() const {
  require(cupti().flush(0), "flush records");
  if (lost()) throw RunError("CUPTI dropped records: migrations are not counted");
  const Counters& of = counters()[static_cast<std::size_t>(device_)];
  return {of.bytes_in, of.bytes_out, of.faults};
}

}  // namespace graphrun::cuda::inline GR_IDS
#else

namespace graphrun::cuda::inline GR_IDS {

ManagedTraffic::ManagedTraffic(int device) : device_(device) {
  throw UnavailableError("--count-migrations: this program was built where cupti.h is missing");
}
ManagedTraffic::Counts ManagedTraffic::now() const { return {}; }

}  // namespace graphrun::cuda::inline GR_IDS
#endif

namespace graphrun::cuda::inline GR_IDS {

ManagedTraffic::Counts ManagedTraffic::counts() const {
  const Counts after = now();
  return {after.bytes_in - before_.bytes_in, after.bytes_out - before_.bytes_out, after.faults - before_.faults};
}

}  // namespace graphrun::cuda::inline GR_IDS
