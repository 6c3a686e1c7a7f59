// SPDX-License-Identifier: Apache-2.0
// Shards of a store: their bytes, and the servers to ask for them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/raise.hpp"
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

/// The servers of a shard that are left; servers of the lowest rank share its reads.
class ShardServers {
 public:
  explicit ShardServers(std::vector<AskedServer> servers) : servers_(std::move(servers)) {
    std::stable_sort(servers_.begin(), servers_.end(),
                     [](const AskedServer& a, const AskedServer& b) { return a.about.rank < b.about.rank; });
  }

  std::size_t count() const { return servers_.size(); }  ///< with those that were given up

  /// Returns the server to ask next: the one that owes least, of two another than the last. Null when none is left.
  AskedServer* next() {
    AskedServer* best = nullptr;
    for_each_sharing([&](AskedServer& server) {
      const bool less = best == nullptr || server.owed_bytes < best->owed_bytes;
      if (less || (server.owed_bytes == best->owed_bytes && best == last_)) best = &server;
    });
    last_ = best;
    return best;
  }

  /// Calls visit(server) for each server that shares the reads now. `visit` may give it up.
  template <class Visit>
  void for_each_sharing(const Visit& visit) {
    std::optional<int> rank;
    for (AskedServer& server : servers_) {
      if (server.link == nullptr) continue;
      if (rank.value_or(server.about.rank) != server.about.rank) return;
      rank = server.about.rank;
      visit(server);
    }
  }

  /// Returns "a+b|c": the servers that share the reads, and their replicas.
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

/// Bytes that one server answers with one read.
struct Part {
  std::size_t shard;
  std::size_t stretch;   ///< of the shard's servers
  std::uint64_t offset;  ///< in the stretch
  std::uint32_t bytes;
};

/// The map from bytes of a store to shards.
class StretchMap {
 public:
  /// Builds the map. Throws UsageError when replicas hold different stretches, or shards the same bytes.
  explicit StretchMap(const FabricStore& store) {
    for (std::size_t shard = 0; shard < store.shards.size(); ++shard) {
      const auto& replicas = store.shards[shard];
      for (const FabricServer& replica : replicas) require_same(replicas.front(), replica);
      const auto& stretches = replicas.front().stretches;
      for (std::size_t i = 0; i < stretches.size(); ++i) places_.push_back({stretches[i].offset, stretches[i].bytes, shard, i});
    }
    std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) { return a.offset < b.offset; });
    for (std::size_t i = 1; i < places_.size(); ++i) {
      if (places_[i - 1].offset + places_[i - 1].bytes <= places_[i].offset) continue;
      raise<UsageError>("{} and {} serve the same edges but are not named as replicas (with '|' between them)",
                        store.shards[places_[i - 1].shard].front().name, store.shards[places_[i].shard].front().name);
    }
  }

  /// Finds the parts of [offset, offset + bytes), up to the first byte that no shard has: a column may end inside of a page.
  void find(std::uint64_t offset, std::uint32_t bytes, std::vector<Part>& parts) const {
    parts.clear();
    auto place = std::upper_bound(places_.begin(), places_.end(), offset,
                                  [](std::uint64_t wanted, const Place& candidate) { return wanted < candidate.offset; });
    if (place == places_.begin()) return;
    for (--place; bytes != 0 && place != places_.end(); ++place) {
      if (offset < place->offset || offset - place->offset >= place->bytes) return;
      const std::uint64_t inside = offset - place->offset;
      const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, place->bytes - inside));
      parts.push_back({place->shard, place->stretch, inside, count});
      offset += count;
      bytes -= count;
    }
  }

 private:
  struct Place {
    std::uint64_t offset;
    std::uint64_t bytes;
    std::size_t shard;
    std::size_t stretch;
  };

  static void require_same(const FabricServer& first, const FabricServer& other) {
    const auto same = [](const RemoteStretch& a, const RemoteStretch& b) { return a.offset == b.offset && a.bytes == b.bytes; };
    if (std::equal(first.stretches.begin(), first.stretches.end(), other.stretches.begin(), other.stretches.end(), same)) return;
    raise<UsageError>("{} and {} were named as replicas but serve different edges", first.name, other.name);
  }

  std::vector<Place> places_;
};

}  // namespace graphrun::ofi
