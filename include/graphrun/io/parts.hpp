// SPDX-License-Identifier: Apache-2.0
// A container's edges dealt out over part files on several disks, so that reads go to all of them at a time (RAID 0 in files).
//
// Stretches of `unit_bytes` of the container lie in the parts in turn. Stretches without edges are holes that take no room on the
// disk. A graph is still opened from the container itself: parts only take over the reads of its edges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

inline constexpr std::uint64_t kDefaultUnitBytes = 128 << 10;

/// Writes part k to the k-th name. The parts replace older files together, when all are whole and on their disks. The container
/// is checked first. Throws DataError, UsageError (a unit that is no power of two from 4 KiB to 16 MiB; no container; the same
/// name twice).
void write_parts(const std::string& container, const std::vector<std::string>& parts, std::uint64_t unit_bytes, ThreadPool& pool);

/// A part of the `count` that a container was dealt out over.
struct PartInfo {
  std::uint32_t index = 0;
  std::uint32_t count = 0;
  std::uint64_t unit_bytes = 0;
  std::uint64_t container_bytes = 0;
  std::uint64_t container_digest = 0;  ///< container_digest() of the container
  std::uint64_t data_checksum = 0;     ///< XXH3 of all that follows the header
};

/// A part as it was opened.
struct PartFile {
  std::string name;
  int fd = -1;
  PartInfo info;
};

/// Offset of the data in a part.
inline constexpr std::uint64_t kPartDataOffset = 4096;

/// Returns whether the file begins like a part; false when it cannot be read.
bool is_part(int fd);
bool is_part_file(const std::string& path);

/// Reads the header. Throws DataError when it is damaged or the file has another size than it says.
PartInfo read_part(int fd, const std::string& name);
PartInfo read_part_file(const std::string& path);

/// Returns the checksum of a container's header and section table, which tells containers apart. Throws DataError.
std::uint64_t container_digest(int fd, const std::string& name);

/// Checks all parts of one container, in their order: compares each section that has edges with the container's checksum of it.
/// Returns how many sections carry none. Throws DataError, naming a damaged part, or the section that they lack.
std::size_t check_parts(const std::vector<PartFile>& parts);

/// Reads all of a part. Throws DataError when it is damaged. Returns a line that says that it is sound.
std::string check_part_file(const std::string& path);
/// Calls check_parts() for each container whose parts are all among the files. Returns a line for each container, also where
/// parts are missing; skips other files.
std::string check_whole_sets(const std::vector<std::string>& paths);

}  // namespace graphrun::inline GR_IDS
