// The client's side of graphmemd: who serves which edges of a graph.
#pragma once

#include <optional>
#include <string>

#include "graphrun/backend/backend.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/transport/fabric.hpp"

namespace graphrun::remote {

struct ServedGraph {
  FabricStore store;
  std::optional<WeightStats> weights;  ///< of all of it
};

/// Asks all servers of `fabric.remote` ("host1|host2,host3+host4:port": commas between shards, bars between replicas, plus signs
/// between what shares the reads, such as addresses of one server) for what they have of the container at `path`. One that cannot
/// be reached is left out, with a warning, while its shard has another.
/// Throws RunError naming the server that is missing, does not know the token, or serves another graph.
ServedGraph ask_servers(const FabricOptions& fabric, const std::string& provider, const std::string& path);

/// Throws UsageError unless every byte of [offset, offset + bytes) of the container is served.
void require_served(const FabricStore& store, std::uint64_t offset, std::uint64_t bytes, const std::string& path);

}  // namespace graphrun::remote
