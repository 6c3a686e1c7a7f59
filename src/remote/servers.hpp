// SPDX-License-Identifier: Apache-2.0
// The client's side of graphmemd: the servers of a graph's edges.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphrun/backend/backend.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/transport/fabric.hpp"

namespace graphrun::remote::inline GR_IDS {

/// Addresses of servers: for each shard its replicas, for each replica the addresses that share its reads.
using ServerNames = std::vector<std::vector<std::vector<std::string>>>;
/// Parses "host1|host2,host3+host4:port": commas between shards, bars between replicas, plus signs between addresses that share
/// the reads. Throws UsageError for a missing or malformed address.
ServerNames parse_servers(const std::string& remote);

/// Shard `number` of `count`, from 1.
struct ShardNumber {
  int number;
  int count;
  bool operator==(const ShardNumber&) const = default;
};

struct ServedGraph {
  FabricStore store;
  std::vector<ShardNumber> shards;     ///< by index of store.shards
  std::optional<WeightStats> weights;  ///< of the whole graph
};

/// Asks all servers of `fabric.remote` for their parts of the container at `path`. Omits, with a warning, an unreachable server
/// whose shard has another. Throws as parse_servers(), and RunError naming a server that is missing, rejects the token, or serves
/// another graph.
ServedGraph ask_servers(const FabricOptions& fabric, const std::string& path);

/// Throws UsageError naming a missing shard unless every byte of [offset, offset + bytes) of the container is served.
void require_served(const ServedGraph& graph, std::uint64_t offset, std::uint64_t bytes, const std::string& path);

}  // namespace graphrun::remote::inline GR_IDS
