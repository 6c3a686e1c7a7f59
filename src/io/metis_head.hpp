// Whether numbers in lines are METIS's: a header, and for each vertex a line of its neighbours.
#pragma once

#include <string_view>

#include "graphrun/core/types.hpp"

namespace graphrun::io::inline GR_IDS {

/// Whether the whole text fits METIS's header: a line a vertex, every edge listed from both its ends, as many as announced.
bool is_metis_text(std::string_view text);

}  // namespace graphrun::io::inline GR_IDS
