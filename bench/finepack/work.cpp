// SPDX-License-Identifier: Apache-2.0

#include "finepack/work.hpp"

namespace graphrun::bench::finepack {

void Work::begin_step() {
  for (Channel& channel : traffic_.channels) channel.clear();
}

void Work::place(int from, int to, std::uint64_t bytes, std::uint64_t first_byte, std::uint64_t bulk_bytes) {
  constexpr std::uint64_t kPage = std::uint64_t{2} << 20;
  Channel& channel = traffic_.channel(from, to);
  // An array for each sender at an odd page, so that windows of 4 MiB may cut it.
  channel.base = (static_cast<std::uint64_t>(to) + 1) << 40 | static_cast<std::uint64_t>(from) << 34;
  channel.base += (2 * static_cast<std::uint64_t>(from) + 1) * kPage + first_byte;
  channel.memory.assign(bytes, 0);
  channel.bulk_bytes = bulk_bytes;
}

}  // namespace graphrun::bench::finepack
