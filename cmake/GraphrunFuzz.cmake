# SPDX-License-Identifier: Apache-2.0
# GRAPHRUN_FUZZ builds the fuzz targets of tests/fuzz with libFuzzer and its instrumentation, in its own build folder (preset
# `fuzz`). Without it the same targets replay their seeds and mutations of them.

option(GRAPHRUN_FUZZ "Build the fuzz targets with libFuzzer; needs Clang" OFF)
if(NOT GRAPHRUN_FUZZ)
  return()
endif()

include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -fsanitize=fuzzer)
check_cxx_source_compiles([[
  #include <cstddef>
  #include <cstdint>
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t) { return 0; }
]] GRAPHRUN_HAS_LIBFUZZER)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT GRAPHRUN_HAS_LIBFUZZER)
  message(FATAL_ERROR "GRAPHRUN_FUZZ=ON, but ${CMAKE_CXX_COMPILER} cannot link libFuzzer: use Clang with its runtime "
                      "(Debian: clang and libclang-rt-14-dev, Ubuntu: clang and libclang-rt-18-dev)")
endif()
target_compile_options(graphrun_build_flags INTERFACE -fsanitize=fuzzer-no-link)
target_link_options(graphrun_build_flags INTERFACE -fsanitize=fuzzer-no-link)
