// Features that a GPU gathers: in host memory, which its warps read over the link, the hot ones in its own.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "graphrun/backend/feature_table.hpp"

namespace graphrun::inline GR_IDS {

/// Throws UsageError, UnavailableError and RunError.
std::unique_ptr<FeatureTable> open_gpu_features(std::span<const std::byte> rows, const FeatureOptions& options);

}  // namespace graphrun::inline GR_IDS
