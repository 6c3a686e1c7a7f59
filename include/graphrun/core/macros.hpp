// SPDX-License-Identifier: Apache-2.0
// Host/device annotations that vanish when a plain C++ compiler reads the header, and prefetches that no compiler leaves out.
#pragma once

#if defined(__CUDACC__)
#define GR_HD __host__ __device__
#else
#define GR_HD
#endif

namespace graphrun {

/// Asks for the cache line at `address`. GCC 12 leaves out calls of functions that do nothing else, as if they had no effect; the
/// empty statement is one.
inline void prefetch(const void* address) {
  __builtin_prefetch(address);
  asm volatile("");
}

}  // namespace graphrun
