// SPDX-License-Identifier: Apache-2.0
// The reader's side of one server: endpoints of its own, over which reads are spread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graphrun/transport/fabric.hpp"
#include "transport/ofi/ofi.hpp"

namespace graphrun::ofi {

/// A link to a server, for one thread at a time. At its end nothing arrives any more in the memory of its reads.
class ServerLink {
 public:
  /// Connects. Reads go to within `memory`. Throws UnavailableError and RunError.
  ServerLink(const std::string& provider, const FabricServer& server, int endpoints, std::size_t depth);
  ~ServerLink();

  /// Sets the memory of later reads: registered once, with a provider that wants it. Throws RunError.
  void use_memory(std::span<std::byte> memory);

  enum class Posted { yes, not_now, failed };
  /// Posts a read. `context` comes back with the outcome; the provider uses its bytes until then.
  Posted read(void* into, std::uint32_t bytes, const ExportedMemory& from, std::uint64_t offset, fi_context2& context);

  struct Arrival {
    fi_context2* context;
    int error;  ///< of libfabric; 0: the data are there
  };
  std::size_t poll(std::span<Arrival> arrivals);

  int wait_fd() const { return port_.wait_fd; }
  const std::string& last_error() const { return last_error_; }

 private:
  Port port_;
  Memory memory_;
  std::vector<fi_addr_t> targets_;  ///< of each endpoint
  std::size_t next_ = 0;
  std::size_t out_ = 0;  ///< reads
  std::string last_error_;
};

}  // namespace graphrun::ofi
