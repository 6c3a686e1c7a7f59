// SPDX-License-Identifier: Apache-2.0
// libfabric's objects with an owner each, and its errors as exceptions.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace graphrun::ofi {

/// libfabric, loaded when it is first needed: its providers take a fifth of a second to look for their hardware, and it may be
/// missing. All other functions are inline in its headers.
struct Library {
  decltype(&::fi_getinfo) getinfo;
  decltype(&::fi_freeinfo) freeinfo;
  decltype(&::fi_dupinfo) dupinfo;
  decltype(&::fi_fabric) fabric;
  decltype(&::fi_strerror) strerror;
  decltype(&::fi_version) version;
};

/// Returns libfabric. Throws UnavailableError when it is not on this machine. Any thread.
const Library& library();

template <class T>
struct Closer {
  void operator()(T* object) const { ::fi_close(&object->fid); }
};
template <class T>
using Owned = std::unique_ptr<T, Closer<T>>;
using Fabric = Owned<fid_fabric>;
using Domain = Owned<fid_domain>;
using CompletionQueue = Owned<fid_cq>;
using AddressVector = Owned<fid_av>;
using Endpoint = Owned<fid_ep>;
using Memory = Owned<fid_mr>;

struct InfoCloser {
  void operator()(fi_info* info) const { library().freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, InfoCloser>;

enum class Side { reads, is_read };

/// Finds a provider of reliable one-sided reads, to or from `node` (empty: any). Throws UnavailableError.
Info find_way(const std::string& provider, const std::string& node, Side side);

/// Returns why one-sided reads by a provider do not go into device memory; "" when they do. Throws UnavailableError without
/// libfabric.
std::string why_no_hmem(const std::string& provider);

/// Throws RunError "DOING: libfabric's reason" when `status` is an error.
void check(int status, const std::string& doing);

/// Locks while endpoints of this process are made, closed or answer, where a provider cannot do these at the same time: libfabric
/// 1.17's shm writes to lists of the whole process. Locks nothing for other providers.
std::unique_lock<std::mutex> turn_of(const fi_info& info);

/// An interface of this machine, with endpoints that share one completion queue. Members end in the reverse of their order.
struct Port {
  /// Opens the interface; `where` is for messages: "at 10.0.0.1". Throws RunError.
  Port(Info way, const std::string& where, int endpoints, std::size_t depth);
  Port(Port&&) = default;
  Port& operator=(Port&&) = delete;
  ~Port() { close_endpoints(); }
  /// Closes the endpoints: nothing arrives afterwards.
  void close_endpoints();

  /// Lets others read from now on. Once, before the first answer(); the port must not move any more.
  void expect_readers();
  /// Answers requests that have arrived, and passes over readers that went away. Returns the result of fi_cq_read().
  ssize_t answer();

  Info info;
  Fabric fabric;
  Domain domain;
  CompletionQueue completions;
  AddressVector addresses;
  std::vector<Endpoint> endpoints;
  int wait_fd = -1;  ///< readable when there may be something to do; -1 where the provider has none

  /// Registers memory. Throws RunError.
  Memory add_memory(std::span<const std::byte> memory, std::uint64_t access);
};

}  // namespace graphrun::ofi
