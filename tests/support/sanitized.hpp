// SPDX-License-Identifier: Apache-2.0
// Whether this build finds errors at a tenth of the speed: tests then take smaller inputs.
#pragma once

namespace graphrun::test {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Whether it looks for races alone, and is thirty times slower: a test whose threads would do the same again may leave that out.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitized = true;
#else
inline constexpr bool kThreadSanitized = false;
#endif

/// Whether this build runs what another has run, for errors of memory, for races or for the other width of ids: a few cases of
/// each kind are enough.
inline constexpr bool kFewCases = kSanitized || GRAPHRUN_VERTEX_BITS == 64;

}  // namespace graphrun::test
