// A server of edges: keeps a shard of a container in memory and lets clients that know the token read it, one-sided. What
// graphmemd runs.
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
  std::string listen;  ///< "HOST", "HOST:PORT", "[IPv6]:PORT"; port 0: any that is free; of several interfaces with '+' between
  int shard = 1;
  int shards = 1;
  std::vector<std::string> providers{"tcp"};  ///< of libfabric
  int endpoints = 1;                          ///< of each provider
  std::string token_file;                     ///< empty: the environment's token, or none
  bool check = true;                          ///< read all of the container first, to see that it is undamaged
  std::chrono::milliseconds handshake{5000};  ///< a client that takes longer for it is sent away
};

class MemoryServer {
 public:
  virtual ~MemoryServer() = default;
  virtual std::string address() const = 0;      ///< "HOST:PORT", or several with '+' between, as clients name it
  virtual std::string description() const = 0;  ///< what it serves, in words
  /// Answers clients until `stop`, at which it looks after every signal and at least twice a second.
  virtual void run(const std::atomic<bool>& stop) = 0;
};

/// Throws UsageError, also when it is to listen beyond this machine without a token; DataError; UnavailableError.
std::unique_ptr<MemoryServer> open_memory_server(const MemoryServerOptions& options);

}  // namespace graphrun::inline GR_IDS
