// SPDX-License-Identifier: Apache-2.0

#include "backend/prefix_cache.hpp"

#include <algorithm>
#include <limits>

#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kPrefixesAPiece = 1 << 14;
constexpr std::uint64_t kMostPrefixEdges = std::numeric_limits<std::uint32_t>::max();  // a start fits 32 bits

std::uint64_t bytes_an_edge(const ListColumn& lists) {
  return lists.words_an_edge() * sizeof(VertexId) + (lists.weighted() ? sizeof(std::uint32_t) : 0);
}

}  // namespace

ListColumn::ListColumn(const Rows& of, const Csr& csr, Reads what) : rows(of), csr_(csr), what_(what) {
  if (what != Reads::records && !csr.packed.empty()) packed_ = packed_lists(csr);
}

DirectView ListColumn::view() const {
  if (what_ == Reads::records) return {.neighbours = csr_.records.data()};
  return {.neighbours = csr_.neighbours.data(),
          .weights = weighted() ? csr_.weights.data() : nullptr,
          .packed = packed_.groups != nullptr ? &packed_ : nullptr};
}

void ListColumn::release(VertexId first, VertexId last) const {
  const auto from = [](const auto& column, std::uint64_t begin, std::uint64_t end) {
    if (column.in_mapped_file()) column.release(begin, std::min<std::uint64_t>(end, column.size()));
  };
  const EdgeId begin = rows.offsets[first];
  const EdgeId end = rows.offsets[last];
  if (what_ == Reads::records) return from(csr_.records, 2 * begin, 2 * end);
  if (packed_.groups != nullptr)
    from(csr_.packed.lines, std::min(packed_.start(first), packed_.bytes), packed_.start(last));
  else
    from(csr_.neighbours, begin, end);
  const packed::WeightCode& code = csr_.packed.weight_code;
  if (weighted() && code.is_packed())
    from(csr_.packed.weights, code.byte_of(begin), code.byte_of(end));
  else if (weighted())
    from(csr_.weights, begin, end);
}

void PrefixCache::keep(const ListColumn& lists, EdgeId unit, std::uint64_t most_bytes, const RankPart& part, ThreadPool& pool) {
  const Rows& rows = lists.rows;
  const std::uint64_t index_bytes = (std::uint64_t{rows.num_vertices} + 1) * sizeof(std::uint32_t);
  prefixes_.words_an_edge = lists.words_an_edge();
  prefixes_.unit = unit;
  if (most_bytes <= index_bytes) return;
  const std::uint64_t most = std::min((most_bytes - index_bytes) / bytes_an_edge(lists), kMostPrefixEdges);
  const auto length = [&](const CachedPrefixes& prefixes, std::size_t v) -> EdgeId {
    if (!part.owns(static_cast<VertexId>(v))) return 0;
    return prefixes.end_of(rows.offsets[v], rows.offsets[v + 1]) - rows.offsets[v];
  };
  prefixes_.lead = longest_lead(prefixes_, most, [&](const CachedPrefixes& prefixes) {
    return parallel_sum<std::uint64_t>(pool, rows.num_vertices, [&](std::size_t v) { return length(prefixes, v); });
  });
  if (prefixes_.lead == 0) return;
  starts_ = Column<std::uint32_t>::allocate(std::size_t{rows.num_vertices} + 1);
  for (std::size_t v = 0; v < rows.num_vertices; ++v) {
    starts_[v + 1] = starts_[v] + static_cast<std::uint32_t>(length(prefixes_, v));
    lists_ += length(prefixes_, v) != 0 ? 1 : 0;
  }
  const std::uint64_t edges = starts_[rows.num_vertices];
  words_ = Column<VertexId>::allocate(edges * lists.words_an_edge());
  if (lists.weighted()) weights_ = Column<std::uint32_t>::allocate(edges);
  Progress progress("filling the static tier", rows.num_vertices, "lists");
  parallel_chunks(pool, rows.num_vertices, kPrefixesAPiece, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t v = begin; v < end; ++v) {
      std::uint64_t to = std::uint64_t{starts_[v]} * lists.words_an_edge();
      const EdgeId wanted = starts_[v + 1] - starts_[v];
      if (wanted == 0) continue;
      lists.walk(static_cast<VertexId>(v), wanted, [&](const VertexId* words, const std::uint32_t* weights, std::size_t count) {
        std::copy_n(words, count, words_.data() + to);
        if (weights != nullptr) std::copy_n(weights, count, weights_.data() + to);
        to += count;
      });
    }
    lists.release(static_cast<VertexId>(begin), static_cast<VertexId>(end));
    progress.advance(end - begin);
  });
}

CachedPrefixes PrefixCache::view() const {
  CachedPrefixes prefixes = prefixes_;
  prefixes.words = words_.data();
  prefixes.starts = starts_.data();
  prefixes.weights = weights_.data();
  prefixes.answered = &answered_;
  return prefixes;
}

}  // namespace graphrun::inline GR_IDS
