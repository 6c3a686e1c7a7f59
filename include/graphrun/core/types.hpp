// SPDX-License-Identifier: Apache-2.0
// The two integer types of a graph. Everything else is written in terms of them.
#pragma once

#include <cstdint>
#include <limits>

#ifndef GRAPHRUN_VERTEX_BITS
#define GRAPHRUN_VERTEX_BITS 32
#endif

#if GRAPHRUN_VERTEX_BITS == 64
#define GR_IDS ids64
#elif GRAPHRUN_VERTEX_BITS == 32
#define GR_IDS ids32
#elif GRAPHRUN_VERTEX_BITS != 0  // 0: a source that knows no vertex ids
#error "GRAPHRUN_VERTEX_BITS is 32 or 64"
#endif

namespace graphrun {

/// Position in the edge list. Always 64 bits: edge counts pass 2^32 long before vertex counts do.
using EdgeId = std::uint64_t;

/// Kinds of the 4-byte words of a weight column. u64: indices into an ascending table of distinct weights (Graph::weight_table).
enum class WeightKind : std::uint32_t { none = 0, u32 = 1, f32 = 2, u64 = 3 };

}  // namespace graphrun

#if GRAPHRUN_VERTEX_BITS != 0
/// Holds all that depends on the width of ids, as ids32 or ids64: both link into one program, whose sources see one each.
namespace graphrun::inline GR_IDS {

/// Name of a vertex, 0-based: 32 bits unless a source is compiled with GRAPHRUN_VERTEX_BITS=64 (target graphrun::graphrun64).
#if GRAPHRUN_VERTEX_BITS == 64
using VertexId = std::uint64_t;
#else
using VertexId = std::uint32_t;
#endif

/// "No vertex": the parent of an unreached vertex. Never a valid id, so a graph has at most kNoVertex vertices.
inline constexpr VertexId kNoVertex = std::numeric_limits<VertexId>::max();

inline constexpr int kVertexBits = GRAPHRUN_VERTEX_BITS;

}  // namespace graphrun::inline GR_IDS
#endif
