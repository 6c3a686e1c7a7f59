// Which vertex ids occur in an edge list, and how to number them without gaps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/scratch.hpp"
#include "io/id_runs.hpp"

namespace graphrun::io::inline GR_IDS {

/// A set of ids below a bound: a bitmap where ids are dense, a sorted list where they are not, so that memory follows the
/// entries and not the largest id: at most 64 bytes an entry. What would take more than half of a workspace is in scratch files
/// instead. add() everything, seal(), then ask.
class IdSet {
 public:
  IdSet(std::uint64_t bound, std::uint64_t entries, const Workspace& space = {});

  /// Most bytes that a set for such a list takes.
  static std::uint64_t bytes_for(std::uint64_t bound, std::uint64_t entries);

  void add(const EdgeList& batch, ThreadPool& pool);
  void seal(ThreadPool& pool);

  VertexId size() const { return runs_ ? runs_->size() : size_; }
  /// How many smaller ids there are; the id is in the set, which is in memory.
  VertexId rank(VertexId id) const;
  /// The ids, ascending.
  Column<std::uint64_t> ids(ThreadPool& pool) const;
  /// Replaces every id by its rank.
  void renumber(EdgeList& batch, ThreadPool& pool) const;

 private:
  static bool is_dense(std::uint64_t bound, std::uint64_t entries);

  std::optional<IdRuns> runs_;  // instead of what follows
  bool dense_;
  VertexId size_ = 0;
  Column<std::uint64_t> words_;  // dense: one bit an id
  Column<VertexId> ranks_;       // dense: ids below each block of words
  std::vector<VertexId> list_;   // otherwise
};

}  // namespace graphrun::io::inline GR_IDS
