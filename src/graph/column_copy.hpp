// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "graphrun/core/column.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

/// Copies bytes [begin, end) of a column into memory, and releases them where a file is mapped.
template <class T>
Column<std::byte> copy_bytes(const Column<T>& column, std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t kWindow = 64 << 20;
  auto made = Column<std::byte>::allocate(end - begin);
  const auto* source = reinterpret_cast<const std::byte*>(column.data());
  for (std::uint64_t at = begin; at < end; at += kWindow) {
    const std::uint64_t window_end = std::min(at + kWindow, end);
    std::memcpy(made.data() + (at - begin), source + at, window_end - at);
    column.release(at / sizeof(T), window_end / sizeof(T));
  }
  return made;
}

}  // namespace graphrun::inline GR_IDS
