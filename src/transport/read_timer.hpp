// SPDX-License-Identifier: Apache-2.0
// Times reads of a file as routes count them: storage's time and a processor's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graphrun/core/column.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun {

class ReadTimer {
 public:
  static constexpr std::uint32_t kMostOut = 128;

  /// Takes an engine that reads `bytes` of the file of `fd` past the page cache, with `depth` reads out, kMostOut at most.
  ReadTimer(BlockEngine& engine, int fd, std::uint64_t bytes, std::uint32_t depth);

  static std::size_t memory_bytes();  ///< of all reads that are out, and the least file that it times
  /// Returns the microseconds of a read at random places, in some ten milliseconds. Throws DataError where too many bytes are not
  /// on the disk yet, and as reads_per_second().
  double read_us(std::uint32_t read_bytes);

 private:
  std::uint64_t clean_place(std::uint32_t read_bytes);

  BlockEngine& engine_;
  int fd_;
  std::uint64_t bytes_;
  std::uint32_t depth_;
  std::uint64_t drawn_ = 0;
  Column<std::byte> memory_;
};

}  // namespace graphrun
