// SPDX-License-Identifier: Apache-2.0
// How a thread waits a little for others before it sleeps.
#pragma once

#include <chrono>
#include <thread>

namespace graphrun {

/// Yields, unless other programs keep this thread's processor: a thread that yields there waits for their time slices of some
/// milliseconds, one that sleeps runs as soon as it is woken. Returns whether it yielded, and for a short time.
inline bool yield_briefly() {
  constexpr std::chrono::microseconds kLong{200};
  constexpr int kWaitsUntilNextTry = 100;
  thread_local int left_out = 0;
  if (left_out > 0) {
    --left_out;
    return false;
  }
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::yield();
  if (std::chrono::steady_clock::now() - begin < kLong) return true;
  left_out = kWaitsUntilNextTry;
  return false;
}

/// Polls done() for half a millisecond, longer than a small step of a traversal; returns whether it was true. Yields after a
/// while: without that, spinning took 44 % of two processors that three test programs shared.
template <class Done>
bool spin_until(const Done& done) {
  constexpr int kPausesBeforeYields = 500;
  constexpr int kYieldsBeforeSleep = 1000;
  for (int look = 0; look < kPausesBeforeYields; ++look) {
    if (done()) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  for (int look = 0; look < kYieldsBeforeSleep; ++look) {
    if (done()) return true;
    if (!yield_briefly()) break;
  }
  return done();
}

}  // namespace graphrun
