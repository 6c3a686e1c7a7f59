// SPDX-License-Identifier: Apache-2.0
// Copies rows of features by host threads.
#pragma once

#include <cstddef>
#include <span>

#include "graphrun/core/thread_pool.hpp"
#include "graphrun/core/types.hpp"

namespace graphrun::inline GR_IDS {

/// Copies row ids[i] of `rows` to to[i * row_bytes]. Requires ids of rows.
void copy_rows(ThreadPool& pool, std::span<const std::byte> rows, std::size_t row_bytes, std::span<const VertexId> ids,
               std::byte* to);

}  // namespace graphrun::inline GR_IDS
