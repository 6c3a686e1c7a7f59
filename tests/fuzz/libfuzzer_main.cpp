// SPDX-License-Identifier: Apache-2.0
// What libFuzzer calls. Exceptions fly through: it reports one that is not caught with the stack of where it was thrown.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/target.hpp"
#include "fuzz/workplace.hpp"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  graphrun::fuzz::prepare_process();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graphrun::fuzz::fuzz_one({reinterpret_cast<const char*>(data), size});
  return 0;
}
