// SPDX-License-Identifier: Apache-2.0

#include "graphrun/backend/feature_table.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "backend/row_copies.hpp"
#include "core/raise.hpp"
#include "graphrun/cache/paged_array.hpp"
#include "graphrun/core/column.hpp"
#include "graphrun/core/parallel.hpp"
#include "graphrun/core/timer.hpp"
#include "graphrun/exec/cuda_device.hpp"
#if defined(GRAPHRUN_HAS_CUDA)
#include "backend/cuda/gpu_features.hpp"
#endif

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kRowsAtATime = 64;

class FeaturesInMemory final : public FeatureTable {
 public:
  FeaturesInMemory(std::span<const std::byte> rows, const FeatureOptions& options)
      : FeatureTable(rows.size() / options.row_bytes, options), rows_(rows), pool_(options.threads) {}

 private:
  Gathered gather_impl(std::span<const VertexId> ids, std::byte* to) override {
    const std::size_t bytes = row_bytes();
    if (delivery() == RowDelivery::staged && staging_.size() < ids.size() * bytes)
      staging_ = Column<std::byte>::allocate(ids.size() * bytes);
    const Timer timer;
    switch (delivery()) {
      case RowDelivery::dma:  // this thread stands for the engine, which copies row after row
        for (std::size_t i = 0; i < ids.size(); ++i) std::memcpy(to + i * bytes, rows_.data() + ids[i] * bytes, bytes);
        break;
      case RowDelivery::staged:
        copy_rows(pool_, rows_, bytes, ids, staging_.data());
        if (!ids.empty()) std::memcpy(to, staging_.data(), ids.size() * bytes);
        break;
      default:
        copy_rows(pool_, rows_, bytes, ids, to);
    }
    return {.host_bytes = ids.size() * bytes, .elapsed_ms = timer.elapsed_ms()};
  }

  std::span<const std::byte> rows_;
  ThreadPool pool_;
  Column<std::byte> staging_;
};

class FeaturesInFile final : public FeatureTable {
 public:
  FeaturesInFile(const std::string& path, std::uint64_t offset, std::uint64_t num_rows, const FeatureOptions& options)
      : FeatureTable(num_rows, options),
        offset_(offset),
        pool_(options.threads),
        file_(path, {.page_bytes = options.page_bytes, .cache_bytes = options.cache_bytes, .threads = pool_.size()}) {
    if (file_.size() < offset || (file_.size() - offset) / options.row_bytes < num_rows)
      raise<DataError>("{} has {} bytes, which {} rows of {} from byte {} on do not fit into", path, file_.size(), num_rows,
                       options.row_bytes, offset);
    if (options.hot.empty()) return;
    // Uses a temporary cache, so that the table's own begins empty.
    PagedArray<std::byte> once(path,
                               {.page_bytes = options.page_bytes, .cache_bytes = options.cache_bytes, .threads = pool_.size()});
    hot_.resize(options.hot.size() * options.row_bytes);
    gather_from(once, options.hot, hot_.data());
    place_of_.assign(num_rows, kNoVertex);
    for (std::size_t i = 0; i < options.hot.size(); ++i) place_of_[options.hot[i]] = static_cast<VertexId>(i);
  }

 private:
  Gathered gather_impl(std::span<const VertexId> ids, std::byte* to) override {
    const Timer timer;
    const std::uint64_t read_before = file_.counters().bytes_read;
    const std::uint64_t hot = gather_from(file_, ids, to);
    return {.host_bytes = hot * row_bytes(),
            .storage_bytes = file_.counters().bytes_read - read_before,
            .elapsed_ms = timer.elapsed_ms()};
  }
  /// Returns the number of hot rows.
  std::uint64_t gather_from(PagedArray<std::byte>& file, std::span<const VertexId> ids, std::byte* to) {
    const std::size_t bytes = row_bytes();
    std::atomic<std::uint64_t> all_hot = 0;
    parallel_chunks(pool_, ids.size(), kRowsAtATime, [&](std::size_t begin, std::size_t end, int) {
      std::uint64_t hot = 0;
      for (std::size_t i = begin; i < end; ++i) {
        if (!is_hot(ids[i])) file.prefetch(byte_of(ids[i]), byte_of(ids[i]) + bytes);
      }
      for (std::size_t i = begin; i < end; ++i) {
        if (is_hot(ids[i])) {
          std::memcpy(to + i * bytes, hot_.data() + place_of_[ids[i]] * bytes, bytes);
          ++hot;
        } else {
          file.read(byte_of(ids[i]), std::span(to + i * bytes, bytes));
        }
      }
      all_hot.fetch_add(hot, std::memory_order_relaxed);
    });
    return all_hot;
  }
  bool is_hot(VertexId row) const { return !place_of_.empty() && place_of_[row] != kNoVertex; }
  std::uint64_t byte_of(VertexId row) const { return offset_ + row * row_bytes(); }

  std::uint64_t offset_;
  ThreadPool pool_;
  PagedArray<std::byte> file_;
  std::vector<VertexId> place_of_;  ///< of each row among the hot ones, kNoVertex for others; empty without hot rows
  std::vector<std::byte> hot_;
};

/// Throws UsageError for options that fit no rows, on any machine.
void check_options(const FeatureOptions& options) {
  const int load = options.load_bytes;
  if (options.row_bytes == 0) throw UsageError("a row of features has at least 1 byte");
  if (options.multiprocessors < 0 || (options.gpu < 0 && options.multiprocessors != 0))
    throw UsageError("a number of multiprocessors is one of a GPU that gathers, 0 for all");
  if (!options.peers.empty() && options.gpu < 0) throw UsageError("further GPUs gather beside a first one, and none is named");
  if (options.peers.size() > FeatureOptions::kMostPeers)
    raise<UsageError>("rows are gathered by {} GPUs at most", FeatureOptions::kMostPeers + 1);
  if (options.replicated > options.hot.size())
    raise<UsageError>("{} rows have a copy on every GPU, and {} are hot", options.replicated, options.hot.size());
  if (options.delivery == RowDelivery::staged && !options.hot.empty())
    throw UsageError("staged rows all come from host memory: leave the hot ones out, or read by zero-copy");
  if (load != 0 && options.gpu < 0)
    throw UsageError("a number of bytes of a load is one of a GPU that gathers, 0 for the widest");
  if (load != 0 && load != 4 && load != 8 && load != 16)
    raise<UsageError>("a load has 4, 8 or 16 bytes, or 0 for the widest, not {}", load);
  if (load != 0 && options.row_bytes % static_cast<std::uint64_t>(load) != 0)
    raise<UsageError>("loads of {} bytes do not divide rows of {}", load, options.row_bytes);
}

}  // namespace

void copy_rows(ThreadPool& pool, std::span<const std::byte> rows, std::size_t row_bytes, std::span<const VertexId> ids,
               std::byte* to) {
  parallel_for(
      pool, ids.size(), [&](std::size_t i) { std::memcpy(to + i * row_bytes, rows.data() + ids[i] * row_bytes, row_bytes); },
      kRowsAtATime);
}

FeatureTable::FeatureTable(std::uint64_t num_rows, const FeatureOptions& options) : num_rows_(num_rows), options_(options) {
  if (num_rows > kNoVertex) raise<UsageError>("{} rows of features need ids of 64 bits", num_rows);
  check(options.hot);
  std::vector<VertexId> hot = options.hot;
  std::sort(hot.begin(), hot.end());
  if (const auto twice = std::adjacent_find(hot.begin(), hot.end()); twice != hot.end())
    raise<UsageError>("hot names row {} twice", *twice);
}

void FeatureTable::check(std::span<const VertexId> ids) const {
  const auto bad = std::find_if(ids.begin(), ids.end(), [this](VertexId id) { return id >= num_rows_; });
  if (bad != ids.end()) raise<UsageError>("there is no row {} of features: there are {}", *bad, num_rows_);
}

Gathered FeatureTable::gather(std::span<const VertexId> ids, std::byte* to) {
  check(ids);
  const std::lock_guard lock(gathering_);
  return gather_impl(ids, to);
}

Gathered FeatureTable::gather_on_device(std::span<const VertexId> ids, std::byte* to) {
  check(ids);
  const std::lock_guard lock(gathering_);
  return gather_on_device_impl(ids, to);
}

void FeatureTable::gather_on_stream(std::span<const VertexId> ids, std::byte* to, void* stream) {
  check(ids);
  const std::lock_guard lock(gathering_);
  gather_on_stream_impl(ids, to, stream);
}

Gathered FeatureTable::finish_on_stream() {
  const std::lock_guard lock(gathering_);
  return finish_on_stream_impl();
}

Gathered FeatureTable::gather_on_device_impl(std::span<const VertexId>, std::byte*) {
  throw UsageError("these features are gathered by host threads, into host memory");
}

void FeatureTable::gather_on_stream_impl(std::span<const VertexId>, std::byte*, void*) {
  throw UsageError("these features are gathered by host threads, into host memory, and not on a stream");
}

std::unique_ptr<FeatureTable> open_features(std::span<const std::byte> rows, const FeatureOptions& options) {
  check_options(options);
  if (options.gpu < 0 && !options.hot.empty())
    throw UsageError("hot rows are kept in the memory of a GPU, or before a file, and host threads gather these from memory");
  if (options.gpu < 0) return std::make_unique<FeaturesInMemory>(rows, options);
#if defined(GRAPHRUN_HAS_CUDA)
  return open_gpu_features(rows, options);
#else
  throw UnavailableError(why_no_cuda(options.gpu));
#endif
}

std::unique_ptr<FeatureTable> open_features(const std::string& path, std::uint64_t offset, std::uint64_t num_rows,
                                            const FeatureOptions& options) {
  check_options(options);
  if (options.gpu >= 0) throw UsageError("a GPU gathers features that are in memory: map the file");
  if (options.delivery != RowDelivery::automatic)
    throw UsageError("rows of a file come by pages: a delivery is one of rows in memory");
  return std::make_unique<FeaturesInFile>(path, offset, num_rows, options);
}

}  // namespace graphrun::inline GR_IDS
