// The memory behind view/heads.hpp: the static tier of a backend that keeps pages of the rest.
#pragma once

#include <cstdint>

#include "graphrun/core/column.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/rows.hpp"
#include "graphrun/view/heads.hpp"

namespace graphrun::inline GR_IDS {

class ListHeads {
 public:
  /// None.
  ListHeads() = default;
  /// As many edges of each list of `column` as `most_bytes` have room for, with where they are: 4 bytes a vertex. Passes over the
  /// column once, and takes what was seen of a file out of memory again.
  ListHeads(const Rows& rows, const Column<VertexId>& column, std::uint32_t words_an_edge, EdgeId unit, std::uint64_t most_bytes,
            ThreadPool& pool);

  /// Valid as long as this.
  Heads view() const;
  EdgeId lead() const { return heads_.lead; }
  std::uint64_t bytes() const { return words_.bytes() + starts_.bytes(); }
  /// Bytes of edges that walks read here since reset_counters().
  std::uint64_t answered_bytes() const { return answered_ * heads_.words_an_edge * sizeof(VertexId); }
  void reset_counters() { answered_ = 0; }

 private:
  Heads heads_;
  Column<VertexId> words_;
  Column<std::uint32_t> starts_;
  mutable std::uint64_t answered_ = 0;
};

}  // namespace graphrun::inline GR_IDS
