// SPDX-License-Identifier: Apache-2.0
// Where tests make many small files.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace graphrun::test {

/// Memory where it has room and TMPDIR does not say otherwise: ext4 looks at every inode that was freed in the last five seconds
/// before it gives one out, a millisecond a file where thousands were.
inline std::filesystem::path quick_folder() {
  constexpr std::uintmax_t kRoom = std::uintmax_t{1} << 30;
  const std::filesystem::path memory = "/dev/shm";
  std::error_code failure;
  const bool usable = std::getenv("TMPDIR") == nullptr && ::access(memory.c_str(), W_OK | X_OK) == 0 &&
                      std::filesystem::space(memory, failure).available >= kRoom && !failure;
  return usable ? memory : std::filesystem::temp_directory_path();
}

}  // namespace graphrun::test
