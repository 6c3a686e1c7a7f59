// SPDX-License-Identifier: Apache-2.0
// The memory of view/cached_prefixes.hpp: the static tier of a backend that pages the rest.
#pragma once

#include <cstdint>

#include "graphrun/core/column.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/exec/exchange.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/view/cached_prefixes.hpp"
#include "graphrun/view/direct_view.hpp"

namespace graphrun::inline GR_IDS {

/// The lists of one direction in the graph, packed or not, or records instead.
class ListColumn {
 public:
  enum class Reads { neighbours, weights_too, records };
  /// Refers to `csr`, which must outlive this.
  ListColumn(const Rows& rows, const Csr& csr, Reads what = Reads::neighbours);

  const Rows rows;
  std::uint32_t words_an_edge() const { return what_ == Reads::records ? 2 : 1; }
  bool weighted() const { return what_ == Reads::weights_too; }
  /// Calls take(words, weights, count) for runs of v's first `edges` edges. Throws DataError for damaged packed lists.
  template <class Take>
  void walk(VertexId v, EdgeId edges, Take&& take) const {
    const EdgeId first = rows.offsets[v] * words_an_edge();
    const WorkItem item{v, first, first + edges * words_an_edge()};
    const auto on = [&](const VertexId* words, const std::uint32_t* weights, std::size_t count) {
      take(words, weights, count);
      return true;
    };
    const DirectView lists = view();
    weighted() ? lists.for_each_run<true>(item, on) : lists.for_each_run<false>(item, on);
  }
  /// Drops the lists of [first, last) from memory, where they are in a mapped file.
  void release(VertexId first, VertexId last) const;

 private:
  DirectView view() const;

  const Csr& csr_;
  Reads what_;
  PackedLists packed_;
};

/// Cached prefixes in host memory.
class PrefixCache {
 public:
  /// Keeps as many edges of each list of `part` as `most_bytes` hold, with an index of 4 bytes a vertex. Scans the column once,
  /// and unmaps the file's pages that it read.
  void keep(const ListColumn& lists, EdgeId unit, std::uint64_t most_bytes, const RankPart& part, ThreadPool& pool);

  /// Returns the prefixes; valid while this object lives.
  CachedPrefixes view() const;
  EdgeId lead() const { return prefixes_.lead; }
  std::uint64_t lists() const { return lists_; }
  std::uint64_t edge_bytes() const { return words_.bytes() + weights_.bytes(); }
  std::uint64_t bytes() const { return edge_bytes() + starts_.bytes(); }
  /// Returns the bytes of edges that scans read here since reset_counters().
  std::uint64_t answered_bytes() const { return answered_; }
  void reset_counters() { answered_ = 0; }

 private:
  CachedPrefixes prefixes_;
  std::uint64_t lists_ = 0;
  Column<VertexId> words_;
  Column<std::uint32_t> weights_;
  Column<std::uint32_t> starts_;
  mutable std::uint64_t answered_ = 0;
};

}  // namespace graphrun::inline GR_IDS
