// SPDX-License-Identifier: Apache-2.0
// One-sided reads of other processes' memory, through libfabric (Nazaraliyev et al., GPUVM, who read host memory by RDMA). The
// two sides find each other by remote/.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun {

/// The providers of libfabric that the help names.
inline constexpr std::string_view kFabricProviders[] = {"tcp", "shm", "verbs"};

/// Returns "" when reads through this provider work on this machine; otherwise a sentence.
std::string why_no_fabric(const std::string& provider);
/// Returns "" when reads through this provider can go straight into a GPU's memory (FI_HMEM); otherwise a sentence. graphrun
/// reads into host memory today.
std::string why_no_device_memory(const std::string& provider);

/// Throws UsageError naming `option` unless libfabric has, or had, such a provider: it takes "" for any, and "^tcp" for any but
/// tcp. A layer over the provider follows a semicolon.
inline void check_provider_name(const std::string& provider, const std::string& option) {
  constexpr std::string_view kKnown[] = {"tcp",   "shm", "verbs", "sockets", "udp", "efa", "psm2", "psm3", "opx", "cxi", "gni",
                                         "usnic", "bgq", "net",   "lnx",     "ucx", "sm2", "lpp",  "mlx",  "rxm", "rxd", "mrail"};
  const std::string name = provider.substr(0, provider.find(';'));
  if (std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown)) return;
  throw UsageError(option + ": '" + provider + "' is no provider of libfabric" + did_you_mean(name, kKnown) +
                   ": write tcp, shm or verbs");
}

/// Memory that others may read.
struct ExportedMemory {
  std::uint64_t address;  ///< as readers must name its first byte
  std::uint64_t key;      ///< a secret for readers; drawn at random where the provider lets us
};

/// Lets others read memory of this process, while it lives. A thread of its own serves them.
class MemoryExport {
 public:
  virtual ~MemoryExport() = default;
  /// Returns whether the provider pins pages, as RDMA devices do: the kernel lends them none of a file.
  virtual bool pins_memory() const = 0;
  /// Exports memory, which outlives this object. Throws RunError.
  virtual ExportedMemory add(std::span<const std::byte> memory) = 0;
  /// Says whether clients may read from now on; at first they may. Without readers the serving thread sleeps longer.
  virtual void expect_readers(bool any) = 0;
  /// Returns the addresses that readers connect to, in libfabric's own form.
  virtual const std::vector<std::string>& endpoints() const = 0;
};

/// Opens an export. `node` is this machine's address for readers; empty where the provider needs none. Throws UnavailableError.
std::unique_ptr<MemoryExport> export_memory(const std::string& provider, const std::string& node, int endpoints);

/// Bytes [offset, offset + bytes) of a store, in the memory of a server.
struct RemoteStretch {
  std::uint64_t offset;
  std::uint64_t bytes;
  ExportedMemory at;
};

/// One process that exports a part of a store.
struct FabricServer {
  std::string name;                                                      ///< for messages
  std::string node;                                                      ///< its address; empty where the provider needs none
  std::vector<std::string> endpoints;                                    ///< MemoryExport::endpoints()
  std::vector<RemoteStretch> stretches;                                  ///< in ascending order
  std::function<std::string()> why_gone = [] { return std::string(); };  ///< asked now and then; empty while it is there
  int rank = 0;  ///< servers of a shard's lowest rank share its reads; the others are their replicas
};

struct FabricStore {
  std::string provider;
  std::vector<std::vector<FabricServer>> shards;  ///< of each, its replicas, which hold the same stretches
  int endpoints = 1;                              ///< to each server, over which reads are spread
  std::chrono::milliseconds deadline{5000};       ///< without an answer for so long, a server is given up
};

/// Opens reads of memory that servers export. A read goes to the first replica of its shard that is left. A server that fails, is
/// gone, or misses the deadline is given up for good, once nothing of it can arrive any more. Its reads go to the next, or fail,
/// naming it. Throws UnavailableError, RunError when a server cannot be reached, UsageError when replicas differ.
std::unique_ptr<BlockEngine> open_fabric_engine(FabricStore store, std::uint32_t depth);

}  // namespace graphrun
