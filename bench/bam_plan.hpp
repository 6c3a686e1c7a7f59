// What the measures of bam_suite have in common: the files that stand for devices, and settings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plain_io.hpp"

namespace graphrun::bench {

/// A file that stands for a storage device.
struct Device {
  std::string name;
  File file;
  std::uint64_t bytes;
  bool writable;
};

struct Plan {
  std::vector<Device> devices;
  std::uint64_t cache_bytes = 0;
  double seconds = 0;
};

/// A way to move data, and how.
struct Setting {
  std::string measure;
  std::string way;
  int threads = 1;
  std::uint32_t depth = 1;  ///< transfers out at a time, of all threads together
  std::uint32_t line_bytes = 4096;
  std::size_t devices = 1;  ///< the first so many
  bool writes = false;
  bool in_order = false;  ///< else lines are drawn

  /// Of each thread.
  std::uint32_t own_depth() const { return std::max(1u, depth / static_cast<std::uint32_t>(threads)); }
};

// The measures, which print a line each.
void move_by_pager(const Setting& setting, const Plan& plan);     ///< random lines through the cache
void move_by_io_uring(const Setting& setting, const Plan& plan);  ///< lines issued by threads
void read_by_mapping(const Setting& setting, const Plan& plan, bool random);
void read_cold_and_hot(const Setting& setting, const Plan& plan);  ///< lines of a working set of half the cache

}  // namespace graphrun::bench
