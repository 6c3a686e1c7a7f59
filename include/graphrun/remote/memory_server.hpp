// SPDX-License-Identifier: Apache-2.0
// A server of edges: keeps a shard of a container in memory for one-sided reads by clients with the token. graphmemd runs it.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

struct MemoryServerOptions {
  std::string graph;   ///< a .grf container
  std::string listen;  ///< "HOST", "HOST:PORT", "[IPv6]:PORT"; port 0: any free one; several interfaces are joined by '+'
  int shard = 1;
  int shards = 1;
  std::vector<std::string> providers{"tcp"};  ///< of libfabric
  int endpoints = 1;                          ///< of each provider
  std::string token_file;                     ///< empty: the environment's token, or none
  bool check = true;                          ///< read all of the container first, to check for damage
  std::chrono::milliseconds handshake{5000};  ///< longest handshake; later clients are disconnected
};

class MemoryServer {
 public:
  virtual ~MemoryServer() = default;
  virtual std::string address() const = 0;      ///< "HOST:PORT", or several joined by '+', as clients name it
  virtual std::string description() const = 0;  ///< the served data, in words
  /// Answers clients until `stop`, which it checks after every signal and at least twice a second.
  virtual void run(const std::atomic<bool>& stop) = 0;
};

/// Opens a server. Throws UsageError, also for an address beyond this machine without a token; DataError; UnavailableError.
std::unique_ptr<MemoryServer> open_memory_server(const MemoryServerOptions& options);

}  // namespace graphrun::inline GR_IDS
