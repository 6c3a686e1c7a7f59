// SPDX-License-Identifier: Apache-2.0
// Words that the checks share.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

#include "graphrun/core/error.hpp"
#include "graphrun/core/types.hpp"
#include "graphrun/verify/verify.hpp"

namespace graphrun::verify::inline GR_IDS {

template <class... Args>
Verdict wrong(fmt::format_string<Args...> reason, Args&&... args) {
  return {false, fmt::format(reason, std::forward<Args>(args)...)};
}

/// Checks that an answer has one value a vertex.
inline Verdict check_size(const char* what, std::size_t size, VertexId num_vertices) {
  if (size == num_vertices) return {};
  return wrong("{} {} for {} vertices", size, what, num_vertices);
}

/// Checks the source of an answer to a search. Any source will do for a graph without vertices.
inline Verdict check_source(VertexId source, VertexId num_vertices) {
  if (source < num_vertices || num_vertices == 0) return {};
  return wrong("source {} is not below the number of vertices, {}", source, num_vertices);
}

/// Throws UsageError for such a source, in the references, which have no verdict to return.
inline void require_source(VertexId source, VertexId num_vertices) {
  if (const Verdict verdict = check_source(source, num_vertices); !verdict) throw UsageError(verdict.reason);
}

}  // namespace graphrun::verify::inline GR_IDS
