// SPDX-License-Identifier: Apache-2.0
// TCP with deadlines, and messages of bounded size over it.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/owned_fd.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::remote::inline GR_IDS {

using Clock = std::chrono::steady_clock;

inline constexpr std::uint16_t kDefaultPort = 7117;
/// Largest message, far above any valid one.
inline constexpr std::size_t kMostMessageBytes = 64 << 10;

/// A host and a port: "HOST", "HOST:PORT", "[IPv6]" or "[IPv6]:PORT".
struct HostAndPort {
  std::string host;
  std::optional<std::uint16_t> port;  ///< none: kDefaultPort
};
/// Parses a HostAndPort. Throws UsageError naming `option`.
HostAndPort parse_host_and_port(const std::string& text, const std::string& option);

/// A resolved address of one machine.
struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  std::string host() const;  ///< numeric
  std::uint16_t port() const;
  std::string text() const;  ///< "HOST:PORT"
  bool is_loopback() const;
  bool is_any() const;
};
/// Resolves a host. Throws DataError.
SocketAddress resolve(const HostAndPort& where);
/// Resolves an address of this machine. Throws also RunError for another machine, and UsageError naming `option` for 0.0.0.0.
SocketAddress resolve_here(const HostAndPort& where, const std::string& option);
SocketAddress local_address(int fd);

/// Connects. Throws RunError naming the address, also when the deadline passes.
OwnedFd connect_to(const SocketAddress& address, Clock::time_point deadline);
/// Listens at the address. Throws RunError.
OwnedFd listen_at(const SocketAddress& address);

/// Sends a message: its length, 4 bytes little-endian, and its bytes. This and receiving throw RunError when the other end is
/// gone, too slow, or announces more than kMostMessageBytes.
void send_message(int fd, std::string_view text, Clock::time_point deadline);
std::string receive_message(int fd, Clock::time_point deadline);

/// Returns a message in the format of send_message().
std::string framed(std::string_view text);
/// Returns the size of the message at the start of `received`; nothing until its length is there. Throws RunError when it is too
/// long.
std::optional<std::size_t> framed_size(std::string_view received);
inline constexpr std::size_t kLengthBytes = 4;

}  // namespace graphrun::remote::inline GR_IDS
