// The client's side of graphmemd: who serves which edges of a graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphrun/backend/backend.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/transport/fabric.hpp"

namespace graphrun::remote::inline GR_IDS {

/// The addresses of servers: of each shard its replicas, and of each of those what shares the reads.
using ServerNames = std::vector<std::vector<std::vector<std::string>>>;
/// "host1|host2,host3+host4:port": commas between shards, bars between replicas, plus signs between what shares the reads, such
/// as addresses of one server. Throws UsageError when one is missing or no address.
ServerNames parse_servers(const std::string& remote);

/// Shard `number` of `count`, from 1.
struct ShardNumber {
  int number;
  int count;
  bool operator==(const ShardNumber&) const = default;
};

struct ServedGraph {
  FabricStore store;
  std::vector<ShardNumber> shards;     ///< as the servers of store.shards call theirs
  std::optional<WeightStats> weights;  ///< of all of it
};

/// Asks all servers of `fabric.remote` for what they have of the container at `path`. One that cannot be reached is left out,
/// with a warning, while its shard has another. Throws what parse_servers() does, and RunError naming the server that is missing,
/// does not know the token, or serves another graph.
ServedGraph ask_servers(const FabricOptions& fabric, const std::string& path);

/// Throws UsageError naming a missing shard unless every byte of [offset, offset + bytes) of the container is served.
void require_served(const ServedGraph& graph, std::uint64_t offset, std::uint64_t bytes, const std::string& path);

}  // namespace graphrun::remote::inline GR_IDS
