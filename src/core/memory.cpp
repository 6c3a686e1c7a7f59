// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace graphrun {
namespace {

/// The files of a group in one version of control groups.
struct Names {
  const char* limit;
  const char* usage;
  const char* inactive;
  const char* active;
};
constexpr Names kV1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file", "total_active_file"};
constexpr Names kV2{"memory.max", "memory.current", "inactive_file", "active_file"};

/// Returns nothing for "max".
std::optional<std::uint64_t> read_number(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

/// Returns what the limits of the group and of those around it leave.
std::optional<std::uint64_t> left_in_groups(const std::string& mount, std::string group, const Names& names) {
  std::optional<std::uint64_t> least;
  for (;; group.resize(group.rfind('/'))) {
    if (group == "/") group.clear();
    const std::string folder = mount + group + "/";
    const auto limit = read_number(folder + names.limit);
    const auto usage = read_number(folder + names.usage);
    if (limit && usage) {
      const std::string statistics = folder + "memory.stat";
      const std::uint64_t files =
          read_entry(statistics, names.inactive).value_or(0) + read_entry(statistics, names.active).value_or(0);
      const std::uint64_t used = *usage - std::min(*usage, files);
      least = std::min(least.value_or(*limit), *limit - std::min(*limit, used));
    }
    if (group.rfind('/') == std::string::npos) return least;
  }
}

/// Returns what a limit of the process leaves; `used` is an entry of /proc/self/status, in KiB.
std::optional<std::uint64_t> left_of_limit(int resource, const std::string& root, std::string_view used) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  const std::uint64_t taken = read_entry(root + "/proc/self/status", used).value_or(0) << 10;
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, taken);
}

}  // namespace

std::optional<std::uint64_t> read_entry(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    std::uint64_t value = 0;
    if (words >> word && word == name && words >> value) return value;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> available_addresses() { return left_of_limit(RLIMIT_AS, "", "VmSize:"); }

std::optional<std::uint64_t> available_memory(const std::string& root) {
  std::optional<std::uint64_t> least;
  const auto limit_to = [&](std::optional<std::uint64_t> bytes) {
    if (bytes) least = std::min(least.value_or(*bytes), *bytes);
  };
  if (const auto kib = read_entry(root + "/proc/meminfo", "MemAvailable:").value_or(0); kib != 0) limit_to(kib << 10);
  limit_to(left_of_limit(RLIMIT_DATA, root, "VmData:"));
  const std::string mounts = root + "/sys/fs/cgroup";
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "ID:CONTROLLERS:GROUP", without controllers in version 2
    const std::size_t controllers = line.find(':') + 1;
    const std::size_t group = line.find(':', controllers) + 1;
    if (controllers == 0 || group == 0) continue;
    const std::string_view named = std::string_view(line).substr(controllers, group - 1 - controllers);
    if (named.empty()) {
      for (const char* mount : {"", "/unified"}) limit_to(left_in_groups(mounts + mount, line.substr(group), kV2));
    } else if (named == "memory") {
      limit_to(left_in_groups(mounts + "/memory", line.substr(group), kV1));
    }
  }
  return least;
}

void prefer_huge_pages(void* memory, std::size_t bytes) {
  constexpr std::size_t kLeastWorthHugePages = std::size_t{4} << 20;
  if (bytes < kLeastWorthHugePages) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t head = (page - reinterpret_cast<std::uintptr_t>(memory) % page) % page;
  ::madvise(static_cast<char*>(memory) + head, bytes - head, MADV_HUGEPAGE);
}

}  // namespace graphrun
