# Servers of edges and their clients prove with libcrypto that they know the token; without it they use none.
find_package(OpenSSL COMPONENTS Crypto)

# One-sided reads of other processes' memory need libfabric: its headers here, the library where programs run, which load it when
# they need it. Without headers programs say so (exit 77).
find_path(FABRIC_INCLUDE_DIR rdma/fi_rma.h)
if(GRAPHRUN_FABRIC AND FABRIC_INCLUDE_DIR)
  set(GRAPHRUN_HAS_FABRIC TRUE)
else()
  set(GRAPHRUN_HAS_FABRIC FALSE)
  message(STATUS "gpuvm is built without the fabrics ofi:PROVIDER: libfabric's headers were not found, or not wanted")
endif()
