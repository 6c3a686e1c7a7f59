// SPDX-License-Identifier: Apache-2.0
// Features for a gathering GPU: in host memory, which its warps read over the link, hot ones in its own.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "graphrun/backend/feature_table.hpp"

namespace graphrun::inline GR_IDS {

/// Opens such a table. Throws UsageError, UnavailableError and RunError.
std::unique_ptr<FeatureTable> open_gpu_features(std::span<const std::byte> rows, const FeatureOptions& options);

}  // namespace graphrun::inline GR_IDS
