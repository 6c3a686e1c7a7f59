// SPDX-License-Identifier: Apache-2.0
// Tells whether the first line of an edge list is an edge or holds counts.
#pragma once

#include <cstdint>
#include <utility>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"
#include "io/edge_columns.hpp"

namespace graphrun::io::inline GR_IDS {

/// Judges the first line by all entries.
class CountsCheck {
 public:
  enum class Verdict {
    edge,      ///< it counts nothing
    counts,    ///< it counts the edges; as an edge it would bring a vertex that no other line names
    few,       ///< the same, but of too few lines to tell
    unclear,   ///< the same, but other lines name its vertices
    no_counts  ///< it is no edge, and counts nothing
  };

  explicit CountsCheck(CountsLine line = {}) : line_(std::move(line)) {}

  const CountsLine& line() const { return line_; }
  /// Returns the number of edges that follow the line, so far.
  std::uint64_t edges() const { return edges_; }

  /// Examines the next entries. The line itself is the first one unless it is left out. Returns false when it is an edge.
  /// `is_last`: no more follow.
  bool goes_on(const EdgeList& batch, bool is_last, ThreadPool& pool);
  /// Returns the verdict, after all entries.
  Verdict verdict() const;

 private:
  struct Seen {
    std::uint64_t source = 0;  ///< the largest
    std::uint64_t target = 0;
    bool first = false;  ///< numbers of the line as ids
    bool second = false;
    Seen& operator+=(const Seen& other);
  };

  /// Returns whether some meaning of the line has this number of edges, and with `ids` also these largest ids.
  bool holds(bool ids) const;

  CountsLine line_;
  Seen seen_;
  std::uint64_t edges_ = 0;
  bool begun_ = false;
};

}  // namespace graphrun::io::inline GR_IDS
