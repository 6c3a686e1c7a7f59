// SPDX-License-Identifier: Apache-2.0

#include "remote/socket.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "core/raise.hpp"

namespace graphrun::remote::inline GR_IDS {
namespace {

/// Returns false when the deadline came first.
bool wait_until(int fd, short events, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd ready{.fd = fd, .events = events, .revents = 0};
    const int count = ::poll(&ready, 1, static_cast<int>(std::min<long>(left, 1000)));
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
}

bool is_retry() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

HostAndPort parse_host_and_port(const std::string& text, const std::string& option) {
  const auto refusal = [&] {
    return UsageError(
        fmt::format("{}: '{}' is not an address: write HOST, HOST:PORT or [IPv6]:PORT, with a port up to 65535", option, text));
  };
  HostAndPort parsed;
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string::npos) throw refusal();
    parsed.host = text.substr(1, end - 1);
    port = std::string_view(text).substr(end + 1);
    if (!port.empty() && port.front() != ':') throw refusal();
  } else {
    const std::size_t colon = text.find(':');
    if (colon != text.rfind(':')) throw refusal();
    parsed.host = text.substr(0, colon);
    if (colon != std::string::npos) port = std::string_view(text).substr(colon);
  }
  if (parsed.host.empty()) throw refusal();
  if (port.empty()) return parsed;
  port.remove_prefix(1);
  const auto [rest, status] = std::from_chars(port.data(), port.data() + port.size(), parsed.port.emplace());
  if (status != std::errc{} || rest != port.data() + port.size()) throw refusal();
  return parsed;
}

std::string SocketAddress::host() const {
  char name[NI_MAXHOST] = "?";
  ::getnameinfo(reinterpret_cast<const sockaddr*>(&bytes), size, name, sizeof(name), nullptr, 0, NI_NUMERICHOST);
  return name;
}

std::uint16_t SocketAddress::port() const {
  return ntohs(bytes.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(bytes).sin6_port
                                           : reinterpret_cast<const sockaddr_in&>(bytes).sin_port);
}

std::string SocketAddress::text() const {
  return fmt::format(fmt::runtime(bytes.ss_family == AF_INET6 ? "[{}]:{}" : "{}:{}"), host(), port());
}

bool SocketAddress::is_loopback() const {
  if (bytes.ss_family == AF_INET6) return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(bytes).sin6_addr);
  return ntohl(reinterpret_cast<const sockaddr_in&>(bytes).sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

bool SocketAddress::is_any() const {
  if (bytes.ss_family == AF_INET6) return IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6&>(bytes).sin6_addr);
  return reinterpret_cast<const sockaddr_in&>(bytes).sin_addr.s_addr == INADDR_ANY;
}

SocketAddress resolve(const HostAndPort& where) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int status = ::getaddrinfo(where.host.c_str(), std::to_string(where.port.value_or(kDefaultPort)).c_str(), &hints, &found);
  if (status != 0) raise<DataError>("there is no machine '{}': {}", where.host, ::gai_strerror(status));
  SocketAddress address;
  std::memcpy(&address.bytes, found->ai_addr, found->ai_addrlen);
  address.size = found->ai_addrlen;
  ::freeaddrinfo(found);
  return address;
}

SocketAddress resolve_here(const HostAndPort& where, const std::string& option) {
  const SocketAddress address = resolve({where.host, 0});
  if (address.is_any()) raise<UsageError>("{}: {} names no address", option, where.host);
  const OwnedFd fd(::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (fd.get() < 0 || ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address.bytes), address.size) != 0) {
    raise_errno<RunError>("{}: {} cannot be used as an address of this machine", option, where.host);
  }
  return address;
}

SocketAddress local_address(int fd) {
  SocketAddress address;
  address.size = sizeof(address.bytes);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address.bytes), &address.size);
  return address;
}

OwnedFd connect_to(const SocketAddress& address, Clock::time_point deadline) {
  const auto fail = [&](const std::string& why) { return RunError(fmt::format("cannot reach {}: {}", address.text(), why)); };
  OwnedFd fd(::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.is_open()) throw fail(std::strerror(errno));
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address.bytes), address.size) != 0) {
    if (errno != EINPROGRESS) throw fail(std::strerror(errno));
    if (!wait_until(fd.get(), POLLOUT, deadline)) throw fail("no answer came");
    int error = 0;
    socklen_t size = sizeof(error);
    ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) throw fail(std::strerror(error));
  }
  constexpr int kOn = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &kOn, sizeof(kOn));
  return fd;
}

OwnedFd listen_at(const SocketAddress& address) {
  constexpr int kOn = 1;
  constexpr int kBacklog = 64;
  OwnedFd fd(::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const bool listens = fd.is_open() && ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &kOn, sizeof(kOn)) == 0 &&
                       ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address.bytes), address.size) == 0 &&
                       ::listen(fd.get(), kBacklog) == 0;
  if (!listens) raise_errno<RunError>("cannot listen at {}", address.text());
  return fd;
}

std::string framed(std::string_view text) {
  std::string message(kLengthBytes, '\0');
  const auto bytes = static_cast<std::uint32_t>(text.size());
  std::memcpy(message.data(), &bytes, kLengthBytes);
  return message.append(text);
}

std::optional<std::size_t> framed_size(std::string_view received) {
  if (received.size() < kLengthBytes) return std::nullopt;
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, received.data(), kLengthBytes);
  if (bytes > kMostMessageBytes) raise<RunError>("announces a message of {} bytes, and {} is the most", bytes, kMostMessageBytes);
  return kLengthBytes + bytes;
}

void send_message(int fd, std::string_view text, Clock::time_point deadline) {
  const std::string message = framed(text);
  for (std::size_t sent = 0; sent < message.size();) {
    const ssize_t count = ::send(fd, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
    if (count > 0) {
      sent += static_cast<std::size_t>(count);
    } else if (!is_retry()) {
      raise<RunError>("closed the connection ({})", std::strerror(errno));
    } else if (!wait_until(fd, POLLOUT, deadline)) {
      throw RunError("takes no messages");
    }
  }
}

std::string receive_message(int fd, Clock::time_point deadline) {
  std::string received;
  for (;;) {
    const std::optional<std::size_t> size = framed_size(received);
    if (received.size() == size) return received.substr(kLengthBytes);
    const std::size_t before = received.size();
    received.resize(size.value_or(kLengthBytes));
    const ssize_t count = ::recv(fd, received.data() + before, received.size() - before, 0);
    received.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) throw RunError("closed the connection");
    if (count < 0 && !is_retry()) raise<RunError>("closed the connection ({})", std::strerror(errno));
    if (count < 0 && !wait_until(fd, POLLIN, deadline)) throw RunError("does not answer");
  }
}

}  // namespace graphrun::remote::inline GR_IDS
