// SPDX-License-Identifier: Apache-2.0
// Programs of a GPU, by the elements that their warps read: graph algorithms with the frontiers of their own runs, kernels over a
// matrix, vector add, and a sum.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graphrun/graph/graph.hpp"
#include "uvm/memories.hpp"

namespace graphrun::bench::uvm {

struct Array {
  std::uint64_t elements = 0;
  unsigned element_bytes = 4;
  bool written = false;
};

/// The instructions of a warp. Instruction i reads elements [begin + i * advance, + width), below `end`, of every array; with
/// several lanes each of them does, `lane_stride` elements after the one before.
struct Task {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t advance = 32;
  unsigned width = 32;
  unsigned lanes = 1;
  std::uint64_t lane_stride = 0;
};

class Work {
 public:
  virtual ~Work() = default;
  virtual std::vector<Array> arrays() const = 0;
  /// Begins the next kernel; false: there is none. `starts_anew()` then says whether memory is cold before it.
  virtual bool step() = 0;
  virtual bool starts_anew() const { return false; }
  virtual std::size_t tasks() const = 0;
  virtual Task task(std::size_t index) const = 0;
  /// Returns the bytes that the kernel moves in the GPU's own memory.
  virtual double compute_bytes() const = 0;
  /// Returns how often memory was cold: times are a mean over them.
  virtual unsigned runs() const { return 1; }

  std::uint64_t bytes() const {
    std::uint64_t all = 0;
    for (const Array& array : arrays()) all += array.elements * array.element_bytes;
    return all;
  }
};

struct WorkOptions {
  unsigned edge_bytes = 4;                           ///< weights have 4
  unsigned sources = 4;                              ///< of bfs and sssp, at random among vertices with edges
  int steps = 3;                                     ///< of pagerank
  std::uint64_t rows = 4096, columns = 32768;        ///< of the matrix of mvt, atax and bicg
  std::uint64_t elements = std::uint64_t{64} << 20;  ///< of va and sum, each array
};

/// bfs, sssp, cc, pagerank over `graph`, which must outlive it; mvt, atax, bicg, va, sum, which need none. Throws UsageError for
/// other names, and for cc where the graph is not symmetric.
std::unique_ptr<Work> make_work(const std::string& name, const Graph* graph, const WorkOptions& options);
bool needs_graph(const std::string& name);

/// Runs the tasks of the work's kernel: `resident` warps take turns, one instruction at a time, until all of them wait; then the
/// memory serves some.
void run_step(const Work& work, const std::vector<std::uint64_t>& addresses, unsigned resident, Memory& memory);

}  // namespace graphrun::bench::uvm
