// SPDX-License-Identifier: Apache-2.0
// The set of vertex ids that occur in an edge list, and their numbers without gaps.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/scratch.hpp"

namespace graphrun::io::inline GR_IDS {

/// A set of ids below a bound: a bitmap where ids are dense, otherwise a sorted list. So memory follows the entries and not the
/// largest id: at most 64 bytes an entry. A set that would take more than half of a workspace is in scratch files. add()
/// everything, seal(), then ask.
class IdSet {
 public:
  IdSet(std::uint64_t bound, std::uint64_t entries, const Workspace& space = {});
  ~IdSet();

  /// Returns the most bytes of memory that a set for such a list takes.
  static std::uint64_t bytes_for(std::uint64_t bound, std::uint64_t entries);

  void add(const EdgeList& batch, ThreadPool& pool);
  void seal(ThreadPool& pool);

  VertexId size() const { return size_; }
  /// Precondition: the set is not empty.
  VertexId smallest() const;
  /// Returns the number of smaller ids. Precondition: the id is in the set, which is in memory.
  VertexId rank(VertexId id) const;
  /// Returns the ids, ascending.
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
  Column<std::uint64_t> words_;   // dense: one bit an id
  Column<VertexId> ranks_;        // dense: ids below each block of words
  std::vector<VertexId> list_;    // otherwise, until seal()
  Column<VertexId> sorted_;       // and after it, the ids ascending; also those in files
};

}  // namespace graphrun::io::inline GR_IDS
