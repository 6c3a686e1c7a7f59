// Which shard has which bytes of a store.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/transport/fabric.hpp"

namespace graphrun::ofi {

/// Bytes that one server answers with one read.
struct Part {
  std::size_t shard;
  std::size_t stretch;   ///< of the shard's servers
  std::uint64_t offset;  ///< in the stretch
  std::uint32_t bytes;
};

class StretchMap {
 public:
  /// Throws UsageError when replicas hold different stretches, or shards the same bytes.
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
      throw UsageError(fmt::format("{} and {} serve the same edges but are not named as replicas (with '|' between them)",
                                   store.shards[places_[i - 1].shard].front().name, store.shards[places_[i].shard].front().name));
    }
  }

  /// The parts of [offset, offset + bytes), up to the first byte that no shard has: a column may end inside of a page.
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
    throw UsageError(fmt::format("{} and {} were named as replicas but serve different edges", first.name, other.name));
  }

  std::vector<Place> places_;
};

}  // namespace graphrun::ofi
