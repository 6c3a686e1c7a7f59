# SPDX-License-Identifier: Apache-2.0
# Facts of the build for programs and results. Only src/core/build.cpp is compiled with them, so a new commit recompiles one file.

# Empty where the sources are no checkout, as in a tarball.
set(commit "")
if(EXISTS "${CMAKE_SOURCE_DIR}/.git")
  find_package(Git QUIET)
  if(GIT_FOUND)
    execute_process(COMMAND "${GIT_EXECUTABLE}" -C "${CMAKE_SOURCE_DIR}" describe --always --dirty --abbrev=12 --exclude=*
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(EXISTS "${CMAKE_SOURCE_DIR}/.git/logs/HEAD")
    set_property(DIRECTORY "${CMAKE_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/.git/logs/HEAD")
  endif()
endif()

set(features io_uring)
set(missing "")
# graphrun_sort_feature(NAME CONDITION) puts NAME into `features` or `missing`.
macro(graphrun_sort_feature name)
  if(${ARGN})
    list(APPEND features "${name}")
  else()
    list(APPEND missing "${name}")
  endif()
endmacro()
graphrun_sort_feature(libfabric GRAPHRUN_HAS_FABRIC)
graphrun_sort_feature(MPI MPI_CXX_FOUND)
graphrun_sort_feature(Python GRAPHRUN_PYTHON)
graphrun_sort_feature(tokens OPENSSL_FOUND)
foreach(library ZSTD LZMA BZIP2 ARCHIVE)
  string(TOLOWER ${library} name)
  graphrun_sort_feature(${name} GRAPHRUN_HAS_${library}=1 IN_LIST GRAPHRUN_COMPRESSION_DEFINITIONS)
endforeach()
graphrun_sort_feature("counted kernels" GRAPHRUN_HAS_CUDA AND GRAPHRUN_COUNTED_KERNELS)
list(JOIN features ", " features)
list(JOIN missing ", " missing)

set(cuda "")
if(GRAPHRUN_HAS_CUDA)
  set(architectures ${CMAKE_CUDA_ARCHITECTURES})
  if(architectures STREQUAL "native")
    set(architectures ${CMAKE_CUDA_ARCHITECTURES_NATIVE})
  endif()
  list(APPEND architectures ${GRAPHRUN_MORE_CUDA_CODE})
  list(TRANSFORM architectures REPLACE "^sm_(.+)" "\\1-real")
  list(JOIN architectures " " architectures)
  set(cuda "${CMAKE_CUDA_COMPILER_VERSION}, architectures ${architectures}")
endif()

set(id_bits 32)
if(GRAPHRUN_BUILD_WIDE)
  set(id_bits "32 and 64")
endif()
set_property(SOURCE "${CMAKE_SOURCE_DIR}/src/core/build.cpp" PROPERTY COMPILE_DEFINITIONS
  GRAPHRUN_VERSION="${PROJECT_VERSION}" GRAPHRUN_COMMIT="${commit}" GRAPHRUN_BUILD_TYPE="$<CONFIG>"
  GRAPHRUN_SANITIZERS="${GRAPHRUN_SANITIZE}" GRAPHRUN_CUDA_BUILD="${cuda}" GRAPHRUN_FEATURES="${features}"
  GRAPHRUN_MISSING="${missing}" GRAPHRUN_ID_BITS="${id_bits}")
