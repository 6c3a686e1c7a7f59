// SPDX-License-Identifier: Apache-2.0
// A dictionary of whole weights of 64 bits: a word of 4 bytes is the index of its weight in the ascending table of distinct ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "graphrun/core/column.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/graph/graph.hpp"
#include "graphrun/graph/scratch.hpp"

namespace graphrun::inline GR_IDS {

/// Gathers the distinct weights of a graph, in any number of steps. Takes 16 bytes a distinct weight at its peak, and in a step
/// 16 bytes a weight of that step.
class WeightTableBuilder {
 public:
  /// Throws DataError where there are more than 2^32 distinct weights.
  void add(std::span<const std::uint64_t> weights, ThreadPool& pool);
  std::size_t size() const { return distinct_.size(); }
  std::uint64_t bytes() const { return distinct_.size() * sizeof(std::uint64_t); }
  Column<std::uint64_t> take();

 private:
  std::vector<std::uint64_t> distinct_;
};

/// Returns the words of weights. Precondition: the table holds all of them.
Column<std::uint32_t> words_of(std::span<const std::uint64_t> weights, const Column<std::uint64_t>& table, ThreadPool& pool);

struct EncodedWeights {
  Column<std::uint32_t> words;
  Column<std::uint64_t> table;
};
/// Encodes and consumes weights. Throws as WeightTableBuilder does.
EncodedWeights encode_weights(Column<std::uint64_t>&& weights, ThreadPool& pool);

/// A table that gets sums of its weights while parallel arcs are merged; any threads may add at a time.
class WeightSums {
 public:
  explicit WeightSums(Column<std::uint64_t> table) : table_(std::move(table)) {}

  std::uint64_t weight(std::uint32_t word) const { return table_[word]; }
  /// Until finish() the words of sums are not in the order of weights.
  std::uint32_t word_of(std::uint64_t weight);
  /// Returns the table of all weights and sums, and rewrites `words` as indices into it.
  Column<std::uint64_t> finish(Column<std::uint32_t>& words, const Workspace& space, ThreadPool& pool);

 private:
  Column<std::uint64_t> table_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::uint32_t> sums_;  ///< that the table lacks
};

}  // namespace graphrun::inline GR_IDS
