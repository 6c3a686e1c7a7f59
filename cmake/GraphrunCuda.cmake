# SPDX-License-Identifier: Apache-2.0
# Decides whether the CUDA executor is built, and for which architectures. Sets GRAPHRUN_HAS_CUDA.

set(GRAPHRUN_HAS_CUDA OFF)
if(GRAPHRUN_CUDA STREQUAL "OFF" OR GRAPHRUN_SANITIZE)
  return()
endif()

include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(GRAPHRUN_CUDA STREQUAL "AUTO")
    message(STATUS "graphrun: no nvcc found, building for the CPU only")
    return()
  endif()
  message(FATAL_ERROR "GRAPHRUN_CUDA=ON, but no CUDA compiler was found: put nvcc on the PATH or set CMAKE_CUDA_COMPILER")
endif()

# Without a GPU: machine code for 8.0 and 9.0, and text (PTX) that the driver of a later GPU compiles at its first start. Code for
# 8.0 runs on 8.6 and 8.9: the same major and a higher minor revision (Ada Compatibility Guide, 1.2). No source needs more than
# 8.0, so one pass of the front end serves all.
set(GRAPHRUN_MORE_CUDA_CODE "")
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  execute_process(COMMAND nvidia-smi -L RESULT_VARIABLE smi_status OUTPUT_VARIABLE smi_output ERROR_QUIET)
  if(smi_status EQUAL 0 AND smi_output MATCHES "GPU 0")
    set(CMAKE_CUDA_ARCHITECTURES native)
  else()
    set(CMAKE_CUDA_ARCHITECTURES 80)  # machine code and text
    set(GRAPHRUN_MORE_CUDA_CODE sm_90)
  endif()
endif()

enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.4)
  message(FATAL_ERROR "graphrun needs CUDA 12.4 or later; ${CMAKE_CUDA_COMPILER} is ${CMAKE_CUDA_COMPILER_VERSION}")
endif()
# CMake 3.25 knows no C++20 for nvcc and would silently fall back to C++17.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
find_package(CUDAToolkit REQUIRED)
set(GRAPHRUN_HAS_CUDA ON)
if(GRAPHRUN_MORE_CUDA_CODE)
  string(APPEND CMAKE_CUDA_FLAGS " --generate-code=arch=compute_80,code=${GRAPHRUN_MORE_CUDA_CODE} -Xfatbin=-compress-all")  # to a fifth
endif()
message(STATUS "graphrun: CUDA ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES} ${GRAPHRUN_MORE_CUDA_CODE}")
