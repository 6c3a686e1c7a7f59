# SPDX-License-Identifier: Apache-2.0
# Makes `cpack` pack what `cmake --install` installs as a Debian package. dpkg-shlibdeps finds its dependencies.

install(FILES LICENSE NOTICE README.md CHANGELOG.md CITATION.cff DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES tools/packaging/copyright DESTINATION "${CMAKE_INSTALL_DOCDIR}")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The graphrun authors")
set(CPACK_PACKAGE_CONTACT "The graphrun authors <maintainers@graphrun.invalid>")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Runs BFS, SSSP, connected components, PageRank, betweenness centrality and\n\
triangle counting over graphs whose edges stay in host memory, in files or in\n\
the memory of other machines. With programs, library, headers and CMake files.")
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_SOURCE_DIR}/tools/packaging/debian_files.cmake")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# graphbench; fabrics that are loaded on use; the link dependencies of programs over the static library.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, python3-jsonschema, python3-jinja2, python3-matplotlib")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libfabric1, cmake, g++, libfmt-dev, libspdlog-dev, nlohmann-json3-dev, zlib1g-dev, liburing-dev, \
libzstd-dev, liblzma-dev, libbz2-dev, libarchive-dev, libssl-dev")
include(CPack)
