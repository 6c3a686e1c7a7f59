// The part of a container's edges that a server keeps in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/graph/graph.hpp"

namespace graphrun::remote::inline GR_IDS {

/// Shards begin and end at multiples of this of their section: no page of any size lies in two.
inline constexpr std::uint64_t kShardAlignment = 64 << 10;

struct EdgeShard {
  struct Stretch {
    std::uint64_t offset;  ///< in the file
    Column<std::byte> bytes;
  };
  std::vector<Stretch> stretches;  ///< of neighbours, weights and in-neighbours, where it has any
  std::optional<WeightStats> weights;
  std::uint64_t num_weights = 0;

  std::uint64_t bytes() const;
};

/// Shard `shard` of `shards`, the first being 1, read from a container. `check`: reads all of the file first, to see that it is
/// undamaged. Throws DataError and UsageError.
EdgeShard load_edge_shard(const std::string& path, int shard, int shards, bool check);

}  // namespace graphrun::remote::inline GR_IDS
