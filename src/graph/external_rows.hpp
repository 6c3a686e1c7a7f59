// SPDX-License-Identifier: Apache-2.0
// Rows from more arcs than fit in memory: an external bucket sort.
//
// Arcs are appended to a scratch file for each range of source ids. Then each range goes through RowsBuilder in memory and is
// appended to the result. A range that is too large is first divided: into smaller ranges of sources, or one source into ranges
// of targets. Stable throughout, so the result equals RowsBuilder's over all arcs at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/parallel_arcs.hpp"
#include "graph/partition.hpp"
#include "graph/rows_builder.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/graph/row_windows.hpp"
#include "graphrun/graph/scratch.hpp"

namespace graphrun::inline GR_IDS {

template <class Arc>
class ExternalRows {
 public:
  /// Takes sources below `num_rows` and targets below `num_targets`: the same number unless these are some of a graph's rows.
  ExternalRows(VertexId num_rows, VertexId num_targets, const RowsRequest& request, const Workspace& space, ThreadPool& pool)
      : space_(space),
        pool_(pool),
        request_(request),
        whole_{0, num_rows, 0, num_targets},
        offsets_(space.directory()),
        neighbours_(space.directory()),
        weights_(space.directory()) {
    if (num_rows != 0) ranges_ = divide(whole_, kRangeBits);
  }

  /// Adds all arcs of a stream, a window at a time.
  template <class Stream>
  void add(const Stream& stream) {
    distribute(stream, whole_, ranges_);
  }

  /// Returns the rows, in scratch files. Nothing may be added afterwards.
  Csr finish() {
    Progress progress("sorting arcs", ranges_.list.size());
    for (Range& range : ranges_.list) {
      emit(range);
      progress.advance(1);
    }
    const EdgeId total = neighbours_.size() / sizeof(VertexId);
    offsets_.append(&total, sizeof(total));
    Csr csr{offsets_.map<EdgeId>(), neighbours_.map<VertexId>(), {}};
    if constexpr (Arc::kWeighted) csr.weights = weights_.map<std::uint32_t>();
    return csr;
  }

 private:
  struct Bounds {
    VertexId first_row;
    VertexId num_rows;
    VertexId first_target;
    VertexId num_targets;
  };
  /// Arcs within some bounds; Arc::row is relative to first_row.
  struct Range : Bounds {
    ScratchFile arcs;

    std::size_t count() const { return arcs.size() / sizeof(Arc); }
  };
  struct Ranges {
    std::vector<Range> list;
    int row_shift = 0;     ///< rows of a range: 2^row_shift
    int target_shift = 0;  ///< targets of a range, when all are of one row
    std::size_t of_row(VertexId row) const { return static_cast<std::size_t>(row >> row_shift); }
    std::size_t of_target(VertexId target) const { return static_cast<std::size_t>(target >> target_shift); }
  };

  // Every range with arcs has an open file, and a hub is divided several times over: 256 + 32 a level stays below the usual
  // limit of 1024.
  static constexpr int kRangeBits = 8;
  static constexpr int kSmallerRangeBits = 5;

  /// Makes equal ranges of rows, or of targets when there is only one row.
  Ranges divide(const Bounds& whole, int range_bits) const {
    const bool by_row = whole.num_rows > 1;
    const VertexId count = by_row ? whole.num_rows : whole.num_targets;
    const int shift = std::max(0, static_cast<int>(std::bit_width(static_cast<VertexId>(count - 1))) - range_bits);
    Ranges ranges;
    (by_row ? ranges.row_shift : ranges.target_shift) = shift;
    const VertexId step = VertexId{1} << shift;
    for (VertexId first = 0;;) {
      const VertexId size = std::min<VertexId>(step, count - first);
      Bounds part = whole;
      (by_row ? part.first_row : part.first_target) += first;
      (by_row ? part.num_rows : part.num_targets) = size;
      ranges.list.push_back({part, {}});
      if (size == count - first) return ranges;
      first += step;
    }
  }

  /// Appends the arcs of a stream, whose rows are relative to `whole`, to the files of the ranges that it was divided into.
  template <class Stream>
  void distribute(const Stream& stream, const Bounds& whole, Ranges& ranges) {
    // In memory at a time: the arcs, in the order of the stream and by ranges.
    constexpr std::size_t kArcsPerItem = 2;
    for_each_piece(space_, stream.size(), 2 * kArcsPerItem * sizeof(Arc), [&](std::size_t begin, std::size_t end) {
      const auto by_range = [&](std::size_t first, std::size_t last, const auto& sink) {
        stream.visit(begin + first, begin + last, [&](VertexId u, VertexId v, std::uint32_t weight) {
          const std::size_t k = whole.num_rows > 1 ? ranges.of_row(u) : ranges.of_target(v - whole.first_target);
          sink(k, Arc(v, u - (ranges.list[k].first_row - whole.first_row), weight));
        });
      };
      Partition partition(pool_, end - begin, ranges.list.size(), by_range);
      auto arcs = Column<Arc>::allocate(partition.total());
      partition.place(by_range, [to = arcs.data()](EdgeId place, const Arc& arc) { to[place] = arc; });
      for (std::size_t k = 0; k < ranges.list.size(); ++k) {
        const EdgeId first = partition.starts()[k];
        const EdgeId size = partition.starts()[k + 1] - first;
        if (size == 0) continue;
        ScratchFile& file = ranges.list[k].arcs;
        if (!file.is_open()) file = ScratchFile(space_.directory());
        file.append(arcs.data() + first, size * sizeof(Arc));
      }
      stream.release(begin, end);
    });
  }

  /// Memory of a range while RowsBuilder works on it: the file, two copies, and the rows.
  static constexpr std::size_t kBytesPerArc = 3 * sizeof(Arc) + sizeof(VertexId) + (Arc::kWeighted ? sizeof(std::uint32_t) : 0);

  void emit(Range& range) {
    constexpr std::uint64_t kAlwaysFits = 1024;
    const std::uint64_t arcs_that_fit = std::max(kAlwaysFits, space_.memory_bytes() / 2 / kBytesPerArc);
    const bool one_row = range.num_rows == 1;
    if (one_row && request_.order == ListOrder::as_streamed) {
      copy_row(range);
    } else if (range.count() <= arcs_that_fit) {
      append(build(range), range.first_target == 0);
    } else if (!one_row || range.num_targets > 1) {
      split(range);
    } else {
      append_parallel(range);
    }
    range.arcs = {};  // gives its space back
  }

  void split(Range& range) {
    Ranges parts = divide(range, kSmallerRangeBits);
    distribute(RangeArcs{range.arcs.template map<Arc>()}, range, parts);
    range.arcs = {};
    for (Range& part : parts.list) emit(part);
  }

  /// A range's arcs as RowsBuilder takes them.
  struct RangeArcs {
    Column<Arc> arcs;

    std::size_t size() const { return arcs.size(); }
    std::size_t expected_arcs() const { return arcs.size(); }
    template <class Sink>
    void visit(std::size_t begin, std::size_t end, const Sink& sink) const {
      for (std::size_t i = begin; i < end; ++i) {
        if constexpr (Arc::kWeighted) {
          sink(arcs[i].row, arcs[i].target, arcs[i].weight);
        } else {
          sink(arcs[i].row, arcs[i].target, 0);
        }
      }
    }
    void release(std::size_t begin, std::size_t end) const { arcs.release(begin, end); }
  };

  Csr build(const Range& range) {
    RowsBuilder<Arc> builder(range.num_rows, range.first_target + range.num_targets, request_.order, pool_);
    Csr rows = builder.build(RangeArcs{range.arcs.template map<Arc>()});
    finish_lists(rows, request_, pool_);
    return rows;
  }

  /// `opens_rows` is false for the further pieces of a row that was divided by targets.
  void append(Csr&& rows, bool opens_rows) {
    const EdgeId before = neighbours_.size() / sizeof(VertexId);
    if (opens_rows) {
      parallel_for(pool_, rows.num_vertices(), [&](std::size_t row) { rows.offsets[row] += before; });
      offsets_.append(rows.offsets.data(), rows.num_vertices() * sizeof(EdgeId));
    }
    neighbours_.append(rows.neighbours.data(), rows.neighbours.bytes());
    if constexpr (Arc::kWeighted) weights_.append(rows.weights.data(), rows.weights.bytes());
  }

  /// Appends parallel arcs of one pair of vertices that do not fit in memory. Only their weights differ: a file holds these while
  /// they are sorted or merged.
  void append_parallel(const Range& range) {
    const auto all = range.arcs.template map<Arc>();
    const bool merges = request_.merge != MergeRule::keep;
    const std::size_t kept = merges ? 1 : all.size();
    auto words = space_.make<std::uint32_t>(Arc::kWeighted ? all.size() : 0);
    const std::vector<VertexId> targets(std::min(kept, space_.window(2 * sizeof(Arc))), range.first_target);
    if constexpr (Arc::kWeighted) {
      for_each_window(all, space_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) words[i] = all[i].weight;
      });
      if (request_.sorts_weights()) sort_weights(words.data(), words.data() + words.size(), request_.kind);
      if (merges) {
        const auto weight = merged_weight(words.data(), words.data() + words.size(), request_);
        if (!weight) refuse_sum(request_.kind);
        words[0] = *weight;
      }
      weights_.append(words.data(), kept * sizeof(std::uint32_t));
    }
    if (range.first_target == 0) {
      const EdgeId before = neighbours_.size() / sizeof(VertexId);
      offsets_.append(&before, sizeof(before));
    }
    for (std::size_t left = kept; left != 0;) {
      const std::size_t some = std::min(left, targets.size());
      neighbours_.append(targets.data(), some * sizeof(VertexId));
      left -= some;
    }
  }

  /// Appends a list that is in the order of the stream already.
  void copy_row(const Range& range) {
    const EdgeId before = neighbours_.size() / sizeof(VertexId);
    offsets_.append(&before, sizeof(before));
    const auto all = range.arcs.template map<Arc>();
    for_each_window(all, space_, [&](std::size_t begin, std::size_t end) {
      std::vector<VertexId> targets;
      std::vector<std::uint32_t> words;
      targets.reserve(end - begin);
      if constexpr (Arc::kWeighted) words.reserve(end - begin);
      for (std::size_t i = begin; i < end; ++i) {
        targets.push_back(all[i].target);
        if constexpr (Arc::kWeighted) words.push_back(all[i].weight);
      }
      neighbours_.append(targets.data(), targets.size() * sizeof(VertexId));
      weights_.append(words.data(), words.size() * sizeof(std::uint32_t));
    });
  }

  const Workspace& space_;
  ThreadPool& pool_;
  RowsRequest request_;
  Bounds whole_;
  Ranges ranges_;
  ScratchFile offsets_;
  ScratchFile neighbours_;
  ScratchFile weights_;
};

}  // namespace graphrun::inline GR_IDS
