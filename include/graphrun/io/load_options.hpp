// What users can say of how a graph is read.
#pragma once

#include <vector>

#include "graphrun/core/option.hpp"
#include "graphrun/io/load.hpp"

namespace graphrun::inline GR_IDS {

/// The options of graphrun and graphconv that set LoadOptions, in the order of their help.
const std::vector<Option<LoadOptions>>& load_options();

}  // namespace graphrun::inline GR_IDS
