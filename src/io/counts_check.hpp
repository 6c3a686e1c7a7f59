// Whether the first line of an edge list is an edge or counts what follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"
#include "io/edge_columns.hpp"

namespace graphrun::io::inline GR_IDS {

/// Is shown all entries, and then knows what the first line is.
class CountsCheck {
 public:
  enum class Verdict {
    edge,      ///< it counts nothing
    counts,    ///< as many edges follow as it says; as an edge it would bring a vertex that no other line names
    few,       ///< the same, but of too few lines to tell
    unclear,   ///< the same, but other lines name its vertices
    no_counts  ///< it is no edge, and counts nothing
  };

  explicit CountsCheck(CountsLine line = {}) : line_(std::move(line)) {}

  const CountsLine& line() const { return line_; }
  /// Edges that follow the line, so far.
  std::uint64_t edges() const { return edges_; }

  /// Looks at the next entries, the first of which is the line itself unless that is left out. False when it is an edge.
  /// `is_last`: no more follow.
  bool goes_on(const EdgeList& batch, bool is_last, ThreadPool& pool);
  /// After all entries.
  Verdict verdict() const;

 private:
  struct Seen {
    std::uint64_t source = 0;  ///< the largest
    std::uint64_t target = 0;
    bool first = false;  ///< numbers of the line as ids
    bool second = false;
    Seen& operator+=(const Seen& other);
  };

  /// Whether some meaning of the line has as many edges, and with `ids` also as large ones.
  bool holds(bool ids) const;

  CountsLine line_;
  Seen seen_;
  std::uint64_t edges_ = 0;
  bool begun_ = false;
};

}  // namespace graphrun::io::inline GR_IDS
