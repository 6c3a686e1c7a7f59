# Servers of edges and their clients prove with libcrypto that they know the token; without it they use none.
find_package(OpenSSL COMPONENTS Crypto)

# One-sided reads of other processes' memory need libfabric; without it the programs say so (exit 77).
find_path(FABRIC_INCLUDE_DIR rdma/fi_rma.h)
find_library(FABRIC_LIBRARY fabric)
if(FABRIC_INCLUDE_DIR AND FABRIC_LIBRARY)
  set(GRAPHRUN_HAS_FABRIC TRUE)
else()
  set(GRAPHRUN_HAS_FABRIC FALSE)
  message(STATUS "libfabric was not found: gpuvm is built without the fabrics ofi:PROVIDER")
endif()
