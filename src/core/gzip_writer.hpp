// SPDX-License-Identifier: Apache-2.0
// GzipWriter: text compressed as gzip does, for files of results.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace graphrun {

/// Compresses what is written and passes it on in pieces of 256 KiB. For one thread.
class GzipWriter {
 public:
  using Sink = std::function<void(const void* data, std::size_t bytes)>;

  /// Throws RunError without memory.
  explicit GzipWriter(Sink sink);
  ~GzipWriter();

  void write(const void* data, std::size_t bytes);
  /// Passes on the rest. Nothing may be written afterwards.
  void finish();

 private:
  struct Stream;
  void compress(int flush);

  Sink sink_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace graphrun
