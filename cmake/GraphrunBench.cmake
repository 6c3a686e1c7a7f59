# SPDX-License-Identifier: Apache-2.0
# graphbench is Python: the program is a launcher beside graphrun, in the build and in an installation. Prefers the system's own
# python3, because distributions package matplotlib for that one.

find_program(GRAPHRUN_INTERPRETER python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(GRAPHRUN_INTERPRETER python3)
if(NOT GRAPHRUN_INTERPRETER)
  message(STATUS "graphbench: left out, there is no python3")
  return()
endif()

set(launcher "${CMAKE_SOURCE_DIR}/apps/graphbench/launcher.py.in")
set(executable OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# A build inside the source tree may move with it, for example to a machine with a GPU.
set(package_folder "${CMAKE_SOURCE_DIR}/apps")
cmake_path(IS_PREFIX CMAKE_SOURCE_DIR "${CMAKE_BINARY_DIR}" NORMALIZE is_inside)
if(is_inside)
  file(RELATIVE_PATH package_folder "${CMAKE_BINARY_DIR}" "${package_folder}")
endif()
configure_file("${launcher}" "${CMAKE_BINARY_DIR}/graphbench" @ONLY FILE_PERMISSIONS ${executable})

set(installed_package "${CMAKE_INSTALL_DATADIR}/graphrun")
file(RELATIVE_PATH package_folder "/${CMAKE_INSTALL_BINDIR}" "/${installed_package}")
configure_file("${launcher}" "${CMAKE_BINARY_DIR}/installed/graphbench" @ONLY FILE_PERMISSIONS ${executable})
install(PROGRAMS "${CMAKE_BINARY_DIR}/installed/graphbench" DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY "${CMAKE_SOURCE_DIR}/apps/graphbench" DESTINATION "${installed_package}"
        FILES_MATCHING PATTERN "*.py" PATTERN "*.j2" PATTERN "*.css" PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/configs" DESTINATION "${installed_package}")
