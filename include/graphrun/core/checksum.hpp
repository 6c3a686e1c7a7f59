// SPDX-License-Identifier: Apache-2.0
// XXH3, 64 bits (Y. Collet, xxHash): finds damage, not malice. Several gigabytes a second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace graphrun {

/// The checksum of data that comes in pieces of any sizes.
class Checksum {
 public:
  Checksum();
  ~Checksum();
  void add(const void* data, std::size_t bytes);
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace graphrun
