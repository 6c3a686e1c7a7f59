# Finds the libraries of compressed text beside zlib. A build without one of them reads no files of its format. Sets
# GRAPHRUN_COMPRESSION_LIBRARIES and GRAPHRUN_COMPRESSION_DEFINITIONS, the latter for src/io/decoder.cpp.

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
    message(STATUS "no ${library} library with headers here: text compressed with it will be refused")
  endif()
  return(PROPAGATE GRAPHRUN_COMPRESSION_LIBRARIES GRAPHRUN_COMPRESSION_DEFINITIONS)
endfunction()

graphrun_find_compression(ZSTD zstd.h zstd)
graphrun_find_compression(LZMA lzma.h lzma)
graphrun_find_compression(BZIP2 bzlib.h bz2)
