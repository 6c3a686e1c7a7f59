// SPDX-License-Identifier: Apache-2.0
// Numbers for the names of vertices in a file.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "graphrun/core/types.hpp"
#include "graphrun/graph/names.hpp"
#include "graphrun/graph/scratch.hpp"

namespace graphrun::io::inline GR_IDS {

/// The form of names.
enum class NameKind {
  none,     ///< ids are vertices, or will be when gaps between them are closed (IdSet)
  numbers,  ///< 64-bit numbers; the table holds their 8 bytes
  strings
};

/// Gives each name a number, from 0, in the order in which the names come first. Takes 20 to 40 bytes a name, and its bytes up to
/// twice. For one thread.
class NameTable {
 public:
  /// Set by the first reader that finds out; it stays when the entries are read again.
  NameKind kind = NameKind::none;

  VertexId number_of(std::string_view name);
  VertexId size() const { return static_cast<VertexId>(offsets_.size() - 1); }
  std::string_view name(VertexId number) const;
  /// Returns the bytes of memory of the table.
  std::uint64_t bytes() const;

  /// Returns the names in the order of vertices, and in `rank` the vertex of each number: strings keep their numbers, and `rank`
  /// stays empty; 64-bit numbers ascend. Leaves the table empty.
  VertexNames take(Column<VertexId>& rank, const Workspace& space);

 private:
  struct Slot {
    std::uint32_t tag = 0;  ///< of the hash
    VertexId number = kNoVertex;
  };
  void grow();

  std::vector<Slot> slots_;  // a power of two; linear probing
  std::vector<std::uint64_t> offsets_{0};
  std::vector<char> bytes_;
};

/// Returns a number as a name of NameKind::numbers.
inline std::string_view as_name(const std::uint64_t& number) { return {reinterpret_cast<const char*>(&number), sizeof(number)}; }

}  // namespace graphrun::io::inline GR_IDS
