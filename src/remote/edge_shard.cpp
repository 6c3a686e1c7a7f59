#include "remote/edge_shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "graph/column_copy.hpp"
#include "graphrun/core/error.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/io/load.hpp"

namespace graphrun::remote::inline GR_IDS {
namespace {

/// Bytes [begin, end) of a column.
struct Range {
  std::uint64_t begin;
  std::uint64_t end;
};

Range bytes_of_shard(std::uint64_t bytes, int shard, int shards) {
  const std::uint64_t blocks = (bytes + kShardAlignment - 1) / kShardAlignment;
  const auto border = [&](int i) {
    return std::min(bytes, blocks * static_cast<std::uint64_t>(i) / static_cast<std::uint64_t>(shards) * kShardAlignment);
  };
  return {border(shard - 1), border(shard)};
}

template <class T>
void add(EdgeShard& made, const Column<T>& column, int shard, int shards) {
  const Range range = bytes_of_shard(column.bytes(), shard, shards);
  if (range.begin == range.end) return;
  if (!column.in_mapped_file()) throw UsageError("edges of a container whose vertex ids are widened cannot be served");
  const auto offset = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(column.data()) - column.region()->data());
  made.stretches.push_back({offset + range.begin, copy_bytes(column, range.begin, range.end)});
}

/// A weight that is not finite makes `smallest` negative, so that clients refuse the weights. `largest` and `mean` leave it out:
/// the message to clients is JSON, which has no infinity.
WeightStats stats_of(const Column<std::byte>& bytes, WeightKind kind) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(bytes.data());
  const std::size_t count = bytes.size() / sizeof(std::uint32_t);
  WeightStats stats{std::numeric_limits<double>::max(), 0, 0};
  for (std::size_t i = 0; i < count; ++i) {
    const double weight = kind == WeightKind::f32 ? static_cast<double>(std::bit_cast<float>(words[i])) : words[i];
    stats.smallest = std::isfinite(weight) ? std::min(stats.smallest, weight) : std::numeric_limits<double>::lowest();
    if (!std::isfinite(weight)) continue;
    stats.largest = std::max(stats.largest, weight);
    stats.mean += weight / static_cast<double>(count);
  }
  return stats;
}

}  // namespace

std::uint64_t EdgeShard::bytes() const {
  std::uint64_t sum = 0;
  for (const Stretch& stretch : stretches) sum += stretch.bytes.size();
  return sum;
}

EdgeShard load_edge_shard(const std::string& path, int shard, int shards, bool check) {
  ThreadPool pool;
  LoadOptions how;
  how.format = FileFormat::native;
  how.check = check;
  const Graph graph = load_graph(path, how, pool).graph;
  EdgeShard made;
  add(made, graph.out.neighbours, shard, shards);
  if (graph.weight_kind != WeightKind::none) {
    const std::size_t before = made.stretches.size();
    add(made, graph.out.weights, shard, shards);
    if (made.stretches.size() != before) {
      made.weights = stats_of(made.stretches.back().bytes, graph.weight_kind);
      made.num_weights = made.stretches.back().bytes.size() / sizeof(std::uint32_t);
    }
  }
  if (graph.in) add(made, graph.in->neighbours, shard, shards);
  std::sort(made.stretches.begin(), made.stretches.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  return made;
}

}  // namespace graphrun::remote::inline GR_IDS
