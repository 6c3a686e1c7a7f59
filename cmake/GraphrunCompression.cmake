# SPDX-License-Identifier: Apache-2.0
# Finds the compression libraries beside zlib, and libarchive for tar and zip. A build without one of them rejects files of its
# format. Sets GRAPHRUN_COMPRESSION_LIBRARIES and GRAPHRUN_COMPRESSION_DEFINITIONS, the latter for src/io/decoder.cpp and
# archive.cpp.

set(GRAPHRUN_COMPRESSION_LIBRARIES "")
set(GRAPHRUN_COMPRESSION_DEFINITIONS "")

# graphrun_find_compression(ZSTD zstd.h zstd)
function(graphrun_find_compression name header library)
  find_path(${name}_INCLUDE_DIR ${header})
  find_library(${name}_LIBRARY ${library})
  if(${name}_INCLUDE_DIR AND ${name}_LIBRARY)
    list(APPEND GRAPHRUN_COMPRESSION_LIBRARIES $<BUILD_INTERFACE:${${name}_LIBRARY}> $<INSTALL_INTERFACE:${library}>)
    list(APPEND GRAPHRUN_COMPRESSION_DEFINITIONS GRAPHRUN_HAS_${name}=1)
  else()
    message(STATUS "no ${library} library with headers here: files that need it will be refused")
  endif()
  return(PROPAGATE GRAPHRUN_COMPRESSION_LIBRARIES GRAPHRUN_COMPRESSION_DEFINITIONS)
endfunction()

graphrun_find_compression(ZSTD zstd.h zstd)
graphrun_find_compression(LZMA lzma.h lzma)
graphrun_find_compression(BZIP2 bzlib.h bz2)
graphrun_find_compression(ARCHIVE archive.h archive)
