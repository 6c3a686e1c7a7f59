// SPDX-License-Identifier: Apache-2.0
// One thread answers all clients. A client costs it a bounded buffer for a bounded time.
#include "graphrun/remote/memory_server.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <utility>

#include "core/raise.hpp"
#include "graph/column_copy.hpp"
#include "graphrun/core/bytes.hpp"
#include "graphrun/core/log.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/io/load.hpp"
#include "remote/protocol.hpp"
#include "remote/socket.hpp"

namespace graphrun::inline GR_IDS {
namespace {

using remote::Clock;
using remote::Refusal;

constexpr const char* kListen = "--listen";
constexpr std::size_t kMostClients = 256;
constexpr std::chrono::milliseconds kMostSleep{500};

std::vector<remote::SocketAddress> addresses_to_listen_at(const MemoryServerOptions& options, const remote::Token& token) {
  std::vector<remote::SocketAddress> addresses;
  for (const std::string& listen : split_list(options.listen, '+', kListen)) {
    addresses.push_back(remote::resolve(remote::parse_host_and_port(listen, kListen)));
    if (addresses.back().is_any())
      raise<UsageError>("--listen {} names no address: write the one that clients reach this machine at", listen);
    if (!token.exists() && !addresses.back().is_loopback()) {
      raise<UsageError>(
          "without a token graphmemd listens on loopback only, not at {}: give it one with --token-file or "
          "GRAPHMEMD_TOKEN",
          addresses.back().text());
    }
  }
  return addresses;
}

/// Shards begin and end at multiples of this in their section, so that no page spans two.
constexpr std::uint64_t kShardAlignment = 64 << 10;

/// The part of a container's edges that a server keeps in memory.
struct EdgeShard {
  struct Stretch {
    std::uint64_t offset;  ///< in the file
    Column<std::byte> bytes;
  };
  std::vector<Stretch> stretches;  ///< of neighbours, weights and in-neighbours, where present
  std::optional<WeightStats> weights;
  std::uint64_t num_weights = 0;

  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const Stretch& stretch : stretches) sum += stretch.bytes.size();
    return sum;
  }
};

/// Returns the byte range [first, second) of a shard in a column.
std::pair<std::uint64_t, std::uint64_t> bytes_of_shard(std::uint64_t bytes, int shard, int shards) {
  const std::uint64_t blocks = (bytes + kShardAlignment - 1) / kShardAlignment;
  const auto border = [&](int i) {
    return std::min(bytes, blocks * static_cast<std::uint64_t>(i) / static_cast<std::uint64_t>(shards) * kShardAlignment);
  };
  return {border(shard - 1), border(shard)};
}

template <class T>
void add_column(EdgeShard& made, const Column<T>& column, int shard, int shards) {
  const auto [begin, end] = bytes_of_shard(column.bytes(), shard, shards);
  if (begin == end) return;
  if (!column.in_mapped_file())
    throw UsageError("edges of a container whose lists are packed, or whose vertex ids are widened, cannot be served");
  const auto offset = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(column.data()) - column.region()->data());
  made.stretches.push_back({offset + begin, copy_bytes(column, begin, end)});
}

/// Returns statistics of weights. A weight that is not finite makes `smallest` negative, so that clients refuse the weights.
/// `largest` and `mean` omit it: the message to clients is JSON, which has no infinity.
WeightStats stats_of(const Column<std::byte>& bytes, const Graph& graph) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(bytes.data());
  const std::size_t count = bytes.size() / sizeof(std::uint32_t);
  WeightStats stats{std::numeric_limits<double>::max(), 0, 0};
  for (std::size_t i = 0; i < count; ++i) {
    const double weight = graph.weight_of(words[i]);
    stats.smallest = std::isfinite(weight) ? std::min(stats.smallest, weight) : std::numeric_limits<double>::lowest();
    if (!std::isfinite(weight)) continue;
    stats.largest = std::max(stats.largest, weight);
    stats.mean += weight / static_cast<double>(count);
  }
  return stats;
}

/// Reads shard `shard` of `shards`, from 1, of a container. `check`: reads and checks all of the file first. Throws DataError and
/// UsageError.
EdgeShard load_edge_shard(const std::string& path, int shard, int shards, bool check) {
  ThreadPool pool;
  LoadOptions how;
  how.format = FileFormat::native;
  how.check = check;
  const Graph graph = load_graph(path, how, pool).graph;
  EdgeShard made;
  add_column(made, graph.out.neighbours, shard, shards);
  if (graph.weight_kind != WeightKind::none) {
    const std::size_t before = made.stretches.size();
    add_column(made, graph.out.weights, shard, shards);
    if (made.stretches.size() != before) {
      made.weights = stats_of(made.stretches.back().bytes, graph);
      made.num_weights = made.stretches.back().bytes.size() / sizeof(std::uint32_t);
    }
  }
  if (graph.in) add_column(made, graph.in->neighbours, shard, shards);
  std::sort(made.stretches.begin(), made.stretches.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  return made;
}

/// An address for clients, and its grants.
struct Door {
  OwnedFd listener;
  std::map<std::string, remote::Grant> grants;  ///< by provider
};

/// A client in or after the handshake.
struct Client {
  OwnedFd fd;
  const Door* door;
  std::string name;
  Clock::time_point deadline;  ///< of the handshake
  std::string received;
  remote::Nonces nonces;
  enum class Awaited { hello, request, nothing } awaited = Awaited::hello;
};

class OneThreadServer final : public MemoryServer {
 public:
  explicit OneThreadServer(const MemoryServerOptions& how)
      : options_(how),
        token_(remote::Token::find(how.token_file)),
        addresses_(addresses_to_listen_at(how, token_)),
        graph_(remote::head_checksum(how.graph)) {
    for (const auto& address : addresses_) doors_.push_back({remote::listen_at(address), {}});
    shard_ = load_edge_shard(how.graph, how.shard, how.shards, how.check);
    if (shard_.bytes() == 0) {
      log::warn(how.shards == 1 ? fmt::format("{} has no edges", how.graph)
                                : fmt::format("shard {}/{} of {} has no edges: it is not large enough for so many", how.shard,
                                              how.shards, how.graph));
    }
    for (std::size_t i = 0; i < doors_.size(); ++i) {
      for (const std::string& provider : options_.providers)
        doors_[i].grants[provider] = export_by(provider, addresses_[i].host());
    }
  }

  std::string address() const override {
    std::string text;
    for (const Door& door : doors_) {
      text += fmt::format("{}{}", text.empty() ? "" : "+", remote::local_address(door.listener.get()).text());
    }
    return text;
  }

  std::string description() const override {
    return fmt::format("shard {}/{} of {}, {} of edges in memory, {}", options_.shard, options_.shards, options_.graph,
                       format_bytes(shard_.bytes()),
                       token_.exists() ? "for clients with the token" : "without a token, for this machine only");
  }

  void run(const std::atomic<bool>& stop) override {
    while (!stop.load()) {
      std::vector<pollfd> fds;
      for (const Door& door : doors_)
        fds.push_back({door.listener.get(), static_cast<short>(clients_.size() < kMostClients ? POLLIN : 0), 0});
      for (const Client& client : clients_) fds.push_back({client.fd.get(), POLLIN, 0});
      if (::poll(fds.data(), fds.size(), static_cast<int>(kMostSleep.count())) < 0 && errno != EINTR) {
        throw RunError("the system refuses to wait for clients");
      }
      auto ready = fds.begin() + static_cast<std::ptrdiff_t>(doors_.size());
      const auto now = Clock::now();
      for (auto client = clients_.begin(); client != clients_.end(); ++ready) {
        const bool stays = ready->revents == 0 ? !is_late(*client, now) : hear(*client);
        client = stays ? std::next(client) : clients_.erase(client);
      }
      for (std::size_t i = 0; i < doors_.size(); ++i) {
        if (fds[i].revents != 0) accept_one(doors_[i]);
      }
      for (const auto& each : exports_) each->expect_readers(!clients_.empty());
    }
  }

 private:
  remote::Grant export_by(const std::string& provider, const std::string& host) {
    auto made = export_memory(provider, provider == "shm" ? "" : host, options_.endpoints);
    remote::Grant grant{options_.shard, options_.shards, made->endpoints(), {}, shard_.weights, shard_.num_weights};
    for (const auto& [offset, bytes] : shard_.stretches)
      grant.stretches.push_back({offset, bytes.size(), made->add(bytes.span())});
    exports_.push_back(std::move(made));
    return grant;
  }

  void accept_one(const Door& door) {
    remote::SocketAddress from;
    from.size = sizeof(from.bytes);
    OwnedFd fd(
        ::accept4(door.listener.get(), reinterpret_cast<sockaddr*>(&from.bytes), &from.size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd.is_open()) return;
    constexpr int kOn = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_KEEPALIVE, &kOn, sizeof(kOn));  // detects clients whose machine is gone
    clients_.push_back({std::move(fd), &door, from.text(), Clock::now() + options_.handshake, {}, {}});
  }

  static bool is_late(const Client& client, Clock::time_point now) {
    if (client.awaited == Client::Awaited::nothing || now < client.deadline) return false;
    log::warn(fmt::format("{} was sent away: it took too long to say who it is", client.name));
    return true;
  }

  /// Receives from a client and answers. Returns false when that ends the connection.
  bool hear(Client& client) {
    char buffer[4096];
    const ssize_t count = ::recv(client.fd.get(), buffer, sizeof(buffer), 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0 && client.awaited == Client::Awaited::nothing) log::info(fmt::format("{} left", client.name));
    if (count == 0) return false;
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

  bool answer(Client& client, const std::string& message) {
    switch (client.awaited) {
      case Client::Awaited::hello:
        client.nonces = {remote::read_hello(message), remote::random_nonce()};
        client.awaited = Client::Awaited::request;
        return say(client, remote::hello_text(client.nonces.server));
      case Client::Awaited::request: {
        const remote::Request request = remote::read_request(message, client.nonces, token_);
        if (request.graph != graph_) throw Refusal(fmt::format("serves another graph ({}) than the client has", options_.graph));
        const auto grant = client.door->grants.find(request.provider);
        if (grant == client.door->grants.end()) throw Refusal(fmt::format("does not serve by provider '{}'", request.provider));
        client.awaited = Client::Awaited::nothing;
        log::info(fmt::format("{} reads by {}", client.name, request.provider));
        return say(client, remote::grant_text(grant->second, client.nonces, token_));
      }
      case Client::Awaited::nothing:
        break;
    }
    throw RunError("says more than it should");
  }

  /// Sends an answer. Answers are smaller than a socket's buffer: a client that does not receive them is gone.
  static bool say(const Client& client, const std::string& text) {
    const std::string message = remote::framed(text);
    return ::send(client.fd.get(), message.data(), message.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(message.size());
  }

  MemoryServerOptions options_;
  remote::Token token_;
  std::vector<remote::SocketAddress> addresses_;
  std::string graph_;
  EdgeShard shard_;
  std::vector<std::unique_ptr<MemoryExport>> exports_;
  std::vector<Door> doors_;  ///< one an address
  std::list<Client> clients_;
};

}  // namespace

std::unique_ptr<MemoryServer> open_memory_server(const MemoryServerOptions& options) {
  return std::make_unique<OneThreadServer>(options);
}

}  // namespace graphrun::inline GR_IDS
