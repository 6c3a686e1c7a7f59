// One thread answers all clients. Whatever they send, they cost it a bounded buffer each, and a place for a bounded time.
#include "graphrun/remote/memory_server.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <list>
#include <map>
#include <utility>

#include "graphrun/core/bytes.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/split_list.hpp"
#include "remote/edge_shard.hpp"
#include "remote/protocol.hpp"
#include "remote/socket.hpp"

namespace graphrun::inline GR_IDS {
namespace {

using remote::Clock;
using remote::Refusal;

constexpr const char* kListen = "--listen";
constexpr std::size_t kMostClients = 256;
constexpr std::chrono::milliseconds kMostSleep{500};

remote::SocketAddress address_to_listen_at(const std::string& listen, const remote::Token& token) {
  const auto address = remote::resolve(remote::parse_host_and_port(listen, kListen));
  if (address.is_any()) {
    throw UsageError(fmt::format("--listen {} names no address: write the one that clients reach this machine at", listen));
  }
  if (!token.exists() && !address.is_loopback()) {
    throw UsageError(
        fmt::format("without a token graphmemd listens on loopback only, not at {}: give it one with --token-file or "
                    "GRAPHMEMD_TOKEN",
                    address.text()));
  }
  return address;
}

std::vector<remote::SocketAddress> addresses_to_listen_at(const MemoryServerOptions& options, const remote::Token& token) {
  std::vector<remote::SocketAddress> addresses;
  for (const std::string& listen : split_list(options.listen, '+', kListen)) {
    addresses.push_back(address_to_listen_at(listen, token));
  }
  return addresses;
}

/// An address that clients come to, and what they are told there.
struct Door {
  OwnedFd listener;
  std::map<std::string, remote::Grant> grants;  ///< of each provider
};

/// A client on its way through the handshake, or one that has been through it.
struct Client {
  OwnedFd fd;
  const Door* door;
  std::string name;
  Clock::time_point deadline;  ///< of the handshake
  std::string received;
  remote::Nonces nonces;
  enum class Awaited { hello, request, nothing } awaited = Awaited::hello;
};

}  // namespace

struct MemoryServer::Parts {
  explicit Parts(const MemoryServerOptions& how)
      : options(how),
        token(remote::Token::find(how.token_file)),
        addresses(addresses_to_listen_at(how, token)),
        graph(remote::head_checksum(how.graph)) {
    for (const auto& address : addresses) doors.push_back({remote::listen_at(address), {}});
    shard = remote::load_edge_shard(how.graph, how.shard, how.shards, how.check);
    if (shard.bytes() == 0) {
      log::warn(how.shards == 1 ? fmt::format("{} has no edges", how.graph)
                                : fmt::format("shard {}/{} of {} has no edges: it is not large enough for so many", how.shard,
                                              how.shards, how.graph));
    }
    for (std::size_t i = 0; i < doors.size(); ++i) {
      for (const std::string& provider : options.providers) doors[i].grants[provider] = export_by(provider, addresses[i].host());
    }
  }

  remote::Grant export_by(const std::string& provider, const std::string& host) {
    auto made = std::make_unique<MemoryExport>(provider, provider == "shm" ? "" : host, options.endpoints);
    remote::Grant grant{options.shard, options.shards, made->endpoints(), {}, shard.weights, shard.num_weights};
    for (const auto& [offset, bytes] : shard.stretches)
      grant.stretches.push_back({offset, bytes.size(), made->add(bytes.span())});
    exports.push_back(std::move(made));
    return grant;
  }

  void run(const std::atomic<bool>& stop) {
    while (!stop.load()) {
      std::vector<pollfd> fds;
      for (const Door& door : doors)
        fds.push_back({door.listener.get(), static_cast<short>(clients.size() < kMostClients ? POLLIN : 0), 0});
      for (const Client& client : clients) fds.push_back({client.fd.get(), POLLIN, 0});
      if (::poll(fds.data(), fds.size(), static_cast<int>(kMostSleep.count())) < 0 && errno != EINTR) {
        throw RunError("the system refuses to wait for clients");
      }
      auto ready = fds.begin() + static_cast<std::ptrdiff_t>(doors.size());
      const auto now = Clock::now();
      for (auto client = clients.begin(); client != clients.end(); ++ready) {
        const bool stays = ready->revents == 0 ? !is_late(*client, now) : hear(*client);
        client = stays ? std::next(client) : clients.erase(client);
      }
      for (std::size_t i = 0; i < doors.size(); ++i) {
        if (fds[i].revents != 0) accept_one(doors[i]);
      }
      for (const auto& each : exports) each->expect_readers(!clients.empty());
    }
  }

  void accept_one(const Door& door) {
    remote::SocketAddress from;
    from.size = sizeof(from.bytes);
    OwnedFd fd(
        ::accept4(door.listener.get(), reinterpret_cast<sockaddr*>(&from.bytes), &from.size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd.is_open()) return;
    constexpr int kOn = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_KEEPALIVE, &kOn, sizeof(kOn));  // finds out about clients whose machine is gone
    clients.push_back({std::move(fd), &door, from.text(), Clock::now() + options.handshake, {}, {}});
  }

  static bool is_late(const Client& client, Clock::time_point now) {
    if (client.awaited == Client::Awaited::nothing || now < client.deadline) return false;
    log::warn(fmt::format("{} was sent away: it took too long to say who it is", client.name));
    return true;
  }

  /// Takes what the client sent; false when that ends it.
  bool hear(Client& client) {
    char buffer[4096];
    const ssize_t count = ::recv(client.fd.get(), buffer, sizeof(buffer), 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return leave(client);
    client.received.append(buffer, static_cast<std::size_t>(count));
    try {
      for (auto size = remote::framed_size(client.received); size && client.received.size() >= *size;
           size = remote::framed_size(client.received)) {
        const std::string message = client.received.substr(remote::kLengthBytes, *size - remote::kLengthBytes);
        client.received.erase(0, *size);
        if (!answer(client, message)) return false;
      }
      return !is_late(client, Clock::now());
    } catch (const Refusal& refusal) {
      log::warn(fmt::format("{} was sent away: this server {}", client.name, refusal.what()));
      say(client, remote::refusal_text(refusal.what()));
    } catch (const Error& error) {
      log::warn(fmt::format("{} was sent away: it {}", client.name, error.what()));
      say(client, remote::refusal_text(fmt::format("does not understand the client, which {}", error.what())));
    }
    return false;
  }

  static bool leave(const Client& client) {
    if (client.awaited == Client::Awaited::nothing) log::info(fmt::format("{} left", client.name));
    return false;
  }

  bool answer(Client& client, const std::string& message) {
    switch (client.awaited) {
      case Client::Awaited::hello:
        client.nonces = {remote::read_hello(message).nonce, remote::random_nonce()};
        client.awaited = Client::Awaited::request;
        return say(client, remote::hello_text(client.nonces.server));
      case Client::Awaited::request: {
        const remote::Request request = remote::read_request(message, client.nonces, token);
        if (request.graph != graph) throw Refusal(fmt::format("serves another graph ({}) than the client has", options.graph));
        const auto grant = client.door->grants.find(request.provider);
        if (grant == client.door->grants.end()) throw Refusal(fmt::format("does not serve by provider '{}'", request.provider));
        client.awaited = Client::Awaited::nothing;
        log::info(fmt::format("{} reads by {}", client.name, request.provider));
        return say(client, remote::grant_text(grant->second, client.nonces, token));
      }
      case Client::Awaited::nothing:
        break;
    }
    throw RunError("says more than it should");
  }

  /// Answers are smaller than a socket's buffer: a client that does not take them is gone.
  static bool say(const Client& client, const std::string& text) {
    const std::string message = remote::framed(text);
    return ::send(client.fd.get(), message.data(), message.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(message.size());
  }

  MemoryServerOptions options;
  remote::Token token;
  std::vector<remote::SocketAddress> addresses;
  std::string graph;
  remote::EdgeShard shard;
  std::vector<std::unique_ptr<MemoryExport>> exports;
  std::vector<Door> doors;  ///< one an address
  std::list<Client> clients;
};

MemoryServer::MemoryServer(const MemoryServerOptions& options) : parts_(std::make_unique<Parts>(options)) {}
MemoryServer::~MemoryServer() = default;

std::string MemoryServer::address() const {
  std::string text;
  for (const Door& door : parts_->doors) {
    text += fmt::format("{}{}", text.empty() ? "" : "+", remote::local_address(door.listener.get()).text());
  }
  return text;
}

std::string MemoryServer::description() const {
  return fmt::format("shard {}/{} of {}, {} of edges in memory, {}", parts_->options.shard, parts_->options.shards,
                     parts_->options.graph, format_bytes(parts_->shard.bytes()),
                     parts_->token.exists() ? "for clients with the token" : "without a token, for this machine only");
}

void MemoryServer::run(const std::atomic<bool>& stop) { parts_->run(stop); }

}  // namespace graphrun::inline GR_IDS
