# SPDX-License-Identifier: Apache-2.0
# Run by cpack before it packs: Debian wants manual pages compressed, the same bytes each time.
file(GLOB pages "${CPACK_TEMPORARY_DIRECTORY}/usr/share/man/man1/*.1")
if(NOT pages)
  message(FATAL_ERROR "there are no manual pages in ${CPACK_TEMPORARY_DIRECTORY}")
endif()
execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
