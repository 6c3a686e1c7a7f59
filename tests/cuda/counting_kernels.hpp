// SPDX-License-Identifier: Apache-2.0
// One warp that reads edges of a view whose requests are counted.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graphrun/exec/cuda_executor.hpp"
#include "graphrun/view/counted_view.hpp"

namespace graphrun::test {

/// What a lane reads in each of its loads; nothing for lanes that do not take part.
using Loads = std::vector<std::optional<EdgeId>>;

/// Each of `loads` has 32 places, a lane each; neighbours are read, and weights where `weighted`, one load after another. The
/// memory begins on a 128-byte line. Every place must be below `edges`.
LinkRequests requests_of(CudaExecutor& exec, const std::vector<Loads>& loads, std::size_t edges, bool weighted);

}  // namespace graphrun::test
