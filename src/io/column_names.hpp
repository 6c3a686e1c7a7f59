// SPDX-License-Identifier: Apache-2.0
// The meaning of names in the header of a table.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphrun/core/types.hpp"

namespace graphrun::io::inline GR_IDS {

/// The content of a column by its name.
enum class ColumnRole {
  unknown,
  weight,
  time,
  row_number,  ///< id, index, an empty name: what pandas and R write before the columns of a table
  attribute    ///< a type, label or year of edges: may be numbers, but no weights
};

/// Returns letters and digits of a name, in lower case: "From Node_ID" is "fromnodeid".
std::string simple_name(std::string_view name);

ColumnRole role_of(std::string_view name);

/// Returns the columns of sources and targets in a header such as "source,target", "from_url,to_url", "head,relation,tail" or
/// "protein1,protein2". Nothing where there is no such pair, or several.
std::optional<std::pair<std::size_t, std::size_t>> find_ends(const std::vector<std::string>& header);

}  // namespace graphrun::io::inline GR_IDS
