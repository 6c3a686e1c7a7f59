// Entries of a graph, a batch at a time: how text and generated graphs are read, whether they fit in memory or not. In
// memory there is one batch that holds them all.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"

namespace graphrun::io {

class EntryStream {
 public:
  virtual ~EntryStream() = default;
  /// The next entries, in the order of the file. Returns false, and leaves `batch` alone, when there are no more.
  /// `arcs` and `weight_kind` are the same in every batch, except that u32 weights may turn into f32 (see ReadOptions).
  /// `num_vertices` is the graph's when count_known(), otherwise what the ids up to here ask for.
  /// Throws DataError naming file and line.
  virtual bool next(EdgeList& batch) = 0;
  /// True when the file announces its number of vertices.
  virtual bool count_known() const { return true; }
};

struct ReadOptions {
  bool bipartite = false;      ///< MatrixMarket: allow rectangular matrices
  bool float_weights = false;  ///< text: f32 weights from the start, even if all are whole so far;
                               ///< binary formats that do not say what their 4-byte weights are: f32 instead of u32
  std::optional<std::uint64_t> raw_offset = {};  ///< .bel: where the payload of .dst and .val begins when they have no header
  std::size_t batch_bytes = std::numeric_limits<std::size_t>::max();  ///< of text, or of generated entries, in a batch
};

}  // namespace graphrun::io
