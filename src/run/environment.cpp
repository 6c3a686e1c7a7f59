// SPDX-License-Identifier: Apache-2.0

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

#include "graphrun/core/build.hpp"
#include "graphrun/run/result.hpp"

namespace graphrun::inline GR_IDS {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const auto colon = line.find(": ");
    return colon == std::string::npos ? std::string() : line.substr(colon + 2);
  }
  return {};
}

int usable_cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());  // more processors than a cpu_set_t holds
}

std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#elif defined(__GNUC__)
  return "GCC " __VERSION__;
#else
  return {};
#endif
}

}  // namespace

Environment describe_environment(const Device& device) {
  Environment environment;
  environment.version = build().version;
  environment.commit = build().commit;
  environment.compiler = compiler();
  environment.build_type = build().type;
#if defined(__OPTIMIZE__)
  environment.optimised = true;
#endif
  environment.sanitizers = build().sanitizers;
  environment.vertex_bits = kVertexBits;
  static const std::string model = cpu_model();  // reading the file takes longer than a run over a tiny graph
  environment.cpu_model = model;
  environment.cores = usable_cores();
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0)
    environment.memory_bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
  utsname system{};
  if (::uname(&system) == 0) environment.kernel = std::string(system.sysname) + " " + system.release;
  if (device.kind == DeviceKind::cuda) environment.cuda = cuda_facts(device.index);
  return environment;
}

}  // namespace graphrun::inline GR_IDS
