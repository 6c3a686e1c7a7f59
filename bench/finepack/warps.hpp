// SPDX-License-Identifier: Apache-2.0
// The order of stores as warps issue them, and what an L1 cache makes of the lanes of one instruction.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "finepack/traffic.hpp"

namespace graphrun::bench::finepack {

constexpr unsigned kWarpLanes = 32;

/// Calls visit(list, first, last) for 32 elements of a list at a time, in the order of `resident` warps that take turns. A warp
/// that ends a list takes the next one. `length(list)` is its number of elements.
template <class List, class Length, class Visit>
void for_each_instruction(const std::vector<List>& lists, unsigned resident, Length&& length, Visit&& visit) {
  struct Warp {
    List list;
    std::uint64_t next, end;
  };
  std::vector<Warp> warps;
  std::size_t taken = 0;
  const auto take = [&](Warp& warp) {
    for (; taken < lists.size(); ++taken) {
      if (const std::uint64_t end = length(lists[taken]); end != 0) {
        warp = {lists[taken++], 0, end};
        return true;
      }
    }
    return false;
  };
  for (Warp warp; warps.size() < resident && take(warp);) warps.push_back(warp);
  while (!warps.empty()) {
    std::size_t kept = 0;
    for (Warp& warp : warps) {
      const std::uint64_t last = std::min(warp.next + kWarpLanes, warp.end);
      visit(warp.list, warp.next, last);
      warp.next = last;
      if (warp.next < warp.end || take(warp)) warps[kept++] = warp;
    }
    warps.resize(kept);
  }
}

/// The lanes of one instruction that store into one peer's memory. Lanes with neighbouring elements of a line leave as one store;
/// of lanes with the same element the last counts. Atomic additions leave one by one.
template <class Element>
class Lanes {
 public:
  void add(std::uint64_t offset, Element value) { lanes_[count_++] = {offset, value}; }

  void put(Channel& channel, std::uint64_t position, bool is_atomic) {
    const auto begin = lanes_.begin(), end = begin + count_;
    if (is_atomic) {
      for (auto lane = begin; lane != end; ++lane) {
        std::array<std::uint8_t, sizeof(Element)> bytes;
        std::memcpy(bytes.data(), &lane->value, sizeof(Element));
        channel.put(lane->offset, bytes.data(), sizeof(Element), position, sizeof(Element));
      }
    } else {
      std::stable_sort(begin, end, [](const Lane& a, const Lane& b) { return a.offset < b.offset; });
      std::array<std::uint8_t, kLineBytes> bytes;
      for (auto lane = begin; lane != end;) {
        const std::uint64_t first = lane->offset;
        const std::uint64_t line = (channel.base + first) / kLineBytes;
        unsigned size = 0;
        for (; lane != end && lane->offset <= first + size && (channel.base + lane->offset) / kLineBytes == line; ++lane) {
          std::memcpy(bytes.data() + (lane->offset - first), &lane->value, sizeof(Element));
          size = static_cast<unsigned>(lane->offset - first + sizeof(Element));
        }
        channel.put(first, bytes.data(), size, position, 0);
      }
    }
    count_ = 0;
  }

 private:
  struct Lane {
    std::uint64_t offset;
    Element value;
  };
  std::array<Lane, kWarpLanes> lanes_;
  unsigned count_ = 0;
};

}  // namespace graphrun::bench::finepack
