// Who can be asked for the bytes of a shard.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/transport/fabric.hpp"
#include "transport/ofi/server_link.hpp"

namespace graphrun::ofi {

/// A server, or one of the interfaces of one.
struct AskedServer {
  FabricServer about;
  std::unique_ptr<ServerLink> link;             ///< null once it is given up
  std::size_t asked = 0;                        ///< pieces that it owes
  std::uint64_t owed_bytes = 0;                 ///< in those
  std::chrono::steady_clock::time_point heard;  ///< when it last answered, or was first asked
};

/// The servers of a shard that are left; those of the lowest rank share its reads.
class ShardServers {
 public:
  explicit ShardServers(std::vector<AskedServer> servers) : servers_(std::move(servers)) {
    std::stable_sort(servers_.begin(), servers_.end(),
                     [](const AskedServer& a, const AskedServer& b) { return a.about.rank < b.about.rank; });
  }

  std::size_t count() const { return servers_.size(); }  ///< with those that were given up

  /// The one to ask next: which owes least, so that a slow interface gets less to do; of two another than the last. Null when
  /// none is left.
  AskedServer* next() {
    AskedServer* best = nullptr;
    for_each_sharing([&](AskedServer& server) {
      const bool less = best == nullptr || server.owed_bytes < best->owed_bytes;
      if (less || (server.owed_bytes == best->owed_bytes && best == last_)) best = &server;
    });
    last_ = best;
    return best;
  }

  /// For each server that shares the reads now. `visit` may give it up.
  template <class Visit>
  void for_each_sharing(const Visit& visit) {
    int rank = 0;
    bool any = false;
    for (AskedServer& server : servers_) {
      if (server.link == nullptr) continue;
      if (any && server.about.rank != rank) return;
      any = true;
      rank = server.about.rank;
      visit(server);
    }
  }

  /// "a+b|c": what shares the reads, and its replicas.
  std::string names() const {
    std::string text;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
      if (i != 0) text += servers_[i].about.rank == servers_[i - 1].about.rank ? '+' : '|';
      text += servers_[i].about.name;
    }
    return text;
  }

  bool holds(const AskedServer& server) const {
    return &server >= servers_.data() && &server < servers_.data() + servers_.size();
  }
  auto begin() { return servers_.begin(); }
  auto end() { return servers_.end(); }

 private:
  std::vector<AskedServer> servers_;  ///< in ascending order of rank
  const AskedServer* last_ = nullptr;
};

}  // namespace graphrun::ofi
