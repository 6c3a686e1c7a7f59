// SPDX-License-Identifier: Apache-2.0
// The main() of every program. GRAPHRUN_COMMAND names its function, which is compiled for ids of either width: 32 bits are tried
// first, because edges then take half the memory.
#include <fmt/format.h>

#include "program.hpp"

namespace graphrun::program::ids64 {
ExitCode GRAPHRUN_COMMAND(int argc, char** argv);
}  // namespace graphrun::program::ids64

int main(int argc, char** argv) {
  using namespace graphrun;
  return program::run_program([&] {
    try {
      return program::ids32::GRAPHRUN_COMMAND(argc, argv);
    } catch (const WideIdsError& error) {
#if GRAPHRUN_HAS_WIDE
      if (error.asked_for)
        log::debug("using 64-bit vertex ids, as --ids 64 says");
      else
        log::info(fmt::format("using 64-bit vertex ids: {}", error.what()));
      log::say_nothing_again();
      return program::ids64::GRAPHRUN_COMMAND(argc, argv);
#else
      throw UnavailableError(fmt::format("{}, and this program was built without 64-bit ids (GRAPHRUN_BUILD_WIDE)", error.what()));
#endif
    }
  });
}
