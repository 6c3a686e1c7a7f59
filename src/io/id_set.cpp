// SPDX-License-Identifier: Apache-2.0

#include "io/id_set.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "graph/external_rows.hpp"
#include "graphrun/core/parallel.hpp"

namespace graphrun::io::inline GR_IDS {
namespace {

constexpr std::size_t kWordBits = 64;
constexpr std::size_t kBlockWords = 8;  // a cache line

std::uint64_t words_for(std::uint64_t bound) { return bound / kWordBits + 1; }

/// The ids of a batch, as targets of the one row of a graph: in a list that ascends and holds no target twice they are a set.
struct IdArcs {
  static constexpr std::size_t kMostLastIds = std::size_t{1} << 13;
  const EdgeList& batch;

  std::size_t size() const { return batch.sources.size(); }
  template <class Sink>
  void visit(std::size_t begin, std::size_t end, const Sink& sink) const {
    // Most ids come many times; those that came lately are left out.
    std::vector<VertexId> last(std::min(kMostLastIds, 2 * (end - begin)), kNoVertex);
    const auto take = [&](VertexId id) {
      if (std::exchange(last[id % last.size()], id) != id) sink(0, id, 0);
    };
    for (std::size_t i = begin; i < end; ++i) {
      take(batch.sources[i]);
      take(batch.targets[i]);
    }
  }
  void release(std::size_t, std::size_t) const {}  // the batch is read again
};

}  // namespace

struct IdSet::Files : ExternalRows<PlainArc> {
  using ExternalRows::ExternalRows;
};

bool IdSet::is_dense(std::uint64_t bound, std::uint64_t entries) {
  constexpr std::uint64_t kBytesPerEntry = 32;
  return bound / 8 <= kBytesPerEntry * entries;
}

std::uint64_t IdSet::bytes_for(std::uint64_t bound, std::uint64_t entries) {
  if (!is_dense(bound, entries)) return 2 * entries * sizeof(VertexId);
  return words_for(bound) * 8 + words_for(bound) / kBlockWords * sizeof(VertexId);
}

IdSet::IdSet(std::uint64_t bound, std::uint64_t entries, const Workspace& space)
    : space_(space),
      bound_(bound),
      dense_(is_dense(bound, entries)),
      in_files_(bytes_for(bound, entries) > space.memory_bytes() / 2) {
  if (in_files_) return;
  if (!dense_) {
    list_.reserve(2 * entries);  // growing would hold it three times
    return;
  }
  const std::uint64_t blocks = words_for(bound) / kBlockWords + 1;
  words_ = Column<std::uint64_t>::allocate(blocks * kBlockWords);
  ranks_ = Column<VertexId>::allocate(blocks);
}

IdSet::~IdSet() = default;

void IdSet::add(const EdgeList& batch, ThreadPool& pool) {
  if (in_files_) {
    constexpr RowsRequest kAscending{WeightKind::none, ListOrder::by_target, MergeRule::min};
    if (!files_) files_ = std::make_unique<Files>(1, static_cast<VertexId>(bound_), kAscending, space_, pool);
    return files_->add(IdArcs{batch});
  }
  if (!dense_) {
    for (const auto* ids : {&batch.sources, &batch.targets}) list_.insert(list_.end(), ids->span().begin(), ids->span().end());
    return;
  }
  const auto mark = [this](VertexId id) {
    const std::atomic_ref<std::uint64_t> word(words_[id / kWordBits]);
    const std::uint64_t bit = std::uint64_t{1} << (id % kWordBits);
    // Most ids come many times, and looking is much cheaper than writing.
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
  };
  parallel_for(pool, batch.sources.size(), [&](std::size_t i) {
    mark(batch.sources[i]);
    mark(batch.targets[i]);
  });
}

void IdSet::seal(ThreadPool& pool) {
  if (in_files_) {
    if (files_) sorted_ = files_->finish().neighbours;
    files_.reset();
  } else if (!dense_) {
    std::sort(list_.begin(), list_.end());
    list_.erase(std::unique(list_.begin(), list_.end()), list_.end());
    sorted_ = Column<VertexId>::allocate(list_.size());
    std::ranges::copy(std::exchange(list_, {}), sorted_.data());
  }
  size_ = static_cast<VertexId>(sorted_.size());
  if (in_files_ || !dense_) return;
  parallel_for(pool, ranks_.size(), [&](std::size_t block) {
    int count = 0;
    for (std::size_t w = block * kBlockWords; w < (block + 1) * kBlockWords; ++w) count += std::popcount(words_[w]);
    ranks_[block] = static_cast<VertexId>(count);
  });
  size_ = exclusive_scan(pool, ranks_.data(), ranks_.size());
}

VertexId IdSet::smallest() const {
  if (!sorted_.empty()) return sorted_[0];
  const std::uint64_t* word =
      std::find_if(words_.data(), words_.data() + words_.size(), [](std::uint64_t bits) { return bits != 0; });
  return static_cast<VertexId>(static_cast<std::size_t>(word - words_.data()) * kWordBits +
                               static_cast<std::size_t>(std::countr_zero(*word)));
}

VertexId IdSet::rank(VertexId id) const {
  if (!dense_) return static_cast<VertexId>(std::ranges::lower_bound(sorted_.span(), id) - sorted_.span().begin());
  const std::size_t word = id / kWordBits;
  VertexId below = ranks_[word / kBlockWords];
  for (std::size_t w = word / kBlockWords * kBlockWords; w < word; ++w) below += static_cast<VertexId>(std::popcount(words_[w]));
  const std::uint64_t smaller = (std::uint64_t{1} << (id % kWordBits)) - 1;
  return below + static_cast<VertexId>(std::popcount(words_[word] & smaller));
}

Column<std::uint64_t> IdSet::ids(ThreadPool& pool) const {
  if (!sorted_.empty()) return copy_column<std::uint64_t>(sorted_, space_, pool);
  auto ids = Column<std::uint64_t>::allocate(size_);
  parallel_for(pool, ranks_.size(), [&](std::size_t block) {
    std::size_t place = ranks_[block];
    for (std::size_t w = block * kBlockWords; w < (block + 1) * kBlockWords; ++w) {
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1) {
        ids[place++] = w * kWordBits + static_cast<std::uint64_t>(std::countr_zero(left));
      }
    }
  });
  return ids;
}

void IdSet::renumber(EdgeList& batch, ThreadPool& pool) const {
  batch.num_vertices = size_;
  if (in_files_) return renumber_in_passes(batch);
  parallel_for(pool, batch.sources.size(), [&](std::size_t i) {
    batch.sources[i] = rank(batch.sources[i]);
    batch.targets[i] = rank(batch.targets[i]);
  });
}

void IdSet::renumber_in_passes(EdgeList& batch) const {
  struct Place {
    VertexId id;
    VertexId index;
  };
  constexpr std::size_t kReleaseIds = std::size_t{1} << 18;
  std::vector<Place> places(batch.sources.size());
  for (Column<VertexId>* column : {&batch.sources, &batch.targets}) {
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = {(*column)[i], static_cast<VertexId>(i)};
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.id < b.id; });
    std::size_t rank = 0;
    std::size_t released = 0;
    for (const Place& place : places) {
      while (sorted_[rank] != place.id) ++rank;
      (*column)[place.index] = static_cast<VertexId>(rank);
      if (rank - released < kReleaseIds) continue;
      sorted_.release(released, rank);
      released = rank;
    }
    sorted_.release(released, sorted_.size());
  }
}

}  // namespace graphrun::io::inline GR_IDS
