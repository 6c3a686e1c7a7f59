// Whether the first line of an edge list is an edge or counts what follows.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "graphrun/core/parallel.hpp"
#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"

namespace graphrun::io::inline GR_IDS {

/// Entries that follow the first one, which may hold counts instead: vertices and edges, or rows, columns and entries.
class CountsCheck {
 public:
  /// Whether the first line may still hold the number of lines that follow it, with `batch` behind those before.
  bool goes_on(const EdgeList& batch, ThreadPool& pool) {
    const std::size_t begin = entries_ == 0 ? 1 : 0;
    if (entries_ == 0) {
      if (batch.sources.size() == 0) return true;
      first_ = {batch.sources[0], batch.targets[0], 0};
      if (batch.weight_kind == WeightKind::u32) first_.entries = batch.weights[0];
      if (batch.weight_kind == WeightKind::f32) {
        const auto weight = std::bit_cast<float>(batch.weights[0]);
        if (weight >= 0 && weight < 0x1p24F && weight == std::floor(weight)) first_.entries = static_cast<std::uint64_t>(weight);
      }
    }
    entries_ += batch.sources.size();
    if (std::max(first_.edges, first_.entries) + 1 < entries_) return false;
    if (is_last_ && !holds()) return false;
    seen_ += parallel_sum<Seen>(pool, batch.sources.size() - begin, [&](std::size_t i) {
      const std::uint64_t u = batch.sources[begin + i];
      const std::uint64_t v = batch.targets[begin + i];
      return Seen{u, v, u == first_.vertices || v == first_.vertices, u == first_.edges || v == first_.edges};
    });
    return true;
  }
  void expect_no_more() { is_last_ = true; }

  std::uint64_t lines() const { return entries_ - 1; }
  /// As many lines follow as the first one says, at least one, and no id is larger than it says.
  bool fits() const {
    if (lines() == 0) return false;
    const bool as_edges = first_.edges == lines() && std::max(seen_.source, seen_.target) <= first_.vertices;
    const bool as_entries = first_.entries == lines() && seen_.source <= first_.vertices && seen_.target <= first_.edges;
    return as_edges || as_entries;
  }
  /// As an edge the first line would bring a vertex that no other line names.
  bool is_no_edge() const {
    constexpr std::uint64_t kLeastLines = 3;
    return lines() >= kLeastLines && !(seen_.first && seen_.second);
  }
  /// There are too few lines to tell.
  bool is_tiny() const {
    constexpr std::uint64_t kTiny = 3;
    return lines() < kTiny;
  }

 private:
  struct First {
    std::uint64_t vertices = 0;
    std::uint64_t edges = 0;
    std::uint64_t entries = 0;
  };
  struct Seen {
    std::uint64_t source = 0;  ///< the largest
    std::uint64_t target = 0;
    bool first = false;  ///< numbers of the first line as ids
    bool second = false;
    Seen& operator+=(const Seen& other) {
      source = std::max(source, other.source);
      target = std::max(target, other.target);
      first = first || other.first;
      second = second || other.second;
      return *this;
    }
  };
  bool holds() const { return first_.edges == lines() || first_.entries == lines(); }

  First first_;
  Seen seen_;
  std::uint64_t entries_ = 0;
  bool is_last_ = false;
};

}  // namespace graphrun::io::inline GR_IDS
