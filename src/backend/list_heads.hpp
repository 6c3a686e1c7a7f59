// The memory behind view/heads.hpp: the static tier of a backend that keeps pages of the rest.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/hot_lists.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/view/heads.hpp"

namespace graphrun::inline GR_IDS {

/// Keeping the same again writes to the same memory: views stay valid.
class ListHeads {
 public:
  /// As many edges of each list of `part` as `most_bytes` have room for, with where they are: 4 bytes a vertex. Passes over the
  /// column once, and takes what was seen of a file out of memory again.
  void keep_beginnings(const ListColumn& lists, EdgeId unit, std::uint64_t most_bytes, const RankPart& part, ThreadPool& pool);
  /// Those lists of `order` that find room within `most_bytes` behind the ones before them, with where they are: 12 bytes for 64
  /// vertices and 4 a list.
  void keep_lists(const ListColumn& lists, const std::vector<VertexId>& order, std::uint64_t most_bytes, ThreadPool& pool);

  /// Valid as long as this.
  Heads view() const;
  EdgeId lead() const { return heads_.lead; }
  std::uint64_t lists() const { return lists_; }
  std::uint64_t edge_bytes() const { return words_.bytes() + weights_.bytes(); }
  std::uint64_t bytes() const { return edge_bytes() + starts_.bytes() + chosen_.bytes() + chosen_before_.bytes(); }
  /// Bytes of edges that walks read here since reset_counters().
  std::uint64_t answered_bytes() const { return answered_; }
  void reset_counters() { answered_ = 0; }

 private:
  template <class Length>
  void copy(const ListColumn& lists, std::uint64_t edges, const Length& length, ThreadPool& pool);

  Heads heads_;
  std::uint64_t lists_ = 0;
  Column<VertexId> words_;
  Column<std::uint32_t> weights_;
  Column<std::uint32_t> starts_;
  Column<std::uint64_t> chosen_;
  Column<std::uint32_t> chosen_before_;
  mutable std::uint64_t answered_ = 0;
};

}  // namespace graphrun::inline GR_IDS
