// SPDX-License-Identifier: Apache-2.0
// Reads prefixes on a GPU. Contract: operators.hpp. Kernels: cuda_prefix_kernels.cuh.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphrun/core/error.hpp"
#include "graphrun/core/progress.hpp"
#include "graphrun/ops/cuda_operators.cuh"
#include "graphrun/ops/cuda_ordered_queue.hpp"
#include "graphrun/ops/cuda_prefix_kernels.cuh"

namespace graphrun::cuda::inline GR_IDS {

/// Shared memory of one operator call's kernels: counts on the device, words of a bitmap in groups, and room for pieces.
class PrefixPass {
 public:
  PrefixPass(CudaExecutor& exec, const Rows& rows)
      : exec_(exec),
        rows_(rows),
        totals_(static_cast<PrefixTotals*>(exec.device_scratch())),
        words_(groups_of(exec, rows.own.groups)) {
    // Without room, the warp that found a piece reads it: slower, with the same result.
    constexpr std::uint64_t kVerticesAPiece = 8, kLeastPieces = 64;
    pieces_.capacity = rows.num_vertices / kVerticesAPiece + kLeastPieces;
    static_assert(sizeof(QueueItem) % sizeof(double) == 0);
    pieces_.items = reinterpret_cast<QueueItem*>(exec.piece_sums(pieces_.capacity * sizeof(QueueItem) / sizeof(double)));
  }

  void reset() {
    const PrefixTotals none;
    exec_.set_counters(totals_, &none, sizeof(none));
  }
  /// Splits the vertices of `far` by f.due(): buckets [begin, end) go to `near`, later ones stay, others are dropped.
  template <class F>
  void split(BitmapRef far, BitmapRef near, const F& f, std::uint64_t begin, std::uint64_t end) {
    launch(exec_, warps(words_), prefix_split_kernel<F>, rows_.own.first_group, words_, far, near, f, begin, end, totals_);
  }
  /// Returns a round of a bucket.
  template <class F>
  BucketWalk<F> walk(const F& f, BitmapRef near, BitmapRef next, BitmapRef far, std::uint64_t bucket) const {
    return {
        f, near, next, far, bucket, static_cast<VertexId>(rows_.own.first_vertex()), static_cast<VertexId>(rows_.own_vertices())};
  }
  /// Reads the lists that `walk` wants.
  template <class View, class Walk>
  void read(const View& records, const Walk& walk) {
    const std::uint64_t none[] = {0, 0};
    exec_.set_counters(&totals_->near, none, sizeof(none));
    launch(exec_, warps(words_), prefix_kernel<View, Walk>, rows_, records, words_, next_order<View>(exec_), walk, pieces_,
           totals_);
    launch(exec_, warps(pieces_.capacity), prefix_pieces_kernel<View, Walk>, rows_, records, next_order<View>(exec_, true), walk,
           pieces_, totals_);
  }
  /// Publishes the distances that fell, and merges the other ranks'.
  template <class Walk>
  void share(const Walk& walk) {
    if (exec_.part().is_single_rank()) return;
    const auto relax = walk.f.relaxing();
    using Relax = std::remove_cv_t<decltype(relax)>;
    exchange_states(
        exec_, publish_members(exec_, rows_.num_vertices, rows_.num_vertices, relax.lowered, relax), [&](const auto& theirs) {
          const std::uint64_t lanes = theirs.list != nullptr ? theirs.count : theirs.last;
          if (lanes != 0) {
            launch(exec_, threads(lanes), prefix_take_kernel<Relax, Walk, ranks::StateOf<Relax>>, theirs, relax, walk, totals_);
          }
        });
    exec_.fill_words(relax.lowered.words, 0, BitmapRef::words_for(rows_.num_vertices));
  }
  /// Waits for the kernels, and returns the totals of all ranks.
  PrefixTotals totals() {
    auto* host = static_cast<PrefixTotals*>(exec_.host_scratch());
    exec_.copy_to_host(host, totals_, sizeof(PrefixTotals));
    PrefixTotals all;
    for (const PrefixTotals& each : ranks::gather_from_ranks(exec_, *host)) {
      all.counts += each.counts;
      all.near += each.near;
      all.lowest = std::min(all.lowest, each.lowest);
    }
    return all;
  }

 private:
  CudaExecutor& exec_;
  Rows rows_;
  PrefixTotals* totals_;
  Groups words_;
  PieceQueue pieces_{};
};

inline constexpr unsigned kMostBins = 256;

/// Adds up in tables of each block, a different one for neighbouring lanes. cub::DeviceHistogram counts, and this adds up.
template <class F>
__global__ void histogram_kernel(std::size_t first, std::size_t n, unsigned bins, F f, double* total) {
  constexpr unsigned kTables = 16;
  __shared__ double sums[kMostBins][kTables];  // of a bin side by side, in different banks
  for (unsigned i = threadIdx.x; i < kTables * kMostBins; i += blockDim.x) sums[i / kTables][i % kTables] = 0;
  __syncthreads();
  const unsigned mine = threadIdx.x % kTables;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += std::size_t{gridDim.x} * blockDim.x)
    f(static_cast<VertexId>(first + i), [&](std::size_t bin, double more) { atomicAdd(&sums[bin][mine], more); });
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    double sum = 0;
    for (unsigned table = 0; table < kTables; ++table) sum += sums[bin][(bin + table) % kTables];
    if (sum != 0) atomicAdd(&total[bin], sum);
  }
}

}  // namespace graphrun::cuda::inline GR_IDS

namespace graphrun::inline GR_IDS {

template <class F>
std::vector<double> vertex_histogram(CudaExecutor& exec, std::size_t n, std::size_t bins, F f) {
  if (bins > cuda::kMostBins) throw UsageError("a histogram on a GPU has at most " + std::to_string(cuda::kMostBins) + " bins");
  std::vector<double> sums(bins);
  auto* total = static_cast<double*>(exec.device_scratch());
  exec.fill_words(total, 0, bins * 2);
  constexpr std::size_t kVerticesAThread = 16;  // a block has a table to add up in the end
  const RankPart part = exec.part().within(n);
  const std::size_t own = part.last - part.first;
  if (own != 0) {
    cuda::launch(exec, cuda::threads(own / kVerticesAThread + 1), cuda::histogram_kernel<F>, std::size_t{part.first}, own,
                 static_cast<unsigned>(bins), f, total);
  }
  exec.copy_to_host(sums.data(), total, bins * sizeof(double));
  if (part.is_single_rank()) return sums;
  std::vector<double> all(bins);
  for (const auto bytes : part.exchange->all_gather(std::as_bytes(std::span(sums)))) {
    check_published(bytes, bins * sizeof(double));
    const auto* const theirs = reinterpret_cast<const double*>(bytes.data());
    std::transform(all.begin(), all.end(), theirs, all.begin(), std::plus<>());
  }
  return all;
}

template <WalkableView View, class F>
EdgeMapStats edge_map_prefixes(CudaExecutor& exec, const Rows& rows, const View& records, F f) {
  if constexpr (cuda::MayBecomeArray<View>) {
    if (records.is_array()) return edge_map_prefixes(exec, rows, records.as_array(), f);
  }
  cuda::PrefixPass pass(exec, rows);
  pass.reset();
  const cuda::WholeWalk<F> walk{f};
  pass.read(records, walk);
  pass.share(walk);
  return {pass.totals().counts.read, 1};
}

template <WalkableView View, class F, class BetweenBuckets>
EdgeMapStats edge_map_prefixes_ordered(CudaExecutor& exec, const Rows& rows, const View& records, CudaOrderedQueue& queue,
                                       CudaFrontier& start, F& f, BetweenBuckets&& go_on) {
  if constexpr (cuda::MayBecomeArray<View>) {
    if (records.is_array()) return edge_map_prefixes_ordered(exec, rows, records.as_array(), queue, start, f, go_on);
  }
  EdgeMapStats stats;
  Progress progress("shortest paths", 0, "bucket");
  cuda::PrefixPass pass(exec, rows);
  const BitmapRef far{queue.in_far.data()};
  vertex_map(exec, queue.in_far.size(), ranks::CopyElements<std::uint32_t>{start.bitmap(exec).words, far.words});
  pass.reset();
  pass.split(far, queue.near.start_empty_bitmap(exec), f, 0, 0);
  for (std::uint64_t bucket = pass.totals().lowest; bucket != kNoBucket;) {
    BitmapRef near = queue.near.start_empty_bitmap(exec);
    pass.reset();
    pass.split(far, near, f, bucket, bucket + 1);
    cuda::PrefixTotals totals;
    do {
      const BitmapRef next = queue.next.start_empty_bitmap(exec);
      const cuda::BucketWalk<F> walk = pass.walk(f, near, next, far, bucket);
      pass.read(records, walk);
      pass.share(walk);
      totals = pass.totals();
      std::swap(queue.near, queue.next);
      near = next;
      ++stats.steps;
    } while (totals.near != 0);
    totals.counts.unread -= static_cast<std::int64_t>(totals.counts.read);
    stats.edges += totals.counts.read;
    progress.end_round(totals.counts.read);
    if (!go_on(std::as_const(totals.counts), bucket)) break;
    bucket = totals.lowest;
  }
  return stats;
}

}  // namespace graphrun::inline GR_IDS
