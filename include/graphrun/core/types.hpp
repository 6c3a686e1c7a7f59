// The two integer types of a graph. Everything else is written in terms of them.
#pragma once

#include <cstdint>
#include <limits>

#ifndef GRAPHRUN_VERTEX_BITS
#define GRAPHRUN_VERTEX_BITS 32
#endif

namespace graphrun {

/// Name of a vertex, 0-based. 32 bits unless the library was built with GRAPHRUN_VERTEX_BITS=64 (target graphrun::graphrun64).
#if GRAPHRUN_VERTEX_BITS == 64
using VertexId = std::uint64_t;
#elif GRAPHRUN_VERTEX_BITS == 32
using VertexId = std::uint32_t;
#else
#error "GRAPHRUN_VERTEX_BITS is 32 or 64"
#endif

/// Position in the edge list. Always 64 bits: edge counts pass 2^32 long before vertex counts do.
using EdgeId = std::uint64_t;

/// "No vertex": the parent of an unreached vertex. Never a valid id, so a graph has at most kNoVertex vertices.
inline constexpr VertexId kNoVertex = std::numeric_limits<VertexId>::max();

inline constexpr int kVertexBits = GRAPHRUN_VERTEX_BITS;

/// What the 4-byte words of a weight column hold.
enum class WeightKind : std::uint32_t { none = 0, u32 = 1, f32 = 2 };

}  // namespace graphrun
