// A container's edges dealt out over part files on several disks, so that reads go to all of them at a time (RAID 0 in files).
//
// Stretches of `unit_bytes` of the container lie in the parts in turn. Those without edges are holes that take no room on the
// disk. The container itself is still what a graph is opened from: parts only take over the reads of its edges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

inline constexpr std::uint64_t kDefaultUnitBytes = 128 << 10;

/// Part k of those is a file of its own. They replace what was there together, when all are whole and on their disks. The
/// container is checked first. Throws DataError, UsageError (a unit that is no power of two from 4 KiB to 16 MiB; no container;
/// the same name twice).
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

/// Where the data of a part begin.
inline constexpr std::uint64_t kPartDataOffset = 4096;

/// Does the file begin like a part? False when it cannot be read.
bool is_part(int fd);
bool is_part_file(const std::string& path);

/// Throws DataError when the header is damaged or the file has another size than it says.
PartInfo read_part(int fd, const std::string& name);
PartInfo read_part_file(const std::string& path);

/// Tells containers apart: the checksum of their header and section table, where checksums of all sections are. Throws DataError.
std::uint64_t container_digest(int fd, const std::string& name);

/// All parts of one container, in their order. Reads their data and compares each section that has edges with the checksum that
/// the container has of it; returns how many carry none. Throws DataError, naming a damaged part where one is, or the section
/// that they lack.
std::size_t check_parts(const std::vector<PartFile>& parts);

/// Reads all of a part. Throws DataError when it is damaged. Returns a line that says that it is sound.
std::string check_part_file(const std::string& path);
/// check_parts() for each container of which all parts are among the files. Returns a line for each container of the parts, also
/// where some are missing; other files are passed over.
std::string check_whole_sets(const std::vector<std::string>& paths);

}  // namespace graphrun::inline GR_IDS
