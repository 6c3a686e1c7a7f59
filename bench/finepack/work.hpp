// SPDX-License-Identifier: Apache-2.0
// Programs that run on several ranks and store into each other's memory: their stores are those of their own runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "finepack/traffic.hpp"
#include "graphrun/graph/graph.hpp"

namespace graphrun::bench::finepack {

struct WorkOptions {
  int ranks = 4;
  int steps = 3;                                      ///< of works that do not end by themselves
  unsigned resident_warps = 80 * 64;                  ///< of a GPU: 80 multiprocessors with 64 (table III)
  std::vector<std::uint64_t> grid = {256, 256, 256};  ///< of diffusion3d, the fastest axis first; others have as many cells
};

/// A program on all ranks. Each step ends with a system fence, after which receivers read what has arrived.
class Work {
 public:
  virtual ~Work() = default;
  /// Runs a step and replaces the stores in traffic(); false: there was none left.
  virtual bool step() = 0;
  const Traffic& traffic() const { return traffic_; }
  /// Bytes of an element that ranks exchange.
  virtual unsigned element_bytes() const = 0;
  /// The answer so far, an element a vertex or cell, as each owner has it: for tests.
  virtual std::vector<double> answer() const = 0;

 protected:
  explicit Work(int ranks) : traffic_(ranks) {}
  /// Clears the stores of the last step.
  void begin_step();
  /// Gives the channel its memory. Addresses are as an allocation of whole pages of 2 MiB has them.
  void place(int from, int to, std::uint64_t bytes, std::uint64_t first_byte, std::uint64_t bulk_bytes);

  Traffic traffic_;
};

/// pagerank (each rank's sums so far, 8 bytes), pagerank-atomics (additions), sssp, bfs, cc (4 bytes); throws UsageError for
/// other names, and for cc where the graph is not symmetric. The graph must outlive it.
std::unique_ptr<Work> graph_work(const std::string& name, const Graph& graph, const WorkOptions& options);

/// jacobi (8 bytes, five diagonals), diffusion2d, diffusion3d (4 bytes); else nullptr. Throws UsageError where a rank would have
/// fewer cells than its neighbour needs.
std::unique_ptr<Work> grid_work(const std::string& name, const WorkOptions& options);

}  // namespace graphrun::bench::finepack
