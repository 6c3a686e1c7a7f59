#include "backend/list_heads.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kHeadsAPiece = 1 << 14;
constexpr std::uint64_t kMostHeadEdges = std::numeric_limits<std::uint32_t>::max();  // so that a start is a word of 32 bits

std::uint64_t bytes_an_edge(const ListColumn& lists) {
  return lists.words_an_edge() * sizeof(VertexId) + (lists.weighted() ? sizeof(std::uint32_t) : 0);
}

template <class T>
void make_room(Column<T>& column, std::size_t size) {
  if (column.size() != size) column = Column<T>::allocate(size);
}

}  // namespace

void ListHeads::keep_beginnings(const ListColumn& lists, EdgeId unit, std::uint64_t most_bytes, const RankPart& part,
                                ThreadPool& pool) {
  const Rows& rows = lists.rows;
  const std::uint64_t index_bytes = (std::uint64_t{rows.num_vertices} + 1) * sizeof(std::uint32_t);
  heads_.words_an_edge = lists.words_an_edge();
  heads_.unit = unit;
  if (most_bytes <= index_bytes) return;
  const std::uint64_t most = std::min((most_bytes - index_bytes) / bytes_an_edge(lists), kMostHeadEdges);
  const auto length = [&](const Heads& heads, std::size_t v) -> EdgeId {
    if (!part.owns(static_cast<VertexId>(v))) return 0;
    return heads.end_of(rows.offsets[v], rows.offsets[v + 1]) - rows.offsets[v];
  };
  heads_.lead = longest_lead(heads_, most, [&](const Heads& heads) {
    return parallel_sum<std::uint64_t>(pool, rows.num_vertices, [&](std::size_t v) { return length(heads, v); });
  });
  if (heads_.lead == 0) return;
  make_room(starts_, std::size_t{rows.num_vertices} + 1);
  lists_ = 0;
  for (std::size_t v = 0; v < rows.num_vertices; ++v) {
    starts_[v + 1] = starts_[v] + static_cast<std::uint32_t>(length(heads_, v));
    lists_ += length(heads_, v) != 0 ? 1 : 0;
  }
  copy(
      lists, starts_[rows.num_vertices], [&](std::size_t v) { return length(heads_, v); }, pool);
}

void ListHeads::keep_lists(const ListColumn& lists, const std::vector<VertexId>& order, std::uint64_t most_bytes,
                           ThreadPool& pool) {
  const Rows& rows = lists.rows;
  const std::size_t bit_words = rows.num_vertices / 64 + 1;
  const std::uint64_t index_bytes = bit_words * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
  const std::uint64_t edge_bytes = bytes_an_edge(lists);
  const std::uint64_t least = edge_bytes + sizeof(std::uint32_t);
  heads_.words_an_edge = lists.words_an_edge();
  if (most_bytes < index_bytes + least) return;
  make_room(chosen_, bit_words);
  make_room(chosen_before_, bit_words);
  std::fill_n(chosen_.data(), bit_words, 0);
  std::uint64_t left = most_bytes - index_bytes;
  std::uint64_t edges = 0;
  lists_ = heads_.lead = 0;
  for (std::size_t i = 0; i < order.size() && left >= least; ++i) {
    const VertexId v = order[i];
    const EdgeId degree = rows.degree(v);
    if (degree > kMostHeadEdges - edges || degree * edge_bytes + sizeof(std::uint32_t) > left) continue;
    left -= degree * edge_bytes + sizeof(std::uint32_t);
    edges += degree;
    chosen_[v / 64] |= std::uint64_t{1} << (v % 64);
    heads_.lead = std::max(heads_.lead, degree);
    ++lists_;
  }
  if (lists_ == 0) {
    chosen_ = {}, chosen_before_ = {};
    return;
  }
  make_room(starts_, lists_);
  std::uint32_t before = 0;
  std::uint32_t start = 0;
  for (std::size_t word = 0; word < bit_words; ++word) {
    chosen_before_[word] = before;
    for (std::uint64_t bits = chosen_[word]; bits != 0; bits &= bits - 1) {
      starts_[before++] = start;
      start += static_cast<std::uint32_t>(rows.degree(static_cast<VertexId>(word * 64 + std::countr_zero(bits))));
    }
  }
  const Heads heads = view();
  const auto length = [&](std::size_t v) -> EdgeId {
    return heads.has_list(static_cast<VertexId>(v)) ? rows.degree(static_cast<VertexId>(v)) : 0;
  };
  copy(lists, edges, length, pool);
}

template <class Length>
void ListHeads::copy(const ListColumn& lists, std::uint64_t edges, const Length& length, ThreadPool& pool) {
  const std::size_t num_vertices = lists.rows.num_vertices;
  make_room(words_, edges * lists.words_an_edge());
  if (lists.weighted()) make_room(weights_, edges);
  const Heads heads = view();
  Progress progress("filling the static tier", num_vertices, "lists");
  parallel_chunks(pool, num_vertices, kHeadsAPiece, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto v = static_cast<VertexId>(i);
      const EdgeId wanted = length(i);
      if (wanted == 0) continue;
      std::uint64_t to = heads.start_of(v) * lists.words_an_edge();
      lists.walk(v, wanted, [&](const VertexId* words, const std::uint32_t* weights, std::size_t count) {
        std::copy_n(words, count, words_.data() + to);
        if (weights != nullptr) std::copy_n(weights, count, weights_.data() + to);
        to += count;
      });
    }
    lists.release(static_cast<VertexId>(begin), static_cast<VertexId>(end));
    progress.advance(end - begin);
  });
}

Heads ListHeads::view() const {
  Heads heads = heads_;
  heads.words = words_.data();
  heads.starts = starts_.data();
  heads.chosen = chosen_.data();
  heads.chosen_before = chosen_before_.data();
  heads.weights = weights_.data();
  heads.answered = &answered_;
  return heads;
}

}  // namespace graphrun::inline GR_IDS
