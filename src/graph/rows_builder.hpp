// SPDX-License-Identifier: Apache-2.0
// Rows from a stream of arcs in any order.
//
// Arcs are partitioned by ranges of source ids into buckets that fit a cache. Each bucket is sorted by target and distributed to
// its rows, in linear time. All threads share a bucket that is too heavy for one (a hub). Stable throughout.
//
// Memory at the peak: the stream and one Arc an arc; then the arcs and the result.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "graph/parallel_arcs.hpp"
#include "graph/partition.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/graph/graph.hpp"

namespace graphrun::inline GR_IDS {

/// An arc in a bucket; `row` is its source relative to the bucket's first.
struct PlainArc {
  PlainArc() = default;
  PlainArc(VertexId target_id, VertexId row_in_bucket, std::uint32_t) : target(target_id), row(row_in_bucket) {}
  static constexpr bool kWeighted = false;

  VertexId target;
  VertexId row;
};

struct WeightedArc {
  WeightedArc() = default;
  WeightedArc(VertexId target_id, VertexId row_in_bucket, std::uint32_t weight_word)
      : target(target_id), row(row_in_bucket), weight(weight_word) {}
  static constexpr bool kWeighted = true;

  VertexId target;
  VertexId row;
  std::uint32_t weight;
};

template <class Arc>
class RowsBuilder {
 public:
  /// Takes sources below `num_rows` and targets below `num_targets`: the same number unless these are some of a graph's rows.
  RowsBuilder(VertexId num_rows, VertexId num_targets, ListOrder order, ThreadPool& pool)
      : pool_(pool), order_(order), num_rows_(num_rows), row_id_bits_(bits_for(num_rows)), target_bits_(bits_for(num_targets)) {}

  /// Takes the stream and frees it when it has been read.
  template <class Stream>
  Csr build(Stream stream) {
    choose_buckets(stream.expected_arcs());
    const VertexId row_mask = (VertexId{1} << row_bits_) - 1;
    Progress progress("building rows", 2 * stream.size() + stream.expected_arcs());
    const auto by_bucket = [&](std::size_t begin, std::size_t end, const auto& sink) {
      stream.visit(begin, end, [&](VertexId u, VertexId v, std::uint32_t weight) {
        sink(static_cast<std::size_t>(u >> row_bits_), Arc(v, u & row_mask, weight));
      });
      progress.advance(end - begin);
    };
    Partition buckets(pool_, stream.size(), num_buckets_, by_bucket);
    arcs_ = Column<Arc>::allocate(buckets.total());
    buckets.place(by_bucket, [arcs = arcs_.data()](EdgeId place, const Arc& arc) { arcs[place] = arc; });
    stream = Stream{};

    csr_.offsets = Column<EdgeId>::allocate(std::size_t{num_rows_} + 1);
    csr_.neighbours = Column<VertexId>::allocate(buckets.total());
    if constexpr (Arc::kWeighted) csr_.weights = Column<std::uint32_t>::allocate(buckets.total());
    csr_.offsets[num_rows_] = buckets.total();
    deal_out(buckets.starts(), progress);
    arcs_ = {};
    return std::move(csr_);
  }

 private:
  static VertexId target_of(const Arc& arc) { return arc.target; }
  static int bits_for(VertexId count) { return count < 2 ? 0 : static_cast<int>(std::bit_width(count - 1)); }

  struct Scratch {
    std::vector<Arc> arcs;
    std::vector<EdgeId> cursors;
  };

  void choose_buckets(std::size_t expected_arcs) {
    constexpr std::size_t kArcsPerBucket = 1 << 17;  // with their copy, about the size of a second-level cache
    constexpr int kMostBucketBits = 12;              // places that one thread of the partition writes to in turn
    const std::size_t wanted = std::bit_ceil(expected_arcs / kArcsPerBucket + 1);
    constexpr int kMostRowBits = 24;  // a thread has a cursor for each row of its bucket
    const int bucket_bits = std::max(static_cast<int>(std::countr_zero(wanted)), row_id_bits_ - kMostRowBits);
    row_bits_ = std::max(0, row_id_bits_ - std::min(bucket_bits, kMostBucketBits));
    num_buckets_ = num_rows_ == 0 ? 0 : static_cast<std::size_t>((num_rows_ - 1) >> row_bits_) + 1;
  }

  VertexId first_row(std::size_t bucket) const { return static_cast<VertexId>(bucket) << row_bits_; }
  std::size_t rows_of(std::size_t bucket) const {
    return static_cast<std::size_t>(std::min<VertexId>(num_rows_ - first_row(bucket), VertexId{1} << row_bits_));
  }

  void deal_out(const std::vector<EdgeId>& starts, Progress& progress) {
    constexpr EdgeId kHeavy = 1 << 20;  // below this, one thread is done in milliseconds
    const EdgeId fair_share = starts.back() / static_cast<EdgeId>(pool_.size());
    const auto is_heavy = [&](std::size_t bucket) {
      return pool_.size() > 1 && starts[bucket + 1] - starts[bucket] > std::max(kHeavy, fair_share / 4);
    };
    for (std::size_t bucket = 0; bucket < num_buckets_; ++bucket) {
      if (!is_heavy(bucket)) continue;
      deal_out_together(bucket, starts[bucket], starts[bucket + 1] - starts[bucket]);
      progress.advance(starts[bucket + 1] - starts[bucket]);
    }
    PerThread<Scratch> scratch(pool_);
    parallel_chunks(pool_, num_buckets_, 1, [&](std::size_t begin, std::size_t end, int rank) {
      for (std::size_t bucket = begin; bucket < end; ++bucket) {
        if (is_heavy(bucket)) continue;
        deal_out_alone(bucket, starts[bucket], starts[bucket + 1] - starts[bucket], scratch[rank]);
        progress.advance(starts[bucket + 1] - starts[bucket]);
      }
    });
  }

  void deal_out_alone(std::size_t bucket, EdgeId start, std::size_t count, Scratch& scratch) {
    Arc* arcs = arcs_.data() + start;
    if (order_ == ListOrder::by_target) {
      if (scratch.arcs.size() < count) scratch.arcs.resize(count);
      arcs = radix_sort(arcs, scratch.arcs.data(), count, target_bits_, target_of);
    }
    std::vector<EdgeId>& cursors = scratch.cursors;
    cursors.assign(rows_of(bucket), 0);
    for (std::size_t i = 0; i < count; ++i) ++cursors[arcs[i].row];
    EdgeId running = start;
    EdgeId* offsets = csr_.offsets.data() + first_row(bucket);
    for (std::size_t row = 0; row < cursors.size(); ++row) {
      offsets[row] = running;
      running += std::exchange(cursors[row], running);
    }
    for (std::size_t i = 0; i < count; ++i) put(cursors[arcs[i].row]++, arcs[i]);
  }

  void deal_out_together(std::size_t bucket, EdgeId start, std::size_t count) {
    Arc* arcs = arcs_.data() + start;
    Column<Arc> spare;
    if (order_ == ListOrder::by_target) {
      spare = Column<Arc>::allocate(count);
      arcs = radix_sort(pool_, arcs, spare.data(), count, target_bits_, target_of);
    }
    const auto by_row = [arcs](std::size_t begin, std::size_t end, const auto& sink) {
      for (std::size_t i = begin; i < end; ++i) sink(static_cast<std::size_t>(arcs[i].row), arcs[i]);
    };
    Partition rows(pool_, count, rows_of(bucket), by_row);
    rows.place(by_row, [&](EdgeId place, const Arc& arc) { put(start + place, arc); });
    EdgeId* offsets = csr_.offsets.data() + first_row(bucket);
    for (std::size_t row = 0; row < rows_of(bucket); ++row) offsets[row] = start + rows.starts()[row];
  }

  void put(EdgeId place, const Arc& arc) {
    csr_.neighbours[place] = arc.target;
    if constexpr (Arc::kWeighted) csr_.weights[place] = arc.weight;
  }

  ThreadPool& pool_;
  ListOrder order_;
  VertexId num_rows_;
  int row_id_bits_;   // a source id has
  int target_bits_;   // a target id has
  int row_bits_ = 0;  // a bucket is 2^row_bits_ rows
  std::size_t num_buckets_ = 0;
  Column<Arc> arcs_;
  Csr csr_;
};

}  // namespace graphrun::inline GR_IDS
