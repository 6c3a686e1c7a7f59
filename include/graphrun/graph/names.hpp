// VertexNames: what the input calls its vertices.
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

/// What the input calls each vertex: consecutive numbers, a number each, or a string each. In every array of this library a
/// vertex is its number from 0, its index; what a user types or reads is its name.
///
/// Consecutive numbers take no memory, and copies of the other forms share it. Names may lie in a mapped file that changes or
/// is damaged: no function reads outside of the columns then.
class VertexNames {
 public:
  /// Every vertex is called by its index.
  VertexNames() = default;
  /// Vertex v is called first + v.
  static VertexNames consecutive(std::uint64_t first);
  /// Vertex v is called numbers[v].
  static VertexNames numbers(Column<std::uint64_t> numbers);
  /// Vertex v is called bytes[offsets[v] .. offsets[v+1]): n + 1 offsets, the first 0, the last bytes.size().
  static VertexNames strings(Column<std::uint64_t> offsets, Column<char> bytes);

  bool are_strings() const { return !offsets_.empty(); }
  bool are_consecutive() const { return numbers_.empty() && !are_strings(); }
  /// Whether every vertex is called by its index.
  bool are_indices() const { return are_consecutive() && first_ == 0; }

  /// The name of a vertex of the graph. Precondition: names are not strings.
  std::uint64_t number(VertexId v) const { return numbers_.empty() ? first_ + v : numbers_[v]; }
  /// The name of a vertex of the graph, empty when the offsets there are damaged. Precondition: names are strings.
  std::string_view string(VertexId v) const;
  /// The name of any vertex, for people; "index:V" when it has none.
  std::string text(VertexId v) const;
  /// The vertex that is called `name`, the first of several, in a graph of `num_vertices`. Looks at all names but consecutive
  /// ones.
  std::optional<VertexId> find(std::string_view name, VertexId num_vertices) const;

  /// The names of vertices that change places: vertex v of the result is the present vertex order[v].
  VertexNames reordered(std::span<const VertexId> order, ThreadPool& pool) const;

  // The parts, to store them.
  std::uint64_t first() const { return first_; }                            ///< of consecutive numbers
  const Column<std::uint64_t>& number_column() const { return numbers_; }   ///< empty in the other forms
  const Column<std::uint64_t>& string_offsets() const { return offsets_; }  ///< empty in the other forms
  const Column<char>& string_bytes() const { return bytes_; }

  /// Whether form and names are the same.
  bool operator==(const VertexNames& other) const;

 private:
  std::uint64_t first_ = 0;
  Column<std::uint64_t> numbers_;
  Column<std::uint64_t> offsets_;
  Column<char> bytes_;
};

}  // namespace graphrun::inline GR_IDS
