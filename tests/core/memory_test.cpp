// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace graphrun {
namespace {

/// A machine's /proc and /sys.
class AvailableMemory : public ::testing::Test {
 protected:
  AvailableMemory() { write("proc/meminfo", "MemTotal:       2000 kB\nMemFree:  1 kB\nMemAvailable:   1000 kB\n"); }
  ~AvailableMemory() override { std::filesystem::remove_all(root_); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  std::optional<std::uint64_t> bytes() const { return available_memory(root_.string()); }

  std::filesystem::path root_ = std::filesystem::path(::testing::TempDir()) / ("graphrun_memory_" + std::to_string(::getpid()));
};

TEST_F(AvailableMemory, IsWhatTheMachineHasToSpare) {
  EXPECT_EQ(bytes(), 1000u << 10);
  std::filesystem::remove_all(root_ / "proc");
  EXPECT_EQ(bytes(), std::nullopt);
  EXPECT_GT(available_memory().value_or(1), 0u) << "of the machine itself";
}

TEST_F(AvailableMemory, IsWhatTheGroupsUpToTheRootLeave) {
  write("proc/self/cgroup", "0::/outer/inner\n");
  write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  write("sys/fs/cgroup/outer/inner/memory.current", "70000\n");
  EXPECT_EQ(bytes(), 1000u << 10);
  write("sys/fs/cgroup/outer/memory.max", "100000\n");
  write("sys/fs/cgroup/outer/memory.current", "80000\n");
  EXPECT_EQ(bytes(), 20000u);
  write("sys/fs/cgroup/outer/memory.stat", "anon 40000\ninactive_file 25000\nactive_file 5000\n");
  EXPECT_EQ(bytes(), 50000u) << "what is cached of files can be taken back";
}

TEST_F(AvailableMemory, IsWhatAGroupOfTheFirstVersionLeaves) {
  write("proc/self/cgroup", "5:cpuset:/\n4:memory:/job\n0::/\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "600000\n");
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "500000\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "550000\n");
  EXPECT_EQ(bytes(), 100000u);
}

}  // namespace
}  // namespace graphrun
