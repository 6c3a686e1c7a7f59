// SPDX-License-Identifier: Apache-2.0
// Requests of a GPU's warps over a link, by size and alignment.
//
// A warp's load is split into 128-byte lines, and these into 32-byte sectors; consecutive sectors of a line travel as one request
// of 32 to 128 bytes (Min, dissertation, section 2.3.3 and figure 2.4, as an FPGA on the link saw it).
#pragma once

#include <cstdint>

#include "graphrun/core/macros.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

inline constexpr int kSectorBytes = 32;
inline constexpr int kLineSectors = 4;

/// A histogram of requests. `Count` is narrow in kernel registers and wide elsewhere. Trivially copyable.
template <class Count>
struct RequestCounts {
  Count aligned[kLineSectors] = {};     ///< of 32, 64, 96 and 128 bytes that begin on a 128-byte line
  Count misaligned[kLineSectors] = {};  ///< that begin elsewhere; the last, of 128 bytes, stays 0

  /// Adds the requests of one load in one line. Bit i of `sectors` stands for sector i; other bits are zero.
  GR_HD void add_line(unsigned sectors) {
    // Compares with every possible stretch of sectors, so that a compiler can keep the counts in registers.
    for (int length = 1; length <= kLineSectors; ++length) {
      for (int first = 0; first + length <= kLineSectors; ++first) {
        const unsigned stretch = ((1u << length) - 1) << first;
        const unsigned around = (stretch << 1 | stretch >> 1) & ~stretch;
        const Count one = (sectors & (stretch | around)) == stretch ? 1 : 0;
        (first == 0 ? aligned : misaligned)[length - 1] += one;
      }
    }
  }

  template <class Other>
  GR_HD RequestCounts& operator+=(const RequestCounts<Other>& more) {
    for (int i = 0; i < kLineSectors; ++i) {
      aligned[i] += more.aligned[i];
      misaligned[i] += more.misaligned[i];
    }
    return *this;
  }

  /// Returns the number of requests of `sectors` sectors, 1 to 4.
  Count of_size(int sectors) const { return aligned[sectors - 1] + misaligned[sectors - 1]; }
  Count begun_on_line() const { return aligned[0] + aligned[1] + aligned[2] + aligned[3]; }
  Count total() const { return of_size(1) + of_size(2) + of_size(3) + of_size(4); }
  Count bytes() const { return kSectorBytes * (of_size(1) + 2 * of_size(2) + 3 * of_size(3) + 4 * of_size(4)); }
};

using LinkRequests = RequestCounts<std::uint64_t>;

}  // namespace graphrun::inline GR_IDS
