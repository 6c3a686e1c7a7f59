#include "backend/list_heads.hpp"

#include <algorithm>
#include <limits>

#include "graphrun/core/parallel.hpp"
#include "graphrun/core/progress.hpp"

namespace graphrun::inline GR_IDS {
namespace {

constexpr std::size_t kHeadsAPiece = 1 << 14;

std::uint64_t edges_in(const Heads& heads, const Rows& rows, ThreadPool& pool) {
  return parallel_sum<std::uint64_t>(pool, rows.num_vertices, [&](std::size_t v) {
    return heads.end_of(rows.offsets[v], rows.offsets[v + 1]) - rows.offsets[v];
  });
}

}  // namespace

ListHeads::ListHeads(const Rows& rows, const Column<VertexId>& column, std::uint32_t words_an_edge, EdgeId unit,
                     std::uint64_t most_bytes, ThreadPool& pool) {
  const std::uint64_t edge_bytes = words_an_edge * sizeof(VertexId);
  const std::uint64_t index_bytes = (std::uint64_t{rows.num_vertices} + 1) * sizeof(std::uint32_t);
  heads_.words_an_edge = words_an_edge;
  heads_.unit = unit;
  if (most_bytes <= index_bytes) return;
  const std::uint64_t most =
      std::min<std::uint64_t>((most_bytes - index_bytes) / edge_bytes, std::numeric_limits<std::uint32_t>::max());
  heads_.lead = longest_lead(heads_, most, [&](const Heads& heads) { return edges_in(heads, rows, pool); });
  if (heads_.lead == 0) return;
  starts_ = Column<std::uint32_t>::allocate(std::size_t{rows.num_vertices} + 1);
  const auto length = [&](std::size_t v) {
    return static_cast<std::uint32_t>(heads_.end_of(rows.offsets[v], rows.offsets[v + 1]) - rows.offsets[v]);
  };
  for (std::size_t v = 0; v < rows.num_vertices; ++v) starts_[v + 1] = starts_[v] + length(v);
  words_ = Column<VertexId>::allocate(std::size_t{starts_[rows.num_vertices]} * words_an_edge);
  Progress progress("filling the static tier", rows.num_vertices, "lists");
  parallel_chunks(pool, rows.num_vertices, kHeadsAPiece, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t v = begin; v < end; ++v) {
      std::copy_n(column.data() + rows.offsets[v] * words_an_edge, std::size_t{length(v)} * words_an_edge,
                  words_.data() + std::size_t{starts_[v]} * words_an_edge);
    }
    if (column.in_mapped_file()) column.release(rows.offsets[begin] * words_an_edge, rows.offsets[end] * words_an_edge);
    progress.advance(end - begin);
  });
}

Heads ListHeads::view() const {
  Heads heads = heads_;
  heads.words = words_.data();
  heads.starts = starts_.data();
  heads.answered = &answered_;
  return heads;
}

}  // namespace graphrun::inline GR_IDS
