// SPDX-License-Identifier: Apache-2.0
// Fields of a few bits each that follow each other: 32 bits of each at most, lowest bits first.
#pragma once

#include <cstddef>
#include <cstdint>

namespace graphrun {

/// Elements after `count` that the functions below may write.
inline constexpr std::size_t kFieldsBehind = 8;

/// Sets out[i] to field i of `width` bits; the first begins with the byte at `fields`. Reads nothing from `bound` on; 32 bytes
/// before it can be read. Uses AVX2 where the processor has it, unless the environment says GRAPHRUN_SIMD=scalar.
void unpack_fields(const std::byte* fields, const std::byte* bound, unsigned width, unsigned count, std::uint32_t* out);

/// Sets out[i] to first + the sum of fields 0 .. i.
void sum_fields(const std::byte* fields, const std::byte* bound, unsigned width, unsigned count, std::uint32_t first,
                std::uint32_t* out);

/// Inverts unpack_fields(): writes the bytes that hold fields, and no other.
void pack_fields(const std::uint32_t* values, std::size_t count, unsigned width, std::byte* fields);

}  // namespace graphrun
