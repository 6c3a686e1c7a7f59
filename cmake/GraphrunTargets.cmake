# SPDX-License-Identifier: Apache-2.0
# One set of targets for each width of vertex ids, from the same sources.

set(GRAPHRUN_WARNINGS -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
if(CMAKE_UNITY_BUILD)  # sources that are compiled together see each other's names
  list(APPEND GRAPHRUN_WARNINGS -Wno-shadow -Wno-subobject-linkage)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# Compile flags of every target: for any processor of this kind, because -march=native gained nothing in measurements.
add_library(graphrun_build_flags INTERFACE)
target_compile_options(graphrun_build_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:${GRAPHRUN_WARNINGS}>
  $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda --expt-relaxed-constexpr -Werror=cross-execution-space-call -Xcompiler=-Wall,-Wextra>)
if(GRAPHRUN_SANITIZE)
  target_compile_options(graphrun_build_flags INTERFACE -fsanitize=${GRAPHRUN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(graphrun_build_flags INTERFACE -fsanitize=${GRAPHRUN_SANITIZE})
  # Programs at fixed addresses start in half the time: sanitizers' tables have some hundred thousand pointers to relocate.
  target_compile_options(graphrun_build_flags INTERFACE -fno-pie)
  # -Og inlines too little for xxHash's always_inline.
  target_compile_definitions(graphrun_build_flags INTERFACE XXH_NO_INLINE_HINTS=1)
  target_link_options(graphrun_build_flags INTERFACE -no-pie)
  if(GRAPHRUN_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Calls replace inline checks in large functions, which took a third of the compile time.
    target_compile_options(graphrun_build_flags INTERFACE --param asan-instrumentation-with-call-threshold=100)
  endif()
  if(GRAPHRUN_SANITIZE MATCHES "undefined")
    # AddressSanitizer sees reads and writes; checking also each dereference took a third of the compile time, and each computed
    # pointer a tenth. Alignment, a seventh, is left to tools/fuzz.sh: the readers map files.
    target_compile_options(graphrun_build_flags INTERFACE -fno-sanitize=null,object-size,pointer-overflow)
    if(NOT GRAPHRUN_FUZZ)
      target_compile_options(graphrun_build_flags INTERFACE -fno-sanitize=alignment)
    endif()
  endif()
endif()

# Kernels without optimisation and machine code show only that they compile (.ci/run).
set(GRAPHRUN_KERNELS_NEVER_RUN OFF)
if(GRAPHRUN_HAS_CUDA AND CMAKE_CUDA_FLAGS MATCHES "--Ofast-compile" AND CMAKE_CUDA_ARCHITECTURES MATCHES "^[0-9]+-virtual$")
  set(GRAPHRUN_KERNELS_NEVER_RUN ON)
endif()

set(GRAPHRUN_LONGEST_SOURCES pagerank/pagerank.cpp sssp/sssp.cpp topo/topo.cpp walks/walks.cpp)

# Sets `result` to files that each include at most `most` sources, as CMAKE_UNITY_BUILD does; CMake 3.25 lacks it for CUDA.
function(graphrun_unite_cuda result name most)
  set(files "")
  while(ARGN)
    list(SUBLIST ARGN 0 ${most} sources)
    list(REMOVE_ITEM ARGN ${sources})
    list(LENGTH ARGN left)
    list(TRANSFORM sources REPLACE "(.+)" "#include \"${CMAKE_SOURCE_DIR}/\\1\"\n")
    string(CONCAT text ${sources})
    set(file "${CMAKE_BINARY_DIR}/united/${name}_before_${left}.cu")
    file(CONFIGURE OUTPUT "${file}" CONTENT "${text}")
    set_property(SOURCE "${file}" PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
    list(APPEND files "${file}")
  endwhile()
  set(${result} "${files}" PARENT_SCOPE)
endfunction()

# Sets `result` to this build's sources of some floors (folders of src/), by relative paths, so that the tree may be anywhere.
function(graphrun_find_sources result name)
  list(TRANSFORM ARGN PREPEND "${CMAKE_SOURCE_DIR}/src/" OUTPUT_VARIABLE folders)
  list(TRANSFORM folders APPEND "/*.cpp" OUTPUT_VARIABLE cpp_files)
  list(TRANSFORM folders APPEND "/*.cu" OUTPUT_VARIABLE cuda_files)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_SOURCE_DIR}" ${cpp_files})
  if(GRAPHRUN_HAS_CUDA)
    file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_SOURCE_DIR}" ${cuda_files})
    list(FILTER sources EXCLUDE REGEX "/cuda_absent\\.cpp$")
  else()
    set(cuda_sources "")
    list(FILTER sources EXCLUDE REGEX "/cuda/|_cuda\\.cpp$")
  endif()
  if(GRAPHRUN_HAS_FABRIC)
    list(FILTER sources EXCLUDE REGEX "/ofi_absent\\.cpp$")
  else()
    list(FILTER sources EXCLUDE REGEX "/ofi/")
  endif()
  # Each algorithm is a module: a run loads one, and without machine code its driver compiles only that.
  set(own_modules ${cuda_sources})
  list(FILTER own_modules INCLUDE REGEX "/algorithms/")
  list(FILTER cuda_sources EXCLUDE REGEX "/algorithms/")
  if(CMAKE_UNITY_BUILD)
    graphrun_unite_cuda(united_sources ${name} 2 ${cuda_sources})
  else()
    list(TRANSFORM cuda_sources PREPEND "${CMAKE_SOURCE_DIR}/" OUTPUT_VARIABLE united_sources)
  endif()
  if(GRAPHRUN_KERNELS_NEVER_RUN)  # headers take most of the time
    graphrun_unite_cuda(own_modules ${name}_algorithms 6 ${own_modules})
  else()
    list(TRANSFORM own_modules PREPEND "${CMAKE_SOURCE_DIR}/")
  endif()
  set_property(SOURCE ${own_modules} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  list(APPEND united_sources ${own_modules})
  list(TRANSFORM sources PREPEND "${CMAKE_SOURCE_DIR}/")
  list(APPEND sources ${united_sources})
  set(${result} "${sources}" PARENT_SCOPE)
endfunction()

# Adds a library of some floors as target `lib`, installed as graphrun::NAME.
function(graphrun_add_library lib name)
  graphrun_find_sources(sources ${lib} ${ARGN})
  add_library(${lib} STATIC ${sources})
  add_library(graphrun::${name} ALIAS ${lib})
  set_target_properties(${lib} PROPERTIES EXPORT_NAME ${name} OUTPUT_NAME ${name})
  if(NOT GRAPHRUN_SANITIZE)
    set_target_properties(${lib} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  target_include_directories(${lib}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${CMAKE_SOURCE_DIR}/src ${XXHASH_INCLUDE_DIR} ${URING_INCLUDE_DIR})
  target_compile_features(${lib} PUBLIC cxx_std_20)
  # For others' sources with kernels over these headers; CMake 3.25 knows no C++20 for nvcc.
  target_compile_options(${lib} INTERFACE $<INSTALL_INTERFACE:$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --expt-relaxed-constexpr>>)
  target_link_libraries(${lib} PRIVATE $<BUILD_INTERFACE:graphrun_build_flags> ZLIB::ZLIB ${GRAPHRUN_COMPRESSION_LIBRARIES} fmt::fmt spdlog::spdlog $<BUILD_INTERFACE:cxxopts::cxxopts> nlohmann_json::nlohmann_json
                               $<BUILD_INTERFACE:${URING_LIBRARY}> $<INSTALL_INTERFACE:uring>
                               PUBLIC Threads::Threads)
  # Among many sources the compiler inlines less: edge lists of kron 20 were read at 306 instead of 451 MB/s.
  set_property(SOURCE "${CMAKE_SOURCE_DIR}/src/io/entries.cpp" PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  # Compiled together, all algorithms take one core 8 minutes with AddressSanitizer at -O1, half of them for these.
  list(TRANSFORM GRAPHRUN_LONGEST_SOURCES PREPEND "${CMAKE_SOURCE_DIR}/src/algorithms/" OUTPUT_VARIABLE longest)
  set_property(SOURCE ${longest} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  set_property(SOURCE "${CMAKE_SOURCE_DIR}/src/io/archive.cpp" "${CMAKE_SOURCE_DIR}/src/io/decoder.cpp" PROPERTY COMPILE_DEFINITIONS ${GRAPHRUN_COMPRESSION_DEFINITIONS})
  if(OPENSSL_FOUND)
    set_property(SOURCE "${CMAKE_SOURCE_DIR}/src/remote/protocol.cpp" PROPERTY COMPILE_DEFINITIONS GRAPHRUN_HAS_CRYPTO=1)
    target_link_libraries(${lib} PRIVATE $<BUILD_INTERFACE:OpenSSL::Crypto> $<INSTALL_INTERFACE:crypto>)
  endif()
  if(GRAPHRUN_HAS_FABRIC)
    target_include_directories(${lib} PRIVATE ${FABRIC_INCLUDE_DIR})
    target_link_libraries(${lib} PRIVATE ${CMAKE_DL_LIBS})
  endif()
  if(GRAPHRUN_HAS_CUDA)
    target_link_libraries(${lib} PRIVATE CUDA::cudart_static)
    target_compile_definitions(${lib} PRIVATE GRAPHRUN_HAS_CUDA=1 $<$<BOOL:${GRAPHRUN_COUNTED_KERNELS}>:GRAPHRUN_COUNTED_KERNELS=1>)
  endif()
endfunction()

# graphrun_add_width("" 32) defines the library graphrun::graphrun, and graphrun_add_width("64" 64) graphrun::graphrun64. A program
# may link both.
function(graphrun_add_width suffix bits)
  set(lib graphrun_lib${suffix})
  graphrun_add_library(${lib} graphrun${suffix} graph io ops algorithms view backend verify remote run)
  target_compile_definitions(${lib} PUBLIC GRAPHRUN_VERTEX_BITS=${bits})
  if(suffix)
    target_compile_options(${lib} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:${GRAPHRUN_WIDE_OPTIONS}>")
  endif()
  target_link_libraries(${lib} PUBLIC graphrun_base)
endfunction()

# graphrun_add_program(graphrun) compiles graphrun.cpp and graphrun_*.cpp for each width of ids.
function(graphrun_add_program app)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/apps/${app}.cpp" "${CMAKE_SOURCE_DIR}/apps/${app}_*.cpp")
  add_executable(${app} "${CMAKE_SOURCE_DIR}/apps/main.cpp" "${CMAKE_SOURCE_DIR}/apps/manual.cpp" ${sources})
  target_compile_definitions(${app} PRIVATE GRAPHRUN_COMMAND=${app}_command GRAPHRUN_HAS_WIDE=$<BOOL:${GRAPHRUN_BUILD_WIDE}>)
  if(GRAPHRUN_BUILD_WIDE)
    add_library(${app}_wide OBJECT ${sources})
    target_compile_definitions(${app}_wide PRIVATE GRAPHRUN_HAS_WIDE=1)
    target_link_libraries(${app}_wide PRIVATE graphrun_lib64 graphrun_build_flags fmt::fmt)
    target_sources(${app} PRIVATE $<TARGET_OBJECTS:${app}_wide>)
    target_link_libraries(${app} PRIVATE $<LINK_ONLY:graphrun_lib64>)
  endif()
  target_link_libraries(${app} PRIVATE graphrun_lib graphrun_build_flags fmt::fmt)
  if(app STREQUAL graphrun)
    target_sources(${app} PRIVATE "${CMAKE_SOURCE_DIR}/apps/processes.cpp")
    if(MPI_CXX_FOUND)
      set_property(SOURCE "${CMAKE_SOURCE_DIR}/apps/processes.cpp" PROPERTY COMPILE_DEFINITIONS "GRAPHRUN_HAS_MPI=1;OMPI_SKIP_MPICXX=1")
      target_link_libraries(${app} PRIVATE MPI::MPI_CXX)
    endif()
  endif()
endfunction()
