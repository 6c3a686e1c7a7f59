// libfabric, loaded when it is first needed: its providers take a fifth of a second to look for their hardware, which programs
// that use no fabric should not wait for, and which need not have it either.
#pragma once

#include <rdma/fabric.h>

namespace graphrun::ofi {

/// The functions that are in the library; all others are in its objects, and inline in its headers.
struct Library {
  decltype(&::fi_getinfo) getinfo;
  decltype(&::fi_freeinfo) freeinfo;
  decltype(&::fi_dupinfo) dupinfo;
  decltype(&::fi_fabric) fabric;
  decltype(&::fi_strerror) strerror;
  decltype(&::fi_version) version;
};

/// Throws UnavailableError when it is not on this machine. Any thread.
const Library& library();

}  // namespace graphrun::ofi
