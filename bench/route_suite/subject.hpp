// SPDX-License-Identifier: Apache-2.0
// The file that route_suite reads, with a chosen part in the page cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graphrun/graph/scratch.hpp"
#include "graphrun/transport/controller.hpp"
#include "plain_io.hpp"

namespace graphrun::bench {

struct Request {
  std::uint64_t offset;
  std::uint32_t bytes;
};

/// A file, or a scratch file that is striped over folders, whose words say where they are.
class Subject {
 public:
  static constexpr std::uint64_t kUnitBytes = 512 << 10;  ///< of a stripe, as in SPIN's software RAID

  /// Takes a file of the user. Throws DataError.
  explicit Subject(const std::string& name);
  /// Makes scratch files, `bytes` of whole stripes in all. Throws DataError.
  Subject(const std::vector<std::string>& folders, std::uint64_t bytes);

  std::uint64_t bytes() const { return bytes_; }
  std::size_t parts() const { return parts_.size(); }
  bool is_scratch() const { return !scratch_.empty(); }
  const File& first() const { return parts_.front(); }
  StoreFile store() const;

  /// Evicts all of it, then caches `percent` of 100 stretches, by a draw for each.
  void cache(int percent, std::uint64_t stretch) const;
  /// Writes `percent` of 100 stretches of a scratch file again, by another draw. They are dirty then.
  void dirty(int percent, std::uint64_t stretch) const;
  /// Throws DataError when the bytes of a request are not those of a scratch file.
  void check(const Request& request, const std::byte* data) const;

 private:
  void fill(std::uint64_t offset, std::span<std::uint64_t> words) const;

  std::string name_;
  std::vector<ScratchFile> scratch_;
  std::vector<File> parts_;
  std::uint64_t bytes_ = 0;
};

}  // namespace graphrun::bench
