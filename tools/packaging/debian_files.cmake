# SPDX-License-Identifier: Apache-2.0
# Run by cpack before it packs: compresses files as Debian requires, and writes its changelog, which names only the release.
set(doc "${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc/graphrun")
file(STRINGS "${doc}/CITATION.cff" date REGEX "^date-released: ")
string(REPLACE "date-released: " "" date "${date}")
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C date -u -d "${date}" "+%a, %d %b %Y %H:%M:%S +0000"
                OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(WRITE "${doc}/changelog"
  "graphrun (${CPACK_PACKAGE_VERSION}) unstable; urgency=low\n\n  * CHANGELOG.md says what changed.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
file(GLOB pages "${CPACK_TEMPORARY_DIRECTORY}/usr/share/man/man1/*.1")
if(NOT pages)
  message(FATAL_ERROR "there are no manual pages in ${CPACK_TEMPORARY_DIRECTORY}")
endif()
execute_process(COMMAND gzip -9nf "${doc}/changelog" ${pages} COMMAND_ERROR_IS_FATAL ANY)
