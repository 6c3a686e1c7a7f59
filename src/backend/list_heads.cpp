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

std::uint64_t edges_in(const Heads& heads, const Rows& rows, ThreadPool& pool) {
  return parallel_sum<std::uint64_t>(pool, rows.num_vertices, [&](std::size_t v) {
    return heads.end_of(rows.offsets[v], rows.offsets[v + 1]) - rows.offsets[v];
  });
}

template <class T>
void make_room(Column<T>& column, std::size_t size) {
  if (column.size() != size) column = Column<T>::allocate(size);
}

}  // namespace

void ListHeads::keep_beginnings(const ListColumn& lists, EdgeId unit, std::uint64_t most_bytes, ThreadPool& pool) {
  const Rows& rows = lists.rows;
  const std::uint64_t edge_bytes = lists.words_an_edge * sizeof(VertexId);
  const std::uint64_t index_bytes = (std::uint64_t{rows.num_vertices} + 1) * sizeof(std::uint32_t);
  heads_.words_an_edge = lists.words_an_edge;
  heads_.unit = unit;
  if (most_bytes <= index_bytes) return;
  const std::uint64_t most = std::min((most_bytes - index_bytes) / edge_bytes, kMostHeadEdges);
  heads_.lead = longest_lead(heads_, most, [&](const Heads& heads) { return edges_in(heads, rows, pool); });
  if (heads_.lead == 0) return;
  make_room(starts_, std::size_t{rows.num_vertices} + 1);
  const auto length = [&](std::size_t v) {
    return static_cast<std::uint32_t>(heads_.end_of(rows.offsets[v], rows.offsets[v + 1]) - rows.offsets[v]);
  };
  lists_ = 0;
  for (std::size_t v = 0; v < rows.num_vertices; ++v) {
    starts_[v + 1] = starts_[v] + length(v);
    lists_ += length(v) != 0 ? 1 : 0;
  }
  make_room(words_, std::size_t{starts_[rows.num_vertices]} * lists.words_an_edge);
  copy(lists, length, pool);
}

void ListHeads::keep_lists(const ListColumn& lists, const std::vector<VertexId>& order, std::uint64_t most_bytes,
                           ThreadPool& pool) {
  const Rows& rows = lists.rows;
  const std::size_t bit_words = rows.num_vertices / 64 + 1;
  const std::uint64_t index_bytes = bit_words * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
  const std::uint64_t edge_bytes =
      lists.words_an_edge * sizeof(VertexId) + (lists.weights != nullptr ? sizeof(std::uint32_t) : 0);
  const std::uint64_t least = edge_bytes + sizeof(std::uint32_t);
  heads_.words_an_edge = lists.words_an_edge;
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
  make_room(words_, edges * lists.words_an_edge);
  if (lists.weights != nullptr) make_room(weights_, edges);
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
  copy(
      lists, [&](std::size_t v) { return heads.has_list(static_cast<VertexId>(v)) ? rows.degree(static_cast<VertexId>(v)) : 0; },
      pool);
}

template <class Length>
void ListHeads::copy(const ListColumn& lists, const Length& length, ThreadPool& pool) {
  const Rows& rows = lists.rows;
  const std::uint32_t words_an_edge = lists.words_an_edge;
  const Heads heads = view();
  Progress progress("filling the static tier", rows.num_vertices, "lists");
  parallel_chunks(pool, rows.num_vertices, kHeadsAPiece, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t v = begin; v < end; ++v) {
      const std::size_t edges = length(v);
      if (edges == 0) continue;
      const std::uint64_t start = heads.start_of(static_cast<VertexId>(v));
      std::copy_n(lists.words.data() + rows.offsets[v] * words_an_edge, edges * words_an_edge,
                  words_.data() + start * words_an_edge);
      if (lists.weights != nullptr) std::copy_n(lists.weights->data() + rows.offsets[v], edges, weights_.data() + start);
    }
    if (lists.words.in_mapped_file()) lists.words.release(rows.offsets[begin] * words_an_edge, rows.offsets[end] * words_an_edge);
    if (lists.weights != nullptr && lists.weights->in_mapped_file())
      lists.weights->release(rows.offsets[begin], rows.offsets[end]);
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
