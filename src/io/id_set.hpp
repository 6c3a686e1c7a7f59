// Which vertex ids occur in an edge list, and how to number them without gaps.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/scratch.hpp"

namespace graphrun::io::inline GR_IDS {

/// A set of ids below a bound: a bitmap where ids are dense, a sorted list where they are not, so that memory follows the
/// entries and not the largest id: at most 64 bytes an entry. What would take more than half of a workspace is in scratch files
/// instead. add() everything, seal(), then ask.
class IdSet {
 public:
  IdSet(std::uint64_t bound, std::uint64_t entries, const Workspace& space = {});
  ~IdSet();

  /// Most bytes that a set for such a list takes in memory.
  static std::uint64_t bytes_for(std::uint64_t bound, std::uint64_t entries);

  void add(const EdgeList& batch, ThreadPool& pool);
  void seal(ThreadPool& pool);

  VertexId size() const { return size_; }
  /// Precondition: the set is not empty.
  VertexId smallest() const;
  /// How many smaller ids there are; the id is in the set, which is in memory.
  VertexId rank(VertexId id) const;
  /// The ids, ascending.
  Column<std::uint64_t> ids(ThreadPool& pool) const;
  /// Replaces every id by its rank. In files the ids of the batch are looked up in ascending order, in one pass over the set.
  void renumber(EdgeList& batch, ThreadPool& pool) const;

 private:
  static bool is_dense(std::uint64_t bound, std::uint64_t entries);
  void renumber_in_passes(EdgeList& batch) const;

  struct Files;
  Workspace space_;
  std::uint64_t bound_;
  bool dense_;
  bool in_files_;
  VertexId size_ = 0;
  std::unique_ptr<Files> files_;  // until seal()
  Column<VertexId> sorted_;       // in files, after it
  Column<std::uint64_t> words_;   // dense: one bit an id
  Column<VertexId> ranks_;        // dense: ids below each block of words
  std::vector<VertexId> list_;    // otherwise
};

}  // namespace graphrun::io::inline GR_IDS
