# SPDX-License-Identifier: Apache-2.0
# Install rules, so that another project can call find_package(graphrun) and link graphrun::graphrun.

set(GRAPHRUN_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/graphrun")
set(installed_libraries graphrun_base graphrun_lib)
set(installed_programs graphrun graphconv graphmemd)
if(GRAPHRUN_BUILD_WIDE)
  list(APPEND installed_libraries graphrun_lib64)
endif()

install(TARGETS ${installed_libraries} EXPORT graphrun_targets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(TARGETS ${installed_programs} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/include/graphrun" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
install(EXPORT graphrun_targets NAMESPACE graphrun:: DESTINATION "${GRAPHRUN_PACKAGE_DIR}")

# The programs generate their manual pages and completions.
foreach(program graphrun graphconv graphmemd)
  set(page "${CMAKE_BINARY_DIR}/installed/${program}.1")
  set(completions "${CMAKE_BINARY_DIR}/installed/${program}.bash")
  install(CODE "
    execute_process(COMMAND \"$<TARGET_FILE:${program}>\" --help man OUTPUT_FILE \"${page}\" COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND \"$<TARGET_FILE:${program}>\" --help bash OUTPUT_FILE \"${completions}\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES "${page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  install(FILES "${completions}" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME ${program})
endforeach()

configure_package_config_file("${CMAKE_CURRENT_SOURCE_DIR}/cmake/graphrun-config.cmake.in" "${CMAKE_BINARY_DIR}/graphrun-config.cmake"
  INSTALL_DESTINATION "${GRAPHRUN_PACKAGE_DIR}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/graphrun-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/graphrun-config.cmake" "${CMAKE_BINARY_DIR}/graphrun-config-version.cmake"
        DESTINATION "${GRAPHRUN_PACKAGE_DIR}")

# A sanitised library would force its flags on consumers; no user of an installed package has one.
if(GRAPHRUN_BUILD_TESTS AND NOT GRAPHRUN_SANITIZE)
  set(cuda_root "")
  if(GRAPHRUN_HAS_CUDA)
    cmake_path(GET CUDAToolkit_BIN_DIR PARENT_PATH cuda_root)
  endif()
  add_test(NAME package.consumer_of_the_installed_library
    COMMAND ${CMAKE_COMMAND} -D "build=${CMAKE_BINARY_DIR}" -D "consumer=${CMAKE_CURRENT_SOURCE_DIR}/tests/package"
            -D "scratch=${CMAKE_BINARY_DIR}/package_test" -D "generator=${CMAKE_GENERATOR}" -D "compiler=${CMAKE_CXX_COMPILER}"
            -D "version=${PROJECT_VERSION}" -D "cuda_root=${cuda_root}" -D "cuda_compiler=${CMAKE_CUDA_COMPILER}"
            -D "cuda_architectures=${CMAKE_CUDA_ARCHITECTURES}" -P "${CMAKE_CURRENT_SOURCE_DIR}/tests/package/install_and_consume.cmake")
  set_tests_properties(package.consumer_of_the_installed_library PROPERTIES TIMEOUT 600 LABELS package RESOURCE_LOCK installed)
endif()
