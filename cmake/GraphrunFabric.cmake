# SPDX-License-Identifier: Apache-2.0
# Servers of edges and their clients prove knowledge of the token with libcrypto; without it they use no token.
find_package(OpenSSL COMPONENTS Crypto)

# One-sided reads of other processes' memory need libfabric: headers at build time, and the library at run time, loaded on use.
# Without headers programs report it (exit 77).
find_path(FABRIC_INCLUDE_DIR rdma/fi_rma.h)
if(GRAPHRUN_FABRIC AND FABRIC_INCLUDE_DIR)
  set(GRAPHRUN_HAS_FABRIC TRUE)
else()
  set(GRAPHRUN_HAS_FABRIC FALSE)
  message(STATUS "gpuvm is built without the fabrics ofi:PROVIDER: libfabric's headers were not found, or not wanted")
endif()
