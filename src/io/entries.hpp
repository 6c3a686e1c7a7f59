// Lines "u v" or "u v value", parsed on all cores: what MatrixMarket files and edge lists have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/graph/build.hpp"
#include "io/text_source.hpp"

namespace graphrun::io {

/// Where the entries of a text lie: pieces that begin and end at line boundaries, and the entries before each piece.
struct EntryLines {
  const Text* text = nullptr;
  bool hash_comments = false;              ///< lines that begin with '#' are comments; those with '%' always are
  std::vector<std::size_t> bounds;         ///< byte offsets; piece i is [bounds[i], bounds[i+1])
  std::vector<std::uint64_t> first_entry;  ///< one a bound; the last is the number of entries

  std::size_t pieces() const { return bounds.size() - 1; }
  std::uint64_t count() const { return first_entry.back(); }
};

/// Counts the lines from byte `begin` on that are neither blank nor comments. `text` must outlive the result.
EntryLines find_entries(const Text& text, std::size_t begin, bool hash_comments, ThreadPool& pool);

/// Byte offset of entry number `index` < count(), leading blanks skipped.
std::size_t entry_offset(const EntryLines& lines, std::uint64_t index);

/// What an entry must look like.
struct EntryRule {
  std::uint64_t first_id = 0;     ///< what the file calls vertex 0
  std::uint64_t num_sources = 0;  ///< ids first_id .. first_id + num - 1 are valid
  std::uint64_t num_targets = 0;
  std::uint64_t target_shift = 0;  ///< added to targets (bipartite graphs)
  std::string limit_reason;        ///< ends the sentence about an id that is out of range
  bool valued = false;             ///< a value follows the ids; otherwise the line ends there
  bool whole_values = false;       ///< a value is an integer of at most 32 bits
  bool prefer_u32 = false;         ///< take u32 words when all values are whole, not negative and fit
};

/// Entries in the order of the file, arcs not set, num_vertices = largest id + 1. Throws DataError with the line of the
/// first faulty entry, whatever the number of threads.
EdgeList parse_entries(const EntryLines& lines, const EntryRule& rule, ThreadPool& pool);

/// Throws DataError when `n` vertices are out of proportion to `m` entries: one wrong id would otherwise cost a
/// terabyte of offsets. The limit is 2^20 + 512 m; the sparsest ids in common use (SNAP ego-Twitter) have 322 m.
void check_density(const Text& text, std::uint64_t n, std::uint64_t m);

/// Throws DataError "path:line: message" for the line at `offset`.
[[noreturn]] void throw_at(const Text& text, std::size_t offset, const std::string& message);

}  // namespace graphrun::io
