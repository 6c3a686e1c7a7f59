// SPDX-License-Identifier: Apache-2.0
// Graphs that come through a pipe. It is read once, into a scratch file.
#pragma once

#include <memory>
#include <string>

#include "graphrun/core/column.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::io::inline GR_IDS {

inline const std::string kStandardInputPath = "/dev/stdin";

/// Returns whether a file, or a member's archive, can be read only once: a FIFO, a socket, or a terminal as standard input.
bool is_pipe(const std::string& path);

/// Returns everything that comes out of a pipe. The first call reads it, into an unnamed file in `directory` (empty: where
/// temporary files go); later calls return the same, until a PipeKeeper of the path ends. Throws DataError: nothing came, or the
/// disk is full.
std::shared_ptr<Region> read_pipe(const std::string& path, const std::string& directory = "");

/// Drops the contents of a pipe at the end of its scope.
class PipeKeeper {
 public:
  explicit PipeKeeper(const std::string& path) : path_(path) {}
  ~PipeKeeper();
  PipeKeeper(const PipeKeeper&) = delete;
  PipeKeeper& operator=(const PipeKeeper&) = delete;

 private:
  const std::string& path_;
};

/// Returns the bytes of a file, or of everything that comes out of a pipe. Throws DataError.
std::uint64_t input_bytes(const std::string& path);

}  // namespace graphrun::io::inline GR_IDS
