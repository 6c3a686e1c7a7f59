// What the names in the header of a table say of its columns.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphrun/core/types.hpp"

namespace graphrun::io::inline GR_IDS {

/// What a column holds by its name.
enum class ColumnRole {
  unknown,
  weight,
  time,
  row_number,  ///< id, index, an empty name: what pandas and R write before the columns of a table
  attribute    ///< a type, label or year of edges: may be numbers, but no weights
};

/// Letters and digits of a name, in lower case: "From Node_ID" is "fromnodeid".
std::string simple_name(std::string_view name);

ColumnRole role_of(std::string_view name);

/// The columns of sources and of targets in a header such as "source,target", "from_url,to_url", "head,relation,tail" or
/// "protein1,protein2". Nothing where there is no such pair, or where there are several.
std::optional<std::pair<std::size_t, std::size_t>> find_ends(const std::vector<std::string>& header);

}  // namespace graphrun::io::inline GR_IDS
