// SPDX-License-Identifier: Apache-2.0
// VertexNames: the input's names of vertices.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "graphrun/core/column.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun {
class ThreadPool;
}  // namespace graphrun

namespace graphrun::inline GR_IDS {

/// The input's names of vertices: consecutive numbers, a number each, or a string each. In every array of this library a vertex
/// is its number from 0, its index; users type and read its name.
///
/// Consecutive numbers take no memory, and copies of the other forms share it. Names may lie in a mapped file that changes or
/// is damaged: no function reads outside of the columns then.
class VertexNames {
 public:
  /// Calls every vertex by its index.
  VertexNames() = default;
  /// Calls vertex v first + v.
  static VertexNames consecutive(std::uint64_t first);
  /// Calls vertex v numbers[v].
  static VertexNames numbers(Column<std::uint64_t> numbers);
  /// Calls vertex v bytes[offsets[v] .. offsets[v+1]): n + 1 offsets, the first 0, the last bytes.size().
  static VertexNames strings(Column<std::uint64_t> offsets, Column<char> bytes);

  bool are_strings() const { return !offsets_.empty(); }
  bool are_consecutive() const { return numbers_.empty() && !are_strings(); }
  /// Returns whether every vertex is called by its index.
  bool are_indices() const { return are_consecutive() && first_ == 0; }

  /// Returns the name of a vertex of the graph. Precondition: names are not strings.
  std::uint64_t number(VertexId v) const { return numbers_.empty() ? first_ + v : numbers_[v]; }
  /// Returns the name of a vertex of the graph; empty when its offsets are damaged. Precondition: names are strings.
  std::string_view string(VertexId v) const;
  /// Returns the name of any vertex, for people; "index:V" when it has none.
  std::string text(VertexId v) const;
  /// Returns the first vertex that is called `name`, in a graph of `num_vertices`. Looks at all names except consecutive ones.
  std::optional<VertexId> find(std::string_view name, VertexId num_vertices) const;

  /// Returns the names of vertices that change places: vertex v of the result is the present vertex order[v].
  VertexNames reordered(std::span<const VertexId> order, ThreadPool& pool) const;

  // The parts, to store them.
  std::uint64_t first() const { return first_; }                            ///< of consecutive numbers
  const Column<std::uint64_t>& number_column() const { return numbers_; }   ///< empty in the other forms
  const Column<std::uint64_t>& string_offsets() const { return offsets_; }  ///< empty in the other forms
  const Column<char>& string_bytes() const { return bytes_; }

  /// Returns whether form and names are the same.
  bool operator==(const VertexNames& other) const;

 private:
  std::uint64_t first_ = 0;
  Column<std::uint64_t> numbers_;
  Column<std::uint64_t> offsets_;
  Column<char> bytes_;
};

}  // namespace graphrun::inline GR_IDS
