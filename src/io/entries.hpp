// SPDX-License-Identifier: Apache-2.0
// Texts with an arc a line, "u v" or "u v value": MatrixMarket, edge lists and DIMACS.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"
#include "io/assumptions.hpp"
#include "io/edge_columns.hpp"
#include "io/entry_parser.hpp"
#include "io/entry_stream.hpp"
#include "io/line_parser.hpp"
#include "io/text_cursor.hpp"

namespace graphrun::io::inline GR_IDS {

/// Of edge lists.
inline constexpr CommentMarks kEdgeListComments{'#', '%'};

/// The form of the lines of a text, and the facts of its header.
struct EntryFormat {
  EntryRule rule;
  std::optional<EdgeColumns> columns;  ///< lines are rows of these; otherwise as `rule` says
  NameTable* names = nullptr;          ///< see ReadOptions
  Assumptions* assumptions = nullptr;  ///< see ReadOptions
  bool tells_of_zeros = false;         ///< ids that are read as numbers and begin with 0 are worth a sentence
  bool tells_of_comments = false;      ///< comments that read like entries are worth one, too
  CountsLine counts;                   ///< see EdgeColumns
  std::uint64_t most_name_bytes = std::numeric_limits<std::uint64_t>::max();
  CommentMarks comments{};
  WeightUse weights = WeightUse::kept;
  /// Of values. u32 until one is beyond 32 bits, u64 until one is negative, not whole or beyond 64 bits; f32 from then on.
  WeightKind value_kind = WeightKind::f32;
  Arcs arcs = Arcs::directed;
  bool negates_mirrors = false;            ///< Arcs::mirror, but opposites have the negated value
  std::optional<VertexId> num_vertices;    ///< otherwise largest id + 1
  std::optional<std::uint64_t> announced;  ///< exactly so many entries; otherwise any number
  std::string announcer;                   ///< who says so: "the size line"
  std::string entry_name = "entries";
};

/// Returns the first kind of values that may be whole.
WeightKind first_kind(const ReadOptions& options);

/// Reads entries from the place of `cursor` to the end of the text. `pool` must outlive the stream.
std::unique_ptr<EntryStream> stream_entries(std::unique_ptr<TextCursor> cursor, EntryFormat format, ThreadPool& pool);

/// Returns the most vertices of a text: 2^20 + 512 an entry. One wrong id would otherwise cost a terabyte of offsets. The
/// sparsest ids in common use (SNAP ego-Twitter) have 322 an entry.
std::uint64_t most_vertices(std::uint64_t entries);

/// Throws DataError when `n` vertices are out of proportion to `m` entries: more than most_vertices(m).
void check_density(const std::string& path, std::uint64_t n, std::uint64_t m);

}  // namespace graphrun::io::inline GR_IDS
