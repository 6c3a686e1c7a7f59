// SPDX-License-Identifier: Apache-2.0
// DirectView: edges within reach of a load, in in-core arrays, mapped files, zero-copy host memory or managed memory. One of the
// three families of views.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "graphrun/core/error.hpp"
#include "graphrun/core/macros.hpp"
#include "graphrun/core/names.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/graph/packed_walk.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/view/cached_prefixes.hpp"
#include "graphrun/view/walk.hpp"

namespace graphrun {

/// How a group of GPU lanes scans a list (EMOGI; Min's dissertation, section 2.3). A host thread scans a list alone.
enum class Access : std::uint8_t {
  naive,    ///< one lane a list
  merged,   ///< one warp a list: 32 consecutive edges at a time, from the start of the list
  aligned,  ///< as merged, but each request starts on a 128-byte line; lanes before the list are masked
};

template <>
struct ChoicesOf<Access> {
  static constexpr const char* kWhat = "access";
  static constexpr Choice<Access> kAll[] = {{"naive", Access::naive}, {"merged", Access::merged}, {"aligned", Access::aligned}};
};

}  // namespace graphrun

namespace graphrun::inline GR_IDS {

/// Link requests of one view's scans, counted at the loads.
struct Traffic {
  std::uint64_t bytes = 0;     ///< in whole 32-byte sectors, the smallest request a GPU sends over the link
  std::uint64_t requests = 0;  ///< 128-byte lines touched by a load instruction of a lane group
  std::uint64_t cached = 0;    ///< edges read from cached prefixes instead; of packed lists bytes
};

/// Trivially copyable; passed to kernels by value.
struct DirectView {
  const VertexId* neighbours = nullptr;
  const std::uint32_t* weights = nullptr;  ///< words as Graph::weight_kind says; null when not asked for
  Access access = Access::aligned;
  Traffic* traffic = nullptr;  ///< device counters, or null when the edges are not remote
  /// Replaces neighbours where not null, and weights where these are packed; host threads only.
  const PackedLists* packed = nullptr;
  CachedPrefixes prefixes = {};  ///< for kernels; empty unless the edges are remote

  /// Returns the index at which neighbour() reads v's cached prefix, in edges of kWords words. It is a distance from
  /// `neighbours`, which can name any memory of the machine, so readers need no branch.
  template <int kWords = 1>
  GR_HD EdgeId place_of_prefix(VertexId v) const {
    const std::uint64_t apart = reinterpret_cast<std::uint64_t>(prefixes.words) - reinterpret_cast<std::uint64_t>(neighbours);
    return apart / (kWords * sizeof(VertexId)) + prefixes.start(v);
  }

  GR_HD VertexId neighbour(EdgeId e) const { return neighbours[e]; }

  template <class Weight>
  GR_HD Weight weight(EdgeId e) const {
    if constexpr (sizeof(Weight) == sizeof(std::uint32_t)) {
      Weight value;
      memcpy(&value, &weights[e], sizeof(value));
      return value;
    } else {
      return Weight{};
    }
  }

  /// Returns whether the edges are remote, over a link.
  GR_HD bool is_far() const { return traffic != nullptr; }

  /// Number of lists to prefetch ahead, enough to hide a miss of the processor's caches.
  static constexpr std::size_t kLookahead = 4;

  /// Scans lists for one worker, without state.
  using Reader = DirectView;

  /// Calls take(neighbours, weights, count) for each contiguous run of an item, until it returns false: one run, or one for each
  /// packed line. `weights` is null when the graph has none. Host threads only.
  template <bool kWeighted, class Take>
  void for_each_run(const WorkItem& item, Take&& take) const {
    if (packed != nullptr) {
      auto copy = take;  // the copy's address escapes, so that members of `take` itself may stay in registers
      return for_each_line<kWeighted>(item, copy);
    }
    take(neighbours + item.begin, weights == nullptr ? nullptr : weights + item.begin,
         static_cast<std::size_t>(item.end - item.begin));
  }

  /// Prefetches an item before its scan. Host threads only.
  void prefetch(const WorkItem& item) const {
    const void* const list = packed != nullptr ? static_cast<const void*>(packed->lines + packed->start(item.vertex))
                                               : neighbours + item.begin;
    graphrun::prefetch(list);
  }

 private:
  /// Not inlined: scan loops are faster without it.
  template <bool kWeighted, class Take>
  [[gnu::noinline]] void for_each_line(const WorkItem& item, Take& take) const {
    if (item.begin == item.end) return;
    const auto some_weights = [this](EdgeId e, std::size_t count, std::uint32_t* room) {
      if (packed->weight_code.is_packed()) return unpack_weights(packed->weight_code, e, count, room, InMemory{packed->weights});
      return SomeWeights{weights + e, count};
    };
    walk_packed<kWeighted>(*packed, item, InMemory{packed->lines}, some_weights, take);
  }
};

/// An algorithm's graph: rows and edges in both directions, in the executor's memory.
template <class View>
struct GraphView {
  Rows out;
  View out_edges;
  Rows in;  ///< equals `out` when symmetric
  View in_edges;
  bool has_in = false;
  bool symmetric = false;
  EdgeId num_edges = 0;
  const std::uint64_t* weight_table = nullptr;  ///< Graph::weight_table, for runs that read weights; null unless these are u64

  VertexId num_vertices() const { return out.num_vertices; }

  /// Throws UsageError, which names `algorithm`, when there are no in-edges.
  void require_in(const char* algorithm) const {
    if (has_in) return;
    throw UsageError(
        std::string(algorithm) +
        " reads in-edges, and the graph is directed and holds no transpose: graphconv stores one in a .grf; or choose "
        "variant push or hooking");
  }
};

}  // namespace graphrun::inline GR_IDS
