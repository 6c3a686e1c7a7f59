// Which vertex ids occur in an edge list, when that does not fit in memory: an external merge sort.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"
#include "graphrun/graph/scratch.hpp"

namespace graphrun::io::inline GR_IDS {

/// A set of ids in scratch files. add() everything, seal(), then ask. Holds what a batch takes, and a buffer for each of them.
class IdRuns {
 public:
  /// The workspace is on disk, and outlives it.
  explicit IdRuns(const Workspace& space);

  /// Appends the batch's ids to a file, ascending, each once.
  void add(const EdgeList& batch);
  /// Merges what add() appended.
  void seal();

  VertexId size() const { return static_cast<VertexId>(ids_.size()); }
  /// The ids, ascending, in a scratch file.
  Column<std::uint64_t> ids() const { return ids_; }
  /// Replaces every id by its rank; the ids of the batch are looked up in ascending order, in one pass over the set.
  void renumber(EdgeList& batch) const;

 private:
  const Workspace& space_;
  ScratchFile runs_;
  std::vector<std::size_t> ends_;  ///< of each run, in ids
  Column<std::uint64_t> ids_;
};

}  // namespace graphrun::io::inline GR_IDS
