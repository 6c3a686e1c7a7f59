// SPDX-License-Identifier: Apache-2.0
// Lines "u v {'weight': 2.5, 'label': 'a'}", as networkx.write_edgelist writes them.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "graphrun/core/types.hpp"

namespace graphrun::io::inline GR_IDS {

/// The place of attributes in a line, and the separator of its fields.
struct AttributeLine {
  char separator = '\0';  ///< 0: blanks
  std::size_t begin = 0;  ///< of the attributes in the line, which end it
};

/// Returns nothing where `line` is no pair of vertices with attributes.
std::optional<AttributeLine> find_attributes(std::string_view line);

/// Returns the value of `key` in a dict of Python, 2.5 also of np.float64(2.5); nothing where it has none.
std::optional<std::string_view> attribute_of(std::string_view dict, std::string_view key);

/// Returns whether the dict has keys other than `key`.
bool has_other_attributes(std::string_view dict, std::string_view key);

}  // namespace graphrun::io::inline GR_IDS
