# SPDX-License-Identifier: Apache-2.0
# The Python module: build/python/graphrun, found by PYTHONPATH=build/python, and the component `python` for wheels
# (tools/build_wheel.py).

set(GRAPHRUN_PYTHON OFF CACHE STRING "Build the Python module: ON, OFF, or AUTO (when pybind11 and Python's headers are found)")
set_property(CACHE GRAPHRUN_PYTHON PROPERTY STRINGS AUTO ON OFF)
# Python is not built with the sanitizer that the module would need.
if(NOT GRAPHRUN_PYTHON MATCHES "^(ON|TRUE|YES|1|AUTO)$" OR GRAPHRUN_SANITIZE)
  set(GRAPHRUN_PYTHON OFF)
  return()
endif()

if(NOT DEFINED Python_EXECUTABLE AND GRAPHRUN_INTERPRETER)
  set(Python_EXECUTABLE "${GRAPHRUN_INTERPRETER}")
endif()
if(GRAPHRUN_PYTHON STREQUAL "AUTO")
  find_package(Python COMPONENTS Interpreter Development.Module QUIET)
  find_package(pybind11 2.10 QUIET)
  if(NOT Python_Development.Module_FOUND OR NOT pybind11_FOUND)
    message(STATUS "Python module: left out, there is no pybind11 or no header of Python (pybind11-dev, python3-dev)")
    set(GRAPHRUN_PYTHON OFF)
    return()
  endif()
else()
  find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
  find_package(pybind11 2.10 REQUIRED)
endif()

set(package "${CMAKE_SOURCE_DIR}/apps/python")
set(tree "${CMAKE_BINARY_DIR}/python/graphrun")

pybind11_add_module(graphrun_python MODULE NO_EXTRAS "${package}/module.cpp" "${package}/graphs.cpp" "${package}/answers.cpp"
  "${package}/arrow.cpp" "${package}/dicts.cpp")
set_source_files_properties("${package}/arrow.cpp" "${package}/dicts.cpp" PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O2>)  # loops over all edges
target_link_libraries(graphrun_python PRIVATE graphrun_lib graphrun_build_flags fmt::fmt)
target_compile_definitions(graphrun_python PRIVATE GRAPHRUN_HAS_WIDE=$<BOOL:${GRAPHRUN_BUILD_WIDE}>)
set(module_targets graphrun_python)
if(GRAPHRUN_BUILD_WIDE)
  add_library(graphrun_python_wide OBJECT "${package}/graphs.cpp" "${package}/answers.cpp")
  target_link_libraries(graphrun_python_wide PRIVATE graphrun_lib64 graphrun_build_flags fmt::fmt pybind11::module)
  target_sources(graphrun_python PRIVATE $<TARGET_OBJECTS:graphrun_python_wide>)
  target_link_libraries(graphrun_python PRIVATE $<LINK_ONLY:graphrun_lib64>)
  list(APPEND module_targets graphrun_python_wide)
endif()
foreach(target ${module_targets})  # glue: docs/python.md has figures of it compiled so
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endforeach()
# Exports PyInit__core alone: copies of the standard library's templates would replace those that other libraries call. On Ubuntu
# 24.04 a stream then read no number.
file(WRITE "${CMAKE_BINARY_DIR}/python/exports" "{ global: PyInit__core; local: *; };\n")
target_link_options(graphrun_python PRIVATE "LINKER:--version-script=${CMAKE_BINARY_DIR}/python/exports")
set_target_properties(graphrun_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY "${tree}")
set_target_properties(${module_targets} PROPERTIES
  UNITY_BUILD OFF CXX_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)

file(GLOB sources CONFIGURE_DEPENDS "${package}/graphrun/*.py" "${package}/graphrun/*.pyi" "${package}/graphrun/py.typed")
file(MAKE_DIRECTORY "${tree}")
foreach(source ${sources})
  get_filename_component(name "${source}" NAME)
  file(CREATE_LINK "${source}" "${tree}/${name}" COPY_ON_ERROR SYMBOLIC)
endforeach()
# NetworkX finds its backends by entry points, which Python reads beside the package.
set(information "${tree}-${PROJECT_VERSION}.dist-info")
file(WRITE "${information}/METADATA" "Metadata-Version: 2.1\nName: graphrun\nVersion: ${PROJECT_VERSION}\n")
file(CREATE_LINK "${package}/entry_points.txt" "${information}/entry_points.txt" COPY_ON_ERROR SYMBOLIC)

install(TARGETS graphrun_python LIBRARY DESTINATION graphrun COMPONENT python EXCLUDE_FROM_ALL)
install(TARGETS graphrun graphconv RUNTIME DESTINATION programs COMPONENT python EXCLUDE_FROM_ALL)
install(FILES ${sources} DESTINATION graphrun COMPONENT python EXCLUDE_FROM_ALL)
