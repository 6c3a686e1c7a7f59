// SPDX-License-Identifier: Apache-2.0
// One program on one machine, through every memory that the figures compare.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graphrun/core/thread_pool.hpp"
#include "uvm/works.hpp"

namespace graphrun::bench::uvm {

/// The oversubscriptions of figure 14: bytes of the program over device memory, less 1 (GPUVM, equation 1).
inline constexpr unsigned kOversubscriptions[] = {0, 1, 2, 3, 4};

/// Totals of the mean run of a program.
struct Measured {
  std::uint64_t bytes = 0;  ///< of the arrays
  std::uint64_t edge_bytes = 0;
  std::map<std::string, Totals> by_memory;  ///< "uvm", "naive", "merged", "aligned"; "uvm/2", "gpuvm/2", "one card"

  double ms(const std::string& memory) const { return by_memory.at(memory).ms; }
};

struct Input {
  std::string name;  ///< of the graph
  std::optional<Graph> graph;
};

class Bench {
 public:
  Bench(std::vector<Input> inputs, const WorkOptions& options, const DriverOptions& driver, bool advised, ThreadPool& pool)
      : inputs_(std::move(inputs)), options_(options), driver_(driver), advised_(advised), pool_(pool) {}

  const std::vector<Input>& inputs() const { return inputs_; }
  /// Measures a program once: "uvm", and with `zero_copy` EMOGI's reads with the machine's share of memory; otherwise "uvm/N" and
  /// "gpuvm/N" with memory for 1/N of the bytes, for all oversubscriptions, and "one card", with memory for all.
  const Measured& measure(const std::string& work, std::size_t input, const Machine& machine, bool zero_copy);

 private:
  std::vector<Input> inputs_;
  WorkOptions options_;
  DriverOptions driver_;
  bool advised_;
  ThreadPool& pool_;
  std::map<std::string, Measured> known_;
};

}  // namespace graphrun::bench::uvm
