// SPDX-License-Identifier: Apache-2.0

#include "graphrun/core/checksum.hpp"

#define XXH_INLINE_ALL
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // GCC 12 suspects its own AVX-512 intrinsics
#include <xxhash.h>
#pragma GCC diagnostic pop

namespace graphrun {

struct Checksum::State {
  XXH3_state_t xxh3;
};

Checksum::Checksum() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->xxh3); }
Checksum::~Checksum() = default;
void Checksum::add(const void* data, std::size_t bytes) { XXH3_64bits_update(&state_->xxh3, data, bytes); }
std::uint64_t Checksum::value() const { return XXH3_64bits_digest(&state_->xxh3); }

}  // namespace graphrun
